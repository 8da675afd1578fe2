"""Rank files: the real tiktoken gives our ids with those that we write, and OpenAI's own are known."""

from __future__ import annotations

import base64
import itertools

import pytest
import tiktoken
from hypothesis import assume, given

import tokviz
from tests.formats_cases import drawn_tokenizers
from tests.oracles import pattern_of
from tests.strategies import SURROGATES, wild_texts
from tests.test_contract import unpacked
from tokviz import Tokenizer
from tokviz.base.errors import FormatError
from tokviz.catalog.references import references
from tokviz.formats import dump, load


@given(tok=drawn_tokenizers, text=wild_texts)
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


def test_a_token_without_bytes_is_left_out() -> None:
    """As Whisper's file has one, which its own reader takes for the id of no text."""
    data = dump(Tokenizer("x", []), "tiktoken")["x.tiktoken"] + b"= 256\n"
    loaded = load({"x.tiktoken": data}, pattern="none", special_tokens={"<|end|>": 257})
    assert loaded.encode("ab<|end|>", "all") == [97, 98, 257] and 256 not in loaded.vocab
    with pytest.raises(FormatError, match="a token without bytes at line 257"):
        load({"x.tiktoken": data.replace(b"256", b"255")}, pattern="none", special_tokens={})


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_openais_rank_files_are_known_and_written_byte_for_byte(name: str) -> None:
    data = unpacked(name)
    loaded = load({"some name": data})
    entry = references()[name]
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
        (RANKS.replace(b"dWc= 256", b"dW!c= 256"), "line 257"),
        (RANKS.replace(b"dWc= 256", b"dWc= 255"), "the id 255 twice, at line 256 and at line 257"),
        (RANKS + b"dWc= 257\n", r"token b'ug' again at line 258"),
        (RANKS.replace(b"AA== 0\n", b""), "no id for byte 00"),
        (RANKS + b" \n", "line 258"),
    ],
)
def test_damage_to_a_rank_file_is_named(data: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        load({"x.tiktoken": data}, pattern="gpt2", special_tokens={})
    assert str(caught.value).startswith("x.tiktoken")
