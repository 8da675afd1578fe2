"""A training under way. The server runs one at a time, and the result becomes one of the visitor's own tokenizers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from tokviz import kernels
from tokviz.training import Progress, Training
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.work import work
from tokviz.ui.work.work import AT_ONCE_S, start

__all__ = ["AT_ONCE_S", "TrainingWork", "forget", "keep", "of", "start"]


def keep(visitor: Visitor, job: TrainingWork) -> None:
    """Make the trained tokenizer one of the visitor's own."""
    if job.training and job.kept is None:
        mine = visitor.add(job.name, job.training.tokenizer, job.training, corpus_name=job.corpus_name)
        job.kept, job.training, job.progress = mine.key, None, None  # the visitor has it now


@dataclass(eq=False)
class TrainingWork(work.Work):
    """One training and its result. take: gets the result, unless the training was cancelled."""

    turn: ClassVar[threading.Lock] = threading.Lock()
    name: str
    corpus_name: str
    steps: Iterator[Progress]
    place: str = field(default="train", kw_only=True)
    take: Callable[[Visitor, TrainingWork], None] = keep
    progress: Progress | None = None
    training: Training | None = None
    kept: str | None = None  # the key of the tokenizer that it became

    def slices(self) -> Iterator[None]:
        """Train. The steps look at `stop` themselves, so that the merges so far are kept."""
        for progress in self.steps:
            if progress.stage == "merge" and not self._merging:
                self.since = time.monotonic()
            self.progress, self.training = progress, progress.training
            self.so_far, self.in_all = progress.done, progress.of
            yield

    def finish(self, visitor: Visitor) -> None:
        if self.training and self.training.stopped != "cancelled":
            self.take(visitor, self)

    @property
    def doing(self) -> str:
        if not self._merging and not kernels.ready.is_set():
            return "Preparing the trainer"
        if self.progress is None:
            return "Reading the corpus"
        if not self._merging:
            return f"Cutting the corpus: {self.so_far:,} of {self.in_all:,} bytes"
        return f"Training: merge {self.so_far:,} of {self.in_all:,}"

    @property
    def _merging(self) -> bool:
        return self.progress is not None and self.progress.stage == "merge"


def of(visitor: Visitor, place: str = "train") -> TrainingWork | None:
    """The visitor's present or last training there."""
    job = work.of(visitor, place)
    return job if isinstance(job, TrainingWork) else None


def forget(visitor: Visitor, place: str = "train") -> None:
    """Drop the last training with its result."""
    work.forget(visitor, place)
