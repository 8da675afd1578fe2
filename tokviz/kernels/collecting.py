"""Finds all pairs that reach a threshold, and their places.

This takes two passes over `flat`: the first gives upper bounds of the counts, which rule out most pairs; the second
counts the others. Threads each read a part of `flat`, and what they count is added up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import grown
from tokviz.kernels.merging import (
    COUNT,
    N_PAIRS,
    PLACES_END,
    PLACES_START,
    Ban,
    Longs,
    add_pairs,
    add_to_sketch,
    count_bytes,
    count_pairs,
    enter,
    fill_bytes,
    fill_places,
)

Flat = NDArray[Any]
Ints = NDArray[np.int32]
Collected = Generator[None, None, tuple[Longs, Ints]]  # returns a row for each pair, and the places of all

SKETCH = 1 << 18  # buckets
ROOM = 1 << 12  # pairs, and places, for which arrays have room at first; a power of two
SLICE_PLACES = 1 << 21  # places that are read before the caller gets control again
LOOK_SECONDS = 0.02  # after which a caller that waits for threads gets control again

T = TypeVar("T")


def collect_bytes(flat: Flat, threshold: int, banned: Sequence[bytes]) -> Collected:
    """Collect before the first merge: a pair is two bytes then, so it needs no hash table."""
    counts, times = np.zeros(1 << 16, np.int64), np.zeros(1 << 16, np.int64)
    for place, stop in _slices(1, len(flat)):
        count_bytes(flat, place, stop, counts, times)
        yield
    for token in banned:
        if len(token) == 2:
            counts[token[0] << 8 | token[1]] = 0
    found = np.flatnonzero(counts >= threshold)
    pairs = np.column_stack([found >> 8, found & 0xFF, counts[found], found, times[found]])
    numbers, places = _numbered(pairs, found, 1 << 16)
    for place, stop in _slices(1, len(flat)):
        fill_bytes(flat, place, stop, numbers, pairs, places)
        yield
    return pairs, places


def collect_pairs(flat: Flat, size: Ints, bounds: Sequence[int], threshold: int, ban: Ban) -> Collected:
    """Collect after some merges. bounds: the places at which the parts of `flat` begin, and the end of the last one."""
    parts = [*pairwise(bounds)]
    sketches = yield from _each(parts, lambda begin, end: _sketch(flat, size, begin, end))
    sketch = sum(sketches[1:], start=sketches[0])
    first, *others = yield from _each(parts, lambda begin, end: _count(flat, size, begin, end, sketch, threshold, ban))
    n_pairs, pairs, rows = len(first.pairs), first.pairs, [np.arange(len(first.pairs), dtype=np.int32)]
    if others:
        pairs = grown(pairs, n_pairs + sum(len(part.pairs) for part in others))
        table = table_of(pairs, n_pairs, len(pairs))
    for part in others:
        rows.append(np.empty(len(part.pairs), np.int32))
        n_pairs = add_pairs(part.pairs, pairs, n_pairs, table, rows[-1])
    found = np.flatnonzero(pairs[:n_pairs, COUNT] >= threshold)
    pairs = pairs[found]
    numbers, places = _numbered(pairs, found, n_pairs)
    for part, its_rows in zip((first, *others), rows, strict=True):
        fill_places(part.hits, numbers[its_rows], pairs, places)
    return pairs, places


class _Counted(NamedTuple):
    """Holds the pairs of a part of `flat`, and each place with the row of its pair: int32[n, 2]."""

    pairs: Longs
    hits: Ints


def _sketch(flat: Flat, size: Ints, begin: int, end: int) -> Generator[None, None, Longs]:
    sketch = np.zeros(SKETCH, np.int64)
    while begin < end:
        begin = add_to_sketch(flat, size, begin, min(begin + SLICE_PLACES, end), sketch)
        yield
    return sketch


def _count(
    flat: Flat, size: Ints, begin: int, end: int, sketch: Longs, threshold: int, ban: Ban
) -> Generator[None, None, _Counted]:
    pairs, table = np.empty((ROOM, 5), np.int64), np.zeros((2 * ROOM, 2), np.int64)
    hits = np.empty((end - begin, 2), np.int32)  # pages that are never written take no memory
    state, n_hits = np.zeros(5, np.int64), 0
    while begin < end:
        stop = min(begin + SLICE_PLACES, end)
        begin, n_hits = count_pairs(flat, size, begin, stop, sketch, threshold, table, pairs, hits, n_hits, ban, state)
        if begin < stop:
            pairs = grown(pairs, 4 * len(pairs))
            table = table_of(pairs, int(state[N_PAIRS]), len(pairs))
        else:
            yield
    return _Counted(pairs[: state[N_PAIRS]], hits[:n_hits])


def _each(
    parts: Sequence[tuple[int, int]], work: Callable[[int, int], Generator[None, None, T]]
) -> Generator[None, None, list[T]]:
    """Do the work on each part, several in a thread each. Yields now and then."""
    if len(parts) == 1:
        return [(yield from work(*parts[0]))]
    given_up = threading.Event()
    with ThreadPoolExecutor(len(parts), "collect") as pool:
        try:
            doing = [pool.submit(_to_its_end, work(*part), given_up) for part in parts]
            while wait(doing, LOOK_SECONDS).not_done:
                yield
            return [one.result() for one in doing]
        finally:
            given_up.set()  # so that a caller that stops does not wait for the rest


def _to_its_end(work: Generator[None, None, T], given_up: threading.Event) -> T:
    """Run the work to its end, and return its result. It stops early, with CancelledError, if that is given up."""
    while not given_up.is_set():
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
    raise CancelledError


def _slices(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (first place, stop) of each slice."""
    for place in range(begin, end, SLICE_PLACES):
        yield place, min(place + SLICE_PLACES, end)


def _numbered(pairs: Longs, found: Longs, n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give each pair its part of an array of places.

    pairs: the rows that were found. PLACES_END holds how many places each has; it and PLACES_START become the index
    where its part begins.
    found: int64, their old numbers, all below n.
    Returns (int32, the old number -> the new row, or -1; int32, an array for four times as many places).
    """
    ends = np.cumsum(pairs[:, PLACES_END])
    pairs[:, PLACES_START] = ends - pairs[:, PLACES_END]
    pairs[:, PLACES_END] = pairs[:, PLACES_START]
    numbers = np.full(n, -1, np.int32)
    numbers[found] = np.arange(len(found))
    return numbers, np.empty(max(ROOM, 4 * int(ends[-1]) if len(found) else 0), np.int32)


def table_of(pairs: Longs, n: int, room: int) -> Longs:
    """Make a hash table of the first n pairs, with room for `room` of them."""
    table = np.zeros((1 << (2 * room - 1).bit_length(), 2), np.int64)
    enter(table, pairs, 0, n)
    return table
