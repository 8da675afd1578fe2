"""Splitting and encoding in plain Python. It serves while the kernels are compiled, so that nobody waits for them.

It gives what the kernels give, some hundred times more slowly: quick enough for a text that is typed. Numbers of tokens
are those of `tokviz.kernels.encoding`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import OPEN, SPLIT, WHOLE
from tokviz.kernels.encoding import Chunks, NoChunk
from tokviz.kernels.splitting import ACCEPT, CUT, STATE, STUCK

Ints = NDArray[np.int32]
Rank = Callable[[int, int], int | None]  # the rank at which two tokens merge; None if they do not


def character_ends(symbols: list[int], table: list[list[int]]) -> list[int]:
    """Where each chunk ends, in characters. It stops early where the automaton finds no chunk.

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
        """token_ids, limit, lookups: as in `Encoder`."""
        self._rank, self._limit, self._lookups = rank, limit, lookups or {}
        self._token_ids: list[int] = token_ids.tolist()

    def seams(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """As in `Encoder`, but always in this thread. NoChunk if an automaton is to find the chunks."""
        return np.array([seam for seams, _ in self._chunks(data, chunks) for seam in seams], np.int32)

    def ids(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """As `seams`, but ids."""
        return np.array([id for _, ids in self._chunks(data, chunks) for id in ids], np.int32)

    def _chunks(self, data: bytes, ends: Chunks) -> Iterator[tuple[list[int], list[int]]]:
        """The seams and the ids of each chunk."""
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
        """The seams and the ids of a chunk: the lowest rank merges first, and of equal ranks the leftmost."""
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
