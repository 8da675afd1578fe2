"""Counts the parts of a corpus in many threads, each with a table of its own; at the end these become one.

First occurrences are byte offsets in the corpus. So it does not matter which thread counts which part: the distinct
chunks are put in order of their first occurrence at the end, and that is the order in which one thread finds them.
"""

from __future__ import annotations

import functools
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.corpus.stretches import LEAST_PART, CorpusPart
from tokviz.kernels import PlainCounter
from tokviz.kernels.counting import COUNT_PAUSED, GIVE_UP, ChunkCounter, ChunkList
from tokviz.kernels.splitting import NO_SYMBOLS, NO_TABLE
from tokviz.kernels.uniting import renumber, united
from tokviz.split.automaton import Automaton

LOOK_SECONDS = 0.05  # between two looks whether the caller goes on


@dataclass(frozen=True, slots=True)
class CounterRun:
    """Records what one counter counted in one go: the bytes from `start` up to `end` of the corpus.

    kept: the byte offset at which the last kept occurrence ends.
    order: the slice of `counter.order` that this run filled.
    gave_up: the automaton found no chunk, or read bytes again too often; `regex` takes over.
    """

    counter: ChunkCounter
    start: int
    end: int
    kept: int
    order: slice
    gave_up: bool


class CountTotals(NamedTuple):
    """Holds all that was counted.

    chunks, special_counts: the distinct chunks in order of first occurrence, and how often each special token occurs.
    order: makes int32, as in `tokviz.corpus.counting.WindowSource`.
    kept: the byte offset at which its last occurrence ends.
    """

    chunks: ChunkList
    special_counts: list[int]
    order: Callable[[], NDArray[np.int32]]
    kept: int


