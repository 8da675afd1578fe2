"""Merges one chunk: the lowest rank goes first, and of equal ranks the leftmost. Tokens are numbered as in `pairs`."""

from __future__ import annotations

import numpy as np

from tokviz.kernels.base import OPEN, SPLIT, Number, kernel
from tokviz.kernels.pairs import Bytes, Ints, Longs, PairTable, rank_of

LONG = 64  # bytes; a chunk of this length or more is merged with a heap


@kernel
def _merge_short(
    data: Bytes, start: Number, length: Number, pairs: PairTable, tokens: Ints, seams: Ints, to: Number
) -> Number:
    """Merge a chunk; for each merge, look at all its pairs. Returns the number of tokens.

    tokens has a column a token: its number, where it starts, and its rank with the next token.
    """
    of_bytes, limit = pairs.of_bytes, pairs.limit
    n = length
    for i in range(n):
        tokens[0, i], tokens[1, i], tokens[2, i] = data[start + i], i, limit
        seams[to + i] = OPEN
        if i + 1 < n:
            rank = of_bytes[np.int64(data[start + i]) << 8 | np.int64(data[start + i + 1])]
            tokens[2, i] = min(rank, limit)
    seams[to] = SPLIT
    while n > 1:
        best, at = limit, 0
        for i in range(n - 1):
            if tokens[2, i] < best:
                best, at = tokens[2, i], i
        if best == limit:
            break
        seams[to + tokens[1, at + 1]] = best
        tokens[0, at] = best + 256
        n -= 1
        for i in range(at + 1, n):
            tokens[0, i], tokens[1, i], tokens[2, i] = tokens[0, i + 1], tokens[1, i + 1], tokens[2, i + 1]
        tokens[2, at] = rank_of(pairs, tokens[0, at], tokens[0, at + 1]) if at + 1 < n else limit
        if at:
            tokens[2, at - 1] = rank_of(pairs, tokens[0, at - 1], tokens[0, at])
    return n


@kernel
def _sift_down(heap: Longs, at: Number, n: Number) -> None:
    """Move an entry down until none below is lower."""
    entry = heap[at]
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] > entry:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = entry


@kernel
def _push(heap: Longs, n: Number, entry: Number) -> None:
    """Add an entry to a heap of n."""
    at = n
    while at > 0 and heap[(at - 1) >> 1] > entry:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = entry


@kernel
def _merge_long(
    data: Bytes, start: Number, length: Number, pairs: PairTable, tokens: Ints, seams: Ints, to: Number
) -> Number:
    """Do what `_merge_short` does, in n log n: a heap holds the pairs, as rank << 32 | where the left token starts.

    tokens has a column a byte. Where a token starts: its number, where it ends, and its rank with the next token. At
    its last byte, the fourth row says where it starts.
    """
    of_bytes, limit = pairs.of_bytes, pairs.limit
    heap = np.empty(2 * length, np.int64)  # each merge takes one entry off it and adds at most two
    n_heap, size = 0, np.int64(length)
    for i in range(size):
        tokens[0, i], tokens[1, i], tokens[2, i], tokens[3, i] = data[start + i], i + 1, limit, i
        seams[to + i] = OPEN
        if i + 1 < size:
            rank = of_bytes[np.int64(data[start + i]) << 8 | np.int64(data[start + i + 1])]
            if rank < limit:
                tokens[2, i] = rank
                heap[n_heap] = np.int64(rank) << 32 | i
                n_heap += 1
    seams[to] = SPLIT
    for i in range(n_heap // 2 - 1, -1, -1):
        _sift_down(heap, i, n_heap)
    while n_heap:
        left, rank = heap[0] & 0xFFFFFFFF, heap[0] >> 32
        n_heap -= 1
        heap[0] = heap[n_heap]
        _sift_down(heap, 0, n_heap)
        if tokens[2, left] != rank:  # one of the two has since merged with another token
            continue
        middle = np.int64(tokens[1, left])
        end = np.int64(tokens[1, middle])
        seams[to + middle] = rank
        tokens[0, left], tokens[1, left], tokens[2, left] = rank + 256, end, limit
        tokens[2, middle] = limit
        tokens[3, end - 1] = left
        if end < size:
            rank = rank_of(pairs, tokens[0, left], tokens[0, end])
            if rank < limit:
                tokens[2, left] = rank
                _push(heap, n_heap, np.int64(rank) << 32 | left)
                n_heap += 1
        if left:
            before = np.int64(tokens[3, left - 1])
            rank = rank_of(pairs, tokens[0, before], tokens[0, left])
            tokens[2, before] = rank
            if rank < limit:
                _push(heap, n_heap, np.int64(rank) << 32 | before)
                n_heap += 1
    n, at = 0, 0
    while at < size:  # leave the numbers of the tokens in the first columns, as `_merge_short` does
        after = tokens[1, at]
        tokens[0, n] = tokens[0, at]
        n += 1
        at = after
    return n


@kernel
def merge(
    data: Bytes, start: Number, length: Number, pairs: PairTable, tokens: Ints, seams: Ints, to: Number
) -> Number:
    """Merge the chunk data[start : start + length], of at least one byte. Returns the number of its tokens.

    tokens: int32[4, length or more], scratch; its first row begins with the numbers of the tokens.
    seams: int32; those of the chunk are written there, from `to` on.
    """
    if length < LONG:
        return _merge_short(data, start, length, pairs, tokens, seams, to)
    return _merge_long(data, start, length, pairs, tokens, seams, to)
