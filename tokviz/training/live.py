"""Trains on a corpus that is being edited: each edit trains anew, and what it changed is told.

    corpus and settings -> Training -> compared with the last Training -> LadderChange

A training of some thousand bytes takes about a millisecond, so nothing of the last one is used again: after any edits
the result is that of `tokviz.train`. The *ladder* is its merges by rank. A token is known by its bytes, so that a merge
is the same one at every rank of the ladder.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.base import bounds
from tokviz.base.errors import PatternError, SettingError
from tokviz.base.progress import result_of
from tokviz.tokenizer.encoding import Ints, is_closed
from tokviz.tokenizer.live_text import equal_at_start
from tokviz.tokenizer.merges import History, MergeRecord
from tokviz.training.rules import Tie
from tokviz.training.train import Training, train_steps

SPECIALS_LENGTH = 2_000  # characters of all special tokens together: a corpus is searched for all of them at once
TOKEN_BYTES = 200  # of memory that a token takes in a ladder
GONE = -9  # in place of a rank or a seam that the new training does not have

_FIGURES = [MergeRecord._fields.index(name) for name in ("left", "right", "count", "replaced", "tied")]

Longs = NDArray[np.int64]


class LiveSettings(NamedTuple):
    """Holds the settings of a training, as the arguments of `tokviz.train`."""

    vocab_size: int = 1024
    pattern: str = "gpt2"
    tie: Tie = "first"
    min_count: int = 1
    special_tokens: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LadderChange:
    """Records what is new in a training since the last one.

    training: the new one.
    edit: (first, removed, added): at byte `first` of the corpus, `removed` bytes were replaced by `added` bytes.
    old: int64, for each merge the rank that its token had in the last ladder, or GONE.
    rows: int64, the ranks of merges that are new, or whose pair or figures changed.
    figures: int64, a row for each of them: left id, right id, count, replaced, tied.
    gone: int64, the ranks in the last ladder of tokens that are no longer made.
    whole: the special tokens in the corpus, id by first byte.

    Take the old seams of the corpus, give each the new rank of its token, and put `added` any others in place of the
    `removed`. Then runs, int64, tell where seams changed: a row a run, with its first byte and how many seams it has.
    seams: int32, those of the runs.
    """

    training: Training
    edit: tuple[int, int, int]
    old: Longs
    rows: Longs
    figures: Longs
    gone: Longs
    runs: Longs
    seams: Ints
    whole: dict[int, int | None]

    @property
    def up(self) -> int:
        """How many merges moved up in the ladder, to a lower rank."""
        return int((self.old > np.arange(len(self.old))).sum())

    @property
    def down(self) -> int:
        """How many merges moved down in the ladder, to a higher rank."""
        return int(((self.old >= 0) & (self.old < np.arange(len(self.old)))).sum())

    @property
    def new(self) -> int:
        """How many merges make a token that the last ladder did not have."""
        return int((self.old == GONE).sum())

    @property
    def kept(self) -> list[tuple[int, int, int]]:
        """The other rows, as runs (rank, old rank, n): n rows that follow one another in both ladders.

        >>> live = LiveTraining()
        >>> first = live.train("the cat, the hat", LiveSettings(262))
        >>> live.train("the cat, the hats", LiveSettings(262)).kept
        [(0, 0, 3)]
        """
        stays = np.ones(len(self.old), np.bool_)
        stays[self.rows] = False
        ranks = np.flatnonzero(stays)
        breaks = np.flatnonzero((np.diff(ranks) != 1) | (np.diff(self.old[ranks]) != 1)) + 1
        bounds = [0, *breaks.tolist(), len(ranks)] if len(ranks) else []
        return [(int(ranks[i]), int(self.old[ranks[i]]), j - i) for i, j in pairwise(bounds)]


class _Ladder(NamedTuple):
    """Holds a training as it is compared: the bytes of the corpus, its seams, and its ladder.

    ranks: the bytes of a token -> its rank. figures: int64, a row a merge: left id, right id, count, replaced, tied.
    """

    data: NDArray[np.uint8]
    seams: Ints
    ranks: dict[bytes, int]
    figures: Longs


_EMPTY = _Ladder(np.empty(0, np.uint8), np.empty(0, np.int32), {}, np.empty((0, 5), np.int64))


class LiveTraining:
    """Trains again and again, and tells what changed.

    >>> live = LiveTraining()
    >>> change = live.train("low lower", LiveSettings(258))
    >>> change = live.train("low lower lowest new newer newest", LiveSettings(259))
    >>> [change.training.tokenizer.vocab[256 + rank] for rank in range(3)]
    [b'we', b'lo', b' n']
    >>> change.old.tolist(), change.gone.tolist(), change.edit
    ([-9, 0, -9], [1], (9, 0, 24))
    """

    def __init__(self) -> None:
        self._last = _EMPTY

    @property
    def n_bytes(self) -> int:
        """The memory that the last training takes."""
        data, seams, ranks, figures = self._last
        return data.nbytes + seams.nbytes + figures.nbytes + TOKEN_BYTES * len(ranks)

    def train(self, text: str, settings: LiveSettings, seconds: float | None = None) -> LadderChange:
        """Train on this text, and tell what changed since this was last done without an error.

        seconds: that the training may take; None: as long as it takes. Raises what `trained` raises; nothing is
        compared then.
        """
        most = 257 + len(text.encode())  # more than the corpus can have: arrays for a million merges take time
        if 256 <= settings.vocab_size <= bounds.now().vocabulary:
            settings = settings._replace(vocab_size=min(settings.vocab_size, most))
        training = trained(text, settings, seconds)
        whole_corpus, last = training.window(0, training.n_bytes), self._last
        history, tokens = training.tokenizer.history or History.of([]), training.tokenizer.vocab.values()
        new = _Ladder(
            np.frombuffer(whole_corpus.data, np.uint8),
            whole_corpus.seams,
            {token: rank for rank, token in enumerate(islice(tokens, 256, 256 + len(history)))},
            history.table[:, _FIGURES],
        )
        old = np.array([last.ranks.get(token, GONE) for token in new.ranks], np.int64)
        stayed = old >= 0
        new_rank = np.full(len(last.ranks), GONE, np.int64)
        new_rank[old[stayed]] = np.flatnonzero(stayed)
        same = stayed.copy()
        same[stayed] = (new.figures[stayed] == _renumbered(last.figures, new_rank)[old[stayed]]).all(axis=1)
        edit = first, removed, added = _edit(last.data, new.data)
        closed = last.seams.copy()
        in_ladder = is_closed(closed)
        closed[in_ladder] = new_rank[closed[in_ladder]]
        expected = np.concatenate([closed[:first], np.full(added, GONE, np.int32), closed[first + removed :]])
        runs = np.flatnonzero(np.diff(expected != new.seams, prepend=False, append=False)).reshape(-1, 2)
        runs[:, 1] -= runs[:, 0]
        self._last = new
        return LadderChange(
            training,
            edit,
            old,
            rows=np.flatnonzero(~same),
            figures=new.figures[~same],
            gone=np.flatnonzero(new_rank == GONE),
            runs=runs,
            seams=new.seams[expected != new.seams],
            whole=whole_corpus.whole,
        )


def _renumbered(figures: Longs, new_rank: Longs) -> Longs:
    """Give the figures of a ladder the ids of a new one; GONE where the new one does not make the token."""
    renumbered = figures.copy()
    left_right = renumbered[:, :2]
    merged = left_right >= 256
    ranks = new_rank[left_right[merged] - 256]
    left_right[merged] = np.where(ranks == GONE, GONE, 256 + ranks)
    return renumbered


def _edit(old: NDArray[np.uint8], new: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Find (first, removed, added): the bytes that differ between two corpora, from the first to the last of them."""
    shorter = min(len(old), len(new))
    first = equal_at_start(old[:shorter], new[:shorter])
    rest = shorter - first
    behind = equal_at_start(old[len(old) - rest :][::-1], new[len(new) - rest :][::-1])
    return first, len(old) - first - behind, len(new) - first - behind


def trained(text: str, settings: LiveSettings, seconds: float | None = None) -> Training:
    """Train as `tokviz.train` does, but with a limit on the time that it takes with a split pattern of one's own.

    seconds: that it may take; None: as long as it takes. Raises what `tokviz.train` raises, PatternError if it takes
    longer, and SettingError if there are too many special tokens.

    >>> len(trained("low lower lowest", LiveSettings(min_count=2)).merges)
    4
    """
    n_specials = sum(map(len, settings.special_tokens))
    if n_specials > SPECIALS_LENGTH:
        raise SettingError(
            f"The special tokens have {n_specials:,} characters, and {SPECIALS_LENGTH:,} are the limit here.",
            "Use fewer or shorter ones.",
        )
    until = math.inf if seconds is None else time.monotonic() + seconds
    steps = train_steps(text, **settings._asdict(), cancel=lambda: time.monotonic() > until)
    training = result_of(steps)
    if training.stopped == "cancelled":
        raise PatternError(
            "Your split pattern takes more than a second for this corpus.",
            "Make it simpler, or choose a named pattern.",
        )
    return training
