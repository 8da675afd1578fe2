"""Encodes one chunk step by step.

The encoder only gives the result. `rounds` does its work slowly, and yields at every step which pairs could be merged,
at which ranks, and which of them are merged. `chunk_steps` and the lessons on encoding use it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tokviz.base.errors import InputError
from tokviz.tokenizer.tokenizer import Tokenizer

STEPPED = 100  # bytes of a chunk; every step lists every pair, so the result grows with the square of the length


@dataclass(frozen=True, slots=True)
class ChunkStep:
    """Holds the tokens of a chunk before one merge or, in the last step, after all merges.

    ends: the byte offset in the chunk at which each token ends.
    ids: the id of each token.
    ranks: for each pair of neighbours the rank of the merge that joins them, None if no merge does.
    next: the index of the pair that is merged now, which is the index of its left token; None in the last step.
    """

    ends: tuple[int, ...]
    ids: tuple[int, ...]
    ranks: tuple[int | None, ...]
    next: int | None


def chunk_steps(tokenizer: Tokenizer, chunk: bytes, merges: int | None = None) -> list[ChunkStep]:
    """List the steps in which the merges encode one chunk: the lowest rank first, and the leftmost of equal ranks.

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

    first = tokenizer.explain_chunks(chunk, np.array([len(chunk)])).at(0)  # its bytes, or characters
    ids, steps = first.ids.tolist(), []
    for ends, ranks, closed in rounds(chunk, rank_of, one_place=True, ends=first.ends.tolist()):
        here = closed[0] if closed else None
        steps.append(ChunkStep(tuple(ends), tuple(ids), tuple(ranks), here))
        if here is not None:
            ids[here : here + 2] = [int(tokenizer.merge_ids[ranks[here]])]
    return steps


def rounds(
    chunk: bytes, rank_of: Callable[[bytes, bytes], int | None], *, one_place: bool = False, ends: Sequence[int] = ()
) -> Iterator[tuple[list[int], list[int | None], list[int]]]:
    """Join the bytes of a chunk to tokens in rounds, each of which joins the pairs of the lowest rank.

    Yields three lists before each round: the byte offset at which each token ends; the rank of each pair of neighbours,
    None if it cannot be joined; and the indices of the pairs that the round joins, the left one of two that overlap.
    The last round joins none.

    rank_of: gives the rank of a pair. Each round asks it again for all pairs, from left to right.
    one_place: join only the leftmost pair of the lowest rank in a round.
    ends: where the first tokens end; by default each is a byte.

    >>> from tokviz import Tokenizer
    >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)])
    >>> [(ends, joined) for ends, _, joined in rounds(b"hugug", tok.rank_of_pair)]
    [([1, 2, 3, 4, 5], [1, 3]), ([1, 3, 5], [0]), ([3, 5], [])]
    """
    ends = [*ends] or [*range(1, len(chunk) + 1)]
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
