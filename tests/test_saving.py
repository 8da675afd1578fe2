"""A model file: what was saved comes back whole, and a damaged one is refused, always by the same kind of error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.bounded import bounded
from tests.strategies import CUSTOM, any_character
from tokviz import Tokenizer
from tokviz.base.errors import FormatError, SettingError
from tokviz.base.text import clean
from tokviz.formats.tokviz import dump, loads

CAT = "the cat in the hat sat on the mat. the cat and the hat."
HARD_PATTERNS = ["none", "gpt2", CUSTOM] + [
    hard + r"|[\s\S]" for hard in (" ?\\w+ | \n|\r\n", " ", '"é\\u2028👍"', "é\u2028👍", "\\\\", "\x00")
]
HARD_SPECIALS = [{}, {" a b ": 900, "\n": 901, "é\u2028": 902, '"\\"': 2**31 - 1, "\x00": 903, "\u00a0": 904}]


def same(a: Tokenizer, b: Tokenizer) -> bool:
    return (
        (a.name, a.pattern, a.merges, a.special_tokens) == (b.name, b.pattern, b.merges, b.special_tokens)
        and (a.history, a.made_from) == (b.history, b.made_from)
        and a.alphabet.tolist() == b.alphabet.tolist()
        and a.merge_ids.tolist() == b.merge_ids.tolist()
        and a.vocab == b.vocab
    )


# There and back


@given(
    name=st.text(any_character),
    pattern=st.sampled_from(HARD_PATTERNS),
    specials=st.sampled_from(HARD_SPECIALS),
    alphabet=st.permutations(range(256)),
    gap=st.integers(0, 300),
    text=st.text(st.characters(exclude_categories=("Cs",))),
)
def test_whatever_a_tokenizer_is_made_of_comes_back(name, pattern, specials, alphabet, gap, text) -> None:
    tok = Tokenizer(
        name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"),
        [(alphabet[97], alphabet[98]), (256 + gap, alphabet[97])],
        pattern=pattern,
        special_tokens=specials,
        alphabet=alphabet,
        merge_ids=[256 + gap, 257 + 2 * gap],
        made_from={"settings": {"note": text, "ratio": 0.1}, "texts": None},
    )
    loaded = loads(dump(tok))
    assert same(loaded, tok)
    assert dump(loaded) == dump(tok)
    assert loaded.encode(text, "all") == tok.encode(text, "all")


@pytest.mark.parametrize("name", ["\ud800", "a\udcff.txt", "caf\udce9"])
def test_half_characters_in_a_name_become_replacement_characters(name: str) -> None:
    tok = Tokenizer(name, [])
    assert tok.name == loads(dump(tok)).name == clean(name)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_a_reference_tokenizer_comes_back(name: str, tmp_path: Path) -> None:
    tok = tokviz.reference(name)
    tok.save(tmp_path / "reference.json")
    loaded = tokviz.load(tmp_path / "reference.json")
    assert same(loaded, tok)
    text = CAT * 3 + "naïve 👍🏽 12345 don't\r\n  <|endoftext|> 你好 func(x)->y;" + "\U0010ffff"
    assert loaded.explain(text, "all") == tok.explain(text, "all")


def test_the_same_tokenizer_gives_the_same_bytes(tmp_path: Path) -> None:
    first = tokviz.train(CAT, 280, tie="hf", ban=[b"at", b"th"]).tokenizer
    again = tokviz.train(CAT, 280, tie="hf", ban={b"th", b"at"}).tokenizer
    first.save(tmp_path / "a.json")
    again.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes() == dump(first)


def test_the_file_is_plain_utf8_json() -> None:
    model = json.loads(dump(tokviz.train("é é", 258, pattern=CUSTOM, special_tokens=["é"]).tokenizer).decode("utf-8"))
    assert (model["format"], model["version"], model["pattern"]) == ("tokviz", 1, CUSTOM)
    assert model["regex_version"]
    assert model["special_tokens"] == {"é": 256}
    named = json.loads(dump(tokviz.train("é é", 258).tokenizer))
    assert (named["pattern"], named["regex_version"]) == ("gpt2", None)


def test_a_byte_order_mark_does_no_harm() -> None:
    tok = tokviz.train(CAT, 260).tokenizer
    assert same(loads(b"\xef\xbb\xbf" + dump(tok)), tok)


# Whole or not at all


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    old = tokviz.train(CAT, 260).tokenizer
    old.save(path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(SettingError, match=r"^model\.json cannot be written: the disk is full"):
        tokviz.train(CAT, 280).tokenizer.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == dump(old)
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_saving_over_a_file_replaces_it(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(b"something else, and rather longer than a model" * 1_000)
    tok = tokviz.train(CAT, 260).tokenizer
    tok.save(str(path))
    assert path.read_bytes() == dump(tok)
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


# Damage

MODEL = dump(tokviz.train([CAT, "<s> é"], 266, pattern=CUSTOM, special_tokens=["<s>", "é b"], tie="lowest").tokenizer)
FIELDS = json.loads(MODEL)


def refuse(data: bytes, says: str | None = None) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        loads(data, "model.json")
    assert str(caught.value).startswith("model.json")


def damaged(**fields: object) -> bytes:
    return json.dumps({**FIELDS, **fields}).encode()


@pytest.mark.right
def test_saving_on_a_symbolic_link_writes_the_file_that_it_leads_to(tmp_path: Path) -> None:
    tok = tokviz.train(CAT, 260).tokenizer
    (tmp_path / "models").mkdir()
    for target in (tmp_path / "models" / "v1.json", tmp_path / "models" / "new.json"):
        link = tmp_path / f"to-{target.name}"
        link.symlink_to(target.relative_to(tmp_path))
        for size in (256, 257):
            tok.truncated(size).save(link)
            assert link.is_symlink() and tokviz.load(target).vocab_size == size


def test_a_file_that_ends_too_soon_is_refused() -> None:
    for size in [*range(0, len(MODEL.rstrip()), 50), len(MODEL.rstrip()) - 1]:
        refuse(MODEL[:size])


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"format": "other"}, '"format": "tokviz"'),
        ({"format": None}, '"format": "tokviz"'),
        ({"version": 4}, "has version 4.*reads versions 1 to 3"),
        ({"version": "1"}, "version '1'"),
        ({"version": True}, "version True"),
        ({"version": None}, "version None"),
        ({"name": 5}, "'name'"),
        ({"pattern": None}, "'pattern'"),
        ({"pattern": "(a"}, "does not compile"),
        ({"pattern": "a" * 20_000}, "20,000"),
        ({"merges": None}, "'merges'"),
        ({"merges": {"0": [97, 98]}}, "'merges'"),
        ({"merges": [[97]]}, "merge 1"),
        ({"merges": [[97, 98], [97, 98, 99]]}, "merge 2"),
        ({"merges": [[97, "98"]]}, "merge 1"),
        ({"merges": [[97, 98.0]]}, "merge 1"),
        ({"merges": [[97, True]]}, "merge 1"),
        ({"merges": [[97, -1]]}, "merge 1"),
        ({"merges": [[97, 2**31]]}, "merge 1"),
        ({"merges": [[97, 98]]}, "history"),
        ({"merges": [[256, 97]], "history": None}, "Merge 1.*later"),
        ({"merges": [[257, 97], [97, 98]], "history": None}, "Merge 1.*later"),
        ({"merges": [[97, 98], [97, 98]], "history": None}, "same token"),
        ({"merges": [[97, 999]], "history": None}, "999"),
        (
            {"merges": [[97, 97], *([256 + i, 256 + i] for i in range(60))], "history": None},
            "32,000,000 bytes at merge 24",
        ),
        ({"merge_ids": []}, "'merge_ids'"),
        ({"merge_ids": [256]}, "'merge_ids'"),
        ({"merge_ids": "x"}, "'merge_ids'"),
        ({"merge_ids": [256] * 10}, "same id"),
        ({"alphabet": []}, "'alphabet' has 0 ids"),
        (
            {"alphabet": [*range(255), 2**31]},
            r"'alphabet\[255\]' is 2147483648, which is not a whole number from -1 on",
        ),
        ({"alphabet": [*range(255), 254]}, "same id"),
        ({"alphabet": [None] * 256}, r"'alphabet\[0\]'"),
        ({"special_tokens": None}, "'special_tokens'"),
        ({"special_tokens": ["<s>"]}, "'special_tokens'"),
        ({"special_tokens": {"<s>": "266"}}, r"'special_tokens\['<s>'\]' is '266', which is not a whole"),
        ({"special_tokens": {"<s>": 97}}, "id 97"),
        ({"special_tokens": {"<s>": 260}}, "id 260"),
        ({"special_tokens": {"<s>": 300, "<t>": 300}}, "id 300"),
        ({"special_tokens": {"": 300}}, "empty"),
        ({"special_tokens": {"\ud800": 300}}, "ud800"),
        ({"history": []}, "'history'"),
        ({"history": {}}, "'history'"),
        ({"history": {**FIELDS["history"], "count": [1]}}, "'count'"),
        ({"history": {**FIELDS["history"], "tied": ["1"] * 10}}, r"'history\.tied\[0\]' is '1'"),
        ({"history": {**FIELDS["history"], "replaced": [-1] * 10}}, r"'history\.replaced\[0\]' is -1"),
        (
            {"history": {**FIELDS["history"], "more": []}},
            r"'history\.more' is 'more', which is none of count",
        ),
        ({"history": {**FIELDS["history"], "tied": [1] * 9 + [0]}}, "contradicts itself at merge 10"),
        ({"history": {**FIELDS["history"], "tokens_after": [0] * 10}}, "contradicts itself at merge 1"),
        ({"history": {**FIELDS["history"], "tokens_after": FIELDS["history"]["tokens_after"][::-1]}}, "at merge 2"),
        ({"history": {**FIELDS["history"], "replaced": [2**53 - 1] * 10}}, "contradicts itself at merge 1"),
        ({"made_from": "a corpus"}, "'made_from'"),
    ],
)
def test_damage_is_named(fields: dict, says: str) -> None:
    assert len(FIELDS["merges"]) == 10
    refuse(damaged(**fields), says)


@pytest.mark.parametrize("field", ["format", "version", "name", "pattern", "merges", "special_tokens"])
def test_a_missing_field_is_refused(field: str) -> None:
    refuse(json.dumps({name: value for name, value in FIELDS.items() if name != field}).encode())


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "line 1"),
        (b"\xff\xfe\x00", "byte 0 is not UTF-8"),
        (b"[1, 2]", '"format": "tokviz"'),
        (b"null", '"format": "tokviz"'),
        (b"[" * 100_000, "nests too deeply"),
        (b"[" * 1_000_000, "could take 100,000,000 in memory"),
        (b'{"a":' * 50_000, "nests too deeply"),
        (b'{"format": "tokviz", "version": ' + b"9" * 5_000 + b"}", "damaged"),
        (b'{"format": "tokviz", "version": 1e999}', "version inf"),
        (MODEL.replace(b'"<s>":266', b'"<s>":266,"<s>":280'), "'<s>' is in it twice"),
        (MODEL.replace(b'"name"', b'"merges": [],\n"name"'), "'merges' is in it twice"),
        (b"bpe v1\nminbpe", "line 1"),
        (b"\x89PNG\r\n\x1a\n", "byte 0"),
    ],
)
def test_what_is_no_model_is_refused(data: bytes, says: str) -> None:
    refuse(data, says)


def test_a_file_past_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, model_file_mb=0.0001)
    refuse(MODEL, "a file may have 100")
    (tmp_path / "large.json").write_bytes(MODEL)
    with pytest.raises(FormatError, match=r"large\.json has .* bytes; a file may have 100"):
        tokviz.load(tmp_path / "large.json")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"none\.json cannot be read: No such file") as caught:
        tokviz.load(tmp_path / "none.json")
    assert str(tmp_path) not in str(caught.value)


def test_what_0_1_0_said_of_pruned_counts_is_read_over_and_not_written_again() -> None:
    fields = json.loads(dump(tokviz.train(tokviz.count_chunks(CAT), 260).tokenizer))
    for said in (3, "three"):
        old = json.dumps({**fields, "made_from": {**fields["made_from"], "certain_merges": said}}).encode()
        loaded = loads(old)
        assert loaded.made_from == fields["made_from"] and b"certain_merges" not in dump(loaded)
        assert loaded.history is not None and len(loaded.history) == 4
