"""Where a token was made in a text, and which merge took it there.

Both are read off the seams, as everything about a text is. The merge of rank r made its token at each seam that has the
rank r. Of the two seams beside that token, the lower one was closed first: its merge absorbed the token, into the
parent node of the text's merge trees. If no merge closed either of them, the token remains.

Two tokens of the same bytes are always made by the same merges, since no merge ever crossed the boundaries around them.
So it is known how long the left part of a token is, wherever the token is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.encoding import OPEN, SPLIT, WHOLE, Encoding, Ints
from tokviz.peers import AnyTokenizer, Peer
from tokviz.tokenizer import Tokenizer
from tokviz.training import Training

REMAINS = -1  # in place of the rank that took a token, where none did

Places = NDArray[np.int64]


class Fate(NamedTuple):
    """What became of a token in a text.

    made: how often it was made. remain: how often it remains at the end. absorbers: (rank, times) of each merge that
    absorbed it, the most frequent first, of equal ones the lowest rank.
    """

    made: int
    remain: int
    absorbers: tuple[tuple[int, int], ...]

    @property
    def survives(self) -> float | None:
        """The share that remains, from 0 to 1; None if the token was never made. Source: arXiv 2602.04706."""
        return self.remain / self.made if self.made else None

    @property
    def is_residue(self) -> bool:
        """Was it made, and always absorbed? Then it is an intermediate residue."""
        return self.made > 0 and not self.remain


class Place(NamedTuple):
    """One place of a token: its first byte, the byte after its last, and the rank of the merge that absorbed it there.

    taker: None if the token remains.
    """

    start: int
    end: int
    taker: int | None


@dataclass(frozen=True, eq=False)
class Occurrences:
    """All places where a token was made, in order.

    starts, ends: int64, bytes. takers: int32, the rank of the merge that took it, or REMAINS. weights: int64, how often
    each counts; None where each counts once.

    >>> import tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> found = in_text(tok, 256, [tok.explain("aaab aa")])
    >>> found.fate(), found.places(remaining=True)
    (Fate(made=2, remain=1, absorbers=((1, 1),)), [Place(start=5, end=7, taker=None)])
    """

    starts: Places
    ends: Places
    takers: Ints
    weights: Places | None = None

    @cached_property
    def remaining(self) -> NDArray[np.bool_]:
        """Which of them remain."""
        remaining: NDArray[np.bool_] = self.takers == REMAINS
        return remaining

    def fate(self) -> Fate:
        """The figures."""
        weights = np.ones(len(self.starts), np.int64) if self.weights is None else self.weights
        ranks, which = np.unique(self.takers[~self.remaining], return_inverse=True)
        times = np.zeros(len(ranks), np.int64)
        np.add.at(times, which, weights[~self.remaining])
        order = np.lexsort((ranks, -times))
        absorbers = tuple(zip(ranks[order].tolist(), times[order].tolist(), strict=True))
        return Fate(int(weights.sum()), int(weights[self.remaining].sum()), absorbers)

    def places(self, *, remaining: bool, first: int = 0, n: int | None = None) -> list[Place]:
        """n places from the one with number `first`, where the token remains or where it was absorbed."""
        which = np.flatnonzero(self.remaining == remaining)[first:][:n]
        return _as_places(self.starts[which], self.ends[which], self.takers[which])


def in_text(tokenizer: AnyTokenizer, id: int, encodings: Iterable[Encoding]) -> Occurrences:
    """The occurrences of the token with this id in a text, given as encodings of its pieces.

    A token that no merge made, such as a special token, is never absorbed. No token with this id: no occurrences.
    """
    found = [_in_piece(tokenizer, id, encoding) for encoding in encodings]
    if not found:
        return Occurrences(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32))
    return Occurrences(*(np.concatenate(column) for column in zip(*found, strict=True)))


def in_training(training: Training, id: int) -> Occurrences:
    """The occurrences of a token in the distinct chunks of the corpus of a training, each with its number of times.

    `places_in_corpus` finds them in the corpus itself.

    >>> import tokviz
    >>> training = tokviz.train("the cat in the hat", vocab_size=259)
    >>> in_training(training, 256).fate()
    Fate(made=2, remain=0, absorbers=((1, 2),))
    """
    tok, counts = training.tokenizer, training.counts
    special = _special_of(training, id)
    if special is not None:
        times = np.array([counts.special_counts[special]], np.int64)
        nowhere = np.zeros(1, np.int64)
        return Occurrences(nowhere, nowhere, np.array([REMAINS], np.int32), times)
    chunks = Encoding(counts.data.tobytes(), training.seams, tok.alphabet, tok.merge_ids)
    starts, ends, takers = _in_piece(tok, id, chunks)
    return Occurrences(starts, ends, takers, counts.counts[np.searchsorted(counts.ends, starts, side="right")])


def places_in_corpus(
    training: Training, id: int, *, remaining: bool, first: int = 0, n: int | None = None
) -> tuple[list[Place], int]:
    """n places in the corpus from the one with number `first`, and how many there are.

    remaining: the places where the token remains, or those where it was absorbed. Only the part of the corpus that
    windows can show is searched: none of it, if the training was made from counts.

    >>> import tokviz
    >>> training = tokviz.train("the cat in the hat", vocab_size=259)
    >>> places_in_corpus(training, 256, remaining=False, first=1)
    ([Place(start=11, end=13, taker=1)], 2)
    """
    kept, counts = training.kept, training.counts
    if kept is None:
        return [], 0
    special = _special_of(training, id)
    if special is not None:
        at = np.flatnonzero(kept.order == -1 - special) if remaining else np.empty(0, np.int64)
        some = at[first:][:n]
        return _as_places(kept.starts[some], kept.starts[some + 1], np.full(len(some), REMAINS)), len(at)
    found = in_training(training, id)
    which = np.flatnonzero(found.remaining == remaining)
    chunks = np.searchsorted(counts.ends, found.starts[which], side="right")
    # How many each chunk has, and how many all chunks before it. The last entry is for special tokens.
    in_chunk = np.bincount(chunks, minlength=len(counts) + 1)
    before = np.cumsum(in_chunk) - in_chunk
    order = np.maximum(kept.order, -1)
    holders = np.flatnonzero(in_chunk[order])  # the places of the chunks that have any
    reached = np.cumsum(in_chunk[order[holders]])
    skipped = int(np.searchsorted(reached, first, side="right"))
    places: list[Place] = []
    for holder in holders[skipped : None if n is None else skipped + n + 1].tolist():  # each has one or more
        chunk = int(order[holder])
        moved = int(kept.starts[holder]) - (int(counts.ends[chunk - 1]) if chunk else 0)
        rows = which[before[chunk] : before[chunk] + in_chunk[chunk]]
        places += _as_places(found.starts[rows] + moved, found.ends[rows] + moved, found.takers[rows])
    passed = first - (int(reached[skipped - 1]) if skipped else 0)
    return places[passed:][:n], int(reached[-1]) if len(reached) else 0


def _special_of(training: Training, id: int) -> int | None:
    """The number of a special token among those of the corpus, None if none of them has this id."""
    ids = [training.tokenizer.special_tokens.get(token) for token in training.counts.special_tokens]
    return ids.index(id) if id in ids else None


def _as_places(starts: Places, ends: Places, takers: NDArray[np.integer]) -> list[Place]:
    rows = zip(starts.tolist(), ends.tolist(), takers.tolist(), strict=True)
    return [Place(start, end, None if taker == REMAINS else taker) for start, end, taker in rows]


def _in_piece(tokenizer: AnyTokenizer, id: int, encoding: Encoding) -> tuple[Places, Places, Ints]:
    """First bytes, ends and takers of the token in one encoding."""
    if isinstance(tokenizer, Peer) or id in tokenizer.special_ids or id in tokenizer.lookups.values():
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
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32)
        starts = np.flatnonzero(encoding.seams == rank[0]) - left_size(tokenizer, id)
        ends = starts + len(tokenizer.vocab[id])
    closed = np.minimum(bounds[starts], bounds[ends])
    takers = np.where(closed < OPEN, closed, np.int32(REMAINS))
    return starts + encoding.start, ends + encoding.start, takers


def left_size(tokenizer: Tokenizer, id: int) -> int:
    """How many bytes the left part of a token has; 0 if no pair of tokens makes it.

    >>> from tokviz import Tokenizer
    >>> left_size(Tokenizer("hug", merges=[(117, 103), (104, 256)]), 257)
    1
    """
    rank = np.flatnonzero(tokenizer.merge_ids == id)
    if not len(rank):
        return 0
    if not tokenizer.by_bytes:
        return len(tokenizer.vocab[tokenizer.merges[int(rank[0])][0]])
    # What its bytes become alone tells it at once; the pairs of a reference tokenizer take a second or two.
    alone = tokenizer.explain_ids([id])
    return 0 if alone.whole else int(np.argmax(alone.seams == rank[0]))
