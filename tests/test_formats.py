"""File formats: what is written comes back, up to what the format says it loses; other programs read the same."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import random
import re
import unicodedata
from pathlib import Path

import pytest
import regex
import tiktoken
from hypothesis import assume, given
from hypothesis import strategies as st

import tokviz
from tests.oracles import BYTE_OF, pattern_of, witness
from tests.strategies import SURROGATES, hostile_tokenizers, settings_of_training, wild_texts
from tests.test_contract import definition, unpacked
from tokviz import Tokenizer
from tokviz.automaton import representatives
from tokviz.catalog import references
from tokviz.errors import FormatError, InputError, PatternError, SpecialTokenError, UnknownNameError
from tokviz.formats import FORMATS, bytelevel, dump, load, patterns
from tokviz.formats import tiktoken as ranks_format

CAT = "the cat in the hat sat on the mat. the cat and the hat."
README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
tokenizers = st.one_of(
    settings_of_training(max_merges=20).map(lambda setting: setting.train().tokenizer), hostile_tokenizers()
)


def asked(tok: Tokenizer, format: str) -> dict:
    """What `load` has to be told of this tokenizer beside its files."""
    say = {field: getattr(tok, field) for field in FORMATS[format].asks}
    return say | ({"name": tok.name} if "name" in FORMATS[format].loses else {})


def there_and_back(tok: Tokenizer, format: str) -> Tokenizer:
    return load(dump(tok, format), **asked(tok, format))


def assert_same(loaded: Tokenizer, tok: Tokenizer, format: str) -> None:
    loses = FORMATS[format].loses
    pattern = patterns.named(tok.pattern) if format in ("minbpe", "hf") else tok.pattern
    assert (loaded.name, loaded.pattern, loaded.merges) == (tok.name, pattern, tok.merges)
    assert dict(loaded.special_tokens) == dict(tok.special_tokens)
    assert loaded.alphabet.tolist() == tok.alphabet.tolist()
    assert loaded.merge_ids.tolist() == tok.merge_ids.tolist()
    assert loaded.vocab == tok.vocab
    assert loaded.history == (None if "history" in loses else tok.history)
    assert loaded.made_from == (None if "made_from" in loses else tok.made_from)


def encoded(tok: Tokenizer, text: str) -> list[int] | str:
    """The ids, or what the pattern does not cover."""
    try:
        return tok.encode(text, "all")
    except PatternError as fault:
        return str(fault)


# There and back


@pytest.mark.parametrize("format", FORMATS)
@given(tok=tokenizers, text=wild_texts)
def test_a_tokenizer_comes_back(format: str, tok: Tokenizer, text: str) -> None:
    try:
        files = dump(tok, format)
    except FormatError:
        assume(False)
    loaded = load(files, **asked(tok, format))
    assert_same(loaded, tok, format)
    assert encoded(loaded, text) == encoded(tok, text)
    assert dump(loaded, format) == files  # the same bytes again


@pytest.mark.parametrize("format", FORMATS)
@given(setting=settings_of_training(max_merges=20))
def test_what_a_training_makes_is_hardly_ever_refused(format: str, setting) -> None:
    assume(all(token.split() == [token] for token in setting.special_tokens) or format != "minbpe")
    assume(setting.pattern in tokviz.split.PATTERNS or format != "hf")
    assume("é!" not in setting.special_tokens)  # files of characters read é as a byte
    dump(setting.train().tokenizer, format)


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("tokviz", "gpt2"),
        ("gpt2", "gpt2"),
        ("vocab-merges", "gpt2"),
        ("tiktoken", "gpt2"),
        ("hf", "cl100k_base"),
    ],
)
def test_reference_tokenizers_come_back(format: str, name: str) -> None:
    tok = tokviz.reference(name)
    loaded = there_and_back(tok, format)
    assert_same(loaded, tok, format)
    text = CAT * 3 + "naïve 👍🏽 12345 don't\r\n  <|endoftext|> 你好 func(x)->y;" + "\U0010ffff"
    assert loaded.explain(text, "all") == tok.explain(text, "all")


def test_minbpe_cannot_hold_the_bytes_of_gpt2() -> None:
    with pytest.raises(FormatError, match="does not number its bytes 0 to 255"):
        dump(tokviz.reference("gpt2"), "minbpe")


@pytest.mark.parametrize("format", FORMATS)
def test_a_token_that_no_pair_makes_is_refused(format: str) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"abc": 256}
    with pytest.raises(FormatError, match=r"has a token that no pair of tokens makes, b'abc'"):
        dump(Tokenizer.from_ranks("x", ranks, pattern="none", special_tokens={}), format)


# What is said of the formats


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_what_a_format_loses_is_a_field_of_a_tokenizer(format) -> None:
    fields = {"name", "history", "made_from", "pattern", "special_tokens"}
    assert set(format.loses) <= fields
    assert set(format.asks) <= set(format.loses)
    assert all(why.endswith(".") for why in format.loses.values())


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_the_readme_says_what_a_format_loses_and_asks_for(format) -> None:
    loses, asks = (", ".join(fields) or "nothing" for fields in (format.loses, format.asks))
    assert f"| `{format.key}` | {format.files} | {loses} | {asks} |\n" in README


def test_an_unknown_format_is_told_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no format 'gguf'.*tokviz, minbpe, gpt2, vocab-merges, tiktoken"):
        dump(Tokenizer("a", []), "gguf")


def test_the_file_gives_its_name_where_the_format_keeps_none() -> None:
    files = dump(Tokenizer("hug", [(117, 103)]), "minbpe")
    assert load({"models/my own.model": files["hug.model"]}).name == "my own"
    assert load(files, name="other").name == "other"
    assert load(dump(Tokenizer("naïve/..", []), "tokviz")).name == "naïve/.."
    assert list(dump(Tokenizer("naïve/..", []), "tokviz")) == ["na_ve.json"]


# What is asked for, and what cannot be read


HUG = Tokenizer("hug", [(117, 103), (104, 256)], special_tokens={"<|a|>": 300, "<|b|>": 301})


@pytest.mark.parametrize("format", ["gpt2", "vocab-merges"])
def test_tokens_that_no_merge_makes_must_be_named(format: str) -> None:
    files = dump(HUG, format)
    with pytest.raises(FormatError, match=r"no merge makes: '<\|a\|>', '<\|b\|>'.*special_tokens="):
        load(files, pattern="gpt2")
    with pytest.raises(FormatError, match=r"no merge makes: '<\|b\|>'"):
        load(files, pattern="gpt2", special_tokens=["<|a|>"])
    with pytest.raises(SpecialTokenError, match=r"'hug' .*is an ordinary token"):
        load(files, pattern="gpt2", special_tokens=["hug"])
    with pytest.raises(SpecialTokenError, match=r"'<\|c\|>' .*is not in it"):
        load(files, pattern="gpt2", special_tokens=["<|c|>"])
    with pytest.raises(SpecialTokenError, match=r"has the id 300 in .*, not 5"):
        load(files, pattern="gpt2", special_tokens={"<|a|>": 5})
    for said in ("all", ["<|a|>", "<|b|>"], {"<|a|>": 300, "<|b|>": 301}):
        assert load(files, pattern="gpt2", special_tokens=said).special_tokens == HUG.special_tokens


def test_what_a_file_does_not_say_is_asked_for() -> None:
    for format in ("gpt2", "vocab-merges", "tiktoken"):
        with pytest.raises(FormatError, match="Pass pattern="):
            load(dump(HUG, format), special_tokens=HUG.special_tokens)
    with pytest.raises(FormatError, match="Pass special_tokens="):
        load(dump(HUG, "tiktoken"), pattern="gpt2")
    with pytest.raises(FormatError, match="Pass special_tokens="):
        load(dump(HUG, "tiktoken"), pattern="gpt2", special_tokens="all")


@pytest.mark.parametrize("format", ["tokviz", "minbpe"])
def test_what_a_file_says_itself_is_not_overruled(format: str) -> None:
    for say in ({"pattern": "gpt2"}, {"special_tokens": {"<s>": 300}}):
        with pytest.raises(FormatError, match=f"has {next(iter(say))} of its own"):
            load(dump(HUG, format), **say)


def test_wrong_arguments() -> None:
    files = dump(HUG, "tiktoken")
    for wrong in (None, [], b"", {}, {"a": "text"}, {1: b""}):
        with pytest.raises(InputError):
            load(wrong)
    with pytest.raises(PatternError):
        load(files, pattern="(a", special_tokens={})
    for wrong in ("<s>", 5, [5], [""]):
        with pytest.raises(SpecialTokenError):
            load(files, pattern="gpt2", special_tokens=wrong)
    with pytest.raises(InputError, match="The name"):
        load(files, name=5)
    with pytest.raises(FormatError, match="ordinary token"):
        load(files, pattern="gpt2", special_tokens={"<s>": 97})


def test_parts_that_do_not_belong_together() -> None:
    gpt2, plain = dump(HUG, "gpt2"), dump(HUG, "vocab-merges")
    with pytest.raises(FormatError, match=r"encoder\.json has ids, but no merges.*merges\.txt"):
        load({"encoder.json": gpt2["encoder.json"]})
    with pytest.raises(FormatError, match=r"vocab\.bpe has merges, but no ids"):
        load({"vocab.bpe": gpt2["vocab.bpe"]})
    with pytest.raises(FormatError, match="has tokens, but no merges"):
        load({"vocab.json": plain["vocab.json"]})
    with pytest.raises(FormatError, match="has merges, but no tokens"):
        load({"merges.json": plain["merges.json"]})
    with pytest.raises(FormatError, match=r"several formats: encoder\.json, merges\.json"):
        load({"encoder.json": gpt2["encoder.json"], "merges.json": plain["merges.json"]})
    with pytest.raises(FormatError, match=r"a\.json and b.json are the same part"):
        load({"a.json": gpt2["encoder.json"], "b.json": gpt2["encoder.json"]})
    with pytest.raises(FormatError, match=r"hug\.vocab is minbpe's list"):
        load({"hug.vocab": dump(HUG, "minbpe")["hug.vocab"]})
    for nothing in (b"", b"\x89PNG\r\n", b"a plain text", b"[1, 2]", b"null"):
        with pytest.raises(FormatError, match=r"x is in no format that tokviz knows"):
            load({"x": nothing})


# minbpe


def read_as_minbpe(data: bytes) -> tuple[str, dict[str, int], dict[tuple[int, int], int]]:
    """What minbpe's `load` makes of a model file: pattern, special tokens, merges."""
    head, pattern, n_specials, *rest = re.split(r"\r\n|\r|\n", data.decode())
    assert head.strip() == "minbpe v1"
    specials = dict(line.strip().split() for line in rest[: int(n_specials)])
    pairs = [tuple(map(int, line.split())) for line in rest[int(n_specials) : -1]]
    assert rest[-1] == ""
    return pattern.strip(), {t: int(id) for t, id in specials.items()}, {pair: 256 + i for i, pair in enumerate(pairs)}


