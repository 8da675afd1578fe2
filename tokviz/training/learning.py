"""Learns merges from distinct chunks, a slice at a time: the part of a training that follows the counting."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.base.errors import SettingError
from tokviz.corpus.chunk_counts import ChunkCounts
from tokviz.kernels import PLAIN_BYTES, Learner, pairs_at, trainer_compiles
from tokviz.tokenizer.encoding import OPEN, Ints
from tokviz.tokenizer.merges import History, MergeRecord, most_vocabulary_bytes
from tokviz.training.plain import PlainTrainer
from tokviz.training.rules import Rules

Stopped = Literal["size", "no_pairs", "min_count", "bytes", "cancelled"]
STOPPED: Mapping[Stopped, str] = {  # in a word or two, what ended a training
    "size": "vocabulary size",
    "no_pairs": "no pair left",
    "min_count": "least count",
    "bytes": "limit for the bytes of all tokens",
    "cancelled": "cancel",
}
ENDED: Mapping[Stopped, str] = {  # the same in a clause
    "size": "all merges are done",
    "no_pairs": "no pair is left",
    "min_count": "no pair occurs often enough",
    "bytes": "with one more merge, all tokens together would have more bytes than a vocabulary may have",
    "cancelled": "the training was cancelled",
}

RAREST_LIMIT = 200_000  # bytes of distinct chunks, because every merge then looks at all pairs
MOST_PLACES = 2**31 - 2  # bytes of distinct chunks and ends of chunks, which the learner numbers in int32
SLICE_SECONDS = 0.05  # between two calls of `cancel`
PLAIN_WORK = 300_000_000  # bytes of distinct chunks times merges that plain Python learns in some seconds

Longs = NDArray[np.int64]


class Learned(NamedTuple):
    """Holds the records of the merges, the seams of the distinct chunks, and why there are no more merges.

    seams: int32, one for each byte of `counts.data`.
    """

    history: History
    seams: Ints
    stopped: Stopped


class Learning:
    """Learns merges from counts, so that a page can show how far it is and stop it.

    rules: how each merge is picked.
    asked: how many merges to make.
    cancelled: whether the counting was; then no merge is made.
    threads: how many work at most.

    Raises SettingError if the corpus is too large for the rules.
    """

    def __init__(self, counts: ChunkCounts, rules: Rules, asked: int, cancelled: bool, threads: int) -> None:
        if rules.prefer == "rarest" and len(counts.data) > RAREST_LIMIT:
            raise SettingError(
                f'With prefer="rarest" every merge looks at all pairs, so the limit is {RAREST_LIMIT:,} bytes of '
                f"distinct chunks; this corpus has {len(counts.data):,}.",
                "Use a shorter corpus.",
            )
        if len(counts.data) + len(counts) > MOST_PLACES:
            raise SettingError(
                f"The distinct chunks have {len(counts.data):,} bytes, and 2,000,000,000 are the limit.",
                "Train on a part of the corpus.",
            )
        self._counts, self._asked, self._cancelled = counts, asked, cancelled
        self._learner = (
            _PlainLearner(counts, rules, asked)
            if learns_plainly(counts, asked)
            else Learner(
                counts.data,
                counts.ends,
                counts.counts,
                n_tokens=counts.n_tokens,
                asked=asked,
                threads=threads,
                **rules.for_learner(),
            )
        )

    def run(self, cancel: Callable[[], bool] | None) -> Iterator[History]:
        """Make the merges. Yields the records of each slice.

        cancel: is called between slices. Once it returns True, no more merges are made.
        """
        if self._cancelled:
            return
        told = 0
        for _ in self._learner.learn(SLICE_SECONDS):
            self._cancelled = cancel is not None and cancel()
            if self._cancelled:
                return
            room = self._room()
            yield self._history(told, room)
            told = room
            if told < len(self._learner.merges):
                return

    def result(self) -> Learned:
        """Return what was learned. Call it once, at the end."""
        made, seams = self._room(), self._learner.seams
        full = made < len(self._learner.merges)
        if full:
            seams[(seams >= made) & (seams < OPEN)] = OPEN
        return Learned(self._history(0, made), seams, "bytes" if full else self._why_stopped(made))

    def _room(self) -> int:
        """Count the merges that fit into a vocabulary: all, unless their tokens have too many bytes together."""
        sizes = self._learner.token_bytes
        fits = int(sizes.sum()) <= most_vocabulary_bytes()
        return len(sizes) if fits else int(np.searchsorted(np.cumsum(sizes), most_vocabulary_bytes(), side="right"))

    def _history(self, first: int, end: int) -> History:
        """Make the records of the merges with the ranks `first` up to `end`."""
        *_, replaced_before, _ = self._learner.merges[:first].T
        left, right, count, replaced, tied = self._learner.merges[first:end].T
        tokens_after = self._counts.n_tokens - replaced_before.sum() - np.cumsum(replaced)
        ranks = np.arange(first, end)
        return History(np.column_stack([ranks, left, right, 256 + ranks, count, replaced, tied, tokens_after]))

    def _why_stopped(self, made: int) -> Stopped:
        if made == self._asked:
            return "size"
        if self._cancelled:
            return "cancelled"
        return "min_count" if self._learner.pairs_left else "no_pairs"


def learns_plainly(counts: ChunkCounts, merges: int) -> bool:
    """Say whether plain Python makes these merges, because the kernels are being compiled, and it takes a moment."""
    n_bytes = len(counts.data)
    return trainer_compiles() and n_bytes <= PLAIN_BYTES and n_bytes * min(merges, n_bytes) <= PLAIN_WORK


class _PlainLearner:
    """Gives what `kernels.Learner` gives, by plain Python."""

    def __init__(self, counts: ChunkCounts, rules: Rules, asked: int) -> None:
        self._trainer = PlainTrainer([chunk for chunk, _ in counts], counts.counts.tolist(), **rules.for_learner())
        self._asked = asked
        self._records: list[tuple[int, int, int, int, int]] = []

    @property
    def merges(self) -> Longs:
        return np.array(self._records, np.int64).reshape(-1, 5)

    @property
    def token_bytes(self) -> Longs:
        return np.array([*map(len, self._trainer.tokens[256:])], np.int64)

    @property
    def seams(self) -> Ints:
        return np.array(self._trainer.seams, np.int32)

    @property
    def pairs_left(self) -> bool:
        return bool(self._trainer.counts)

    def learn(self, seconds: float) -> Iterator[None]:
        if self._asked and self._trainer.ids:
            yield  # as the kernels do while they count
        until = time.monotonic() + seconds
        for record in self._trainer.learn(self._asked):
            self._records.append(record)
            if time.monotonic() >= until:
                yield
                until = time.monotonic() + seconds


def pairs_after(counts: ChunkCounts, seams: Ints, merges: Sequence[MergeRecord], k: int) -> Longs:
    """Count all pairs after the first k merges: int64, a row a pair: left id, right id, count, first place in the data.

    counts, seams, merges: of the training.
    """
    if not learns_plainly(counts, k):
        return pairs_at(counts.data, seams, counts.ends, counts.counts, k)
    trainer = PlainTrainer([chunk for chunk, _ in counts], counts.counts.tolist())
    for merge in merges[:k]:
        trainer.merge((merge.left, merge.right))
    rows = [(*pair, count, trainer.first_place(pair)) for pair, count in trainer.counts.items()]
    return np.array(rows, np.int64).reshape(-1, 4)
