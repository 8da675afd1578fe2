"""From a corpus to its distinct chunks and how often each occurs, which is all that training needs.

The pieces that `reading` delivers are split into chunks and counted, slice by slice. Texts follow one another without a
gap, but the end of a text is the end of a chunk.
"""

from __future__ import annotations

import functools
import os
import threading
from bisect import bisect_right
from collections.abc import Collection, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from regex import __version__ as regex_version

from tokviz import reading
from tokviz.arguments import whole_number
from tokviz.automaton import Automaton
from tokviz.chunk_counts import MOST_SHARD, ChunkCounts
from tokviz.kernels.splitting import ALL_COUNTED, COUNT_PAUSED, GIVE_UP, NO_SYMBOLS, NO_TABLE, ChunkCounter
from tokviz.reading import Corpus, CorpusReader, Piece
from tokviz.specials import check_special_tokens
from tokviz.split import DEFAULT, PATTERNS, automaton_of, check_pattern, cut_by_regex

KEPT_LIMIT = 64_000_000  # bytes of a corpus that are kept for windows; the rest survives only as distinct chunks
SLICE = 4_000_000  # bytes counted in about 50 ms, before the caller can stop it
WORTH_A_THREAD = 500_000  # bytes from which on two threads share the work
CPUS = os.cpu_count() or 1


@dataclass(frozen=True, eq=False)
class Kept:
    """What windows can show of a corpus: its first KEPT_LIMIT bytes, and which distinct chunk is where.

    order: int32, for each occurrence of a chunk its index among the distinct chunks, or -1 - i for special token i.
    ends: those of the distinct chunks, as in ChunkCounts.
    """

    data: bytes
    order: NDArray[np.int32]
    ends: NDArray[np.int64]
    special_tokens: tuple[str, ...]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """int64: the byte offset at which each occurrence starts, and then the end of the last one."""
        special_sizes = [len(token.encode()) for token in reversed(self.special_tokens)]  # index -1 is the first token
        sizes = np.concatenate([np.diff(self.ends, prepend=0), np.array(special_sizes, np.int64)])
        return np.append(0, np.cumsum(sizes[self.order]))


