"""Comparing split patterns in a thread, with progress and Cancel. Each outcome is kept in the visitor's cache."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tokviz.errors import TokvizError
from tokviz.split_lab import FREE, Outcome, Step, limited, train_freely, try_pattern
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.split_corpus import SplitCorpus
from tokviz.ui.vocabulary.state import SplitSettings
from tokviz.ui.work.work import Work

PLACE = "vocabulary.splits"

Tried = Outcome | TokvizError  # a pattern that is wrong leaves its error
T = TypeVar("T")


@dataclass(eq=False, kw_only=True)
class SplitWork(Work):
    """Try patterns on a corpus. keep: called with each pattern and what came of it, as soon as it is known."""

    texts: Sequence[str]
    patterns: Sequence[str]
    vocab_size: int
    min_count: int
    keep: Callable[[str, Tried], None]
    _doing: str = "Reading the corpus"

    @property
    def doing(self) -> str:
        return self._doing

    def let_go(self) -> None:
        """Let the corpus go."""
        self.texts = ()

    def slices(self) -> Generator[None]:
        texts = limited(self.texts)[0]
        self.texts = texts
        free, first = yield from self._followed(FREE, train_freely(texts, self.vocab_size, self.min_count))
        self.keep(FREE, first)
        for pattern in self.patterns:
            if pattern == FREE:
                continue
            try:
                tried: Tried = yield from self._followed(pattern, try_pattern(free, pattern))
            except _Stopped:
                raise
            except TokvizError as fault:  # the pattern is wrong, or its tokens grow too long
                tried = fault.without_frames()
            self.keep(pattern, tried)

    def _followed(self, pattern: str, steps: Generator[Step, None, T]) -> Generator[None, None, T]:
        """Do the steps until the work is stopped, and note how far they are."""
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                result: T = end.value
                return result
            short = pattern if len(pattern) < 20 else f"{pattern[:18]}…"
            doing = f"{step.doing} with the pattern {short}"
            if doing != self._doing:
                self._doing, self.since = doing, time.monotonic()
            self.so_far, self.in_all = step.done, step.of
            yield
            if self.stop.is_set():
                raise _Stopped("The comparison was cancelled.")


class _Stopped(TokvizError):
    """The work was stopped."""


def key_of(corpus: SplitCorpus, settings: SplitSettings, pattern: str) -> Hashable:
    """Of what came of a pattern, in the visitor's cache."""
    return ("split", corpus.key, settings.vocab_size, settings.min_count, pattern)


def wanted(me: Visitor, corpus: SplitCorpus, settings: SplitSettings, patterns: Sequence[str]) -> SplitWork | None:
    """The work that tries the patterns which were not tried yet; None if all were."""
    todo = [pattern for pattern in patterns if key_of(corpus, settings, pattern) not in me.cache]
    if not todo:
        return None
    size, least = settings.vocab_size, settings.min_count
    keys = {pattern: key_of(corpus, settings, pattern) for pattern in (FREE, *todo)}
    cache = me.cache  # the work must not keep the visitor

    def keep(pattern: str, tried: Tried) -> None:
        cache.get(keys[pattern], lambda: tried)

    return SplitWork(
        place=PLACE,
        about=(corpus.key, size, least, tuple(patterns)),  # not only those to do: they become fewer as it goes on
        texts=corpus.texts,
        patterns=todo,
        vocab_size=size,
        min_count=least,
        keep=keep,
    )


def tried(me: Visitor, corpus: SplitCorpus, settings: SplitSettings, pattern: str) -> Tried | None:
    """What came of a pattern; None if it was not tried yet."""

    def missing() -> Tried:
        raise LookupError

    try:
        return me.cache.get(key_of(corpus, settings, pattern), missing)
    except LookupError:
        return None
