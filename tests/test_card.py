"""The record of a card, held against the encoding's own tokens, the vocabulary and the merges; and it is plain JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.strategies import wild_texts
from tokviz import Node
from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.vocabulary.card import CHARACTERS, FAMILY, card, card_at
from tokviz.vocabulary.family import Family
from tokviz.vocabulary.steps import STEPPED

CL100K = tokviz.reference("cl100k_base")


@pytest.fixture(scope="module")
def trained() -> tokviz.Tokenizer:
    return tokviz.train(
        "the newest and lowest, नमस्ते 👨‍👩‍👧 the end " * 4, 320, pattern="gpt2", special_tokens=["<|e|>"]
    ).tokenizer


def test_the_record_of_every_token_is_the_vocabularys_and_the_merges(trained: tokviz.Tokenizer) -> None:
    family = Family(trained)
    made = dict(zip(trained.merge_ids.tolist(), trained.merges, strict=True))
    for id, data in trained.vocab.items():
        told = card(trained, id, family)
        assert json.loads(json.dumps(told))
        assert (told["id"], bytes.fromhex(told["bytes"]), told["size"]) == (id, data, len(data))
        kind = "special" if id in trained.special_ids else "merge" if id in made else "byte"
        assert (told["kind"], told["peer"], told["merges"]) == (kind, "", len(trained.merges))
        parents = tuple(part["id"] for part in told["birth"]["parents"]) if told["birth"] else None
        assert parents == made.get(id)
        wholes = [whole for whole, pair in made.items() if id in pair]
        assert told["family"]["n"] == len(wholes)
        assert [child["id"] for child in told["family"]["children"]] == wholes[:FAMILY]
        if kind == "merge":
            assert trained.merges[told["birth"]["rank"]] == made[id]
            assert b"".join(bytes.fromhex(part["bytes"]) for part in told["birth"]["parents"]) == data
            assert told["steps"]["rows"][-1]["ids"] == (id,)


def merges_in(tree: Node) -> int:
    return sum(bool(node.parts) for node in tree.walk())


@given(text=wild_texts.filter(bool), data=st.data())
def test_every_token_is_told_as_it_is(text: str, data) -> None:
    encoding = CL100K.explain(clean(text))
    tokens = encoding.tokens()
    place = data.draw(st.integers(0, len(tokens) - 1))
    token = tokens[place]
    told = card_at(CL100K, encoding, data.draw(st.integers(token.start, token.end - 1)))
    assert json.loads(json.dumps(told))
    assert (told["start"], told["end"], told["id"]) == (token.start, token.end, token.id)
    assert (told["birth"]["rank"] if told["birth"] else None) == token.rank
    assert bytes.fromhex(told["bytes"]) == token.data
    assert told["times"] == sum(other.id == token.id for other in tokens)
    assert (told["birth"]["merges"] if told["birth"] else 0) == merges_in(encoding.tree(place))
    chunk = [other for other in tokens if other.chunk == token.chunk]
    assert told["chunk"] == (chunk[0].start, chunk[-1].end)
    characters = "".join(character["text"] for character in told["characters"])
    whole = clean(text).encode()[: told["characters"][-1]["end"]].decode()
    assert whole.endswith(characters)
    assert told["characters"][0]["start"] <= token.start < told["characters"][0]["end"]
    assert told["characters"][-1]["end"] >= token.end or len(told["characters"]) == CHARACTERS


def test_a_split_character_is_named_with_its_place() -> None:
    encoding = CL100K.explain("a नमस्ते")
    (na,) = card_at(CL100K, encoding, 4)["characters"]
    assert na == {"text": "न", "code": "U+0928", "name": "DEVANAGARI LETTER NA", "start": 2, "end": 5}


def test_in_a_chunk_too_long_to_step_through_the_token_stands_alone() -> None:
    text = "newest" * STEPPED
    tok = tokviz.train("newest newest newest", 261, pattern="none").tokenizer
    encoding = tok.explain(text)
    told = card_at(tok, encoding, 12)
    assert told["chunk"] == (0, len(text))
    assert (told["steps"]["start"], told["steps"]["end"]) == (told["start"], told["end"])
    assert told["steps"]["rows"][-1]["ids"] == (told["id"],)


def test_a_token_too_long_to_step_through_has_no_steps() -> None:
    tok = tokviz.train("a" * 4_096, 268, pattern="none").tokenizer
    told = card_at(tok, tok.explain("a" * 512), 0)
    assert told["end"] == 512 and told["birth"]["merges"] == 511 and told["steps"] is None


def test_a_special_token_has_neither_steps_nor_merges(trained: tokviz.Tokenizer) -> None:
    encoding = trained.explain("the<|e|>", allowed_special="all")
    told = card_at(trained, encoding, 4, family=Family(trained))
    assert (told["kind"], told["id"]) == ("special", trained.special_tokens["<|e|>"])
    assert (told["birth"], told["steps"], told["family"]["n"]) == (None, None, 0)


@pytest.mark.parametrize("size", [256, 270, 290])
def test_at_a_smaller_size_it_is_that_tokenizers(trained: tokviz.Tokenizer, size: int) -> None:
    text = "the newest नमस्ते"
    smaller = trained.truncated(size)
    family, own = Family(trained), Family(smaller)
    for token in smaller.explain(text).tokens():
        now = card_at(trained, trained.explain(text), token.start, size, family)
        assert now == card_at(smaller, smaller.explain(text), token.start, family=own)


@pytest.mark.parametrize("start", [-1, 3, 10])
def test_a_byte_that_is_not_there_is_said(start: int) -> None:
    with pytest.raises(InputError, match="3 bytes"):
        card_at(CL100K, CL100K.explain("abc"), start)
