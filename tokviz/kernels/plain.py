"""Splits, encodes and counts in plain Python while the kernels are compiled, so that no visitor waits for them.

It gives what the kernels give, some hundred times more slowly: quick enough for a text that is typed. Numbers of tokens
are those of `tokviz.kernels.encoding`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import OPEN, SPLIT, WHOLE
from tokviz.kernels.counting import ALL_COUNTED, KEPT, N_BYTES, N_CHUNKS, N_ORDER, ChunkCounter
from tokviz.kernels.encoding import Chunks, NoChunk
from tokviz.kernels.splitting import ACCEPT, CUT, LAST, POS, START, STATE, STUCK

Ints = NDArray[np.int32]
Rank = Callable[[int, int], int | None]  # the rank at which two tokens merge; None if they do not


def character_ends(symbols: list[int], table: list[list[int]]) -> list[int]:
    """Find where each chunk ends, in characters. It stops early where the automaton finds no chunk.

    symbols: one a character. table: as in `tokviz.kernels.splitting`.
    """
    ends: list[int] = []
    start = pos = last = state = 0
    while start < len(symbols):
        entry = 0
        while pos < len(symbols) and (entry := table[symbols[pos]][state]) < STUCK:
            if entry >= CUT:
                ends.append(pos)
                start = pos
            if entry >= ACCEPT:
                last = pos
            state = entry & STATE
            pos += 1
        if pos == len(symbols):
            entry = table[0][state]
        end = pos if entry & CUT else last
        if end == start:
            break
        ends.append(end)
        start = pos = last = end
        state = 0
    return ends


class PlainEncoder:
    """Gives the seams and ids of chunks, as `tokviz.kernels.Encoder` does, but only of chunks whose ends are known."""

    def __init__(self, rank: Rank, token_ids: Ints, limit: int, lookups: Mapping[bytes, int] | None = None) -> None:
        """Take token_ids, limit and lookups as `Encoder` does."""
        self._rank, self._limit, self._lookups = rank, limit, lookups or {}
        self._token_ids: list[int] = token_ids.tolist()

    def seams(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """Return what `Encoder` does, but always from this thread. NoChunk if an automaton is to find the chunks."""
        return np.array([seam for seams, _ in self._chunks(data, chunks) for seam in seams], np.int32)

    def ids(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """Return the ids, as `seams` returns the seams."""
        return np.array([id for _, ids in self._chunks(data, chunks) for id in ids], np.int32)

    def _chunks(self, data: bytes, ends: Chunks) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the seams and the ids of each chunk."""
        if not isinstance(ends, np.ndarray):
            raise NoChunk
        known = {chunk: ([SPLIT] + [WHOLE] * (len(chunk) - 1), [id]) for chunk, id in self._lookups.items()}
        start = 0
        for end in ends.tolist():
            chunk = data[start:end]
            if chunk not in known:
                known[chunk] = self._merge(chunk)
            yield known[chunk]
            start = end

    def _merge(self, chunk: bytes) -> tuple[list[int], list[int]]:
        """Make the seams and the ids of a chunk: the lowest rank merges first, and of equal ranks the leftmost."""
        n = len(chunk)
        seams = [SPLIT] + [OPEN] * (n - 1)
        tokens = [*chunk, -1]  # the number of the token that starts here
        before, after = [*range(-1, n)], [*range(1, n + 1)]
        ranks = [self._rank_of(tokens[i], tokens[i + 1]) for i in range(n - 1)]
        ranks.append(self._limit)  # of the token that starts here with the next one; the limit if they do not merge
        heap = [(rank, left) for left, rank in enumerate(ranks) if rank < self._limit]
        heapify(heap)
        while heap:
            rank, left = heappop(heap)
            if ranks[left] != rank:
                continue
            right = after[left]
            seams[right] = rank
            tokens[left], ranks[right] = rank + 256, self._limit
            after[left] = after[right]
            before[after[left]] = left
            for there in (left, before[left]):
                if there >= 0:
                    ranks[there] = self._rank_of(tokens[there], tokens[after[there]])
                    if ranks[there] < self._limit:
                        heappush(heap, (ranks[there], there))
        return seams, [self._token_ids[tokens[i]] for i in range(n) if seams[i] >= OPEN]

    def _rank_of(self, left: int, right: int) -> int:
        rank = self._rank(left, right) if right >= 0 else None
        return self._limit if rank is None else min(rank, self._limit)


class PlainCounter(ChunkCounter):
    """Counts chunks as `ChunkCounter` does, but only those that are cut already."""

    def __init__(self, keep: int, n_specials: int = 0) -> None:
        super().__init__(keep, n_specials)
        self._numbers: dict[bytes, int] = {}

    def count(self, symbols: NDArray[np.uint8], table: NDArray[np.uint32], budget: int) -> int:
        """Count all that was fed, where each stretch is one chunk. Returns ALL_COUNTED."""
        data, start = self.buffer.tobytes(), int(self.here[START])
        for stop, special in zip(self.stops.tolist(), self.specials.tolist(), strict=True):
            self._make_room(stop - start)
            if special >= 0:
                number = -1 - special
                self.special_counts[special] += 1
            else:
                number = self._numbers.setdefault(data[start:stop], self.n_chunks)
                if number == self.n_chunks:
                    before, end = self.n_bytes, self.n_bytes + stop - start
                    self.data[before:end] = self.buffer[start:stop]
                    self.ends[number], self.counts[number], self.firsts[number] = end, 0, self.base + start
                    self.at[[N_CHUNKS, N_BYTES]] = number + 1, end
                self.counts[number] += 1
            if self.base + stop <= self.keep:
                self.order[self.n_order] = number
                self.at[[N_ORDER, KEPT]] = self.n_order + 1, self.base + stop
            start = stop
        self.here[[START, POS, LAST]] = start
        return ALL_COUNTED
