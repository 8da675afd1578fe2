"""Counts the distinct chunks of a corpus and how often each occurs, which is all that training needs.

The pieces that `reading` delivers are split into chunks and counted, slice by slice. Texts follow one another without a
gap, but the end of a text is the end of a chunk.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from regex import __version__ as regex_version

from tokviz.base.arguments import shown, whole_number
from tokviz.base.errors import PatternError, SettingError
from tokviz.base.text import Text
from tokviz.corpus import reading
from tokviz.corpus.chunk_counts import MOST_SHARD, ChunkCounts
from tokviz.corpus.counters import CounterRun, Counters
from tokviz.corpus.reading import Corpus, CorpusPiece, CorpusReader
from tokviz.corpus.stretches import CorpusPart
from tokviz.kernels import PLAIN_BYTES, trainer_compiles
from tokviz.kernels.base import CPUS
from tokviz.split.automaton import Automaton
from tokviz.split.cutting import DEFAULT, PATTERNS, automaton_of, check_pattern, cut_by_regex, cut_in_batches
from tokviz.split.pipeline import stages_of
from tokviz.split.specials import check_special_tokens

WORTH_THREADS = 2_000_000  # bytes; several threads would gain little on less, and cost a busy server more
KEPT_LIMIT = 64_000_000  # bytes of a corpus that are kept for windows; the rest survives only as distinct chunks


@dataclass(frozen=True, eq=False)
class WindowSource:
    """Holds what windows can show of a corpus: its first KEPT_LIMIT bytes, and which distinct chunk is where.

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
    """Counts a corpus part by part, so that a page can show how far it is and stop it.

    In memory are the distinct chunks, the first KEPT_LIMIT bytes of the corpus, and the bytes that wait to be counted,
    about a block. Where a block ends in the middle of a text, the bytes after the last certain boundary of chunks wait
    for the next block. Only the automaton knows such boundaries: the `regex` package needs each stretch of text whole.

    plain: whether it counts in plain Python, because the kernels are being compiled and the corpus is small.
    """

    def __init__(
        self,
        corpus: Corpus,
        pattern: str,
        special_tokens: tuple[str, ...],
        counts_only: bool,
        threads: int,
        pattern_seconds: float | None,
    ) -> None:
        if any(stage.behavior == "removed" for stage in stages_of(pattern)):
            raise PatternError("The pipeline leaves characters out, and a training counts all.", "Choose another one.")
        self.pattern = pattern
        self._seconds = pattern_seconds
        self.special_tokens = special_tokens
        self._reader = CorpusReader(corpus, pattern, special_tokens, with_origin=not counts_only)
        known = isinstance(corpus, str | Text | list | tuple)  # an iterator does not tell its size
        self.plain = known and self._reader.size <= PLAIN_BYTES and trainer_compiles()
        self._automaton = None if self.plain else automaton_of(pattern)
        self._room = 0 if counts_only else KEPT_LIMIT  # bytes that may still be kept
        self._kept: list[bytes] = []
        small = 0 < self._reader.size < WORTH_THREADS  # an iterator does not tell its size
        self._counters = Counters(self._room, len(special_tokens), 1 if small else threads, self.plain)
        # What waits to be counted: the bytes, where the stretches in them end, and which special token each of them is.
        self._waiting: list[bytes] = []
        self._n_waiting = 0
        self._enough = reading.BLOCK  # bytes that are worth counting together
        self._stops: list[int] = []
        self._kinds: list[int] = []
        self._start = 0  # where in the corpus the first waiting byte is
        self._opened = 0  # where in the corpus the first waiting stretch began
        self._in_chunk = False  # the waiting bytes begin with a chunk that `self._counters.own` has begun to read

    @property
    def n_bytes(self) -> int:
        """Bytes counted so far."""
        return self._counters.n_bytes

    @property
    def size(self) -> int:
        """Bytes of the corpus as far as they are known. Of an iterator, those read so far."""
        return max(self._reader.size, self.n_bytes)

    def origin(self) -> list[dict[str, Any]] | dict[str, Any]:
        """Say where the texts came from; see `CorpusReader.origin`."""
        return self._reader.origin()

    def run(self) -> Iterator[int]:
        """Count everything. After each part, yields how many bytes are counted."""
        with self._counters.at_work():
            for piece in self._reader.pieces():
                self._take(piece)
                if self._n_waiting >= self._enough and (self._stops or self._automaton):
                    yield from self._count()
            yield from self._count()
            yield from self._finish_parts(0)
        yield self.n_bytes

    def result(self) -> tuple[ChunkCounts, Callable[[], WindowSource]]:
        """Return the counts so far, and a function that gives the kept part of the corpus. A large part is made in
        another thread. Call it once, at the end: it frees the tables."""
        self._reader.finish()
        self._waiting = []
        chunks, special_counts, order, n_kept = self._counters.totals()
        pieces, self._kept = self._kept, []
        counts = ChunkCounts(
            *chunks,
            self.pattern,
            self.special_tokens,
            tuple(special_counts),
            self.n_bytes,
            regex_version=None if self.pattern in PATTERNS else regex_version,
        )

        def kept() -> WindowSource:
            data = _head(pieces, n_kept)
            pieces.clear()
            return WindowSource(data, order(), chunks.ends, self.special_tokens)

        if n_kept < WORTH_THREADS:
            return counts, kept
        pool = ThreadPoolExecutor(1, "keep")
        made = pool.submit(kept)
        pool.shutdown(wait=False)
        return counts, made.result

    def _take(self, piece: CorpusPiece) -> None:
        """Add a piece to those that wait to be counted."""
        self._waiting.append(piece.data)
        self._n_waiting += len(piece.data)
        if self._room > 0:
            self._kept.append(piece.data if len(piece.data) <= self._room else piece.data[: self._room])
            self._room -= len(piece.data)
        if piece.closed:
            self._stops.append(self._n_waiting)
            self._kinds.append(piece.special)

    def _count(self) -> Iterator[int]:
        """Have all waiting bytes counted except the tail, whose end later bytes may move."""
        data = self._waiting[0] if len(self._waiting) == 1 else b"".join(self._waiting)
        if not data:
            return
        closed = bool(self._stops) and self._stops[-1] == len(data)
        stops, kinds = (self._stops, self._kinds) if closed else ([*self._stops, len(data)], [*self._kinds, -1])
        waiting = CorpusPart(memoryview(data), self._start, stops, kinds, closed, self._opened)
        done = 0
        if self._automaton is not None:
            done = yield from self._count_by_automaton(self._automaton, waiting)
        if self._automaton is None and self._stops:  # there is none, or it gave up
            if done < self._stops[-1]:
                yield from self._count_by_regex(waiting.part(done, self._stops[-1]), self._start + done)
            done = max(done, self._stops[-1])
        n_over = bisect_right(self._stops, done)
        if n_over:
            self._opened = self._start + self._stops[n_over - 1]
        self._stops, self._kinds = [stop - done for stop in self._stops[n_over:]], self._kinds[n_over:]
        self._waiting, self._n_waiting = [data[done:]], len(data) - done
        self._enough = max(reading.BLOCK, 2 * self._n_waiting)  # so a long chunk is not joined again for every block
        self._start += done

    def _count_by_automaton(self, automaton: Automaton, waiting: CorpusPart) -> Generator[int, None, int]:
        """Count, and return how many bytes need no more care. If the automaton gives up, there is none afterwards."""
        done, counters = 0, self._counters
        for part in waiting.parts(automaton, counters.threads):
            if self._in_chunk:
                yield from self._finish(part, counters.go_on(part, automaton))
                self._in_chunk = False
            else:
                counters.give(part, automaton)
            done += len(part.data)
            yield from self._finish_parts(2 * counters.threads)  # so that no thread waits for its next part
            if self._automaton is None:
                return done
        if len(waiting.data) - done >= reading.BLOCK and not waiting.closed:
            # No place to part it is near, maybe for ever. So it is counted in order, as far as chunks have ended.
            yield from self._finish_parts(0)
            if self._automaton is None:
                return done
            if not self._in_chunk:
                counters.own.restart(self._start + done)
            counted = counters.go_on(waiting.part(done, len(waiting.data), closed=False), automaton)
            self._in_chunk = not counted.gave_up
            self._automaton = None if counted.gave_up else automaton
            done = counted.end - self._start
            yield self.n_bytes
        return done

    def _finish_parts(self, most: int) -> Iterator[int]:
        """Wait until at most `most` parts are still to be counted."""
        for taken in self._counters.taken(most):
            if taken is not None:
                yield from self._finish(*taken)
            yield self.n_bytes

    def _finish(self, part: CorpusPart, counted: CounterRun) -> Iterator[int]:
        """Let `regex` do the rest of the part, or tell what is wrong, if the automaton gave up."""
        if counted.gave_up:
            self._automaton = None
            yield from self._count_by_regex(part, counted.end)

    def _count_by_regex(self, part: CorpusPart, begin: int) -> Iterator[int]:
        """Count a part from byte `begin` of the corpus on."""
        start, opened = begin - part.start, part.opened
        for stop, kind in zip(part.stops, part.kinds, strict=True):
            if start < stop and kind >= 0:
                self._counters.add(part.start + start, part.data[start:stop], np.array([stop - start]), kind)
            elif start < stop:
                text = bytes(part.data[start:stop]).decode()
                counted = start
                if self.plain and self.pattern in PATTERNS:
                    batches = cut_in_batches(text, self.pattern)
                else:
                    batches = cut_by_regex(text, self.pattern, part.start + start - opened, self._seconds)
                for ends in batches:
                    if len(ends):
                        end = start + int(ends[-1])
                        self._counters.add(part.start + counted, part.data[counted:end], ends + start - counted)
                        counted = end
                    yield self.n_bytes
            start, opened = max(start, stop), part.start + stop


