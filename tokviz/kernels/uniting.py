"""Put the tables of several counters together: equal chunks become one, in order of first occurrence.

The chunks of all tables stand end to end in one list. Each belongs to a share, which its key decides, so equal chunks
belong to the same one: threads can each take a share, and never wait for one another.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import SPREAD, Number, kernel
from tokviz.kernels.counting import ChunkCounter, ChunkList
from tokviz.kernels.keys import SHORT, key_of, same_bytes

Longs = NDArray[np.int64]
Numbers = NDArray[np.int32]

AHEAD = 256  # chunks whose slots are read before the first of them is needed: a processor fetches all of them at once
WORTH_SHARING = 20_000  # chunks from which on threads share the work


@kernel
def append(chunks: ChunkList, begin: Number, first: Number, together: ChunkList, keys: NDArray[np.uint64]) -> None:
    """Copy the chunks of a counter into the list of all, from byte `begin` and number `first` on. Make their keys."""
    data, ends, counts, firsts = chunks
    for at in range(len(data)):
        together.data[begin + at] = data[at]
    start = np.uint64(0)
    for chunk in range(len(ends)):
        end = np.uint64(ends[chunk])
        keys[first + chunk] = key_of(data, start, end)
        together.ends[first + chunk] = begin + ends[chunk]
        together.counts[first + chunk], together.firsts[first + chunk] = counts[chunk], firsts[chunk]
        start = end


@kernel
def _mixed(key: np.uint64) -> np.uint64:
    """The key with all its bits spread. The highest 16 decide the share, the lowest the slot."""
    mixed = (key ^ key >> np.uint64(31)) * np.uint64(SPREAD)
    return np.uint64(mixed ^ mixed >> np.uint64(29))


@kernel
def _share_of(mixed: np.uint64, n_shares: Number) -> np.int64:
    return np.int64((mixed >> np.uint64(48)) * np.uint64(n_shares) >> np.uint64(16))


@kernel
def unite(chunks: ChunkList, keys: NDArray[np.uint64], same: Numbers, n_shares: Number, share: Number) -> None:
    """Find equal chunks in one share. The first of them in the list gets all their counts, and the least offset.

    keys: uint64, of all chunks. same: int32, for each chunk the number of the first one that is equal, filled here.
    """
    data, ends, counts, firsts = chunks
    one, upper, lower = np.uint64(1), np.uint64(0xFFFFFFFF00000000), np.uint64(0xFFFFFFFF)
    n_own = 0
    for chunk in range(len(keys)):
        n_own += _share_of(_mixed(keys[chunk]), n_shares) == share
    room = 16
    while room < 2 * n_own:
        room *= 2
    slots, mask = np.zeros(room, np.uint64), np.uint64(room - 1)  # a part of the mixed key, and a number + 1
    own, mixes, seen = np.empty(AHEAD, np.int64), np.empty(AHEAD, np.uint64), np.empty(AHEAD, np.uint64)
    chunk = 0
    while chunk < len(keys):
        n = 0
        while chunk < len(keys) and n < AHEAD:
            mixed = _mixed(keys[chunk])
            if _share_of(mixed, n_shares) == share:
                own[n], mixes[n], seen[n] = chunk, mixed, slots[mixed & mask]
                n += 1
            chunk += 1
        for i in range(n):
            number, mixed = own[i], mixes[i]
            start = ends[number - 1] if number else 0
            size = ends[number] - start
            slot, found = mixed & mask, np.int64(-1)
            while slots[slot] != 0 and found < 0:
                if slots[slot] & upper == mixed & upper:
                    other = np.int64(slots[slot] & lower) - 1
                    if keys[other] == keys[number]:
                        known = ends[other - 1] if other else 0
                        same_size = ends[other] - known == size
                        if size < SHORT or (
                            same_size and same_bytes(data, np.uint64(known), data, np.uint64(start), np.uint64(size))
                        ):
                            found = other
                slot = (slot + one) & mask
            if found < 0:
                slots[slot] = (mixed & upper) | np.uint64(number + 1)
                same[number] = number
            else:
                counts[found] += counts[number]
                firsts[found] = min(firsts[found], firsts[number])
                same[number] = found


@kernel
def ends_in_order(ends: Longs, order: Longs, united: Longs) -> None:
    """Fill `united` with the place at which each chunk of `order` ends, one behind the other. ends: those in the list
    of all."""
    end = 0
    for number in range(len(order)):
        old = order[number]
        end += ends[old] - (ends[old - 1] if old else 0)
        united[number] = end


@kernel
def copy_chunks(chunks: ChunkList, united: ChunkList, order: Longs, first: Number, last: Number) -> None:
    """Copy chunks to their places in another list, whose `ends` are known: numbers `first` up to `last` there.

    order: int64, number in the new list -> number in the old one.
    """
    place = united.ends[first - 1] if first else 0
    for number in range(first, last):
        old = order[number]
        united.counts[number], united.firsts[number] = chunks.counts[old], chunks.firsts[old]
        for i in range(chunks.ends[old - 1] if old else 0, chunks.ends[old]):
            united.data[place] = chunks.data[i]
            place += 1


@kernel
def renumber(order: Numbers, numbers: Numbers, start: Number, renumbered: Numbers) -> None:
    """Copy occurrences to renumbered[start:], each chunk with its new number; special tokens stay as they are.

    order, renumbered: int32, as in `tokviz.corpus.Kept`. numbers: int32, old number -> new one.
    """
    for i in range(len(order)):
        renumbered[start + i] = numbers[order[i]] if order[i] >= 0 else order[i]


def united(
    counters: list[ChunkCounter], n_shares: int, each: Callable[..., Iterator[Any]]
) -> tuple[ChunkList, Callable[[], list[Numbers]]]:
    """The chunks of several counters as one list; and what makes, for each counter, int32: its number of a chunk -> the
    new one.

    The list `counters` is empty afterwards, so that nothing is in memory for longer than it is needed. each: calls a
    function with each of several values, as `map` does, but maybe in threads.
    """
    if sum(counter.n_chunks for counter in counters) < WORTH_SHARING:
        n_shares, each = 1, map
    used = [counter.used() for counter in counters]
    counters.clear()
    starts = np.cumsum([0, *(len(chunks.ends) for chunks in used)])
    begins = np.cumsum([0, *(len(chunks.data) for chunks in used)])
    together, keys = _room_for(int(starts[-1]), int(begins[-1])), np.empty(starts[-1], np.uint64)
    for _ in each(functools.partial(_append, together, keys), used, begins, starts):
        pass
    used.clear()
    same = np.empty(len(keys), np.int32)
    for _ in each(functools.partial(_unite, together, keys, same, n_shares), range(n_shares)):
        pass
    own = np.flatnonzero(same == np.arange(len(same), dtype=np.int32))
    order = own[np.argsort(together.firsts[own])]  # no two chunks have one offset
    ends = np.empty(len(order), np.int64)
    ends_in_order(together.ends, order, ends)
    result = _room_for(len(order), int(ends[-1]) if len(ends) else 0)._replace(ends=ends)
    shares = [len(order) * share // n_shares for share in range(n_shares + 1)]
    for _ in each(functools.partial(copy_chunks, together, result, order), shares, shares[1:]):
        pass

    def numbers() -> list[Numbers]:
        new = np.empty(len(same), np.int32)
        new[order] = np.arange(len(order))
        return np.split(new[same], starts[1:-1])

    return result, numbers


def _room_for(n_chunks: int, n_bytes: int) -> ChunkList:
    """A list to be filled. Three arrays are one: the system gives large memory in large pages, which is quicker."""
    return ChunkList(np.empty(n_bytes, np.uint8), *np.empty((3, n_chunks), np.int64))


def _append(together: ChunkList, keys: NDArray[np.uint64], chunks: ChunkList, begin: int, first: int) -> None:
    with np.errstate(over="ignore"):  # products wrap around; numpy warns if kernels run as plain Python
        append(chunks, begin, first, together, keys)


def _unite(chunks: ChunkList, keys: NDArray[np.uint64], same: Numbers, n_shares: int, share: int) -> None:
    with np.errstate(over="ignore"):  # as in `_append`
        unite(chunks, keys, same, n_shares, share)
