"""What the card of a pinned token is told: held against the encoding's own tokens, and plain JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.strategies import wild_texts
from tokviz import SPLIT, Node
from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.vocabulary.card import CHARACTERS, details
from tokviz.vocabulary.family import Family
from tokviz.vocabulary.steps import STEPPED, chunk_steps

CL100K = tokviz.reference("cl100k_base")


@pytest.fixture(scope="module")
def trained() -> tokviz.Tokenizer:
    return tokviz.train(
        "the newest and lowest, नमस्ते 👨‍👩‍👧 the end " * 4, 320, pattern="gpt2", special_tokens=["<|e|>"]
    ).tokenizer


def merges_in(tree: Node) -> int:
    return sum(bool(node.parts) for node in tree.walk())


@given(text=wild_texts.filter(bool), data=st.data())
def test_every_token_is_told_as_it_is(text: str, data) -> None:
    encoding = CL100K.explain(clean(text))
    tokens = encoding.tokens()
    place = data.draw(st.integers(0, len(tokens) - 1))
    token = tokens[place]
    told = details(CL100K, encoding, data.draw(st.integers(token.start, token.end - 1)))
    assert json.loads(json.dumps(told))
    assert (told["start"], told["end"], told["id"], told["rank"]) == (token.start, token.end, token.id, token.rank)
    assert (told["place"], told["of"]) == (place + 1, len(tokens))
    assert bytes.fromhex(told["hex"]) == token.data
    assert told["times"] == sum(other.id == token.id for other in tokens)
    assert told["merges"] == merges_in(encoding.tree(place))
    chunk = [other for other in tokens if other.chunk == token.chunk]
    assert told["chunk"] == (chunk[0].start, chunk[-1].end)
    characters = "".join(character["text"] for character in told["characters"])
    whole = clean(text).encode()[: told["characters"][-1]["end"]].decode()
    assert whole.endswith(characters)
    assert told["characters"][0]["start"] <= token.start < told["characters"][0]["end"]
    assert told["characters"][-1]["end"] >= token.end or len(told["characters"]) == CHARACTERS


def test_a_split_character_is_named_with_its_place() -> None:
    encoding = CL100K.explain("a नमस्ते")
    (na,) = details(CL100K, encoding, 4)["characters"]
    assert na == {"text": "न", "code": "U+0928", "name": "DEVANAGARI LETTER NA", "start": 2, "end": 5}


def test_the_steps_are_those_of_the_chunk() -> None:
    encoding = CL100K.explain("The newest")
    steps = details(CL100K, encoding, 5)["steps"]
    assert (steps["start"], steps["end"]) == (3, 10)
    rows = chunk_steps(CL100K, b" newest")
    assert steps["rows"] == [{"ends": row.ends, "ids": row.ids, "ranks": row.ranks, "next": row.next} for row in rows]
    closed = {row.ends[row.next]: row.ranks[row.next] for row in rows if row.next is not None}
    assert [closed.get(i, SPLIT) for i in range(7)] == encoding.seams[3:].tolist()


def test_in_a_chunk_too_long_to_step_through_the_token_stands_alone() -> None:
    text = "newest" * STEPPED
    tok = tokviz.train("newest newest newest", 261, pattern="none").tokenizer
    encoding = tok.explain(text)
    told = details(tok, encoding, 12)
    assert told["chunk"] == (0, len(text))
    assert (told["steps"]["start"], told["steps"]["end"]) == (told["start"], told["end"])
    assert told["steps"]["rows"][-1]["ids"] == (told["id"],)


def test_a_token_too_long_to_step_through_has_no_steps() -> None:
    tok = tokviz.train("a" * 4_096, 268, pattern="none").tokenizer
    told = details(tok, tok.explain("a" * 512), 0)
    assert told["end"] == 512 and told["merges"] == 511 and told["steps"] is None


def test_a_special_token_has_neither_steps_nor_merges(trained: tokviz.Tokenizer) -> None:
    encoding = trained.explain("the<|e|>", allowed_special="all")
    told = details(trained, encoding, 4, family=Family(trained))
    assert told["special"] and told["id"] == trained.special_tokens["<|e|>"]
    assert (told["rank"], told["merges"], told["steps"]) == (None, 0, None)
    assert told["relations"] == {"made_of": None, "part_of": [], "n_part_of": 0}


@pytest.mark.parametrize("size", [256, 270, 290])
def test_at_a_smaller_size_it_is_that_tokenizers(trained: tokviz.Tokenizer, size: int) -> None:
    text = "the newest नमस्ते"
    smaller = trained.truncated(size)
    family, own = Family(trained), Family(smaller)
    for token in smaller.explain(text).tokens():
        now = details(trained, trained.explain(text), token.start, size, family)
        assert now == details(smaller, smaller.explain(text), token.start, family=own)


def test_relations_can_wait(trained: tokviz.Tokenizer) -> None:
    encoding = trained.explain("the")
    assert details(trained, encoding, 0)["relations"] is None
    made_of = details(trained, encoding, 0, family=Family(trained))["relations"]["made_of"]
    assert b"".join(bytes.fromhex(part["hex"]) for part in made_of) == b"the"


@pytest.mark.parametrize("start", [-1, 3, 10])
def test_a_byte_that_is_not_there_is_said(start: int) -> None:
    with pytest.raises(InputError, match="3 bytes"):
        details(CL100K, CL100K.explain("abc"), start)
