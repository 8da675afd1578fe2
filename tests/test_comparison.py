"""A comparison: its regions, pieces, windows and rows are those of the whole, and what cannot be asked is refused."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.comparison_cases import CASES, Case, merges_of
from tokviz import OPEN
from tokviz.base.errors import SettingError
from tokviz.comparison.comparison import compare_in_pieces
from tokviz.split import cutting


@given(CASES, st.integers(1, 30))
def test_pieces_have_the_boundaries_and_the_reasons_of_the_whole(case: Case, size: int) -> None:
    whole = tokviz.compare(case.text, case.tokenizers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "BATCH", 2)
        pieces = list(compare_in_pieces(case.text, case.tokenizers, size))
    starts = [piece.encodings[0].start for piece in pieces]
    for i, encoding in enumerate(whole.encodings):
        found = [piece.encodings[i] for piece in pieces]
        assert b"".join(piece.data for piece in found) == encoding.data
        assert [piece.start for piece in found] == starts
        assert [bool(encoding.seams[piece.start] == OPEN) for piece in found] == [piece.cut for piece in found]
        assert np.concatenate([piece.start + piece.ends for piece in found]).tolist() == encoding.ends.tolist()
        assert np.concatenate([piece.ids for piece in found]).tolist() == encoding.ids.tolist()
    for a, b in permutations(range(len(case.tokenizers)), 2):
        for kind, places in whole.reason_places(a, b).items():
            by_piece = [piece.reason_places(a, b)[kind] + start for piece, start in zip(pieces, starts, strict=True)]
            assert np.concatenate(by_piece).tolist() == places.tolist()


@given(CASES)
def test_regions(case: Case) -> None:
    text, toks, allowed = case.text, case.tokenizers, case.allowed
    c = tokviz.compare(text, toks, allowed_special=allowed)
    size = len(text.encode())
    boundaries = [{token.start for token in encoding.tokens()} | {size} for encoding in c.encodings]
    shared = sorted(set.intersection(*boundaries))
    expected = [
        (start, end)
        for start, end in pairwise(shared)
        if any(start < place < end for starts in boundaries for place in starts)
    ]
    assert c.regions == expected
    assert all(type(place) is int for region in c.regions for place in region)
    assert list(c.encodings) == [tok.explain(text, allowed) for tok in toks]


@given(CASES, st.integers(-3, 50), st.integers(-3, 50))
def test_a_window_is_whole_for_everyone(case: Case, start: int, length: int) -> None:
    c = tokviz.compare(case.text, case.tokenizers)
    size = len(c.encodings[0].data)
    first, last = c.window(start, length)
    assert 0 <= first <= max(0, min(start, size)) <= size
    assert last >= min(max(start, 0) + max(length, 0), size)
    for encoding in c.encodings:
        part = encoding.part(first, last - first)
        assert (part.start, part.data) == (first, encoding.data[first:last])
        assert part.seams[1:].tolist() == encoding.seams[first + 1 : last].tolist()
    inner = [place for place in c._meeting_places.tolist() if first < place < last]
    assert all(place > start for place in inner), "no place of meeting was nearer"
    assert all(place < max(start, 0) + max(length, 0) for place in inner)


@given(CASES)
def test_among_is_a_comparison_of_those_alone(case: Case) -> None:
    c = tokviz.compare(case.text, case.tokenizers)
    for rows in ([0, 1], [2, 0], [1]):
        alone = tokviz.compare(case.text, [case.tokenizers[row] for row in rows])
        assert c.among(rows).regions == alone.regions
        assert list(c.among(rows).encodings) == list(alone.encodings)


def test_the_empty_text_and_one_tokenizer_alone() -> None:
    gpt2 = tokviz.reference("gpt2")
    assert list(compare_in_pieces("", [gpt2], 100)) == []
    assert tokviz.compare("", [gpt2, gpt2.truncated(300)]).regions == []
    assert tokviz.compare("all alone", iter([gpt2])).regions == []
    with pytest.raises(SettingError, match="Byte 0 is not inside the text"):
        tokviz.compare("", [gpt2, gpt2]).reasons(0, 0, 1)


def test_what_cannot_be_asked_is_refused() -> None:
    c = tokviz.compare("abc", [merges_of("one", "a+b"), merges_of("two", "b+c")])
    with pytest.raises(SettingError, match="two has no boundary before byte 2"):
        c.reasons(2, 0, 1)
    same = tokviz.compare("abc", [merges_of("one", "a+b"), merges_of("two")])
    with pytest.raises(SettingError, match="one has a boundary before byte 2 too"):
        same.reasons(2, 0, 1)
    for at in (0, 3, -1, 100):
        with pytest.raises(SettingError, match=f"Byte {at} is not inside the text, which has 3 bytes"):
            c.reasons(at, 0, 1)
    for refused in (lambda: c.reasons(1, 0, 2), lambda: c.reason_places(0, 2), lambda: c.reason_places(-1, 0)):
        with pytest.raises(SettingError, match="Use an index from 0 to 1"):
            refused()
