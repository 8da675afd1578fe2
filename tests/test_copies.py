"""Tokenizers and trainings can be pickled and copied after they were used, and are written in one line."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tokviz
from tests.peers_cases import peer

TEXT = "the cat in the hat\nsat on the mat. <s>the cat and the hat. naïve 🎉"
TRAINING = tokviz.train(TEXT, 290, special_tokens=["<s>"], pattern=r"\w+|\W")
LOOKED_UP = tokviz.Tokenizer.from_ranks(
    "looked up",
    {bytes([byte]): byte for byte in range(256)} | {b"at": 256, b"the": 257},
    pattern="gpt2",
    special_tokens={},
)
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}
by_each_way = pytest.mark.parametrize("way", WAYS)


@by_each_way
@pytest.mark.parametrize("tok", [TRAINING.tokenizer, LOOKED_UP, TRAINING.tokenizer.truncated(262)], ids=repr)
def test_a_tokenizer_that_has_encoded_is_copied_whole(tok: tokviz.Tokenizer, way: str) -> None:
    ids = tok.encode(TEXT, "all")
    assert tok.decode(ids) == TEXT and len(tok.vocab) and dict(tok.lookups) is not None
    mine = WAYS[way](tok)
    assert mine.encode(TEXT, "all") == ids and mine.explain(TEXT) == tok.explain(TEXT)
    for field in ("name", "pattern", "vocab", "merges", "history", "made_from", "lookups"):
        assert getattr(mine, field) == getattr(tok, field)
    assert tokviz.same(mine, tok).equal


@pytest.mark.right
def test_what_a_tokenizer_has_made_to_encode_faster_is_not_pickled() -> None:
    fresh = len(pickle.dumps(tokviz.train(TEXT, 290).tokenizer))
    used = tokviz.train(TEXT, 290).tokenizer
    used.encode(TEXT)
    assert used.merges and used.vocab and len(pickle.dumps(used)) < fresh + 100


@by_each_way
def test_a_training_is_copied_whole(way: str) -> None:
    TRAINING.tokenizer.encode_ordinary(TEXT)
    mine = WAYS[way](TRAINING)
    assert (mine.merges, mine.stopped, mine.rules) == (TRAINING.merges, TRAINING.stopped, TRAINING.rules)
    assert mine.window(5, 20) == TRAINING.window(5, 20) and mine.candidates(3) == TRAINING.candidates(3)
    assert list(mine.counts) == list(TRAINING.counts) and np.array_equal(mine.seams, TRAINING.seams)


@by_each_way
@pytest.mark.parametrize("kind", ["SentencePiece Unigram"])
def test_a_comparison_with_a_peer_is_copied_whole(kind: str, way: str) -> None:
    compared = tokviz.compare(TEXT, [TRAINING.tokenizer, peer(kind)])
    mine = WAYS[way](compared)
    assert mine.encodings == compared.encodings
    assert mine.tokenizers[1].encode_ordinary(TEXT) == peer(kind).encode_ordinary(TEXT)


@pytest.mark.right
def test_each_is_written_in_one_line_with_its_tokens() -> None:
    gpt2, cl100k = tokviz.reference("gpt2"), tokviz.reference("cl100k_base")
    trained = tokviz.train("low lower lowest", 259)
    assert repr(trained) == "<Training 'trained': 3 merges: 'lo', 'low', ' low'>"
    assert repr(gpt2.explain("2008\n🤷")) == r"<Encoding: 5 tokens: '2008', '\n', b'\xf0\x9f', b'\xa4', b'\xb7'>"
    assert repr(tokviz.compare("2008", [gpt2, cl100k])) == (
        "<Comparison: 'gpt2': 1 token: '2008'; 'cl100k_base': 2 tokens: '200', '8'>"
    )
    assert repr(tokviz.count_chunks("low low")) == "<ChunkCounts: 2 distinct of 7 bytes, pattern 'gpt2'>"
    assert repr(gpt2.explain("")) == "<Encoding: 0 tokens>"
    for long in (gpt2.explain(TEXT * 20), TRAINING, tokviz.compare(TEXT, [gpt2, gpt2]), TRAINING.counts):
        line = repr(long)
        assert "\n" not in line and "array" not in line and len(line) < 500
    assert repr(gpt2.explain(TEXT)).endswith(", …>")