@given(tok=st.one_of(tokenizers, hostile_tokenizers(plain_ids=True)))
def test_minbpe_reads_what_is_meant_or_it_is_refused(tok: Tokenizer) -> None:
    plain = tok.alphabet.tolist() == [*range(256)] and tok.merge_ids.tolist() == [*range(256, tok.vocab_size)]
    kept = tok.pattern in tokviz.split.PATTERNS or not re.search(r"^\s|[\n\r]|\s$", tok.pattern)
    if not plain or not kept or any(re.search(r"\s", token) for token in tok.special_tokens):
        with pytest.raises(FormatError):
            dump(tok, "minbpe")
        return
    (model, vocab) = dump(tok, "minbpe").values()
    pattern, specials, merges = read_as_minbpe(model)
    assert pattern == patterns.expression_of(tok.pattern)
    assert specials == tok.special_tokens
    assert merges == dict(zip(tok.merges, tok.merge_ids.tolist(), strict=True))
    assert vocab.decode().count("\n") == len(tok.vocab)


def test_minbpes_list_of_tokens_is_its_own() -> None:
    tok = Tokenizer("x", [(10, 0xC3), (0xC3, 0xA9), (257, 257)], special_tokens={"<é>": 300})
    lines = dump(tok, "minbpe")["x.vocab"].decode().split("\n")
    assert lines[0] == r"[\u0000] 0"
    assert lines[97] == "[a] 97"
    assert lines[0xC3] == "[\ufffd] 195"
    assert lines[256:] == [
        "[\\u000a][\ufffd] -> [\\u000a\ufffd] 256",
        "[\ufffd][\ufffd] -> [é] 257",
        "[é][é] -> [éé] 258",
        "[<é>] 300",
        "",
    ]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"minbpe v2\n\n0\n", "no format"),
        (b"minbpe v1x\n\n0\n", "line 1"),
        (b"minbpe v1", "line 3"),
        (b"minbpe v1\n\nmany\n", "line 3"),
        (b"minbpe v1\n\n2\n<s> 300\n", "line 4.*line 3 announces 2"),
        (b"minbpe v1\n\n1\n<s>\n", "line 4"),
        (b"minbpe v1\n\n1\n<s> -1\n", "line 4"),
        (b"minbpe v1\n\n2\n<s> 300\n<s> 301\n", "line 5 names the special token '<s>' again"),
        (b"minbpe v1\n\n0\n97 98\n97\n", "line 5"),
        (b"minbpe v1\n\n0\n97 98 99\n", "line 4"),
        (b"minbpe v1\n\n0\n97 b\n", "line 4"),
        (b"minbpe v1\n\n0\n97 98\n\n97 99\n", "line 5"),
        (b"minbpe v1\n\n0\n256 98\n97 98\n", "Merge 1 .*later"),
        (b"minbpe v1\n\n0\n97 98\n97 98\n", "1 and 2 make the same token"),
        (b"minbpe v1\n\n0\n97 999\n", "no token has the id 999"),
        (b"minbpe v1\n\n1\n<s> 97\n", "id 97"),
        (b"minbpe v1\n(a\n0\n", "does not compile"),
        (b"minbpe v1\n\xff\n0\n", "byte 10 is not UTF-8"),
    ],
)
def test_damage_to_a_model_of_minbpe_is_named(data: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        load({"x.model": data})
    assert str(caught.value).startswith("x.model")


def test_models_of_minbpe_by_other_hands() -> None:
    for data in (
        b"bpe v1\n\n0\n97 98\n",
        b"\xef\xbb\xbfminbpe v1\r\n\r\n0\r\n97 98\r\n",
        b"minbpe v1\n\n0\n97 98",
        b"minbpe v1\n\n0\n97 98\n\n\n",
    ):
        assert load({"x.model": data}).merges == ((97, 98),)
    spaced = load({"x.model": b"minbpe v1\n a |[\\s\\S]\n1\n<a b> 300\n"})
    assert (spaced.pattern, dict(spaced.special_tokens)) == (r" a |[\s\S]", {"<a b>": 300})


# GPT-2's files


def test_gpt2s_own_files_are_written_byte_for_byte() -> None:
    files = dump(tokviz.reference("gpt2"), "gpt2")
    hashes = definition("gpt2")["hashes"]
    assert hashlib.sha256(files["encoder.json"]).hexdigest() == hashes["ids"]
    assert hashlib.sha256(files["vocab.bpe"]).hexdigest() == hashes["merges"]


def test_gpt2s_own_files_need_nothing_beside_them() -> None:
    files = dump(tokviz.reference("gpt2"), "gpt2")
    renamed = {"vocab.json": files["encoder.json"], "merges.txt": files["vocab.bpe"].replace(b"#version: 0.2\n", b"")}
    for these in (files, renamed):
        loaded = load(these)
        assert (loaded.pattern, dict(loaded.special_tokens)) == ("gpt2", {"<|endoftext|>": 50256})
        for text in hard_texts(200):
            assert loaded.encode(text, "all") == witness("gpt2").encode(text, allowed_special="all"), text


def test_a_special_token_that_is_written_like_another_token_is_refused() -> None:
    for text in ("a", "Ġ", "Ġa"):
        with pytest.raises(FormatError, match=f"special token '{text}' is written like the ordinary token"):
            dump(Tokenizer("x", [(32, 97)], special_tokens={text: 300}), "gpt2")


ENCODER, MERGES = dump(HUG, "gpt2").values()


@pytest.mark.parametrize(
    ("encoder", "merges", "says"),
    [
        (ENCODER.replace(b'"hug": 257', b'"hug": 256'), MERGES, "gives the id 256 to two tokens, 'ug' and 'hug'"),
        (ENCODER.replace(b'"hug": 257', b'"hug": -1'), MERGES, "token 'hug' has no id"),
        (ENCODER.replace(b'"hug": 257', b'"hug": 257.0'), MERGES, "token 'hug' has no id"),
        (ENCODER.replace(b'"hug"', b'"ug"'), MERGES, "'ug' stands in it twice"),
        (ENCODER.replace(b'"a": 97, ', b""), MERGES, "no token for the byte 61"),
        (ENCODER[:-1], MERGES, "damaged.*line 1, column"),
        (ENCODER, MERGES + b"u g", "makes 'ug' twice, by the merges number 2 and 4"),
        (ENCODER, MERGES + b"x y\n", r"merges 'x' and 'y' \(number 4\), but 'xy' is no token"),
        (ENCODER, MERGES + b"hugu g\n", r"\(number 4\), but 'hugu' is no token"),
        (ENCODER, MERGES + b"u  g\n", "no pair of tokens at line 4"),
        (ENCODER, MERGES + b"# comment here\n", "no pair of tokens at line 4"),
        (ENCODER, MERGES.replace(b"u g\nh ug", b"h ug\nu g"), "Merge 1 .*later"),
        (ENCODER, MERGES.replace(b"\nh ug", b""), "no merge makes: 'hug'"),
        (ENCODER, MERGES + b"\xff", "is no text: byte"),
    ],
)
def test_damage_to_gpt2s_files_is_named(encoder: bytes, merges: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        load({"encoder.json": encoder, "vocab.bpe": merges}, pattern="gpt2", special_tokens=["<|a|>", "<|b|>"])


# Plain JSON


def test_plain_json_has_the_layout_of_the_notebook() -> None:
    vocab, merges = map(json.loads, dump(HUG, "vocab-merges").values())
    tokens = {int(id): token for id, token in vocab.items()}  # as the notebook reads them
    learned = {tuple(merge["pair"]): merge["new_id"] for merge in merges}
    assert (tokens[257], tokens[32], tokens[300]) == ("hug", "Ġ", "<|a|>")
    assert learned == {(117, 103): 256, (104, 256): 257}


def test_a_vocabulary_of_characters_is_refused() -> None:
    characters = {id: chr(id) for id in range(256)} | {256: "Ġ", 257: "Ġt"}
    files = {"vocab.json": json.dumps(characters), "merges.json": json.dumps([{"pair": [256, 116], "new_id": 257}])}
    with pytest.raises(FormatError, match=r"vocab\.json is a vocabulary of characters, not of bytes"):
        load({name: text.encode() for name, text in files.items()}, pattern="gpt2")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"pair": [117], "new_id": 258}, "no merge at number 3"),
        ({"pair": [117, 103], "new_id": "258"}, "no merge at number 3"),
        ({"pair": [117, 103], "new_id": 258, "more": 1}, "no merge at number 3"),
        ({"pair": [117, 103], "new_id": 258}, "needs the id 258 at merge 3"),
        ({"pair": [117, 103], "new_id": 257}, "makes 'hug' of 'u' and 'g' at merge 3"),
        ({"pair": [117, 103], "new_id": 256}, "makes 'ug' twice, by the merges number 1 and 3"),
    ],
)
def test_damage_to_plain_merges_is_named(change: dict, says: str) -> None:
    files = dump(HUG, "vocab-merges")
    files["merges.json"] = json.dumps([*json.loads(files["merges.json"]), change]).encode()
    with pytest.raises(FormatError, match=says):
        load(files, pattern="gpt2", special_tokens="all")