class Counting:
    """A corpus being counted slice by slice, so that a page can show how far it is and stop it.

    In memory are the distinct chunks, the first KEPT_LIMIT bytes of the corpus, and the bytes that wait to be counted,
    about a block. Where a block ends in the middle of a text, the bytes after the last certain boundary of chunks wait
    for the next block. Only the automaton knows such boundaries: the `regex` package needs each stretch of text whole.
    """

    def __init__(self, corpus: Corpus, pattern: str, special_tokens: tuple[str, ...], counts_only: bool) -> None:
        self.pattern = pattern
        self.special_tokens = special_tokens
        self._reader = CorpusReader(corpus, pattern, special_tokens, with_origin=not counts_only)
        self._automaton = automaton_of(pattern)
        self._room = 0 if counts_only else KEPT_LIMIT  # bytes that may still be kept
        self._kept: list[bytes] = []
        self._tally = ChunkCounter(self._room, len(special_tokens))
        # What waits to be counted: the bytes, where the stretches in them end, and which special token each of them is.
        self._waiting: list[bytes] = []
        self._n_waiting = 0
        self._enough = reading.BLOCK  # bytes that are worth counting together
        self._stops: list[int] = []
        self._kinds: list[int] = []
        self._opened = 0  # where in the corpus the first waiting stretch began

    @property
    def n_bytes(self) -> int:
        """Bytes counted so far."""
        return self._tally.done

    @property
    def size(self) -> int:
        """Bytes of the corpus as far as they are known. Of an iterator, those read so far."""
        return max(self._reader.size, self.n_bytes)

    def origin(self) -> list[dict[str, Any]] | dict[str, Any]:
        """Where the texts came from; see `CorpusReader.origin`."""
        return self._reader.origin()

    def run(self) -> Iterator[int]:
        """Count everything. After each slice, yields how many bytes are counted."""
        for piece in self._reader.pieces():
            self._take(piece)
            if self._n_waiting >= self._enough and (self._stops or self._automaton):
                yield from self._count()
        yield from self._count()
        yield self.n_bytes

    def result(self) -> tuple[ChunkCounts, Kept]:
        """The counts so far, and the kept part of the corpus. Call it once, at the end: it frees the tables."""
        self._reader.finish()
        tally, self._tally = self._tally, ChunkCounter(0)
        self._tally.base = tally.done
        tally.slots = self._tally.slots
        tally.order.resize(tally.n_order, refcheck=False)  # in place, because it may be large
        ends = tally.ends[: tally.n_chunks].copy()
        kept = Kept(_joined(self._kept, tally.kept), tally.order, ends, self.special_tokens)
        self._kept, self._waiting = [], []
        counts = ChunkCounts(
            tally.data[: tally.n_bytes].copy(),
            ends,
            tally.counts[: tally.n_chunks].copy(),
            tally.firsts[: tally.n_chunks].copy(),
            self.pattern,
            self.special_tokens,
            tuple(tally.special_counts.tolist()),
            tally.done,
            regex_version=None if self.pattern in PATTERNS else regex_version,
        )
        return counts, kept

    def _take(self, piece: Piece) -> None:
        """Add a piece to those that wait to be counted."""
        self._waiting.append(piece.data)
        self._n_waiting += len(piece.data)
        if self._room:
            self._kept.append(piece.data)
            self._room = max(self._room - len(piece.data), 0)
        if piece.closed:
            self._stops.append(self._n_waiting)
            self._kinds.append(piece.special)

    def _count(self) -> Iterator[int]:
        """Count all waiting bytes except the tail, whose end later bytes may move."""
        buffer = self._waiting[0] if len(self._waiting) == 1 else b"".join(self._waiting)
        begun = self.n_bytes
        if self._automaton is not None:
            closed = bool(self._stops) and self._stops[-1] == len(buffer)
            stops, kinds = (self._stops, self._kinds) if closed else ([*self._stops, len(buffer)], [*self._kinds, -1])
            why = yield from self._count_by_automaton(self._automaton, buffer, stops, kinds, closed)
            if why == GIVE_UP:
                self._automaton = None  # `regex` does the rest, or tells what is wrong
        if self._automaton is None:
            yield from self._count_by_regex(buffer, begun)
        if self._stops:
            self._opened = begun + self._stops[-1]
        rest = buffer[self.n_bytes - begun :]
        self._waiting, self._n_waiting = [rest], len(rest)
        self._enough = max(reading.BLOCK, 2 * len(rest))  # so a long chunk is not joined again for every block
        self._stops, self._kinds = [], []
        yield self.n_bytes

    def _count_by_automaton(
        self, automaton: Automaton, buffer: bytes, stops: list[int], kinds: list[int], closed: bool
    ) -> Generator[int, None, int]:
        """Count a buffer, a large one in two threads. Returns why it ended: ALL_COUNTED or GIVE_UP."""
        count = functools.partial(ChunkCounter.count, symbols=automaton.symbols, table=automaton.table, budget=SLICE)
        first = self._tally
        middle = _middle(automaton, buffer, stops, kinds) if len(buffer) >= WORTH_A_THREAD else None
        if middle is None:
            first.feed(buffer, stops, kinds, closed)
            while (why := count(first)) == COUNT_PAUSED:
                yield first.done
            return why
        # The first half gets one character more than it counts, because the automaton looks ahead.
        begun, view = first.done, memoryview(buffer)
        behind = middle + 1 + sum(buffer[middle] >= lead for lead in (0xC0, 0xE0, 0xF0))
        n = bisect_right(stops, middle)
        first.feed(view[:behind], [*stops[:n], behind], [*kinds[:n], -1], False)
        second = ChunkCounter(first.keep, len(self.special_tokens))
        second.base = begun + middle
        second.feed(view[middle:], [stop - middle for stop in stops[n:]], kinds[n:], closed)
        stop = threading.Event()

        def count_second() -> int:
            while (why := count(second)) == COUNT_PAUSED and not stop.is_set():
                pass
            return why

        with ThreadPoolExecutor(1) as pool:
            beside = pool.submit(count_second)
            try:
                while (why := count(first)) == COUNT_PAUSED:
                    yield first.done + second.done - begun - middle
                while why == ALL_COUNTED and not beside.done():
                    wait([beside], 0.05)
                    yield first.done + second.done - begun - middle
            finally:
                stop.set()
        if why == ALL_COUNTED and (why := beside.result()) == ALL_COUNTED:
            first.absorb(second)
        return why

    def _count_by_regex(self, buffer: bytes, begun: int) -> Iterator[int]:
        """Count the closed stretches of a buffer that starts at byte `begun` of the corpus."""
        opened = self._opened
        for stop, kind in zip(self._stops, self._kinds, strict=True):
            start = self.n_bytes - begun
            if start < stop and kind >= 0:
                self._tally.feed(buffer[start:stop], [stop - start], [kind], True)
                self._tally.count(NO_SYMBOLS, NO_TABLE, SLICE)
            elif start < stop:
                rest = buffer[start:stop]
                counted = 0
                for ends in cut_by_regex(rest.decode(), self.pattern, begun + start - opened):
                    if len(ends):
                        self._tally.add(rest[counted : ends[-1]], ends - counted)
                        counted = int(ends[-1])
                    yield self.n_bytes
            opened = begun + stop


