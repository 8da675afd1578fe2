"""The bundled examples: what each says about its tokens is true of the reference tokenizers."""

from __future__ import annotations

import pytest
import regex

import tokviz
from tokviz.catalog.samples import examples, parallel

GPT2, CL100K, O200K = (tokviz.reference(name) for name in ("gpt2", "cl100k_base", "o200k_base"))
ALL = (GPT2, CL100K, O200K)
TEXTS = {one.key: one.text for one in examples()}
LOOKS = {one.key: one.look for one in examples()}


def tokens(tokenizer: tokviz.Tokenizer, text: str) -> list[bytes]:
    return [token.data for token in tokenizer.explain(text).tokens()]


def test_each_has_a_name_a_line_a_source_and_a_date() -> None:
    for titles in ([one.key for one in examples()], [one.title for one in examples()], list(TEXTS.values())):
        assert len(set(titles)) == len(titles)
    for one in examples():
        assert one.source and one.date
        assert one.look.endswith((".", "!")) and len(one.look) <= 110
        assert "\r" not in one.text, "a text area cannot hold it"
        one.text.encode("utf-8")


def test_emoji() -> None:
    family = TEXTS["emoji"].splitlines()[1]
    assert LOOKS["emoji"].startswith("The family is seven code points, four people and three joiners.")
    assert len(family) == 7 and family.count("\u200d") == 3
    assert all(len(tokens(tokenizer, family)) > 1 for tokenizer in ALL)


def test_code() -> None:
    indents = regex.findall(r"\n( +)(?= )", TEXTS["code"])
    assert indents and all(len(indent) > 1 for indent in indents)
    for indent in indents:
        assert indent.encode() not in tokens(GPT2, TEXTS["code"])
        assert indent.encode() in tokens(CL100K, TEXTS["code"]) and indent.encode() in tokens(O200K, TEXTS["code"])


@pytest.mark.parametrize("tokenizer", [CL100K, O200K], ids=lambda tokenizer: tokenizer.name)
def test_numbers(tokenizer: tokviz.Tokenizer) -> None:
    assert tokens(tokenizer, "1234567") == [b"123", b"456", b"7"]
    assert tokens(GPT2, "1234567") == [b"123", b"45", b"67"]
    assert "1234567" in TEXTS["numbers"].splitlines()


def test_languages() -> None:
    assert len(TEXTS["languages"].splitlines()) == len(parallel()) == 18
    counts = {one.language: len(tokens(CL100K, one.sentences[0])) for one in parallel()}
    assert counts["Georgian"] == 10 * counts["English"]


def test_contractions() -> None:
    lines = TEXTS["contractions"].splitlines()
    assert {line.replace("’", "'").casefold() for line in lines} == {lines[0].casefold()}
    for tokenizer in ALL:
        assert len({tuple(tokens(tokenizer, line)) for line in lines}) == 3


def test_unforgettable() -> None:
    first, spaced, title, capitals = TEXTS["unforgettable"].split("\n")
    for tokenizer in ALL:
        assert tokens(tokenizer, spaced) == [b" unforgettable"]
        assert len(tokens(tokenizer, first)) in (2, 3) and len(tokens(tokenizer, title)) in (2, 3)
        assert len(tokens(tokenizer, capitals)) == 4
        assert tokens(tokenizer, first) != [b"un", b"forget", b"table"]


def test_ni() -> None:
    assert len(TEXTS["ni"].encode()) == 3
    assert [len(tokens(tokenizer, TEXTS["ni"])) for tokenizer in ALL] == [2, 1, 1]


def test_trailing() -> None:
    for tokenizer in ALL:
        found = tokens(tokenizer, TEXTS["trailing"])
        assert found[-1] == b" " and b" hot" in found


def test_glued() -> None:
    apart, together = TEXTS["glued"].splitlines()
    assert apart.replace(" ", "") == together
    for tokenizer in ALL:
        said = LOOKS["glued"].removesuffix(".").partition(": ")[2].split(", ")
        assert [token.decode() for token in tokens(tokenizer, together)] == said


def test_naughty() -> None:
    for tokenizer in ALL:
        assert b"".join(tokens(tokenizer, TEXTS["naughty"])) == TEXTS["naughty"].encode()
    assert {"\u200b", "\u00a0", "\u202e", "\ufeff"} < set(TEXTS["naughty"])


def test_tongue() -> None:
    assert all(TEXTS["tongue"].count(often) >= 8 for often in ("th", "ea", "ther"))
    made = {token for token in tokviz.train(TEXTS["tongue"], 262).tokenizer.vocab.values() if len(token) > 1}
    assert {b"th", b"ea", b"ther"} <= made


def test_story() -> None:
    words = regex.findall(r" \p{L}+", TEXTS["story"])
    for tokenizer in ALL:
        whole = sum(len(tokenizer.encode(word)) == 1 for word in words)
        assert whole > 0.9 * len(words)
