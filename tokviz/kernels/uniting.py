"""Put the tables of several counters together: equal chunks become one, in order of first occurrence.

The chunks of each counter are looked up in the tables of the counters before it. So each distinct chunk belongs to the
first counter that has it. Nothing is entered in a table, so threads can look up many chunks at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import Number, kernel
from tokviz.kernels.counting import ChunkCounter, ChunkList, ChunkTable, Found, find, look_up, new_found
from tokviz.kernels.splitting import SCANNED

Longs = NDArray[np.int64]
Numbers = NDArray[np.int32]

WORTH_SHARING = 20_000  # chunks from which on threads share the work
OWN = -1  # in place of a counter: no counter before this one has the chunk


@kernel
def look_up_in(
    table: ChunkTable, owner: Number, chunks: ChunkList, first: Number, last: Number, found: Found, owned: Numbers
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
def add_counts(owned: Numbers, owner: Number, chunks: ChunkList, to: ChunkList) -> None:
    """Add the counts of those chunks that a counter owns to its own. The first occurrence is the least offset."""
    for chunk in range(len(owned)):
        if owned[chunk, 0] == owner:
            number = owned[chunk, 1]
            to.counts[number] += chunks.counts[chunk]
            to.firsts[number] = min(to.firsts[number], chunks.firsts[chunk])


@kernel
def put_sizes(chunks: ChunkList, own: Longs, places: Longs, sizes: Longs) -> None:
    """Write the size of each own chunk of a counter where it comes in the list of all."""
    for i in range(len(own)):
        sizes[places[i]] = chunks.ends[own[i]] - (chunks.ends[own[i] - 1] if own[i] else 0)


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

    order, renumbered: int32, as in `tokviz.corpus.counting.Kept`. numbers: int32, old number -> new one.
    """
    for i in range(len(order)):
        renumbered[start + i] = numbers[order[i]] if order[i] >= 0 else order[i]


def united(
    counters: list[ChunkCounter], n_parts: int, each: Callable[..., Iterator[Any]]
) -> tuple[ChunkList, Callable[[], list[Numbers]]]:
    """The chunks of several counters as one list; and what makes, for each counter, int32: its number of a chunk -> the
    new one.

    The list `counters` is empty afterwards, so that nothing is in memory for longer than it is needed. each: calls a
    function with each of several values, as `map` does, but maybe in threads. n_parts: in so many parts it looks up the
    chunks of a counter.
    """
    if sum(counter.n_chunks for counter in counters) < WORTH_SHARING:
        n_parts, each = 1, map
    lists = [counter.used() for counter in counters]
    tables = [counter.table() for counter in counters]
    counters.clear()
    owned = [np.full((len(chunks.ends), 2), OWN, np.int32) for chunks in lists]
    parts = [(i, *part) for i, chunks in enumerate(lists) for part in _parts(len(chunks.ends), n_parts)]

    def look_up_part(part: tuple[int, int, int]) -> None:
        i, first, last = part
        found = new_found()
        with np.errstate(over="ignore"):  # products wrap around; numpy warns if kernels run as plain Python
            for owner in range(i):
                look_up_in(tables[owner], owner, lists[i], first, last, found, owned[i])

    def add_up(owner: int) -> None:
        for i in range(owner + 1, len(lists)):
            add_counts(owned[i], owner, lists[i], lists[owner])

    _all(each(look_up_part, parts))
    tables.clear()
    _all(each(add_up, range(len(lists))))
    own = [np.flatnonzero(of_one[:, 0] == OWN) for of_one in owned]
    firsts = np.concatenate([chunks.firsts[of_one] for chunks, of_one in zip(lists, own, strict=True)])
    places = np.empty(len(firsts), np.int64)
    places[np.argsort(firsts)] = np.arange(len(firsts))  # no two chunks have one offset
    placed = np.split(places, np.cumsum([len(of_one) for of_one in own])[:-1])
    ends = np.empty(len(places), np.int64)
    for chunks, of_one, to in zip(lists, own, placed, strict=True):
        put_sizes(chunks, of_one, to, ends)
    np.cumsum(ends, out=ends)
    result = ChunkList(np.empty(int(ends[-1]) if len(ends) else 0, np.uint8), ends, *np.empty((2, len(ends)), np.int64))
    _all(each(put_chunks, lists, own, placed, [result] * len(lists)))

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


def _parts(n: int, n_parts: int) -> Iterator[tuple[int, int]]:
    yield from pairwise(n * part // n_parts for part in range(n_parts + 1))


def _all(work: Iterator[Any]) -> None:
    """Wait until all is done."""
    for _ in work:
        pass
