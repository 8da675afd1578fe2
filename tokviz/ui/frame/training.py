"""A training as work in a thread. The visitor gets the result as a tokenizer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

from tokviz.base.errors import SettingError
from tokviz.training.train import Progress, Training
from tokviz.ui.server import work
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import Mine, Visitor
from tokviz.ui.server.work import start

__all__ = ["Expected", "TrainingWork", "add", "forget", "keep", "of", "start"]


def keep(visitor: Visitor, work: TrainingWork) -> None:
    """Add the trained tokenizer to the visitor's own, once. Raises SettingError if there is no room for it."""
    if why := VISITORS.why_no_room(visitor, 0):  # what waits to be kept counts already
        raise SettingError(f"{work.name} cannot be kept.", why)
    with visitor.lock:  # two tabs may keep it at once
        if work.training and work.kept is None:
            mine = add(visitor, work.name, work.training, work.corpus_name)
            work.kept, work.training, work.progress = mine.key, None, None  # the visitor has it now


def add(visitor: Visitor, words: str, training: Training, corpus_name: str) -> Mine:
    """Add a trained tokenizer to the visitor's own, named by these words and the size that it has.

    That may be less than was asked for. Raises SettingError if there is no room for it.
    """
    with visitor.lock:
        name = visitor.free_name(f"{words} {training.tokenizer.vocab_size:,}")
        tokenizer = training.tokenizer.renamed(name)
        return visitor.add(name, tokenizer, replace(training, tokenizer=tokenizer), corpus_name=corpus_name)


class Expected(NamedTuple):
    """How long a training should take, in seconds: to count the corpus, and to learn the merges."""

    counting: float
    learning: float

    def left(self, progress: Progress | None) -> float:
        """The seconds that are left at this progress. The first merges take longest: they have the most places.

        >>> Expected(1.0, 3.0).left(Progress("count", 50, 100)), Expected(1.0, 3.0).left(Progress("merge", 9, 99))
        (3.5, 1.5)
        """
        share = progress.done / progress.of if progress and progress.of else 0.0
        if progress is None or progress.stage != "merge":
            return self.counting * (1 - share) + self.learning
        return self.learning * (1 - math.log1p(progress.done) / math.log1p(progress.of)) if progress.of else 0.0


@dataclass(eq=False)
class TrainingWork(work.Work):
    """One training and its result.

    name: of the new tokenizer, without its size. steps: from `train_steps`. expected: how long they should take, if
    that is known. take: called with the result, unless the training was cancelled. kept: the key of the tokenizer that
    the visitor got.
    """

    needs_kernels: ClassVar[bool] = False  # its steps wait for them, if the corpus is not small
    name: str
    corpus_name: str
    steps: Iterator[Progress]
    place: str = field(default="train", kw_only=True)
    expected: Expected | None = None
    take: Callable[[Visitor, TrainingWork], None] = keep
    progress: Progress | None = None
    training: Training | None = None
    kept: str | None = None

    def slices(self) -> Generator[None]:
        """Train. The steps check `stop` themselves, so that a cancelled training keeps its merges."""
        for progress in self.steps:
            if progress.stage == "merge" and not self._merging:
                self.since = time.monotonic()
            self.progress, self.training = progress, progress.training
            self.so_far, self.in_all = progress.done, progress.of
            yield

    def let_go(self) -> None:
        """Let the corpus go."""
        self.steps = iter(())

    def finish(self, visitor: Visitor) -> None:
        """Hand the result to `take`. A training that was cancelled waits, where the visitor may keep it."""
        if self.training and self.training.stopped != "cancelled":
            self.take(visitor, self)
        elif self.take is not keep:
            self.training = self.progress = None

    @property
    def n_bytes(self) -> int:
        return size(self.training, self.training.tokenizer) if self.training else 0

    @property
    def seconds_left(self) -> float | None:
        """By the estimate that was shown before the training, so that the two agree."""
        return self.expected.left(self.progress) if self.expected else super().seconds_left

    @property
    def doing(self) -> str:
        """The present stage in a few words, with its figures."""
        if self.progress is None:
            return "Reading the corpus"
        if self.progress.stage == "compile":
            return "Compiling the trainer, which this machine does only once"
        if not self._merging:
            return f"Splitting the corpus: {self.so_far:,} of {self.in_all:,} bytes"
        return f"Training: merge {self.so_far:,} of {self.in_all:,}"

    @property
    def _merging(self) -> bool:
        return self.progress is not None and self.progress.stage == "merge"


def of(visitor: Visitor, place: str = "train") -> TrainingWork | None:
    """The visitor's current or last training in this place; None if there is none."""
    last = work.of(visitor, place)
    return last if isinstance(last, TrainingWork) else None


def forget(visitor: Visitor, place: str = "train") -> None:
    """Stop the training in this place, and drop its result."""
    work.forget(visitor, place)
