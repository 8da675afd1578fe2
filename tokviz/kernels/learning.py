"""Learns merges from distinct chunks: makes the arrays for the loops in `merging`, and calls those in their order.

Most pairs never win. So pairs whose count is below a threshold are not stored: since counts only fall, none of them can
be the most frequent pair while a stored one reaches the threshold. When no stored pair reaches it any more, the
threshold is lowered, and pairs are collected again from `flat` as it is by then.

Arrays grow here, between two calls: a loop that finds an array full returns and says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import CPUS, OPEN, SPLIT, grown
from tokviz.kernels.collecting import ROOM, SLICE_PLACES, collect_bytes, collect_pairs, table_of
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
    count_at,
    lay_out,
    make_merges,
    read_seams,
)

HISTOGRAM = 1 << 16  # for each count below this, the number of pairs is kept; few pairs have a higher one
FIRST_THRESHOLD = 80_000  # the first threshold is the number of tokens over this, so at most this many pairs reach it
LOWER = 6  # each next threshold is the last one divided by this
WORTH_A_THREAD = 1_000_000  # places that each thread that collects gets at least
PLACES_A_SECOND = 4_000_000  # places that are merged in a second, roughly, memory allocation included


def pairs_at(data: NDArray[np.uint8], seams: NDArray[np.int32], ends: Longs, counts: Longs, k: int) -> Longs:
    """Count all pairs after the first k merges: int64, a row a pair: left id, right id, count, first place in `data`.

    data, ends, counts: the distinct chunks, as in `Learner`. seams: those that it gives.
    """
    data, seams, ends, counts = _own(data), _own(seams), _own(ends), _own(counts)
    pairs, n_pairs, chunk, place = np.empty((ROOM, 5), np.int64), 0, 0, 0
    table = table_of(pairs, 0, len(pairs))
    while True:
        n_pairs, chunk, place = count_at(data, seams, ends, counts, k, chunk, place, table, pairs, n_pairs)
        if chunk == len(ends):
            return pairs[:n_pairs, :PLACES_END]
        pairs = grown(pairs, 4 * len(pairs))
        table = table_of(pairs, n_pairs, len(pairs))


class Learner:
    """Learns merges from distinct chunks, a slice at a time.

    chunks: uint8, the chunks end to end, in order of first occurrence.
    ends, counts: int64, where each ends in `chunks`, and how often it occurs.
    n_tokens, asked: tokens of the corpus before any merge, and merges to make.
    tie_key: byte -> its place in the order of bytes, if ties go to the lowest ids; None if they go to the first place.
    min_count: a pair that occurs less often is not merged.
    ban, rarest: token bytes that no merge may make, and whether the rarest pair wins.
    threads: how many collect pairs of a large corpus at most.
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
        threads: int = CPUS,
    ) -> None:
        self._chunks, self._ends, self._counts = _own(chunks), _own(ends), _own(counts)
        self._n_tokens, self._min_count, self._rarest = n_tokens, min_count, rarest
        self._by_place = tie_key is None
        self._order = np.arange(256) if tie_key is None else np.array(tie_key, np.int64)
        self._ban_given = sorted(set(ban))
        self._threads = threads
        self._state = np.zeros(5, np.int64)
        self._merges = np.empty((asked, 5), np.int64)
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
        """Make the merges. Yields about each time that `seconds` are over, but after one merge at the earliest.

        It ends when all are made, or when no pair can be merged. `pairs_left` then says whether there is a pair at all
        that is not banned, even if below `min_count`.
        """
        if not len(self._merges):
            return
        yield from self._prepare()
        threshold = self._n_tokens // FIRST_THRESHOLD
        threshold = 1 if self._rarest else max(threshold, self._min_count)
        yield from self._collect(threshold)
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
        if why == HEAP_EMPTY and self._min_count > 1:
            yield from self._collect(1)
            self.pairs_left = bool(self._state[N_PAIRS])
        elif why == HEAP_EMPTY:
            self.pairs_left = False

    def _prepare(self) -> Iterator[None]:
        """Make the arrays that do not depend on a threshold."""
        n_places = 1 + len(self._chunks) + len(self._ends)
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
        if self._state[N_MERGES]:
            collected = collect_pairs(self._flat, self._size, self._places_to_part(), threshold, self._ban)
        else:
            collected = collect_bytes(self._flat, threshold, self._ban_given)
        pairs, places = yield from collected
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
        self._pairs, self._places = grown(pairs, room), places
        self._table = table_of(pairs, n, max(ROOM, 2 * n))
        self._state[[N_PAIRS, N_HEAP, N_PLACES]] = n, n, pairs[-1, PLACES_END] if n else 0

    def _places_to_part(self) -> list[int]:
        """Find the places at which `flat` begins, is parted for threads, and ends. Chunks stay whole."""
        n_parts = min(self._threads, len(self._flat) // WORTH_A_THREAD) or 1
        chunks = [int(np.searchsorted(self._ends, len(self._chunks) * part // n_parts)) for part in range(1, n_parts)]
        return [1, *(int(self._ends[chunk]) + chunk + 2 for chunk in chunks), len(self._flat)]

    def _make_room(self, n_places: int) -> None:
        """Grow the arrays that have no room for one more merge of `n_places`, to twice their length at least."""
        n_pairs, n_listed = int(self._state[N_PAIRS]), int(self._state[N_PLACES])
        needed = n_pairs + 2 * min(n_places, len(self._size))
        if needed > len(self._pairs):
            room = max(2 * len(self._pairs), needed)
            self._pairs, self._heap = grown(self._pairs, room), grown(self._heap, room)
        if needed > len(self._table) // 2:
            self._table = table_of(self._pairs, n_pairs, needed)
        if n_listed + 2 * n_places > len(self._places):
            self._places = grown(self._places, max(2 * len(self._places), n_listed + 2 * n_places))
        if n_places >= len(self._joined):
            self._joined = np.empty((2 * n_places, 3), np.int32)


def _own(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or a copy if it is read-only or not contiguous: numba would compile again for such arrays."""
    return array if array.flags.c_contiguous and array.flags.writeable else array.copy()
