"""Unites lists of distinct chunks: equal chunks become one, in order of first occurrence.

`united` does so for counters, which have hash tables. The chunks of each counter are looked up in the tables of those
before it, so each distinct chunk belongs to the first counter that has it. Nothing is entered in a table, so threads
can look up many chunks at the same time. `numbers_in` and `join_chunks` do it for two lists that have no table, and
take little memory beside the result. `fault_of_chunks` and `repeated` check a list that came from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import Number, kernel
from tokviz.kernels.counting import ChunkCounter, ChunkList, ChunkTable, FoundChunks, find, look_up, new_found
from tokviz.kernels.keys import key_of
from tokviz.kernels.splitting import SCANNED

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]
Numbers = NDArray[np.int32]

WORTH_SHARING = 20_000  # chunks from which on threads share the work
OWN = -1  # in place of a counter: no counter before this one has the chunk
MOST_CHUNKS = 2**31 - 1  # of a list; their numbers are int32

# What can be wrong with a list of chunks.
NOTHING, ENDS_FALL, TOO_FEW_COUNTED, FIRSTS_FALL, PAST_ITS_SHARD, TOO_MANY_BYTES, TOO_FEW_BYTES = range(7)


@kernel
def look_up_in(
    table: ChunkTable, owner: Number, chunks: ChunkList, first: Number, last: Number, found: FoundChunks, owned: Numbers
) -> None:
    """Look the chunks with numbers `first` up to `last` up in the table of an earlier counter, whose index is `owner`.

    owned: int32[n, 2], for each chunk the counter that owns it, or OWN, and its number there.
    """
    data, ends, _, _ = chunks
    while first < last:
        n = min(last - first, SCANNED)
        start = np.uint64(ends[first - 1]) if first else np.uint64(0)
        for i in range(n):
            found.ends[i] = np.uint64(ends[first + i])
        look_up(table, data, start, n, found)
        for i in range(n):
            end, number = found.ends[i], found.numbers[i]
            if owned[first + i, 0] == OWN:
                if number < 0:
                    _, number = find(table, data, start, end - start, found.keys[i])
                if number >= 0:
                    owned[first + i, 0], owned[first + i, 1] = owner, number
            start = end
        first += n


@kernel
def enter_chunks(table: ChunkTable, found: FoundChunks) -> int:
    """Enter all chunks of a table in its slots, which are empty. Returns the first one that was there before, or -1."""
    slots, data, ends = table.slots, table.data, table.ends
    first, start = 0, np.uint64(0)
    while first < len(ends):
        n = min(len(ends) - first, SCANNED)
        for i in range(n):
            found.ends[i] = np.uint64(ends[first + i])
        look_up(table, data, start, n, found)
        for i in range(n):
            end = found.ends[i]
            slot, number = find(table, data, start, end - start, found.keys[i])
            if number >= 0:
                return first + i
            slots[slot, 0], slots[slot, 1] = found.keys[i], np.uint64(first + i)
            start = end
        first += n
    return -1


@kernel
def keys_of(data: Bytes, ends: Longs) -> NDArray[np.uint64]:
    """Make the key of each chunk: uint64. Equal chunks have equal keys."""
    keys, start = np.empty(len(ends), np.uint64), np.uint64(0)
    for chunk in range(len(ends)):
        end = np.uint64(ends[chunk])
        keys[chunk] = key_of(data, start, end)
        start = end
    return keys


@kernel
def add_counts(owned: Numbers, owner: Number, chunks: ChunkList, to: ChunkList) -> None:
    """Add the counts of those chunks that a counter owns to its own. The first occurrence is the least offset."""
    for chunk in range(len(owned)):
        if owned[chunk, 0] == owner:
            number = owned[chunk, 1]
            to.counts[number] += chunks.counts[chunk]
            to.firsts[number] = min(to.firsts[number], chunks.firsts[chunk])


@kernel
def put_chunks(chunks: ChunkList, own: Longs, places: Longs, united: ChunkList) -> None:
    """Copy the own chunks of a counter to their places in the list of all, whose `ends` are known."""
    for i in range(len(own)):
        old, place = own[i], places[i]
        united.counts[place], united.firsts[place] = chunks.counts[old], chunks.firsts[old]
        to = united.ends[place - 1] if place else 0
        for at in range(chunks.ends[old - 1] if old else 0, chunks.ends[old]):
            united.data[to] = chunks.data[at]
            to += 1


@kernel
def renumber(order: Numbers, numbers: Numbers, start: Number, renumbered: Numbers) -> None:
    """Copy occurrences to renumbered[start:], each chunk with its new number; special tokens stay as they are.

    order, renumbered: int32, as in `tokviz.corpus.counting.WindowSource`. numbers: int32, old number -> new one.
    """
    for i in range(len(order)):
        renumbered[start + i] = numbers[order[i]] if order[i] >= 0 else order[i]


@kernel
def join_chunks(some: ChunkList, more: ChunkList, numbers: Numbers, joined: ChunkList) -> None:
    """Join two lists in order of first occurrence.

    Their first occurrences are in one corpus, and no offset is in both. numbers: int32, for each
    chunk of `more` its number in `some`, or -1. joined: the result; its arrays have exactly the room it needs.
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
    """Check a list: (what is wrong with it, with which chunk); NOTHING if it can be that of a corpus.

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


def numbers_in(some: ChunkList, more: ChunkList) -> Numbers:
    """Look up each chunk of `more` in `some`: int32, its number there, or -1."""
    table, found = _empty_table(some), new_found()
    owned = np.full((len(more.ends), 2), OWN, np.int32)
    with np.errstate(over="ignore"):  # products wrap around; numpy warns if kernels run as plain Python
        enter_chunks(table, found)
        look_up_in(table, 0, more, 0, len(more.ends), found, owned)
    return owned[:, 1].copy()


def repeated(chunks: ChunkList) -> int:
    """Find the number of the first chunk that is equal to one before it, or -1."""
    with np.errstate(over="ignore"):
        keys = keys_of(chunks.data, chunks.ends)
        keys.sort()
        if (keys[1:] != keys[:-1]).all():
            return -1
        return int(enter_chunks(_empty_table(chunks), new_found()))


def _empty_table(chunks: ChunkList) -> ChunkTable:
    """Make a table for these chunks, which are not entered yet. At least a third of its slots will stay free."""
    n = len(chunks.ends)
    slots = np.zeros((1 << (n + n // 2 + 1).bit_length(), 2), np.uint64)
    return ChunkTable(slots, *chunks, np.empty(0, np.int32))


def united(
    counters: list[ChunkCounter], n_parts: int, each: Callable[..., Iterator[Any]]
) -> tuple[ChunkList, Callable[[], list[Numbers]]]:
    """Unite the chunk lists of several counters. Also returns a function that makes int32 arrays, one for each counter:
    old number of a chunk -> new number.

    counters: is empty afterwards, so that nothing is in memory for longer than it is needed.
    n_parts: in how many parts the chunks of a counter are looked up.
    each: calls a function with each of several values, as `map` does, but maybe in threads.
    """
    if sum(counter.n_chunks for counter in counters) < WORTH_SHARING:
        n_parts, each = 1, map
    lists = [counter.used() for counter in counters]
    tables = [counter.table() for counter in counters]
    counters.clear()
    owned = [np.full((len(chunks.ends), 2), OWN, np.int32) for chunks in lists]
    shares = [[*pairwise(len(chunks.ends) * part // n_parts for part in range(n_parts + 1))] for chunks in lists]
    parts = [(i, *part) for i, share in enumerate(shares) for part in share]

    def look_up_part(part: tuple[int, int, int]) -> None:
        i, first, last = part
        found = new_found()
        with np.errstate(over="ignore"):  # products wrap around; numpy warns if kernels run as plain Python
            for owner in range(i):
                look_up_in(tables[owner], owner, lists[i], first, last, found, owned[i])

    def add_up(owner: int) -> None:
        for i in range(owner + 1, len(lists)):
            add_counts(owned[i], owner, lists[i], lists[owner])

    list(each(look_up_part, parts))  # waits until all is done
    tables.clear()
    list(each(add_up, range(len(lists))))
    own = [np.flatnonzero(of_one[:, 0] == OWN) for of_one in owned]
    firsts = np.concatenate([chunks.firsts[of_one] for chunks, of_one in zip(lists, own, strict=True)])
    places = np.empty(len(firsts), np.int64)
    places[np.argsort(firsts)] = np.arange(len(firsts))  # no two chunks have one offset
    placed = np.split(places, np.cumsum([len(of_one) for of_one in own])[:-1])
    ends = np.empty(len(places), np.int64)
    for chunks, of_one, to in zip(lists, own, placed, strict=True):
        ends[to] = np.diff(chunks.ends, prepend=0)[of_one]  # sizes, which are added up to ends below
    np.cumsum(ends, out=ends)
    result = ChunkList(np.empty(int(ends[-1]) if len(ends) else 0, np.uint8), ends, *np.empty((2, len(ends)), np.int64))
    list(each(put_chunks, lists, own, placed, [result] * len(lists)))

    def numbers() -> list[Numbers]:
        new: list[Numbers] = []
        for of_one, its_own, to in zip(owned, own, placed, strict=True):
            new.append(np.empty(len(of_one), np.int32))
            new[-1][its_own] = to
            for owner in range(len(new) - 1):
                there = of_one[:, 0] == owner
                new[-1][there] = new[owner][of_one[there, 1]]
        return new

    return result, numbers


def read_only(chunks: ChunkList) -> ChunkList:
    """Return read-only views of the arrays: numba would compile again for arrays that can be written."""
    views = ChunkList._make(np.ascontiguousarray(array).view() for array in chunks)
    for view in views:
        view.flags.writeable = False
    return views