# tiktoken


def hard_texts(n: int, seed: int = 5) -> list[str]:
    """Random texts of assigned characters, hard ASCII and white space."""
    choose = random.Random(seed)
    pools = [" \n\r\t'/1aA.,<|", "hug pns", "\u00a0\u2003\u0085ſKé日本👍🏽\u0301٣½ʰǅ", "abcdefghijklmnopqrstuvwxyz   "]
    assigned = [chr(i) for i in range(0x250, 0x3000) if unicodedata.category(chr(i)) not in ("Cn", "Cs")]
    texts = []
    for _ in range(n):
        pool = choose.choice([*pools, assigned])
        texts.append("".join(choose.choice(pool) for _ in range(choose.randint(0, 40))))
    return [*texts, CAT, "<|endoftext|>", "don't I'LL we'ſ 1234567 \n\n  x\r\n"]


@given(tok=tokenizers, text=wild_texts)
def test_tiktoken_gives_the_same_ids(tok: Tokenizer, text: str) -> None:
    assume(tok.pattern in ("none", "gpt2", "cl100k", "o200k") and not any(s in text for s in SURROGATES))
    assume(prefix_free(tok.special_tokens))
    try:
        ((_, data),) = dump(tok, "tiktoken").items()
    except FormatError:
        assume(False)
    theirs = in_tiktoken(data, tok)
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert tok.encode(text, "all") == theirs.encode(text, allowed_special="all")


