"""Which merges are certain where rare chunks were pruned from the counts.

Of the pruned chunks, `ChunkCounts.pruned_windows` remains: for every two bytes, how often they were neighbours there.
It bounds what the pruned chunks could add to the count of any pair of tokens, at any step of a training:

1. Take two tokens x and y, and two neighbouring bytes in x followed by y. Wherever x and y are neighbours in a pruned
   chunk, these two bytes stand there, at the same distance from the boundary between x and y. Two such places have
   different boundaries, so each has its own two bytes. This holds for windows that overlap, too: 'aaa' has two windows
   (a, a), and two windows of these bytes.
2. So the pruned chunks add at most as much as the table has for these two bytes. The bound of a pair is the least such
   figure over all neighbouring bytes in x followed by y. Merges never change the bytes of a chunk, so it holds at every
   step.
3. Suppose that all merges so far are those of the whole corpus. There, the winner's count is at least its count here,
   and a rival's count is at most its count here plus its bound. If the first is larger for every rival that is not
   banned, then the next merge is that of the whole corpus too, whatever the tie rule. If it is only equal for some, but
   the bound of all pairs that can reach the winner's count is 0, then these pairs are in no pruned chunk: their counts
   and first places are those of the whole corpus, so the tie rule picks the same pair.

The first merge for which this fails ends the certain ones, because 3 supposes all merges before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tokviz.chunk_counts import ChunkCounts
from tokviz.kernels import Learner
from tokviz.kernels.base import CPUS
from tokviz.rules import Rules

Longs = NDArray[np.int64]

BOUNDLESS = np.iinfo(np.int64).max


def certain_merges(counts: ChunkCounts, rules: Rules, asked: int, threads: int = CPUS) -> Iterator[int]:
    """How many of the first merges are those of the whole corpus, in this order; at most `asked`.

    Yields the number so far from time to time, and at the end the final one. It learns the certain merges for this. If
    the rarest pair wins, no merge is certain: any pair in the pruned chunks could be rarer. threads: as in `Learner`.

    >>> from tokviz import count_chunks
    >>> counts = count_chunks(" a" * 40 + " ab" * 9 + " ac" * 8 + " acb").pruned(3)
    >>> [*certain_merges(counts, Rules(), asked=3)][-1]
    1
    """
    if counts.pruned_windows is None:
        yield asked
    elif rules.prefer == "rarest":
        yield 0
    else:
        learner = Learner(
            counts.data,
            counts.ends,
            counts.counts,
            n_tokens=counts.n_tokens,
            asked=asked,
            threads=threads,
            **rules.for_learner(),
        )
        at_first = counts.windows_of_bytes()
        for token in rules.ban:
            if len(token) == 2:
                at_first[token[0] << 8 | token[1]] = 0
        yield from _certain(learner, at_first, counts.pruned_windows)


def _certain(learner: Learner, at_first: Longs, pruned: Longs) -> Iterator[int]:
    """See `certain_merges`. learner: has made no merge yet. at_first: the counts of pairs before the first merge."""
    bounds = _Bounds(pruned, learner.asked)
    found = np.flatnonzero(at_first)
    certain = int(bounds.settle(found >> 8, found & 0xFF, at_first[found], 0))  # counts the next merge
    if certain:
        for _ in chain(learner.learn(0), [None]):  # one merge a slice
            if len(learner.merges) == certain:
                left, right = learner.merges[-1, :2].tolist()
                bounds.add_token(255 + certain, left, right)
                if not bounds.settle(*learner.stored_pairs(), learner.most_unstored):
                    break
                certain += 1
            yield certain
    yield min(certain, len(learner.merges))


class _Bounds:
    """What pruned chunks could add to a pair: the least figure of the table over the neighbouring bytes in the pair."""

    def __init__(self, pruned: Longs, asked: int) -> None:
        self._pruned = pruned
        self._most = int(pruned.max())
        self._first, self._last = np.arange(256 + asked), np.arange(256 + asked)  # by id: a token's first and last byte
        self._inside = np.full(256 + asked, BOUNDLESS)  # by id: the least figure inside a token

    def add_token(self, id: int, left: int, right: int) -> None:
        """Enter the token that a merge made of two."""
        self._inside[id] = self._of(left, right)
        self._first[id], self._last[id] = self._first[left], self._last[right]

    def settle(self, left: Longs, right: Longs, counts: Longs, most_unstored: int) -> bool:
        """Whether the winner among these pairs is the winner in the whole corpus.

        left, right, counts: the two ids and the count of each pair. No other pair has a count above `most_unstored`.
        """
        top = int(counts.max(initial=0))
        if top <= most_unstored + self._most:
            return False
        near = np.flatnonzero(counts + self._most >= top)
        bounds = self._of(left[near], right[near])
        reaching = bounds[counts[near] + bounds >= top]  # the winner is one of them
        return len(reaching) == 1 or not reaching.any()

    def _of(self, left: Longs | int, right: Longs | int) -> Longs:
        between: Longs = self._pruned[self._last[left] << 8 | self._first[right]]
        inside: Longs = np.minimum(self._inside[left], self._inside[right])
        return np.minimum(between, inside)
