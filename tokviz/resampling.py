"""Drawing samples from a corpus again: the texts or blocks that are drawn, and the distinct chunks of each draw.

A *unit* is what is drawn: a text of the corpus. A corpus of fewer than TEXTS texts, or of more than 1,000, is cut into
up to BLOCKS blocks of about equal size instead. (Where each text ends is known for 1,000 texts at most.) A block is a
run of whole chunks; only a chunk that is longer than a block is cut, between two characters. The units of a draw follow
one another in the order drawn, and the end of a unit is the end of a chunk. The chunks of each unit are counted once,
so those of a draw are only added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tokviz.corpus import Kept
from tokviz.errors import SettingError
from tokviz.kernels import Learner
from tokviz.kernels.counting import ChunkCounter
from tokviz.training import Training

TEXTS = 30  # a corpus with fewer texts is cut into blocks
BLOCKS = 100
BLOCK_BYTES = 100  # of a block at least, about; a short corpus has fewer blocks
BYTES_LIMIT = 20_000_000  # of the corpus: the occurrences of its chunks are sorted, unit by unit

Longs = NDArray[np.int64]
UnitKind = Literal["text", "block"]


def drawn(n_units: int, seed: int, share: float | None = None) -> Longs:
    """The units of one resample in the order drawn: as many as there are, with replacement. With a share, so many of
    them without replacement, but at least one.

    >>> drawn(6, 0).tolist(), drawn(6, 0, 0.5).tolist()
    ([5, 3, 3, 1, 1, 0], [3, 2, 5])
    """
    chance = np.random.default_rng(seed)
    if share is None:
        return chance.integers(n_units, size=n_units)
    return chance.permutation(n_units)[: max(1, int(share * n_units))]


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a corpus, with the distinct chunks of each counted.

    cut: whether chunks are cut, because they are longer than a block. stops: int64, the byte offset at which each unit
    ends. data, ends: the distinct chunks of the corpus, as in ChunkCounts. chunks, counts: for each unit its distinct
    chunks in order of first occurrence, and how often each occurs. Special tokens are left out, because no merge
    contains one.
    """

    kind: UnitKind
    cut: bool
    stops: Longs
    data: NDArray[np.uint8]
    ends: Longs
    chunks: list[Longs]
    counts: list[Longs]

    @property
    def n(self) -> int:
        """The number of units."""
        return len(self.stops)

    def resample(self, draw: Longs) -> tuple[NDArray[np.uint8], Longs, Longs]:
        """The distinct chunks of the drawn units in order of first occurrence: data, ends and counts as in ChunkCounts.

        A unit that is drawn again brings no new chunk, so each unit is looked at once, at its first place.
        """
        units, firsts, times = np.unique(draw, return_index=True, return_counts=True)
        in_order = np.argsort(firsts)
        chunks = np.concatenate([self.chunks[unit] for unit in units[in_order]])
        weights = np.concatenate([self.counts[units[i]] * times[i] for i in in_order])
        counts = np.bincount(chunks, weights, len(self.ends)).astype(np.int64)  # below 2^53, so the floats are exact
        places = np.arange(len(chunks))
        first = np.empty(len(self.ends), np.int64)
        first[chunks[::-1]] = places[::-1]  # of equal indices the last assignment stays: the first occurrence
        distinct = chunks[first[chunks] == places]
        ends = self.ends[distinct]
        sizes = ends - np.where(distinct > 0, self.ends[distinct - 1], 0)
        stops = np.cumsum(sizes)
        data = self.data[np.repeat(ends - stops, sizes) + np.arange(int(stops[-1]) if len(stops) else 0)]
        return data, stops, counts[distinct]

    def learner(self, draw: Longs, training: Training) -> Learner:
        """A learner for the drawn units, with the rules of the training and as many merges as it made."""
        data, ends, counts = self.resample(draw)
        n_tokens = int(np.diff(ends, prepend=0) @ counts)
        return Learner(
            data, ends, counts, n_tokens=n_tokens, asked=len(training.merges), **training.rules.for_learner()
        )