def _middle(automaton: Automaton, buffer: bytes, stops: list[int], kinds: list[int]) -> int | None:
    """An offset near the middle of a buffer, inside a stretch, where a chunk certainly ends; None if there is none."""
    half = len(buffer) // 2
    stretch = bisect_right(stops, half)
    if CPUS < 2 or kinds[stretch] >= 0:
        return None
    place = automaton.place_to_part(buffer[half : min(half + 10_000, stops[stretch])])
    return None if place is None else half + place


def count_chunks(
    corpus: Corpus, pattern: str | None = None, special_tokens: Collection[str] = (), shard: int | None = None
) -> ChunkCounts:
    """Count the distinct chunks of a corpus, or of one shard of it.

    Training on the counts equals training on the texts, ties included. So a corpus that fits on no machine can be
    counted in shards, on many machines, and the counts added, in any order if each shard has a number. corpus: a text,
    a path, or several of them. pattern: a name or a regex; None means "gpt2". shard: the number of the shard, from 0.
    Raises InputError, PatternError, SettingError, SpecialTokenError.

    >>> list(count_chunks("the cat in the hat"))
    [(b'the', 1), (b' cat', 1), (b' in', 1), (b' the', 1), (b' hat', 1)]
    >>> list(count_chunks(" the hat", shard=1) + count_chunks("the cat in", shard=0))
    [(b'the', 1), (b' cat', 1), (b' in', 1), (b' the', 1), (b' hat', 1)]
    """
    if shard is not None:
        shard = whole_number(shard, "The number of the shard", 0, MOST_SHARD)
    counting = begin_counting(corpus, pattern, special_tokens, counts_only=True)
    for _ in counting.run():
        pass
    counts = counting.result()[0]
    return counts if shard is None else replace(counts, shards={shard: counts.n_bytes})


def begin_counting(
    corpus: Corpus, pattern: str | None, special_tokens: Collection[str], counts_only: bool = False
) -> Counting:
    """Check the corpus and the settings. Nothing is counted yet, and nothing is read from an iterator.

    counts_only: keep nothing of the corpus for windows, and do not note where it came from.
    """
    specials = check_special_tokens(special_tokens)
    return Counting(corpus, check_pattern(DEFAULT if pattern is None else pattern), specials, counts_only)


def _joined(pieces: list[bytes], size: int) -> bytes:
    """The first `size` bytes of the pieces. They may be large, so none is copied twice."""
    if len(pieces) == 1:
        return pieces[0][:size]
    starts = accumulate(map(len, pieces), initial=0)
    return b"".join(memoryview(piece)[: max(size - start, 0)] for start, piece in zip(starts, pieces, strict=False))