def prefix_free(tokens) -> bool:
    return not any(a in b or b.startswith(a[-1]) for a, b in itertools.permutations(tokens, 2))


def in_tiktoken(data: bytes, tok: Tokenizer) -> tiktoken.Encoding:
    """The tokenizer in the real tiktoken, from a rank file as its own loader reads it."""
    ranks = {}
    for line in data.splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    return tiktoken.Encoding(
        "x", pat_str=pattern_of(tok.pattern), mergeable_ranks=ranks, special_tokens=dict(tok.special_tokens)
    )


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_openais_rank_files_are_known_and_written_byte_for_byte(name: str) -> None:
    data = unpacked(name)
    loaded = load({"some name": data})
    entry = references()[name]
    known = ranks_format.KNOWN[entry.sha256]
    assert (known.name, known.pattern, known.special_tokens) == (name, entry.pattern, entry.special_tokens)
    assert (loaded.name, loaded.pattern, loaded.special_tokens) == (name, entry.pattern, entry.special_tokens)
    if name != "o200k_base":  # that one takes some seconds
        assert [*dump(loaded, "tiktoken").values()] == [data]


def test_tokens_that_are_too_long_for_a_rank_file_are_refused() -> None:
    tok = tokviz.train("a" * 200_000, 280, pattern="none").tokenizer
    with pytest.raises(FormatError, match="too long to be merged"):
        dump(tok, "tiktoken")
    ranks = RANKS + base64.b64encode(b"a" * 100_000) + b" 300\n"
    with pytest.raises(FormatError, match=r"^x has tokens that are too long .* one has 100,000 bytes"):
        load({"x": ranks}, pattern="none", special_tokens={})


