"""Learning merges from distinct chunks: the arrays that the loops of `merging` work on, and their order.

Most pairs never get to win. A pair whose count is below a threshold is not even stored: as counts only fall, it cannot
be the most frequent while there is one above. When the heap runs dry the threshold is lowered, and the pairs are
collected again from `flat` as it now stands.

Arrays grow here, between two calls: a loop that finds one full comes back and says so.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.errors import SettingError
from tokviz.kernels.base import OPEN, SPLIT
from tokviz.kernels.merging import (
    COUNT,
    DONE,
    DRY,
    END,
    FIRST,
    FULL,
    GAP,
    HEAP,
    ID,
    LEFT,
    MADE,
    NEED,
    PAIRS,
    PAUSED,
    RIGHT,
    USED,
    Longs,
    add_to_sketch,
    count_at,
    count_bytes,
    count_pairs,
    enter,
    fill_bytes,
    fill_places,
    lay_out,
    make_merges,
    read_seams,
)

TALLY = 1 << 16  # counts below this are tallied; above it there are few pairs, and they are looked through
FIRST_THRESHOLD = 80_000  # the first threshold is this part of all tokens, so at most so many pairs reach it
LOWER = 16  # how much lower each next threshold is
SKETCH = 1 << 18  # buckets
ROOM = 1 << 12  # pairs, and places, that arrays begin with; a power of two
SLICE_PLACES = 1 << 21  # places of `flat` to walk over between two looks up
PLACES_A_SECOND = 4_000_000  # about how many places are merged in a second, new pages of memory and all


def pairs_at(data: NDArray[np.uint8], seams: NDArray[np.int32], ends: Longs, counts: Longs, k: int) -> Longs:
    """int64, a row a pair: left id, right id, count, first place in `data`, of all pairs after the first k merges.

    data, ends, counts: the distinct chunks, as in `Learner`; seams: as they came out of it.
    """
    data, seams, ends, counts = _own(data), _own(seams), _own(ends), _own(counts)
    pairs, n_pairs, chunk, place = np.empty((ROOM, 5), np.int64), 0, 0, 0
    table = _table_of(pairs, 0, len(pairs))
    while True:
        n_pairs, chunk, place = count_at(data, seams, ends, counts, k, chunk, place, table, pairs, n_pairs)
        if chunk == len(ends):
            return pairs[:n_pairs, :END]
        pairs = _grown(pairs, 4 * len(pairs))
        table = _table_of(pairs, n_pairs, len(pairs))


class Learner:
    """Learns merges from distinct chunks, a slice at a time.

    chunks: bytes laid end to end (uint8), `ends` and `counts` of each (int64), in order of first occurrence.
    n_tokens: of the corpus before any merge. asked: how many merges to make. tie_key: id -> where its byte stands among
    the bytes, for ties by id; None for ties by first place. ban: token bytes that no merge may make.
    """

    def __init__(
        self,
        chunks: NDArray[np.uint8],
        ends: Longs,
        counts: Longs,
        *,
        n_tokens: int,
        asked: int,
        tie_key: Sequence[int] | None,
        min_count: int,
        ban: Collection[bytes],
        rarest: bool,
    ) -> None:
        self._chunks, self._ends, self._counts = _own(chunks), _own(ends), _own(counts)
        self._n_tokens, self._asked, self._min_count, self._rarest = n_tokens, asked, min_count, rarest
        self._by_place = tie_key is None
        self._order = np.arange(256) if tie_key is None else np.array(tie_key, np.int64)
        self._ban_given = sorted(set(ban))
        self._state = np.zeros(5, np.int64)
        self._merges = np.empty((asked, 5), np.int64)
        self.pairs_left = True

    @property
    def merges(self) -> Longs:
        """int64, a row a merge: left id, right id, count, replaced, tied."""
        return self._merges[: self._state[MADE]]

    @property
    def n_token_bytes(self) -> int:
        """Bytes of all tokens that merges made."""
        made = len(self.merges)
        return int(self._size[256 : 256 + made].sum(dtype=np.int64)) if made else 0

    @property
    def seams(self) -> NDArray[np.int32]:
        """The seams of the distinct chunks, laid end to end as they came in."""
        seams = np.full(len(self._chunks), -1, np.int32)
        if len(self.merges):
            read_seams(self._flat, self._ends, seams)
        unsigned = seams.view(np.uint32)  # of which -1 is the highest
        np.minimum(unsigned, OPEN, out=unsigned)
        seams[self._ends[:-1]] = SPLIT
        seams[:1] = SPLIT
        return seams

    def learn(self, seconds: float) -> Iterator[None]:
        """Make the merges, with a stop after about so many seconds each, but one merge at least.

        It ends when all are made, or when no pair can be merged; `pairs_left` then says if there are any at all that
        no ban forbids.
        """
        if not self._asked:
            return
        yield from self._prepare()
        threshold = self._n_tokens // FIRST_THRESHOLD
        threshold = 1 if self._rarest else max(threshold, self._min_count)
        yield from self._collect(threshold)
        why = PAUSED
        while why != DONE:
            why = make_merges(
                self._flat,
                self._size,
                self._pairs,
                self._table,
                self._places,
                self._heap,
                self._before,
                self._after,
                self._befores,
                self._afters,
                self._joined,
                self._tally,
                self._merges,
                self._order,
                self._spelling,
                self._ban,
                self._ban_ends,
                threshold,
                self._min_count,
                self._by_place,
                self._rarest,
                self._asked,
                int(seconds * PLACES_A_SECOND),
                self._state,
            )
            if why == PAUSED:
                yield
            elif why == FULL:
                self._make_room(int(self._state[NEED]))
            elif why == DRY and (self._rarest or threshold == self._min_count):
                break
            elif why == DRY:
                threshold = max(threshold // LOWER, self._min_count)
                yield from self._collect(threshold)
        if why == DRY and self._min_count > 1:
            yield from self._collect(1)
            self.pairs_left = bool(self._state[PAIRS])
        elif why == DRY:
            self.pairs_left = False

    def _prepare(self) -> Iterator[None]:
        n_places = 1 + len(self._chunks) + len(self._ends)
        if n_places > 2**31 - 1:
            raise SettingError(
                f"The distinct chunks have {len(self._chunks):,} bytes, too many to train on; 2,000,000,000 are the "
                f"limit.",
                "Train on a part of the corpus.",
            )
        wide = len(self._counts) > 0 and int(self._counts.max()) >= 2**31
        self._flat: NDArray[Any] = np.empty((n_places, 2), np.int64 if wide else np.int32)
        self._flat[0, ID] = GAP
        chunks_a_slice = max(1, SLICE_PLACES * len(self._ends) // n_places)
        for first in range(0, len(self._ends), chunks_a_slice):
            last = min(first + chunks_a_slice, len(self._ends))
            lay_out(self._chunks, self._ends, self._counts, first, last, self._flat)
            yield
        ids = 256 + self._asked
        self._size = np.ones(ids, np.int32)
        # One more than there are ids, as a gap is noted too: it is -1, which is the last row.
        self._before, self._after = np.zeros((ids + 1, 3), np.int64), np.zeros((ids + 1, 3), np.int64)
        self._befores, self._afters = np.empty(ids + 2, np.int32), np.empty(ids + 2, np.int32)
        self._joined = np.empty((ROOM, 3), np.int32)
        self._ban = np.array(list(b"".join(self._ban_given)), np.uint8)
        self._ban_ends = np.cumsum([len(token) for token in self._ban_given], dtype=np.int64)
        self._spelling = self._flat[:, ID].astype(np.uint8) if len(self._ban_ends) else np.empty(0, np.uint8)

    def _collect(self, threshold: int) -> Iterator[None]:
        """Find all pairs that reach the threshold, and where they stand."""
        collect = self._collect_pairs if self._state[MADE] else self._collect_bytes
        pairs, places = yield from collect(threshold)
        n = len(pairs)
        room = max(4 * ROOM, 4 * n)  # what is never written takes no memory
        counts = pairs[:, COUNT]
        if self._by_place:
            ties = places[pairs[:, FIRST]].astype(np.int64)
        else:
            keys = np.append(self._order, np.arange(256, len(self._size)))
            ties = keys[pairs[:, LEFT]] << 32 | keys[pairs[:, RIGHT]]
        in_order = np.lexsort((ties, -counts))  # what is sorted is a heap
        self._heap = np.empty((room, 3), np.int64)
        self._heap[:n] = np.column_stack([counts, ties, np.arange(n)])[in_order]
        self._tally = np.bincount(counts[counts < TALLY], minlength=TALLY)
        self._pairs, self._places = _grown(pairs, room), places
        self._table = _table_of(pairs, n, max(ROOM, 2 * n))
        self._state[[PAIRS, HEAP, USED]] = n, n, pairs[-1, END] if n else 0

    def _collect_bytes(self, threshold: int) -> Generator[None, None, tuple[Longs, NDArray[np.int32]]]:
        """Before the first merge the pairs have numbers of their own: two bytes."""
        flat = self._flat
        counts, times = np.zeros(1 << 16, np.int64), np.zeros(1 << 16, np.int64)
        for place, stop in self._slices():
            count_bytes(flat, place, stop, counts, times)
            yield
        for token in self._ban_given:
            if len(token) == 2:
                counts[token[0] << 8 | token[1]] = 0
        found = np.flatnonzero(counts >= threshold)
        pairs = np.column_stack([found >> 8, found & 0xFF, counts[found], found, times[found]])
        numbers, places = _numbered(pairs, found, 1 << 16)
        for place, stop in self._slices():
            fill_bytes(flat, place, stop, numbers, pairs, places)
            yield
        return pairs, places

    def _collect_pairs(self, threshold: int) -> Generator[None, None, tuple[Longs, NDArray[np.int32]]]:
        """Two walks over `flat`: a sketch of the counts, which most pairs do not come through; then the counts."""
        flat, size, state = self._flat, self._size, self._state
        sketch = np.zeros(SKETCH, np.int64)
        place = 1
        while place < len(flat):
            place = add_to_sketch(flat, size, place, min(place + SLICE_PLACES, len(flat)), sketch)
            yield
        pairs, table = np.empty((ROOM, 5), np.int64), np.zeros((2 * ROOM, 2), np.int64)
        hits = np.empty((len(flat), 2), np.int32)  # what is never written takes no memory
        state[PAIRS], place, n_hits = 0, 1, 0
        while place < len(flat):
            stop = min(place + SLICE_PLACES, len(flat))
            place, n_hits = count_pairs(
                flat,
                size,
                place,
                stop,
                sketch,
                threshold,
                table,
                pairs,
                hits,
                n_hits,
                self._spelling,
                self._ban,
                self._ban_ends,
                state,
            )
            if place < stop:
                pairs = _grown(pairs, 4 * len(pairs))
                table = _table_of(pairs, int(state[PAIRS]), len(pairs))
            else:
                yield
        n_pairs = int(state[PAIRS])
        found = np.flatnonzero(pairs[:n_pairs, COUNT] >= threshold)
        pairs = pairs[found]
        numbers, places = _numbered(pairs, found, n_pairs)
        fill_places(hits[:n_hits], numbers, pairs, places)
        return pairs, places

    def _slices(self) -> Iterator[tuple[int, int]]:
        """All of `flat` but its first place, in slices."""
        for place in range(1, len(self._flat), SLICE_PLACES):
            yield place, min(place + SLICE_PLACES, len(self._flat))

    def _make_room(self, n_places: int) -> None:
        """Make the arrays that are too small for one more merge of so many places at least twice as large."""
        n_pairs, used = int(self._state[PAIRS]), int(self._state[USED])
        needed = n_pairs + 2 * min(n_places, len(self._size))
        if needed > len(self._pairs):
            room = max(2 * len(self._pairs), needed)
            self._pairs, self._heap = _grown(self._pairs, room), _grown(self._heap, room)
        if needed > len(self._table) // 2:
            self._table = _table_of(self._pairs, n_pairs, needed)
        if used + 2 * n_places > len(self._places):
            self._places = _grown(self._places, max(2 * len(self._places), used + 2 * n_places))
        if n_places >= len(self._joined):
            self._joined = np.empty((2 * n_places, 3), np.int32)


def _numbered(pairs: Longs, found: Longs, n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(number that a pair had, below n -> its row, or -1; room for four times the places of all pairs).

    In END stands how many places a pair has. FIRST and END become where its places begin, all end to end.
    """
    ends = np.cumsum(pairs[:, END])
    pairs[:, FIRST] = ends - pairs[:, END]
    pairs[:, END] = pairs[:, FIRST]
    numbers = np.full(n, -1, np.int32)
    numbers[found] = np.arange(len(found))
    return numbers, np.empty(max(ROOM, 4 * int(ends[-1]) if len(found) else 0), np.int32)


def _own(array: NDArray[Any]) -> NDArray[Any]:
    """The array as the kernels are compiled for it: in one piece, and not read-only."""
    return array if array.flags.c_contiguous and array.flags.writeable else array.copy()


def _grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    grown = np.empty((length, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _table_of(pairs: Longs, n: int, room: int) -> Longs:
    """A table of the first n pairs, with room for so many."""
    table = np.zeros((1 << (2 * room - 1).bit_length(), 2), np.int64)
    enter(table, pairs, 0, n)
    return table
