"""Finds what a token is made of, and which tokens it is part of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokviz.tokenizer.tokenizer import Tokenizer

NAMED = 12  # tokens listed of those that a token is part of


@dataclass(frozen=True, slots=True)
class Relations:
    """Lists what a token is made of and part of, as ids.

    made_of: the pair that its merge joins; None for single bytes, special tokens, and tokens that no merge makes.
    part_of: the first NAMED tokens, in rank order, whose merge joins this token with another.
    n_part_of: how many such tokens there are in all.
    """

    made_of: tuple[int, int] | None
    part_of: tuple[int, ...]
    n_part_of: int


class Family:
    """Finds the merges of a tokenizer by what they make and by what they join, for `relations`.

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
        """Find the ranks of the merges that join the token with this id to another, or to itself, ascending.

        >>> from tokviz import Tokenizer
        >>> Family(Tokenizer("hug", merges=[(117, 103), (104, 256), (98, 256)])).wholes_of(256).tolist()
        [1, 2]
        """
        first, last = np.searchsorted(self.parts, [id, id + 1])
        return self.wholes[first:last] if id >= 0 else self.wholes[:0]


def relations(family: Family, id: int, merges: int | None = None) -> Relations:
    """Find what the token with this id is made of, and which tokens have it as a part.

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
