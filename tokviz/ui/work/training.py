"""A training under way. The server runs one at a time; what comes out becomes one of the visitor's own tokenizers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from tokviz import catalog, kernels, rules, training
from tokviz.training import Progress, Training
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.work import work
from tokviz.ui.work.work import AT_ONCE_S, start

__all__ = ["AT_ONCE_S", "Job", "forget", "keep", "of", "prepare", "start"]


def keep(visitor: Visitor, job: Job) -> None:
    """Make the job's training one of the visitor's own tokenizers."""
    if job.training and job.kept is None:
        mine = visitor.add(job.name, job.training.tokenizer, job.training, corpus_name=job.corpus_name)
        job.kept = mine.key


@dataclass(eq=False)
class Job(work.Work):
    """One training, and what came out. `take` is what is done with it where it was not cancelled."""

    turn: ClassVar[threading.Lock] = threading.Lock()
    name: str
    corpus_name: str
    steps: Iterator[Progress]
    place: str = field(default="train", kw_only=True)
    take: Callable[[Visitor, Job], None] = keep
    progress: Progress | None = None
    training: Training | None = None
    kept: str | None = None  # the key of the tokenizer that it became

    def slices(self) -> Iterator[None]:
        """Train. The steps mind `stop` themselves: the merges so far stay."""
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


def prepare() -> None:
    """Have the kernels compiled before somebody asks for them; once, when the server starts."""
    kernels.warm(_rehearse)


def _rehearse() -> None:
    """All that a page may call: each tie rule and a ban, candidates, a window, both ways to encode, a long chunk, and a
    corpus with so many distinct chunks that two threads count it."""
    text = "the cat in the hat, the naïve cat " * 20
    for tie in rules.TIES:
        trained = training.train([text, "and the hat"], 300, tie=tie, ban=[b"cat"], min_count=2)  # type: ignore[arg-type]
    training.train(" ".join(map(str, range(100_000))), 300)
    trained.candidates(3)
    trained.window(0, 10)
    for tokenizer in (trained.tokenizer, catalog.reference("gpt2")):
        tokenizer.encode(text)
        tokenizer.merged(b"ab" * 100)


def of(visitor: Visitor, place: str = "train") -> Job | None:
    """The visitor's present or last training there."""
    job = work.of(visitor, place)
    return job if isinstance(job, Job) else None


def forget(visitor: Visitor, place: str = "train") -> None:
    """Put the last training away, with what it made."""
    work.forget(visitor, place)