class Counters:
    """Counts parts in several threads. keep, n_specials: as for a `ChunkCounter`. threads: how many at most.

    `own` counts in the thread of the caller what has to be counted in order. plain: whether it does so in plain Python;
    then no part can be given.
    """

    def __init__(self, keep: int, n_specials: int, threads: int, plain: bool = False) -> None:
        self.threads = threads
        kind: type[ChunkCounter] = PlainCounter if plain else ChunkCounter
        self._new = functools.partial(kind, keep, n_specials)
        self.own = self._new()
        self._all = [self.own]
        self._mine = threading.local()  # the counter of each thread
        self._pool: ThreadPoolExecutor | None = None
        self._given: deque[tuple[CorpusPart, Future[CounterRun]]] = deque()
        self._counted: list[CounterRun] = []
        self.n_bytes = 0  # counted so far

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Let parts be given within this block. When it ends, all that were given are counted."""
        try:
            yield
        finally:
            if self._pool:
                self._pool.shutdown()
            for _, counted in self._given:
                self._note(counted.result())
            self._given.clear()

    def give(self, part: CorpusPart, automaton: Automaton) -> None:
        """Have a part counted, in another thread if that is worth it. The caller has to ask for `taken` too."""
        if self.threads == 1 or (len(part.data) < LEAST_PART and not self._given):
            done: Future[CounterRun] = Future()
            self.own.restart(part.start)
            done.set_result(_count(self.own, part, automaton))
            self._given.append((part, done))
        else:
            self._pool = self._pool or ThreadPoolExecutor(self.threads, "count")
            self._given.append((part, self._pool.submit(self._count_in_thread, part, automaton)))

    def go_on(self, part: CorpusPart, automaton: Automaton) -> CounterRun:
        """Count a part in this thread, from where `own` is. The part may end where no chunk certainly does."""
        counted = _count(self.own, part, automaton)
        self._note(counted)
        return counted

    def add(self, start: int, data: memoryview, ends: NDArray[np.int64], special: int = -1) -> None:
        """Count chunks that are cut already, or a special token, from byte `start` of the corpus on.

        ends: int64, where they end in `data`. special: the number of the special token that each of them is, or -1.
        """
        self.own.restart(start)
        before = self.own.n_order
        self.own.feed(data, ends, np.full(len(ends), special), True)
        self.own.count(NO_SYMBOLS, NO_TABLE, len(data))
        self._note(_noted(self.own, start, before, False))

    def taken(self, most: int) -> Iterator[tuple[CorpusPart, CounterRun] | None]:
        """Yield the parts that are counted, in the order in which they were given, until at most `most` are not.

        None says that the next one is not there yet.
        """
        while self._given and (len(self._given) > most or self._given[0][1].done()):
            part, counted = self._given[0]
            if wait([counted], LOOK_SECONDS).done:
                self._given.popleft()
                self._note(counted.result())
                yield part, counted.result()
            else:
                yield None

    def totals(self) -> CountTotals:
        """Return all that was counted. Call it once, at the end: it frees the tables."""
        used = [counter for counter in self._all if counter.n_order or counter.n_chunks] or [self.own]
        special_counts = np.sum([counter.special_counts for counter in self._all], axis=0).tolist()
        orders = [counter.order for counter in used]
        in_order = [one for one in self._without_gap() if one.order.stop > one.order.start]
        kept, n_order = (in_order[-1].kept, in_order[-1].order.stop) if in_order else (0, 0)
        runs = [(used.index(one.counter), one.order) for one in in_order]
        self.own = self._new()
        self._all, self._counted, self._mine, in_order = [self.own], [], threading.local(), []
        if len(used) == 1:
            counter, order = used[0], orders[0]
            order.resize(n_order, refcheck=False)  # in place, because it may be large
            data, ends, counts, firsts = counter.used()
            chunks = ChunkList(data.copy(), ends.copy(), counts.copy(), firsts.copy())
            return CountTotals(chunks, special_counts, lambda: order, kept)
        with ThreadPoolExecutor(self.threads, "count") as pool:
            chunks, numbers = united(used, self.threads, pool.map)
        occurrences = [(i, orders[i][run]) for i, run in runs]
        return CountTotals(chunks, special_counts, functools.partial(_joined, occurrences, numbers), kept)

    def _without_gap(self) -> Iterator[CounterRun]:
        """Yield what was counted, in order, up to the first gap. There is one if the caller stopped where the automaton
        gave up: threads had counted later parts by then. Behind it, no occurrence is where windows look for it."""
        end = 0
        for counted in sorted(self._counted, key=lambda one: (one.start, one.end)):
            if counted.start > end:
                break
            end = counted.end
            yield counted

    def _note(self, counted: CounterRun) -> None:
        self._counted.append(counted)
        self.n_bytes += counted.end - counted.start

    def _count_in_thread(self, part: CorpusPart, automaton: Automaton) -> CounterRun:
        counter = getattr(self._mine, "counter", None)
        if counter is None:
            counter = self._mine.counter = self._new()
            self._all.append(counter)
        counter.restart(part.start)
        return _count(counter, part, automaton)


def _count(counter: ChunkCounter, part: CorpusPart, automaton: Automaton) -> CounterRun:
    """Count a part. The counter is at its start."""
    before = counter.n_order
    counter.feed(part.data, part.stops, part.kinds, part.closed)
    budget = len(part.data) + 1
    while (why := counter.count(automaton.symbols, automaton.table, budget)) == COUNT_PAUSED:
        pass
    return _noted(counter, part.start, before, why == GIVE_UP)


def _joined(
    occurrences: list[tuple[int, NDArray[np.int32]]], numbers: Callable[[], list[NDArray[np.int32]]]
) -> NDArray[np.int32]:
    """Join the occurrences of all parts. Each part comes with the index of its counter. numbers: see `united`."""
    stops = [*accumulate((len(order) for _, order in occurrences), initial=0)]
    joined, new = np.empty(stops[-1], np.int32), numbers()
    for (counter, order), start in zip(occurrences, stops, strict=False):
        renumber(order, new[counter], start, joined)
    return joined


def _noted(counter: ChunkCounter, start: int, before: int, gave_up: bool) -> CounterRun:
    return CounterRun(counter, start, counter.done, counter.kept, slice(before, counter.n_order), gave_up)
