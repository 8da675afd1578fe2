"""Finds where a token was made in a text, and which merge took it there.

Both are read off the seams, as everything about a text is. The merge of rank r made its token at each seam that has the
rank r. Of the two seams beside that token, the lower one was closed first: its merge absorbed the token, into the
parent node of the text's merge trees. If no merge closed either of them, the token remains.

Two tokens of the same bytes are always made by the same merges, since no merge ever crossed the boundaries around them.
So it is known how long the left part of a token is, wherever the token is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.tokenizer.encoding import OPEN, SPLIT, WHOLE, Encoding, Ints
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.train import Training

REMAINS = -1  # in place of a rank, where no merge took the token

Places = NDArray[np.int64]


class Fate(NamedTuple):
    """Records what became of a token in a text.

    made: how often it was made.
    remain: how often it remains at the end.
    absorbers: (rank, times) of each merge that absorbed it, the most frequent first, of equal ones the lowest rank.
    """

    made: int
    remain: int
    absorbers: tuple[tuple[int, int], ...]


class Place(NamedTuple):
    """Describes a token's place: its first byte, its end, and the rank of the merge that took it; None if it stays."""

    start: int
    end: int
    taker: int | None


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Holds all places where a token was made in a text, in order.

    starts, ends: int64, bytes. takers: int32, the rank of the merge that took it, or REMAINS.

    >>> import tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> found = in_text(tok, 256, [tok.explain("aaab aa")])
    >>> found.fate(), found.places(remaining=True)
    (Fate(made=2, remain=1, absorbers=((1, 1),)), ([Place(start=5, end=7, taker=None)], 1))
    """

    starts: Places
    ends: Places
    takers: Ints

    def fate(self) -> Fate:
        """Count how often the token was made and remains, and which merges absorbed it."""
        return _fate(self.takers, np.ones(len(self.takers), np.int64))

    def places(self, *, remaining: bool, first: int = 0, n: int | None = None) -> tuple[list[Place], int]:
        """List n places from number `first` on where the token remains, or where it was absorbed; and count all."""
        all = np.flatnonzero((self.takers == REMAINS) == remaining)
        which = all[first:][:n]
        return _as_places(self.starts[which], self.ends[which], self.takers[which]), len(all)


@dataclass(frozen=True, eq=False)
class CorpusOccurrences:
    """Holds the same for the corpus of a training, whose distinct chunks are kept once each.

    in_chunks: the places in the distinct chunks; of a special token it is empty.
    chunks: int64, which chunk each of these places is in.
    special: the number of the special token among those of the corpus, None for any other token.

    >>> import tokviz
    >>> found = in_training(tokviz.train("the cat in the hat", vocab_size=259), 256)
    >>> found.fate(), found.places(remaining=False, first=1)
    (Fate(made=2, remain=0, absorbers=((1, 2),)), ([Place(start=11, end=13, taker=1)], 2))
    """

    training: Training
    in_chunks: Occurrences
    chunks: Places
    special: int | None

    def fate(self) -> Fate:
        """Count the same over the whole corpus."""
        counts = self.training.counts
        if self.special is not None:
            times = counts.special_counts[self.special]
            return Fate(times, times, ())
        return _fate(self.in_chunks.takers, counts.counts[self.chunks])

    def places(self, *, remaining: bool, first: int = 0, n: int | None = None) -> tuple[list[Place], int]:
        """List places as for a text, in the part that windows can show. A training made from counts has none."""
        kept, counts, inside = self.training.kept, self.training.counts, self.in_chunks
        if kept is None:
            return [], 0
        if self.special is not None:
            at = np.flatnonzero(kept.order == -1 - self.special) if remaining else np.empty(0, np.int64)
            some = at[first:][:n]
            return _as_places(kept.starts[some], kept.starts[some + 1], np.full(len(some), REMAINS, np.int32)), len(at)
        which = np.flatnonzero((inside.takers == REMAINS) == remaining)
        # How many each chunk has, and how many all chunks before it. The last entry is for special tokens.
        in_chunk = np.bincount(self.chunks[which], minlength=len(counts) + 1)
        before = np.cumsum(in_chunk) - in_chunk
        order = np.maximum(kept.order, -1)
        held = in_chunk[order]
        holders = np.flatnonzero(held)  # the places of the chunks that have any
        reached = np.cumsum(held[holders])
        skipped = int(np.searchsorted(reached, first, side="right"))
        found: list[Place] = []
        for holder in holders[skipped : None if n is None else skipped + n + 1].tolist():  # each has one or more
            chunk = int(order[holder])
            moved = int(kept.starts[holder]) - (int(counts.ends[chunk - 1]) if chunk else 0)
            rows = which[before[chunk] : before[chunk] + in_chunk[chunk]]
            found += _as_places(inside.starts[rows] + moved, inside.ends[rows] + moved, inside.takers[rows])
        passed = first - (int(reached[skipped - 1]) if skipped else 0)
        return found[passed:][:n], int(reached[-1]) if len(reached) else 0


def in_text(tokenizer: AnyTokenizer, id: int, encodings: Iterable[Encoding]) -> Occurrences:
    """Find the occurrences of the token with this id in a text, given as encodings of its pieces.

    A token that no merge made, such as a special token, is never absorbed. No token with this id: no occurrences.
    """
    found = [_in_piece(tokenizer, id, encoding) for encoding in encodings]
    if not found:
        return _NOWHERE
    return Occurrences(*(np.concatenate(column) for column in zip(*found, strict=True)))


def in_training(training: Training, id: int) -> CorpusOccurrences:
    """Find the occurrences of the token with this id in the corpus of a training."""
    tok, counts = training.tokenizer, training.counts
    specials = [tok.special_tokens.get(token) for token in counts.special_tokens]
    if id in specials:
        return CorpusOccurrences(training, _NOWHERE, _NOWHERE.starts, specials.index(id))
    inside = Occurrences(*_in_piece(tok, id, training.chunks))
    return CorpusOccurrences(training, inside, np.searchsorted(counts.ends, inside.starts, side="right"), None)


_NOWHERE = Occurrences(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32))


def _fate(takers: Ints, weights: Places) -> Fate:
    """Count what became of a token. weights: how often each occurrence counts."""
    gone = takers != REMAINS
    ranks, which = np.unique(takers[gone], return_inverse=True)
    times = np.zeros(len(ranks), np.int64)
    np.add.at(times, which, weights[gone])
    order = np.lexsort((ranks, -times))
    absorbers = tuple(zip(ranks[order].tolist(), times[order].tolist(), strict=True))
    return Fate(int(weights.sum()), int(weights[~gone].sum()), absorbers)


def _as_places(starts: Places, ends: Places, takers: Ints) -> list[Place]:
    rows = zip(starts.tolist(), ends.tolist(), takers.tolist(), strict=True)
    return [Place(start, end, None if taker == REMAINS else taker) for start, end, taker in rows]


def _in_piece(tokenizer: AnyTokenizer, id: int, encoding: Encoding) -> tuple[Places, Places, Ints]:
    """Find first bytes, ends and takers of the token in one encoding."""
    if not tokenizer.has_merges or id in tokenizer.cut_ids or id in tokenizer.lookups.values():
        at = np.array(sorted(start for start, one in encoding.whole.items() if one == id), np.int64)
        ends = encoding.ends[np.searchsorted(encoding.ends, at, side="right")]
        return at + encoding.start, ends + encoding.start, np.full(len(at), REMAINS, np.int32)
    bounds = np.append(encoding.seams, np.int32(SPLIT))
    byte = np.flatnonzero(tokenizer.alphabet == id)
    if len(byte):
        starts = np.flatnonzero(np.frombuffer(encoding.data, np.uint8) == byte[0])
        ends = starts + 1
        inside = (bounds[starts] == WHOLE) | (bounds[ends] == WHOLE)  # of a token that no merge made
        if encoding.whole:
            inside |= np.isin(starts, list(encoding.whole))
        starts, ends = starts[~inside], ends[~inside]
    else:
        rank = np.flatnonzero(tokenizer.merge_ids == id)
        if not len(rank):
            return _NOWHERE.starts, _NOWHERE.ends, _NOWHERE.takers
        starts = np.flatnonzero(encoding.seams == rank[0]) - left_size(tokenizer, id)
        ends = starts + len(tokenizer.vocab[id])
    closed = np.minimum(bounds[starts], bounds[ends])
    takers = np.where(closed < OPEN, closed, np.int32(REMAINS))
    return starts + encoding.start, ends + encoding.start, takers


def left_size(tokenizer: Tokenizer, id: int) -> int:
    """Tell how many bytes the left part of a token has; 0 if no pair of tokens makes it.

    >>> from tokviz import Tokenizer
    >>> left_size(Tokenizer("hug", merges=[(117, 103), (104, 256)]), 257)
    1
    """
    rank = np.flatnonzero(tokenizer.merge_ids == id)
    if not len(rank):
        return 0
    if not tokenizer.by_bytes:
        return len(tokenizer.vocab[tokenizer.merges[int(rank[0])][0]])
    # Encoding its bytes alone shows it at once; the pairs of a reference tokenizer take a second or two.
    alone = tokenizer.explain_ids([id])
    return 0 if alone.whole else int(np.argmax(alone.seams == rank[0]))
