"""Learning merges from distinct chunks: makes the arrays for the loops in `merging`, and calls those in their order.

Most pairs never win. So pairs whose count is below a threshold are not stored: since counts only fall, none of them can
be the most frequent pair while a stored one reaches the threshold. When no stored pair reaches it any more, the
threshold is lowered, and pairs are collected again from `flat` as it is by then.

Arrays grow here, between two calls: a loop that finds an array full returns and says so.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.errors import SettingError
from tokviz.kernels.base import OPEN, SPLIT
from tokviz.kernels.merging import (
    ALL_MADE,
    ARRAYS_FULL,
    COUNT,
    GAP,
    HEAP_EMPTY,
    ID,
    LEFT,
    MERGES_PAUSED,
    N_HEAP,
    N_MERGES,
    N_PAIRS,
    N_PLACES,
    PLACES_END,
    PLACES_NEEDED,
    PLACES_START,
    RIGHT,
    Ban,
    Longs,
    Neighbours,
    PairArrays,
    PickRules,
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

HISTOGRAM = 1 << 16  # for each count below this, the number of pairs is kept; few pairs have a higher one
FIRST_THRESHOLD = 80_000  # the first threshold is the number of tokens divided by this: at most so many pairs reach it
LOWER = 6  # each next threshold is the last one divided by this
SKETCH = 1 << 18  # buckets
ROOM = 1 << 12  # pairs, and places, for which arrays have room at first; a power of two
SLICE_PLACES = 1 << 21  # places that are read before the caller gets control again
PLACES_A_SECOND = 4_000_000  # places that are merged in a second, roughly, memory allocation included


def pairs_at(data: NDArray[np.uint8], seams: NDArray[np.int32], ends: Longs, counts: Longs, k: int) -> Longs:
    """All pairs after the first k merges: int64, a row a pair, with left id, right id, count, first place in `data`.

    data, ends, counts: the distinct chunks, as in `Learner`. seams: those that it gives.
    """
    data, seams, ends, counts = _own(data), _own(seams), _own(ends), _own(counts)
    pairs, n_pairs, chunk, place = np.empty((ROOM, 5), np.int64), 0, 0, 0
    table = _table_of(pairs, 0, len(pairs))
    while True:
        n_pairs, chunk, place = count_at(data, seams, ends, counts, k, chunk, place, table, pairs, n_pairs)
        if chunk == len(ends):
            return pairs[:n_pairs, :PLACES_END]
        pairs = _grown(pairs, 4 * len(pairs))
        table = _table_of(pairs, n_pairs, len(pairs))


class Learner:
    """Learns merges from distinct chunks, a slice at a time.

    chunks: uint8, the chunks end to end, in order of first occurrence. ends, counts: int64, where each ends in
    `chunks`, and how often it occurs. n_tokens: tokens of the corpus before any merge. asked: merges to make. tie_key:
    byte -> its position in the order of bytes, if ties go to the lowest ids; None if they go to the first place.
    min_count: a pair below it is not merged. ban: token bytes that no merge may make. rarest: the rarest pair wins.
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
        self._n_tokens, self._min_count, self._rarest = n_tokens, min_count, rarest
        self._by_place = tie_key is None
        self._order = np.arange(256) if tie_key is None else np.array(tie_key, np.int64)
        self._ban_given = sorted(set(ban))
        self._state = np.zeros(5, np.int64)
        self._merges = np.empty((asked, 5), np.int64)
        self.asked = asked
        self.pairs_left = True

    @property
    def merges(self) -> Longs:
        """int64, a row a merge: left id, right id, count, replaced, tied."""
        return self._merges[: self._state[N_MERGES]]

    @property
    def token_bytes(self) -> Longs:
        """int64, one a merge: the length in bytes of the token that it made."""
        made = len(self.merges)
        return self._size[256 : 256 + made].astype(np.int64) if made else np.empty(0, np.int64)

    def stored_pairs(self) -> tuple[Longs, Longs, Longs]:
        """int64: the two ids and the count of each pair that is stored and not banned, after a merge.

        No other pair has a count above `most_unstored`.
        """
        left, right, counts = self._pairs[: self._state[N_PAIRS], :3].T
        return left, right, counts

    @property
    def seams(self) -> NDArray[np.int32]:
        """int32, one a byte of `chunks`: SPLIT where a chunk starts, the rank that closed the seam, or OPEN."""
        seams = np.full(len(self._chunks), -1, np.int32)
        if len(self.merges):
            read_seams(self._flat, self._ends, seams)
        unsigned = seams.view(np.uint32)  # so that -1 is the highest number, and becomes OPEN
        np.minimum(unsigned, OPEN, out=unsigned)
        seams[self._ends[:-1]] = SPLIT
        seams[:1] = SPLIT
        return seams

    def learn(self, seconds: float) -> Iterator[None]:
        """Make the merges. Yields after about so many seconds each time, but after one merge at the earliest.

        It ends when all are made, or when no pair can be merged. `pairs_left` then says whether there is a pair at all
        that is not banned, even if below `min_count`.
        """
        if not len(self._merges):
            return
        yield from self._prepare()
        threshold = self._n_tokens // FIRST_THRESHOLD
        threshold = 1 if self._rarest else max(threshold, self._min_count)
        yield from self._collect(threshold)
        self.most_unstored = threshold - 1
        why = MERGES_PAUSED
        while why != ALL_MADE:
            why = make_merges(
                self._flat,
                self._size,
                PairArrays(self._pairs, self._table, self._places, self._heap, self._histogram),
                self._neighbours,
                self._joined,
                self._ban,
                PickRules(threshold, self._min_count, self._by_place, self._order, self._rarest),
                self._merges,
                int(seconds * PLACES_A_SECOND),
                self._state,
            )
            if why == MERGES_PAUSED:
                yield
            elif why == ARRAYS_FULL:
                self._make_room(int(self._state[PLACES_NEEDED]))
            elif why == HEAP_EMPTY and (self._rarest or threshold == self._min_count):
                break
            elif why == HEAP_EMPTY:
                threshold = max(threshold // LOWER, self._min_count)
                yield from self._collect(threshold)
                self.most_unstored = threshold - 1
        if why == HEAP_EMPTY and self._min_count > 1:
            yield from self._collect(1)
            self.pairs_left = bool(self._state[N_PAIRS])
        elif why == HEAP_EMPTY:
            self.pairs_left = False

    def _prepare(self) -> Iterator[None]:
        """Make the arrays that do not depend on a threshold."""
        n_places = 1 + len(self._chunks) + len(self._ends)
        if n_places > 2**31 - 1:
            raise SettingError(
                f"The distinct chunks have {len(self._chunks):,} bytes, and 2,000,000,000 are the limit.",
                "Train on a part of the corpus, or on counts whose rare chunks are pruned.",
            )
        wide = len(self._counts) > 0 and int(self._counts.max()) >= 2**31
        self._flat: NDArray[Any] = np.empty((n_places, 2), np.int64 if wide else np.int32)
        self._flat[0, ID] = GAP
        chunks_a_slice = max(1, SLICE_PLACES * len(self._ends) // n_places)
        for first in range(0, len(self._ends), chunks_a_slice):
            last = min(first + chunks_a_slice, len(self._ends))
            lay_out(self._chunks, self._ends, self._counts, first, last, self._flat)
            yield
        ids = 256 + len(self._merges)
        self._size = np.ones(ids, np.int32)
        sums, seen = ((ids + 1, 3), np.int64), (ids + 2, np.int32)
        self._neighbours = Neighbours(np.zeros(*sums), np.zeros(*sums), np.empty(*seen), np.empty(*seen))
        self._joined = np.empty((ROOM, 3), np.int32)
        self._ban = Ban(
            self._flat[:, ID].astype(np.uint8) if self._ban_given else np.empty(0, np.uint8),
            np.array(list(b"".join(self._ban_given)), np.uint8),
            np.cumsum([len(token) for token in self._ban_given], dtype=np.int64),
        )

    def _collect(self, threshold: int) -> Iterator[None]:
        """Find all pairs that reach the threshold, and their places."""
        collect = self._collect_pairs if self._state[N_MERGES] else self._collect_bytes
        pairs, places = yield from collect(threshold)
        n = len(pairs)
        room = max(4 * ROOM, 4 * n)  # pages that are never written take no memory
        counts = pairs[:, COUNT]
        if self._by_place:
            ties = places[pairs[:, PLACES_START]].astype(np.int64)
        else:
            keys = np.append(self._order, np.arange(256, len(self._size)))
            ties = keys[pairs[:, LEFT]] << 32 | keys[pairs[:, RIGHT]]
        in_order = np.lexsort((ties, -counts))  # a sorted array is a heap
        self._heap = np.empty((room, 3), np.int64)
        self._heap[:n] = np.column_stack([counts, ties, np.arange(n)])[in_order]
        self._histogram = np.bincount(counts[counts < HISTOGRAM], minlength=HISTOGRAM + 1)
        self._pairs, self._places = _grown(pairs, room), places
        self._table = _table_of(pairs, n, max(ROOM, 2 * n))
        self._state[[N_PAIRS, N_HEAP, N_PLACES]] = n, n, pairs[-1, PLACES_END] if n else 0

    def _collect_bytes(self, threshold: int) -> Generator[None, None, tuple[Longs, NDArray[np.int32]]]:
        """Collect before the first merge: a pair is two bytes then, so it needs no hash table."""
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
        """Collect in two passes over `flat`: upper bounds of the counts, which rule out most pairs; then counts."""
        flat, size, state = self._flat, self._size, self._state
        sketch = np.zeros(SKETCH, np.int64)
        place = 1
        while place < len(flat):
            place = add_to_sketch(flat, size, place, min(place + SLICE_PLACES, len(flat)), sketch)
            yield
        pairs, table = np.empty((ROOM, 5), np.int64), np.zeros((2 * ROOM, 2), np.int64)
        hits = np.empty((len(flat), 2), np.int32)  # pages that are never written take no memory
        state[N_PAIRS], place, n_hits = 0, 1, 0
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
                self._ban,
                state,
            )
            if place < stop:
                pairs = _grown(pairs, 4 * len(pairs))
                table = _table_of(pairs, int(state[N_PAIRS]), len(pairs))
            else:
                yield
        n_pairs = int(state[N_PAIRS])
        found = np.flatnonzero(pairs[:n_pairs, COUNT] >= threshold)
        pairs = pairs[found]
        numbers, places = _numbered(pairs, found, n_pairs)
        fill_places(hits[:n_hits], numbers, pairs, places)
        return pairs, places

    def _slices(self) -> Iterator[tuple[int, int]]:
        """(first place, stop) of slices that cover `flat` except its first place, a gap."""
        for place in range(1, len(self._flat), SLICE_PLACES):
            yield place, min(place + SLICE_PLACES, len(self._flat))

    def _make_room(self, n_places: int) -> None:
        """Grow the arrays that have no room for one more merge of so many places, to twice their length at least."""
        n_pairs, n_listed = int(self._state[N_PAIRS]), int(self._state[N_PLACES])
        needed = n_pairs + 2 * min(n_places, len(self._size))
        if needed > len(self._pairs):
            room = max(2 * len(self._pairs), needed)
            self._pairs, self._heap = _grown(self._pairs, room), _grown(self._heap, room)
        if needed > len(self._table) // 2:
            self._table = _table_of(self._pairs, n_pairs, needed)
        if n_listed + 2 * n_places > len(self._places):
            self._places = _grown(self._places, max(2 * len(self._places), n_listed + 2 * n_places))
        if n_places >= len(self._joined):
            self._joined = np.empty((2 * n_places, 3), np.int32)


def _numbered(pairs: Longs, found: Longs, n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give each pair its part of an array of places.

    pairs: the rows that were found. found: their old numbers, all below n. PLACES_END holds how many places a pair has;
    PLACES_START and PLACES_END both become the index where its part begins.
    Returns (int32, the old number -> the new row, or -1; int32, an array for four times as many places).
    """
    ends = np.cumsum(pairs[:, PLACES_END])
    pairs[:, PLACES_START] = ends - pairs[:, PLACES_END]
    pairs[:, PLACES_END] = pairs[:, PLACES_START]
    numbers = np.full(n, -1, np.int32)
    numbers[found] = np.arange(len(found))
    return numbers, np.empty(max(ROOM, 4 * int(ends[-1]) if len(found) else 0), np.int32)


def _own(array: NDArray[Any]) -> NDArray[Any]:
    """The array, or a copy if it is read-only or not contiguous: numba would compile again for such arrays."""
    return array if array.flags.c_contiguous and array.flags.writeable else array.copy()


def _grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    """A copy with so many rows."""
    grown = np.empty((length, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _table_of(pairs: Longs, n: int, room: int) -> Longs:
    """A hash table of the first n pairs, with room for `room` of them."""
    table = np.zeros((1 << (2 * room - 1).bit_length(), 2), np.int64)
    enter(table, pairs, 0, n)
    return table
