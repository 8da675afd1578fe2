"""Splits a text at places where a chunk always ends, so the parts can be counted separately and give the same chunks.

Only an automaton knows such places. Under some patterns there are none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tokviz.split.automaton import Automaton

LEAST_PART, MOST_PART = 250_000, 1_000_000  # bytes; so that threads have enough to do, and end at the same time
WINDOW = 10_000  # bytes in which a place to part is searched for


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """Holds bytes of a corpus, as stretches: texts between two special tokens, and special tokens.

    start: the byte offset of the part in the corpus.
    stops, kinds: where each stretch ends in `data`, and which special token it is, or -1. The last ends with the data.
    closed: is that the end of a chunk, or does the text go on in later bytes?
    opened: the byte offset in the corpus at which the first stretch began, which may be before the part.
    """

    data: memoryview
    start: int
    stops: Sequence[int]
    kinds: Sequence[int]
    closed: bool
    opened: int

    def part(self, begin: int, end: int, closed: bool = True) -> CorpusPart:
        """Return the bytes from offset `begin` up to `end`."""
        first, last = bisect_right(self.stops, begin), bisect_left(self.stops, end)
        opened = self.start + self.stops[first - 1] if first else self.opened
        stops = [*(stop - begin for stop in self.stops[first:last]), end - begin]
        return CorpusPart(self.data[begin:end], self.start + begin, stops, self.kinds[first : last + 1], closed, opened)

    def parts(self, automaton: Automaton, threads: int) -> Iterator[CorpusPart]:
        """Yield smaller parts for these threads, each from the end of the one before it.

        If this one is closed, the last of them ends with it. If not, the bytes behind the last of them have to wait.
        """
        size = min(max(len(self.data) // threads, LEAST_PART), MOST_PART)
        begin = 0
        near = [*range(size, len(self.data) - size // 2, size)]
        if not self.closed:
            near.append(max(len(self.data) - WINDOW, 0))
        for at in near:
            end = self._place_from(automaton, at) if at >= begin else None
            if end is not None and end > begin:
                yield self.part(begin, end)
                begin = end
        if self.closed and begin < len(self.data):
            yield self.part(begin, len(self.data))

    def _place_from(self, automaton: Automaton, at: int) -> int | None:
        """Find the first offset from `at` on where the text may be parted; None if there is none near."""
        stretch = bisect_right(self.stops, at)
        stop = self.stops[stretch]
        for window in (WINDOW // 50, WINDOW) if self.kinds[stretch] < 0 else ():  # mostly there is one in the first
            place = automaton.place_to_part(bytes(self.data[at : min(at + window, stop)]))
            if place is not None:
                return at + place
        return stop if stop <= at + WINDOW and (self.closed or stop < len(self.data)) else None
