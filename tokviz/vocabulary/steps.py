"""How one chunk is encoded, step by step, and which tokens a token is made of and part of.

The encoder only gives the result. `rounds` does its work slowly, and yields at every step which pairs could be merged,
at which ranks, and which of them are merged. `chunk_steps` and the lessons on encoding are made of these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tokviz.base.errors import InputError
from tokviz.tokenizer.tokenizer import Tokenizer

STEPPED = 100  # bytes of a chunk; every step lists every pair, so the result grows with the square of the length
NAMED = 12  # tokens listed of those that a token is part of


@dataclass(frozen=True, slots=True)
class ChunkStep:
    """The tokens of a chunk before one merge or, in the last step, after all merges.

    ends: the byte offset in the chunk at which each token ends. ids: the id of each token.
    ranks: for each pair of neighbours the rank of the merge that joins them, None if no merge does.
    next: the index of the pair that is merged now, which is the index of its left token; None in the last step.
    """

    ends: tuple[int, ...]
    ids: tuple[int, ...]
    ranks: tuple[int | None, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class Relations:
    """What a token is made of and part of, as ids.

    made_of: the pair that its merge joins; None for single bytes, special tokens, and tokens that no merge makes.
    part_of: the first NAMED tokens, in rank order, whose merge joins this token with another. n_part_of: how many
    such tokens there are in all.
    """

    made_of: tuple[int, int] | None
    part_of: tuple[int, ...]
    n_part_of: int


def chunk_steps(tokenizer: Tokenizer, chunk: bytes, merges: int | None = None) -> list[ChunkStep]:
    """How the merges turn the bytes of one chunk into tokens: lowest rank first, and the leftmost of equal ranks.

    merges: use only this many merges, as a smaller vocabulary would. The chunk is not split again. Raises InputError
    if it is empty or longer than STEPPED bytes.

    >>> from tokviz import Tokenizer
    >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)])
    >>> for step in chunk_steps(tok, b"hugs"):
    ...     print(step.ends, step.ranks, step.next)
    (1, 2, 3, 4) (None, 0, None) 1
    (1, 3, 4) (1, None) 0
    (3, 4) (None,) None
    >>> step.ids
    (257, 115)
    """
    if not 0 < len(chunk) <= STEPPED:
        raise InputError(
            f"Only a chunk of 1 to {STEPPED} bytes can be shown step by step; this one has {len(chunk):,}.",
            "Choose another chunk.",
        )
    limit = len(tokenizer.merge_ids) if merges is None else merges

    @functools.cache
    def rank_of(left: bytes, right: bytes) -> int | None:
        rank = tokenizer.rank_of_pair(left, right)
        return rank if rank is not None and rank < limit else None

    ids, steps = [int(tokenizer.alphabet[byte]) for byte in chunk], []
    for ends, ranks, closed in rounds(chunk, rank_of, one_place=True):
        here = closed[0] if closed else None
        steps.append(ChunkStep(tuple(ends), tuple(ids), tuple(ranks), here))
        if here is not None:
            ids[here : here + 2] = [int(tokenizer.merge_ids[ranks[here]])]
    return steps


def rounds(
    chunk: bytes, rank_of: Callable[[bytes, bytes], int | None], *, one_place: bool = False
) -> Iterator[tuple[list[int], list[int | None], list[int]]]:
    """Join the bytes of a chunk to tokens: of the pairs that can be joined, those of the lowest rank, until none can.

    Yields before each round: the byte at which each token ends; for each pair of neighbours its rank, None if it cannot
    be joined; and the indices of the pairs that are joined now. There are none in the last round.

    rank_of: gives the rank of a pair. It is asked again for all pairs in each round, from left to right. one_place:
    join only the leftmost pair of the lowest rank in a round.

    >>> from tokviz import Tokenizer
    >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)])
    >>> [(ends, joined) for ends, _, joined in rounds(b"hugug", tok.rank_of_pair)]
    [([1, 2, 3, 4, 5], [1, 3]), ([1, 3, 5], [0]), ([3, 5], [])]
    """
    ends = [*range(1, len(chunk) + 1)]
    while True:
        tokens = [chunk[start:end] for start, end in pairwise([0, *ends])]
        ranks = [rank_of(left, right) for left, right in pairwise(tokens)]
        lowest = min((rank for rank in ranks if rank is not None), default=None)
        joined: list[int] = []
        for i, rank in enumerate(ranks):
            if rank is not None and rank == lowest and joined[-1:] != [i - 1]:
                joined.append(i)
        if one_place:
            del joined[1:]
        yield ends, ranks, joined
        if not joined:
            return
        gone = set(joined)
        ends = [end for i, end in enumerate(ends) if i not in gone]


class Family:
    """The merges of a tokenizer, by what they make and by what they join: what `relations` looks up.

    Making one takes milliseconds, but a second or two for a reference tokenizer, whose merges are recovered for it. It
    does not change once it is made, so threads can share it.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.merge_ids = tokenizer.merge_ids
        self.pairs: NDArray[np.int64] = np.array(tokenizer.merges, np.int64).reshape(-1, 2)
        self.by_id = np.argsort(self.merge_ids, kind="stable")
        ranks = np.arange(len(self.pairs))
        # 'aa' counts as one whole of 'a'; a token that no pair makes has (-1, -1)
        twins = self.pairs[:, 0] == self.pairs[:, 1]
        parts = np.concatenate([self.pairs[:, 0], self.pairs[~twins, 1]])
        wholes = np.concatenate([ranks, ranks[~twins]])
        order = np.lexsort((wholes, parts))
        self.parts, self.wholes = parts[order], wholes[order]  # part id -> ranks of the merges that join it

    def wholes_of(self, id: int) -> NDArray[np.int64]:
        """The ranks of the merges that join the token with this id to another, or to itself, ascending.

        >>> from tokviz import Tokenizer
        >>> Family(Tokenizer("hug", merges=[(117, 103), (104, 256), (98, 256)])).wholes_of(256).tolist()
        [1, 2]
        """
        first, last = np.searchsorted(self.parts, [id, id + 1])
        return self.wholes[first:last] if id >= 0 else self.wholes[:0]


def relations(family: Family, id: int, merges: int | None = None) -> Relations:
    """What the token with this id is made of, and which tokens have it as a part.

    family: of the tokenizer. merges: use only this many merges. An id that no merge uses or makes has no relations.

    >>> from tokviz import Tokenizer
    >>> family = Family(Tokenizer("hug", merges=[(117, 103), (104, 256), (98, 256)]))
    >>> relations(family, 256)
    Relations(made_of=(117, 103), part_of=(257, 258), n_part_of=2)
    """
    limit = len(family.merge_ids) if merges is None else merges
    made_of = None
    place = int(np.searchsorted(family.merge_ids, id, sorter=family.by_id))
    if place < len(family.by_id):
        rank = int(family.by_id[place])
        left, right = family.pairs[rank].tolist()
        if family.merge_ids[rank] == id and rank < limit and left >= 0:
            made_of = (left, right)
    wholes = family.wholes_of(id)
    known = int(np.searchsorted(wholes, limit))
    return Relations(made_of, tuple(family.merge_ids[wholes[: min(known, NAMED)]].tolist()), known)
