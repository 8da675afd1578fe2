"""A file in blocks: blocks of any size have together the ids of the whole text."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.strategies import CUSTOM, PATTERNS, SPECIALS, wild_texts
from tests.test_large_corpora import HARD
from tokviz import reading, samples
from tokviz.bulk import blocks
from tokviz.reading import CorpusReader
from tokviz.split import automaton_of, cut_data

OWN = {pattern: tokviz.train(HARD * 3, 330, pattern=pattern, special_tokens=SPECIALS).tokenizer for pattern in PATTERNS}


@given(wild_texts, st.sampled_from(PATTERNS), st.booleans(), st.integers(1, 60), st.integers(1, 60), st.integers(2, 30))
def test_blocks_of_any_size_have_the_ids_of_the_whole_text(
    text: str, pattern: str, special: bool, block: int, read: int, window: int
) -> None:
    tok = OWN[pattern]
    text = tokviz.text.clean(text)
    specials = tuple(tok.special_tokens) if special else ()
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "BLOCK", read)
        patch.setattr(blocks, "BLOCK", block)
        patch.setattr(blocks, "WINDOW", window)
        path = Path(folder, "text")
        path.write_bytes(text.encode())
        found = [*blocks.blocks_of(CorpusReader(path, pattern, specials, True).pieces(), pattern)]
        ids = [blocks.encode_block(one, tok, specials, np.dtype("u2")) for one in found]
    assert sum(one.n_bytes for one in found) == len(text.encode())
    assert [one.start for one in found] == np.cumsum([0, *(one.n_bytes for one in found)]).tolist()[: len(found)]
    expected = tok.encode(text, allowed_special="all" if special else (), disallowed_special=())
    assert np.concatenate([[], *ids]).tolist() == expected


@given(wild_texts, st.sampled_from(["gpt2", "cl100k", "o200k", CUSTOM, r"\s+(?!\S)|\s|\S+", r"\S+|\s++$|\s"]))
def test_where_a_text_may_be_parted_its_parts_are_cut_as_it_is(text: str, pattern: str) -> None:
    text = tokviz.text.clean(text)
    automaton, data = automaton_of(pattern), text.encode()
    assert automaton
    whole = cut_data(data, pattern).tolist()
    starts = [len(text[:i].encode()) for i in range(len(text) + 1)]
    for at, behind in pairwise(starts[1:]):
        window = data[starts[starts.index(at) - 1] : behind]  # two characters
        if automaton.place_to_part(window, apart=True) is not None:
            parts = cut_data(data[:at], pattern).tolist() + (cut_data(data[at:], pattern) + at).tolist()
            assert parts == whole


def test_a_text_is_parted_often_enough() -> None:
    """Prose in blocks of 1,000 bytes: none is much longer than it has to be."""
    text = samples.sample("story").text * 20
    for pattern in ("gpt2", "cl100k", "o200k"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(blocks, "BLOCK", 1_000)
            found = [*blocks.blocks_of(CorpusReader(text, pattern, (), False).pieces(), pattern)]
        assert len(found) > len(text) // 1_100