def test_merges_that_tiktoken_would_make_otherwise_are_refused() -> None:
    with pytest.raises(FormatError, match=r"tiktoken would not make b'abc' as merge 3"):
        dump(Tokenizer("x", [(98, 99), (97, 98), (257, 99)]), "tiktoken")
    with pytest.raises(FormatError, match="Merge 2 of x makes the id 300, lower"):
        dump(Tokenizer("x", [(98, 99), (97, 98)], merge_ids=[301, 300]), "tiktoken")


(RANKS,) = dump(Tokenizer("x", [(117, 103)]), "tiktoken").values()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (RANKS.replace(b"dWc= 256", b"dWc= x"), "line 257"),
        (RANKS.replace(b"dWc= 256", b"dWc= -1"), "line 257"),
        (RANKS.replace(b"dWc= 256", b"dWc=256"), "line 257"),
        (RANKS.replace(b"dWc= 256", b"dW!c= 256"), "line 257"),
        (RANKS.replace(b"dWc= 256", b"dWc= 255"), "same id"),
        (RANKS + b"dWc= 257\n", r"token b'ug' again at line 258"),
        (RANKS.replace(b"AA== 0\n", b""), "no id for byte 00"),
        (RANKS + b"\n", "line 258"),
    ],
)
def test_damage_to_a_rank_file_is_named(data: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        load({"x.tiktoken": data}, pattern="gpt2", special_tokens={})
    assert str(caught.value).startswith("x.tiktoken")


# Patterns


def test_known_expressions_cut_where_the_named_pattern_does() -> None:
    """Checked on all texts of up to four characters, one for each class, and on longer ones at random."""
    map_to = representatives()
    characters = " \n\r'sS1aA.é\u0301ʰſ/l"
    texts = ["".join(some) for n in range(1, 5) for some in itertools.product(characters, repeat=n)]
    choose = random.Random(3)
    texts += ["".join(choose.choices(characters + "ltvedrm\t", k=choose.randint(5, 20))) for _ in range(20_000)]
    for expression, name in patterns.SPELLINGS.items():
        compiled = regex.compile(expression)
        for text in texts if expression != tokviz.split.PATTERNS[name].regex else ():
            mapped = "".join(chr(map_to[ord(c)]) for c in text)
            theirs = [match.end() for match in compiled.finditer(mapped)]
            ends = tokviz.split.cut(mapped, name)
            assert len(ends) == len(theirs), (name, expression, text)
            assert [len(mapped[:end].encode()) for end in theirs] == ends.tolist(), (name, expression, text)


def test_bytes_are_written_as_gpt2_writes_them() -> None:
    assert BYTE_OF.items() <= bytelevel.BYTES.items()  # those that UTF-8 uses
    assert sorted(bytelevel.BYTES.values()) == [*range(256)]


def test_the_older_expression_of_cl100k_is_another_pattern() -> None:
    """It is Llama 3's and minbpe's. tiktoken's own has `\\s++$` before the line ends since."""
    older = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    older += r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    assert patterns.named(older) == older
    assert [tokviz.split.cut("a\n ", pattern).tolist() for pattern in (older, "cl100k")] == [[1, 2, 3], [1, 3]]


def test_rank_files_with_tokens_that_no_pair_makes() -> None:
    with pytest.raises(FormatError, match=r"no pair of earlier tokens makes: b'abcd'"):
        load({"x": RANKS + base64.b64encode(b"abcd") + b" 300\n"}, pattern="gpt2", special_tokens={})
