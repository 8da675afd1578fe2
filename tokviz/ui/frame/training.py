"""A training as work. The visitor gets the result as a tokenizer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tokviz.base.errors import SettingError
from tokviz.training import train
from tokviz.training.train import Training
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Mine, Visitor
from tokviz.ui.server.work import Cancelled, Progress, Steps

PLACE = "train"  # of the training on the Train page


def add(visitor: Visitor, words: str, training: Training, corpus_name: str) -> Mine:
    """Add a trained tokenizer to the visitor's own, named by these words and the size that it has.

    That may be less than was asked for. Raises SettingError if there is no room for it.
    """
    if why := VISITORS.why_no_room(visitor, 0):  # what waits to be kept counts already
        raise SettingError(f"{words} cannot be kept.", why)
    with visitor.lock:
        name = visitor.free_name(f"{words} {training.tokenizer.vocab_size:,}")
        tokenizer = training.tokenizer.renamed(name)
        return visitor.add(name, tokenizer, replace(training, tokenizer=tokenizer), corpus_name=corpus_name)


class Expected(NamedTuple):
    """How long a training should take, in seconds: to count the corpus, and to learn the merges."""

    counting: float
    learning: float

    def left(self, progress: train.Progress | None) -> float:
        """The seconds that are left at this progress. The first merges take longest: they have the most places.

        >>> from tokviz.training.train import Progress
        >>> Expected(1.0, 3.0).left(Progress("count", 50, 100)), Expected(1.0, 3.0).left(Progress("merge", 9, 99))
        (3.5, 1.5)
        """
        share = progress.done / progress.of if progress and progress.of else 0.0
        if progress is None or progress.stage != "merge":
            return self.counting * (1 - share) + self.learning
        return self.learning * (1 - math.log1p(progress.done) / math.log1p(progress.of)) if progress.of else 0.0


def told(steps: Iterator[train.Progress], expected: Expected | None = None, *, kept: bool = False) -> Steps[Training]:
    """Train by these steps, and tell how far it is. They check themselves whether the work was cancelled.

    expected: how long they should take, if that is known. kept: whether a training that was cancelled is a result too.
    """
    now, training = train.Progress("count", 0, 0), None
    yield Progress("Reading the corpus", seconds_left=expected.left(None) if expected else None)
    for now in steps:
        training = now.training
        try:
            yield Progress(_doing(now), now.done, now.of, expected.left(now) if expected else None)
        except Cancelled:
            if not kept:
                raise
    if training is None:
        raise Cancelled
    return training


def _doing(now: train.Progress) -> str:
    if now.stage == "compile":
        return "Compiling the trainer, which this machine does only once"
    if now.stage == "merge":
        return f"Training: merge {now.done:,} of {now.of:,}"
    return f"Splitting the corpus: {now.done:,} of {now.of:,} bytes"