def _head(pieces: list[bytes], n: int) -> bytes:
    """Return the first n bytes of pieces end to end."""
    ends = [*accumulate(map(len, pieces))]
    whole = bisect_right(ends, n)
    rest = pieces[whole][: n - (ends[whole - 1] if whole else 0)] if whole < len(pieces) else b""
    return b"".join([*pieces[:whole], rest])


def count_chunks(
    corpus: Corpus,
    pattern: str | None = None,
    special_tokens: Collection[str] = (),
    shard: int | None = None,
    threads: int | None = None,
    pattern_seconds: float | None = None,
) -> ChunkCounts:
    """Count the distinct chunks of a corpus, or of one shard of it.

    Training on the counts equals training on the texts, ties included. So a corpus that fits on no machine can be
    counted in shards, on many machines, and the counts added, in any order if each shard has a number.

    corpus: a text, a path, or several of them.
    pattern: a name or a regex; None means "gpt2".
    special_tokens: texts that are cut out first.
    shard: the number of the shard, from 0.
    threads: how many count at most; None means one for each core.
    pattern_seconds: as `seconds` of `tokviz.split.cutting.cut`.

    Raises InputError, PatternError, SettingError, SpecialTokenError.

    >>> list(count_chunks("the cat in the hat"))
    [(b'the', 1), (b' cat', 1), (b' in', 1), (b' the', 1), (b' hat', 1)]
    >>> list(count_chunks(" the hat", shard=1) + count_chunks("the cat in", shard=0))
    [(b'the', 1), (b' cat', 1), (b' in', 1), (b' the', 1), (b' hat', 1)]
    """
    if shard is not None:
        shard = whole_number(shard, "The number of the shard", 0, MOST_SHARD)
    counting = begin_counting(corpus, pattern, special_tokens, True, threads, pattern_seconds)
    for _ in counting.run():
        pass
    counts = counting.result()[0]
    return counts if shard is None else replace(counts, shards={shard: counts.n_bytes})


def threads_of(threads: int | None) -> int:
    """Say how many threads may work: as given, or one for each core. SettingError if it is no number from 1 on."""
    return CPUS if threads is None else whole_number(threads, "The number of threads", 1)


def begin_counting(
    corpus: Corpus,
    pattern: str | None,
    special_tokens: Collection[str],
    counts_only: bool = False,
    threads: int | None = None,
    pattern_seconds: float | None = None,
) -> Counting:
    """Check the corpus and the settings. Nothing is counted yet, and nothing is read from an iterator.

    counts_only: keep nothing of the corpus for windows, and do not note where it came from. threads, pattern_seconds:
    as in `count_chunks`.
    """
    if pattern_seconds is not None and not (isinstance(pattern_seconds, int | float) and pattern_seconds > 0):
        raise SettingError(f"pattern_seconds is {shown(pattern_seconds)}.", "Pass a number above 0, or None.")
    threads = threads_of(threads)
    specials = check_special_tokens(special_tokens)
    pattern = check_pattern(DEFAULT if pattern is None else pattern)
    return Counting(corpus, pattern, specials, counts_only, threads, pattern_seconds)
