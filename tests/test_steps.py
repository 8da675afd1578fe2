"""Stepping through a chunk is the encoder told slowly."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.strategies import settings_of_training, small_texts, wild_texts
from tokviz import OPEN, SPLIT, Tokenizer
from tokviz.base.errors import InputError
from tokviz.vocabulary.steps import STEPPED, chunk_steps

REFERENCES = ["gpt2", "cl100k_base", "o200k_base"]


def fired(tokenizer: Tokenizer, chunk: bytes) -> tuple[list[int], list[tuple[int, int]]]:
    """The seams of a chunk as its steps tell them, and (rank, place of its seam) of each merge in order."""
    steps = chunk_steps(tokenizer, chunk)
    seams = [SPLIT] + [OPEN] * (len(chunk) - 1)
    order = []
    for step, after in pairwise(steps):
        assert step.next is not None
        seam, rank = step.ends[step.next], step.ranks[step.next]
        assert rank is not None and rank == min(other for other in step.ranks if other is not None)
        assert after.ends == tuple(end for end in step.ends if end != seam)
        assert after.ids[step.next] == int(tokenizer.merge_ids[rank])
        seams[seam] = rank
        order.append((rank, seam))
    assert steps[-1].next is None and set(steps[-1].ranks) <= {None}
    return seams, order


def check(tokenizer: Tokenizer, chunk: bytes) -> None:
    seams, order = fired(tokenizer, chunk)
    assert seams == tokenizer._vocabulary.encoder.seams(chunk, np.array([len(chunk)])).tolist()
    assert order == sorted(order), "lowest rank first, leftmost of equals"
    last = chunk_steps(tokenizer, chunk)[-1]
    tokens = [chunk[start:end] for start, end in pairwise([0, *last.ends])]
    assert tokens == tokenizer.merged(chunk) == [tokenizer.vocab[id] for id in last.ids]


@given(setting=settings_of_training(), texts=st.lists(small_texts, max_size=3))
def test_steps_are_the_encoder_for_a_trained_tokenizer(setting, texts) -> None:
    tokenizer = setting.train().tokenizer
    merges = len(tokenizer.merges) // 2
    for text in [*setting.texts, *texts]:
        if chunk := text.encode()[:STEPPED]:
            check(tokenizer, chunk)
            assert chunk_steps(tokenizer, chunk, merges) == chunk_steps(tokenizer.truncated(256 + merges), chunk)


@given(st.sampled_from(REFERENCES), wild_texts)
def test_steps_are_the_encoder_for_a_reference(name: str, text: str) -> None:
    if chunk := text.encode("utf-8", "replace")[:STEPPED]:
        check(tokviz.reference(name), chunk)


def test_a_pair_that_only_spells_a_token_is_no_candidate() -> None:
    tok = Tokenizer("exact", [(104, 117), (117, 103), (104, 257)], pattern="none")  # hu, ug, h+ug
    steps = chunk_steps(tok, b"hug")
    assert [step.ranks for step in steps] == [(0, 1), (None,)]


@pytest.mark.parametrize("chunk", [b"", b"a" * (STEPPED + 1)])
def test_what_cannot_be_stepped_through_is_said(chunk: bytes) -> None:
    with pytest.raises(InputError, match=f"1 to {STEPPED} bytes"):
        chunk_steps(tokviz.reference("gpt2"), chunk)
