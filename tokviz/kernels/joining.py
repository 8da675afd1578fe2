"""Join two lists of distinct chunks into one, and check one that came from a file.

To find the chunks that two lists share, those of one are entered in a hash table: uint64[2**m]. The upper half of an
entry is a part of the hash of a chunk, and the lower half is its number + 1. 0 is a free slot.

A processor waits long for a slot of a large table. So the slots of many chunks are read before any of them is needed:
it then fetches all of them at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import Number, kernel

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]
Numbers = NDArray[np.int32]
Table = NDArray[np.uint64]


class ChunkList(NamedTuple):
    """Distinct chunks, with their counts and first occurrences: as in `tokviz.corpus.chunk_counts.ChunkCounts`."""

    data: Bytes
    ends: Longs
    counts: Longs
    firsts: Longs


# What can be wrong with a list of chunks.
NOTHING, ENDS_FALL, TOO_FEW_COUNTED, FIRSTS_FALL, PAST_ITS_SHARD, TOO_MANY_BYTES, TOO_FEW_BYTES = range(7)

AHEAD = 256  # slots that are read before the first of them is needed
MOST_CHUNKS = 2**31 - 1  # of a list; their numbers are int32


@kernel
def _hash(data: Bytes, start: Number, end: Number) -> np.uint64:
    """A hash of data[start:end]. All its bits depend on every byte."""
    hashed = np.uint64(end - start)
    for i in range(start, end):
        hashed = (hashed ^ np.uint64(data[i])) * np.uint64(0x9FB21C651E98DF25)
    hashed ^= hashed >> np.uint64(29)
    hashed *= np.uint64(0x9E3779B97F4A7C15)
    return np.uint64(hashed ^ hashed >> np.uint64(32))


@kernel
def hashes_of(data: Bytes, ends: Longs) -> Table:
    """uint64: the hash of each chunk."""
    hashes, begin = np.empty(len(ends), np.uint64), 0
    for chunk in range(len(ends)):
        hashes[chunk] = _hash(data, begin, ends[chunk])
        begin = ends[chunk]
    return hashes


@kernel
def _number(
    table: Table, data: Bytes, ends: Longs, hashed: np.uint64, others: Bytes, start: Number, end: Number
) -> tuple[np.uint64, np.int64]:
    """Look up others[start:end]: (its slot, its number among the chunks of the table), or (a free slot, -1)."""
    mask, upper, lower = np.uint64(len(table) - 1), np.uint64(0xFFFFFFFF00000000), np.uint64(0xFFFFFFFF)
    slot = hashed & mask
    while table[slot] != 0:
        if table[slot] & upper == hashed & upper:
            number = np.int64(table[slot] & lower) - 1
            known = ends[number - 1] if number else 0
            if ends[number] - known == end - start:
                i = start
                while i < end and data[known + i - start] == others[i]:
                    i += 1
                if i == end:
                    return slot, number
        slot = (slot + np.uint64(1)) & mask
    return slot, np.int64(-1)


@kernel
def enter_chunks(data: Bytes, ends: Longs, table: Table) -> int:
    """Enter all chunks in an empty table. Returns the number of the first one that was there before, or -1."""
    upper, mask = np.uint64(0xFFFFFFFF00000000), np.uint64(len(table) - 1)
    hashes, slots = np.empty(AHEAD, np.uint64), np.empty(AHEAD, np.uint64)
    begin = 0
    for first in range(0, len(ends), AHEAD):
        last = min(first + AHEAD, len(ends))
        start = begin
        for chunk in range(first, last):
            hashes[chunk - first] = _hash(data, start, ends[chunk])
            slots[chunk - first] = table[hashes[chunk - first] & mask]
            start = ends[chunk]
        for chunk in range(first, last):
            hashed = hashes[chunk - first]
            slot, number = _number(table, data, ends, hashed, data, begin, ends[chunk])
            if number >= 0:
                return chunk
            table[slot] = (hashed & upper) | np.uint64(chunk + 1)
            begin = ends[chunk]
    return -1


@kernel
def find_chunks(data: Bytes, ends: Longs, table: Table, others: Bytes, other_ends: Longs) -> Numbers:
    """int32, for each chunk of another list its number among the chunks of the table, or -1."""
    mask = np.uint64(len(table) - 1)
    hashes, slots = np.empty(AHEAD, np.uint64), np.empty(AHEAD, np.uint64)
    numbers = np.empty(len(other_ends), np.int32)
    begin = 0
    for first in range(0, len(other_ends), AHEAD):
        last = min(first + AHEAD, len(other_ends))
        start = begin
        for chunk in range(first, last):
            hashes[chunk - first] = _hash(others, start, other_ends[chunk])
            slots[chunk - first] = table[hashes[chunk - first] & mask]
            start = other_ends[chunk]
        for chunk in range(first, last):
            if slots[chunk - first] == 0:
                numbers[chunk] = -1
            else:
                _, number = _number(table, data, ends, hashes[chunk - first], others, begin, other_ends[chunk])
                numbers[chunk] = number
            begin = other_ends[chunk]
    return numbers


@kernel
def join_chunks(some: ChunkList, more: ChunkList, numbers: Numbers, joined: ChunkList) -> None:
    """Join two lists in order of first occurrence.

    Their first occurrences are in one corpus, and no offset is in both. numbers: int32, what `find_chunks` gives: for
    each chunk of `more` its number in `some`, or -1. joined: the result; its arrays have exactly the room it needs.
    """
    data, ends, counts, firsts = some
    others, other_ends, other_counts, other_firsts = more
    all_data, all_ends, all_counts, all_firsts = joined
    twins = np.full(len(ends), -1, np.int32)  # for each chunk of the first list its number in the second one
    for other in range(len(numbers)):
        if numbers[other] >= 0:
            twins[numbers[other]] = other
    chunk = other = n = n_bytes = 0
    while chunk < len(ends) or other < len(other_ends):
        if other == len(other_ends) or (chunk < len(ends) and firsts[chunk] < other_firsts[other]):
            twin = np.int64(twins[chunk])
            if twin < 0 or other_firsts[twin] > firsts[chunk]:
                for i in range(ends[chunk - 1] if chunk else 0, ends[chunk]):
                    all_data[n_bytes] = data[i]
                    n_bytes += 1
                all_ends[n], all_firsts[n] = n_bytes, firsts[chunk]
                all_counts[n] = counts[chunk] + (other_counts[twin] if twin >= 0 else 0)
                n += 1
            chunk += 1
        else:
            twin = np.int64(numbers[other])
            if twin < 0 or firsts[twin] > other_firsts[other]:
                for i in range(other_ends[other - 1] if other else 0, other_ends[other]):
                    all_data[n_bytes] = others[i]
                    n_bytes += 1
                all_ends[n], all_firsts[n] = n_bytes, other_firsts[other]
                all_counts[n] = other_counts[other] + (counts[twin] if twin >= 0 else 0)
                n += 1
            other += 1


@kernel
def fault_of_chunks(chunks: ChunkList, stops: Longs, n_bytes: int) -> tuple[int, int]:
    """(what is wrong with a list, with which chunk); NOTHING if it can be that of a corpus.

    stops: int64, where each shard ends in the corpus. n_bytes: of the corpus, without special tokens.
    """
    data, ends, counts, firsts = chunks
    begin = before = shard = total = 0
    for chunk in range(len(ends)):
        size, first = ends[chunk] - begin, firsts[chunk]
        if size <= 0 or ends[chunk] > len(data):
            return ENDS_FALL, chunk
        if counts[chunk] < 1:
            return TOO_FEW_COUNTED, chunk
        if first < before:  # it would begin inside the one before it
            return FIRSTS_FALL, chunk
        while shard < len(stops) and first >= stops[shard]:
            shard += 1
        if shard == len(stops) or size > stops[shard] - first:
            return PAST_ITS_SHARD, chunk
        if counts[chunk] > (n_bytes - total) // size:
            return TOO_MANY_BYTES, chunk
        total += counts[chunk] * size
        begin, before = ends[chunk], first + size
    if begin != len(data):
        return ENDS_FALL, len(ends) - 1
    return NOTHING if total == n_bytes else TOO_FEW_BYTES, len(ends) - 1


def empty_table(n_chunks: int) -> Table:
    """A hash table with room for so many chunks, so that a third of its slots stay free at least."""
    return np.zeros(1 << (n_chunks + n_chunks // 2 + 1).bit_length(), np.uint64)


def read_only(chunks: ChunkList) -> ChunkList:
    """The same arrays, as views that cannot be written: numba would compile again for those that can be."""
    data, ends, counts, firsts = chunks
    return ChunkList(_read_only(data), _read_only(ends), _read_only(counts), _read_only(firsts))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def room_for(n_chunks: int, n_bytes: int) -> ChunkList:
    """A list to be filled: so many chunks, with so many bytes together."""
    return ChunkList(np.empty(n_bytes, np.uint8), *(np.empty(n_chunks, np.int64) for _ in range(3)))
