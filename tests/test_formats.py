"""File formats: what is written comes back, up to what the format says it loses; other programs read the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given

import tokviz
from tests.formats_cases import CAT, HUG, drawn_tokenizers, in_tekken
from tests.strategies import wild_texts
from tokviz import Tokenizer
from tokviz.base.errors import FormatError, PatternError, SpecialTokenError, UnknownNameError
from tokviz.formats import FORMATS, WRITTEN, dump, load, patterns

DOCUMENT = (Path(__file__).parents[1] / "docs" / "library.md").read_text("utf-8")


def asked(tok: Tokenizer, format: str) -> dict:
    """What `load` has to be told of this tokenizer beside its files."""
    say = {field: getattr(tok, field) for field in FORMATS[format].asks}
    return say | ({"name": tok.name} if "name" in FORMATS[format].loses else {})


def assert_same(loaded: Tokenizer, tok: Tokenizer, format: str) -> None:
    loses = FORMATS[format].loses
    is_name = tok.pattern in tokviz.split.cutting.PATTERNS or format not in ("minbpe", "hf")
    pattern = tok.pattern if is_name else patterns.named(tok.pattern)
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


@pytest.mark.parametrize("format", WRITTEN)
@given(tok=drawn_tokenizers, text=wild_texts)
def test_a_tokenizer_comes_back(format: str, tok: Tokenizer, text: str) -> None:
    try:
        files = dump(tok, format)
    except FormatError:
        assume(False)
    loaded = load(files, **asked(tok, format))
    assert_same(loaded, tok, format)
    assert encoded(loaded, text) == encoded(tok, text)
    assert dump(loaded, format) == files  # the same bytes again


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("tokviz", "cl100k_base"),
        ("gpt2", "gpt2"),
        ("vocab-merges", "gpt2"),
        ("tiktoken", "gpt2"),
        ("hf", "gpt2"),
        pytest.param("hf", "cl100k_base", marks=pytest.mark.long),
    ],
)
def test_reference_tokenizers_come_back(format: str, name: str) -> None:
    tok = tokviz.reference(name)
    loaded = load(dump(tok, format), **asked(tok, format))
    assert_same(loaded, tok, format)
    text = CAT * 3 + "naïve 👍🏽 12345 don't\r\n  <|endoftext|> 你好 func(x)->y;" + "\U0010ffff"
    assert loaded.explain(text, "all") == tok.explain(text, "all")


def test_the_special_tokens_of_a_tekken_file_come_before_its_ranks() -> None:
    loaded = load(in_tekken(HUG))
    assert (loaded.name, loaded.pattern, loaded.encode("hug<|b|>", "all")) == ("tekken", "gpt2", [257 + 2, 1])
    with pytest.raises(FormatError, match="says its split pattern itself"):
        load(in_tekken(HUG), pattern="gpt2")


# What is said of the formats


def test_the_readme_says_what_a_format_loses_and_asks_for() -> None:
    for format in FORMATS.values():
        assert {*format.asks} <= {*format.loses} <= {"name", "history", "made_from", "pattern", "special_tokens"}
        loses, asks = (", ".join(fields) or "nothing" for fields in (format.loses, format.asks))
        assert f"| `{format.key}` | {format.files} | {loses} | {asks} |\n" in DOCUMENT


def test_an_unknown_format_is_told_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no format 'bpe'.*tokviz, minbpe, gpt2, vocab-merges, tiktoken"):
        dump(Tokenizer("a", []), "bpe")
    with pytest.raises(FormatError, match="only reads the format gguf"):
        dump(Tokenizer("a", []), "gguf")


def test_the_file_gives_its_name_where_the_format_keeps_none() -> None:
    files = dump(Tokenizer("hug", [(117, 103)]), "minbpe")
    assert load({"models/my own.model": files["hug.model"]}).name == "my own"
    assert load(files, name="other").name == "other"
    assert load(dump(Tokenizer("naïve/..", []), "tokviz")).name == "naïve/.."
    assert list(dump(Tokenizer("naïve/..", []), "tokviz")) == ["na_ve.json"]


# What is asked for, and what cannot be read


def test_tokens_that_no_merge_makes_must_be_named() -> None:
    files = dump(HUG, "gpt2")
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
    with pytest.raises(FormatError, match=r"hug\.vocab has minbpe's list .* but no merges"):
        load({"hug.vocab": dump(HUG, "minbpe")["hug.vocab"]})
    for nothing in (b"a plain text", b"[1, 2]", b"null"):
        with pytest.raises(FormatError, match=r"x is text, and no tokenizer that tokviz knows"):
            load({"x": nothing})
