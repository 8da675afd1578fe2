"""A model file: what was saved comes back whole, and a damaged one is refused, always by the same kind of error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tokviz
from tests.strategies import CUSTOM
from tokviz import Tokenizer
from tokviz.base.errors import FormatError
from tokviz.base.text import clean
from tokviz.formats.tokviz import dump, loads

CAT = "the cat in the hat sat on the mat. the cat and the hat."


@pytest.mark.parametrize("name", ["\ud800", "a\udcff.txt", "caf\udce9"])
def test_half_characters_in_a_name_become_replacement_characters(name: str) -> None:
    tok = Tokenizer(name, [])
    assert tok.name == loads(dump(tok)).name == clean(name)


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


# Damage

MODEL = dump(tokviz.train([CAT, "<s> é"], 266, pattern=CUSTOM, special_tokens=["<s>", "é b"], tie="lowest").tokenizer)
FIELDS = json.loads(MODEL)


def refuse(data: bytes, says: str | None = None) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        loads(data, "model.json")
    assert str(caught.value).startswith("model.json")


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


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"format": None}, '"format": "tokviz"'),
        ({"version": 4}, "has version 4.*reads versions 1 to 3"),
        ({"version": True}, "version True"),
        ({"pattern": "a" * 20_000}, "20,000"),
        ({"merges": {"0": [97, 98]}}, "'merges'"),
        ({"merges": [[97, 98], [97, 98, 99]]}, "merge 2"),
        ({"merges": [[97, 98]]}, "history"),
        ({"merges": [[257, 97], [97, 98]], "history": None}, "Merge 1.*later"),
        ({"merges": [[97, 999]], "history": None}, "999"),
        ({"merge_ids": [256]}, "'merge_ids'"),
        (
            {"alphabet": [*range(255), 2**31]},
            r"'alphabet\[255\]' is 2147483648, which is not a whole number from -1 on",
        ),
        ({"special_tokens": {"<s>": "266"}}, r"'special_tokens\['<s>'\]' is '266', which is not a whole"),
        ({"special_tokens": {"<s>": 300, "<t>": 300}}, "id 300"),
        ({"history": []}, "'history'"),
        ({"history": {**FIELDS["history"], "count": [1]}}, "'count'"),
        ({"history": {**FIELDS["history"], "replaced": [-1] * 10}}, r"'history\.replaced\[0\]' is -1"),
        ({"history": {**FIELDS["history"], "more": []}}, r"'history\.more' is 'more', which is none of count"),
        ({"history": {**FIELDS["history"], "tied": [1] * 9 + [0]}}, "contradicts itself at merge 10"),
        ({"history": {**FIELDS["history"], "tokens_after": FIELDS["history"]["tokens_after"][::-1]}}, "at merge 2"),
        ({"made_from": "a corpus"}, "'made_from'"),
    ],
)
def test_damage_is_named(fields: dict, says: str) -> None:
    assert len(FIELDS["merges"]) == 10
    refuse(json.dumps({**FIELDS, **fields}).encode(), says)


def test_what_stands_in_a_file_twice_is_named() -> None:
    refuse(MODEL.replace(b'"<s>":266', b'"<s>":266,"<s>":280'), "'<s>' is in it twice")
    refuse(MODEL.replace(b'"name"', b'"merges": [],\n"name"'), "'merges' is in it twice")


def test_what_0_1_0_said_of_pruned_counts_is_read_over_and_not_written_again() -> None:
    fields = json.loads(dump(tokviz.train(tokviz.count_chunks(CAT), 260).tokenizer))
    for said in (3, "three"):
        old = json.dumps({**fields, "made_from": {**fields["made_from"], "certain_merges": said}}).encode()
        loaded = loads(old)
        assert loaded.made_from == fields["made_from"] and b"certain_merges" not in dump(loaded)
        assert loaded.history is not None and len(loaded.history) == 4
