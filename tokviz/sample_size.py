"""Is a sample of text enough? Train again on resamples of the corpus, and see which merges are found again.

A *resample* is as many units of the corpus as there are, drawn with replacement; `resampling` says what a unit is. So
some units are in it several times, and about 37 % of them are not in it at all. This is the bootstrap (Efron 1979,
"Bootstrap Methods: Another Look at the Jackknife", doi 10.1214/aos/1176344552). Trainings on a half and on a quarter of
the units, drawn without replacement, show what more text changes.

What neither can show is text of a kind that the sample lacks: all draws are from what is there. Besides, a unit that is
drawn twice repeats all its phrases, so merges with small counts are found less often than in another sample of the
same size. The parts have no such repeats.

How far to trust it: corpora of 0.25 and 1 MB of English, of code and of many scripts were doubled, and trained on with
1,000 to 16,000 merges. Of the stable merges 1 to 4 % were then not made any more. Of all merges it was 18 to 28 %, for
which trainings on halves had told 19 to 34 %.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from tokviz.arguments import whole_number
from tokviz.errors import SettingError
from tokviz.learning import SLICE_SECONDS, Stopped
from tokviz.merges import build
from tokviz.resampling import UnitKind, Units, check_corpus, drawn, units_of
from tokviz.training import Training
from tokviz.wording import count_of, percent, rounded

RESAMPLES = 50
PARTS = (0.5, 0.25)  # shares of the units
PARTS_DRAWN = 10  # trainings on each share
STABLE = 0.9  # a merge is stable if it is found in this share of the resamples
MERGES_LIMIT = 50_000  # the ranks of all merges in all resamples are in memory together
FEW_UNITS = 20  # fewer than these tell little about how much depends on them
RAN_OUT: Mapping[Stopped, str] = {  # a training that stopped so gets more merges from more text
    "no_pairs": "No pair was left to merge",
    "min_count": "No other pair was frequent enough to merge",
}
POINTS = 200  # sizes at which the overlap is measured


class Overlap(NamedTuple):
    """The share of the first `size` merges that are among the first `size` of a resample too: the mean over the
    resamples, and their 10th and 90th percentile."""

    size: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """How often the merges of a training are found in trainings on resamples of its corpus.

    A merge is found if it makes a token of the same bytes. unit, units, cut: what was drawn, how many of them there
    are, and whether chunks are cut, see `Units`. seed: resample i is drawn with the seed `seed + i`. stopped: why the
    training made no more merges. tokens: of the merges, in rank order. found: int64, by rank, in how many resamples the
    merge is found. lowest, median, highest: int64, by rank, the range of the ranks that it has there, -1 if it is in
    none; of two middle ranks the lower one. overlaps: for sizes from 1 to all merges. parts: share of the units -> the
    mean share of the merges that trainings on so many units make. lacking: (token, resamples) of the merges that at
    least half of the resamples make and the training does not, the most frequent first.
    """

    unit: UnitKind
    units: int
    cut: bool
    resamples: int
    seed: int
    stopped: Stopped
    tokens: tuple[bytes, ...]
    found: NDArray[np.int64]
    lowest: NDArray[np.int64]
    median: NDArray[np.int64]
    highest: NDArray[np.int64]
    overlaps: tuple[Overlap, ...]
    parts: Mapping[float, float]
    lacking: tuple[tuple[bytes, int], ...]

    @property
    def enough(self) -> int:
        """In how many resamples a merge must be found to be stable: 45 of 50."""
        return math.ceil(round(STABLE * self.resamples, 9))  # 0.9 * 10 must not become more than 9

    @property
    def stable(self) -> NDArray[np.bool_]:
        """By rank, whether the merge is stable."""
        return self.found >= self.enough

    @property
    def settled(self) -> int | None:
        """The number of merges after which at least 9 of 10 unstable merges come; None if all merges are stable."""
        unstable = np.flatnonzero(~self.stable)
        return int(unstable[len(unstable) // 10]) if len(unstable) else None

    def finding(self) -> str:
        """How many merges are stable, and what more text would change, in a few sentences.

        >>> from tokviz import train
        >>> print(bootstrap(train(["the cat in the hat"] * 40, 258), 20).finding())
        All 2 merges are found in at least 18 of 20 resamples. More text of the same kind would change little.
        """
        said = [self._how_stable()]
        if self.settled is None and self.parts[PARTS[0]] >= STABLE:
            said.append("More text of the same kind would change little.")
        elif self.stopped in RAN_OUT:
            said.append(f"{RAN_OUT[self.stopped]}, so with the same settings more text would mostly add merges.")
        else:
            said.append(self._doubled())
        if self.units < FEW_UNITS:
            said.append(f"There are only {self.units:,} {self.unit}s to draw from, so these figures are rough.")
        return " ".join(said)

    def _how_stable(self) -> str:
        merges, stable = len(self.tokens), int(self.stable.sum())
        unstable = merges - stable
        where = f"found in at least {self.enough:,} of {count_of(self.resamples, 'resample')}"
        if self.settled is None:
            subject = "The only merge is" if merges == 1 else f"All {merges:,} merges are"
            return f"{subject} {where}."
        are = "is" if stable == 1 else "are"
        first = f"Of {count_of(merges, 'merge')}, {f'{stable:,} {are}' if stable else 'none is'} {where}."
        depend = f"The other {unstable:,} depend" if unstable > 1 else "The other one depends"
        if not stable:
            depend = f"All {unstable:,} depend" if unstable > 1 else "It depends"
        if self.stopped in RAN_OUT:
            change = ""
        elif self.settled <= merges // 10:
            change = ": more text would change merges of all ranks"
        else:
            change = f": more text would mostly change merges after merge {self.settled:,}"
        return f"{first} {depend} on which {self.unit}s are in the sample{change}."

    def _doubled(self) -> str:
        """What twice as much text would change, as half of it tells."""
        half = self.parts[PARTS[0]]
        change = f"about {rounded(100 * (1 - half), 0)}\u00a0%" if half < 0.995 else "less than 1\u00a0%"
        return (
            f"A training on half of the {self.unit}s makes {percent(half)} of the merges, so expect twice as much text "
            f"of the same kind to change {change} of them."
        )


@dataclass(frozen=True, slots=True)
class BootstrapProgress:
    """How far a bootstrap is. stage "resample": `done` of `of` trainings on resamples are done; stage "part": of those
    on parts of the corpus. result: in the last progress only."""

    stage: Literal["resample", "part"]
    done: int
    of: int
    result: Bootstrap | None = None


def bootstrap(training: Training, resamples: int = RESAMPLES, *, seed: int = 0) -> Bootstrap:
    """Train on resamples of the corpus of a training, with its rules, and see which of its merges are found again.

    Each resample makes as many merges as the training did. Raises SettingError if the training does not keep its
    corpus, if that is too long or too short to draw from, or if there are too many merges or none.

    >>> from tokviz import train
    >>> found = bootstrap(train(["the cat"] * 40, 260), 10)
    >>> found.unit, found.units, found.found.tolist()
    ('text', 40, [10, 10, 10, 10])
    """
    *_, last = bootstrap_steps(training, resamples, seed=seed)
    return cast(Bootstrap, last.result)  # the last progress always carries one


def bootstrap_steps(training: Training, resamples: int = RESAMPLES, *, seed: int = 0) -> Iterator[BootstrapProgress]:
    """Does what `bootstrap` does, in slices. The last progress carries the result; closing the generator discards all.

    The two numbers are checked at once, the training at the first slice.

    >>> from tokviz import train
    >>> last = [*bootstrap_steps(train("the cat in the hat", 258), 5)][-1]
    >>> last.stage, last.done, last.of, last.result.resamples
    ('part', 20, 20, 5)
    """
    return _steps(training, whole_number(resamples, "The number of resamples", 1), whole_number(seed, "The seed", 0))


def check_training(training: Training) -> None:
    """Raise SettingError if `bootstrap` would, except for a corpus that is too short. This is quick."""
    check_corpus(training)
    merges = len(training.merges)
    if not 0 < merges <= MERGES_LIMIT:
        raise SettingError(
            f"The training made {count_of(merges, 'merge')}, and resamples are compared for 1 to {MERGES_LIMIT:,}.",
            "Train with a smaller vocabulary." if merges else "Train on a longer corpus.",
        )


def _steps(training: Training, resamples: int, seed: int) -> Iterator[BootstrapProgress]:
    check_training(training)
    merges, units = len(training.merges), units_of(training)
    tokens = tuple(training.tokenizer.vocab[id] for id in training.tokenizer.merge_ids.tolist())
    rank_of = {token: rank for rank, token in enumerate(tokens)}

    ranks = np.full((resamples, merges), merges, np.int32)  # the number of merges stands for "not found"
    seen: Counter[int] = Counter()  # by the hash of a token: the tokens of all resamples may take much memory
    lacking: dict[bytes, int] = {}
    for i in range(resamples):
        now = BootstrapProgress("resample", i, resamples)
        made = yield from _train(training, units, drawn(units.n, seed + i), now)
        for rank, token in enumerate(made):
            if (there := rank_of.get(token)) is None:
                key = hash(token)
                if key in seen or 2 * (resamples - i) >= resamples:  # else it comes too late to be in half of them
                    seen[key] += 1
                    if 2 * seen[key] >= resamples:
                        lacking[token] = seen[key]
            else:
                ranks[i, there] = rank

    shared: list[float] = []
    n_parts = len(PARTS) * PARTS_DRAWN
    for i in range(n_parts):
        now = BootstrapProgress("part", i, n_parts)
        draw = drawn(units.n, seed + resamples + i, PARTS[i // PARTS_DRAWN])
        made = yield from _train(training, units, draw, now)
        shared.append(sum(token in rank_of for token in made) / merges)
    means = np.reshape(shared, (len(PARTS), PARTS_DRAWN)).mean(1).tolist()

    lowest, median, highest = _range_of(ranks)
    result = Bootstrap(
        unit=units.kind,
        units=units.n,
        cut=units.cut,
        resamples=resamples,
        seed=seed,
        stopped=training.stopped,
        tokens=tokens,
        found=(ranks < merges).sum(0),
        lowest=lowest,
        median=median,
        highest=highest,
        overlaps=_overlaps(ranks),
        parts=dict(zip(PARTS, means, strict=True)),
        lacking=tuple(sorted(lacking.items(), key=lambda row: (-row[1], row[0]))),
    )
    yield BootstrapProgress("part", n_parts, n_parts, result)


def _train(
    training: Training, units: Units, draw: NDArray[np.int64], now: BootstrapProgress
) -> Generator[BootstrapProgress, None, list[bytes]]:
    """Train on a draw in slices, and return the tokens made. now: what to yield after each slice."""
    learner = units.learner(draw, training)
    yield now
    for _ in learner.learn(SLICE_SECONDS):
        yield now
    pairs = learner.merges[:, :2]
    ids = np.arange(256 + len(pairs), dtype=np.int32)
    return build(ids[:256], ids[256:], pairs)


def _range_of(ranks: NDArray[np.int32]) -> NDArray[np.int64]:
    """Three rows: the lowest, the middle and the highest rank of each merge; -1 if it was never found.

    ranks: a row a resample; the number of merges stands for "not found".

    >>> _range_of(np.array([[0, 1, 3], [2, 3, 3]], np.int32)).tolist()
    [[0, 1, -1], [0, 1, -1], [2, 1, -1]]
    """
    found = (ranks < ranks.shape[1]).sum(0)
    last, every = np.maximum(found - 1, 0), np.arange(ranks.shape[1])
    in_order = np.sort(ranks, axis=0)
    rows = np.stack([in_order[0], in_order[last // 2, every], in_order[last, every]]).astype(np.int64)
    rows[:, found == 0] = -1
    return rows


def _overlaps(ranks: NDArray[np.int32]) -> tuple[Overlap, ...]:
    """The overlap at up to POINTS sizes. ranks: as in `_range_of`.

    >>> [(at.size, at.mean) for at in _overlaps(np.array([[1, 0, 3], [0, 2, 1]], np.int32))]
    [(1, 0.5), (2, 0.75), (3, 0.8333333333333333)]
    """
    merges = ranks.shape[1]
    sizes = np.unique(np.linspace(1, merges, min(POINTS, merges)).round().astype(np.int64))
    shares = []
    for row in ranks:
        both = np.maximum(row, np.arange(merges))  # both beginnings have the merge if they are longer than this
        shares.append(np.bincount(both, minlength=merges).cumsum()[sizes - 1] / sizes)
    low, high = np.percentile(shares, (10, 90), axis=0)
    rows = zip(sizes.tolist(), np.mean(shares, 0).tolist(), low.tolist(), high.tolist(), strict=True)
    return tuple(map(Overlap._make, rows))