def check_corpus(training: Training) -> Kept:
    """What a training keeps of its corpus. Raises SettingError if that is nothing, or too much to draw from."""
    kept = training.kept
    if kept is None:
        raise SettingError(
            "This training was made from chunk counts, so there are no texts to draw from.",
            "Train on texts instead, for example those of one shard.",
        )
    if training.n_bytes > BYTES_LIMIT:
        raise SettingError(
            f"The corpus has {training.n_bytes:,} bytes, and resamples are drawn from {BYTES_LIMIT:,} bytes at most.",
            "Train on a part of the corpus.",
        )
    return kept


def units_of(training: Training) -> Units:
    """The units of the corpus of a training.

    Raises SettingError if the training does not keep its corpus, or if that is too long or too short to draw from.

    >>> from tokviz import train
    >>> units = units_of(train(["one two", "two"] * 20, 258))
    >>> units.kind, units.n, units.chunks[0].tolist()
    ('text', 40, [0, 1])
    """
    kept = check_corpus(training)
    texts = training.text_ends
    if texts is not None and len(texts) >= TEXTS:
        kind: UnitKind = "text"
        stops, inside = np.array(texts, np.int64), np.empty(0, np.int64)
    else:
        kind = "block"
        stops, inside = _blocks(kept.data, kept.starts, kept.order < 0)
    if len(stops) < 2:
        raise SettingError("The corpus is too short: nothing can be drawn from a single chunk.", "Use a longer corpus.")
    numbers, chunk_ends, data, ends = kept.order, kept.starts[1:], training.counts.data, training.counts.ends
    special = kept.order < 0
    if len(inside):
        chunk_ends = np.union1d(chunk_ends, inside)
        special = special[np.searchsorted(kept.starts[1:], chunk_ends)]
        tally = ChunkCounter(len(kept.data))
        numbers = tally.add(kept.data, chunk_ends)
        data, ends = tally.data[: tally.n_bytes], tally.ends[: tally.n_chunks]
    numbers, chunk_ends = numbers[~special], chunk_ends[~special]
    chunks: list[Longs] = []
    counts: list[Longs] = []
    for of_unit in np.split(numbers, np.searchsorted(chunk_ends, stops[:-1], side="right")):
        distinct, firsts, times = np.unique(of_unit, return_index=True, return_counts=True)
        in_order = np.argsort(firsts)
        chunks.append(distinct[in_order].astype(np.int64))
        counts.append(times[in_order])
    return Units(kind, bool(len(inside)), stops, data, ends, chunks, counts)


def _blocks(data: bytes, starts: Longs, special: NDArray[np.bool_]) -> tuple[Longs, Longs]:
    """Cut a corpus into blocks: (the byte offsets at which they end, those of them that are inside of a chunk).

    starts: where each chunk starts, and the end. special: whether a chunk is a special token.

    >>> stops, inside = _blocks(b"abcdefgh" * 50, np.array([0, 350, 400]), np.array([False, False]))
    >>> stops.tolist(), inside.tolist()
    ([100, 200, 350, 400], [100, 200])
    """
    size = len(data)
    n = min(BLOCKS, max(size // BLOCK_BYTES, 2))
    stops, inside = {size}, set()
    for number in range(1, n):
        wanted = number * size // n
        after = int(np.searchsorted(starts, wanted))
        stop = int(starts[after])
        if stop - wanted > size // n and not special[after - 1]:
            while wanted < stop and data[wanted] & 0xC0 == 0x80:  # the middle of a character
                wanted += 1
            if wanted < stop:
                stop = wanted
                inside.add(stop)
        stops.add(stop)
    return np.array(sorted(stops - {0}), np.int64), np.array(sorted(inside), np.int64)
