"""Finds the tokens that a token is part of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokviz.tokenizer.tokenizer import Tokenizer


class Family:
    """Finds the merges of a tokenizer by what they join.

    Making one takes milliseconds, but a second or two for a reference tokenizer, whose merges are recovered for it. It
    does not change once it is made, so threads can share it.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.merge_ids = tokenizer.merge_ids
        self.pairs: NDArray[np.int64] = np.array(tokenizer.merges, np.int64).reshape(-1, 2)
        ranks = np.arange(len(self.pairs))
        # 'aa' counts as one whole of 'a'; a token that no pair makes has (-1, -1)
        twins = self.pairs[:, 0] == self.pairs[:, 1]
        parts = np.concatenate([self.pairs[:, 0], self.pairs[~twins, 1]])
        wholes = np.concatenate([ranks, ranks[~twins]])
        order = np.lexsort((wholes, parts))
        self.parts, self.wholes = parts[order], wholes[order]  # part id -> ranks of the merges that join it

    def wholes_of(self, id: int, merges: int | None = None) -> NDArray[np.int64]:
        """Find the ranks of the merges that join the token with this id to another, or to itself, ascending.

        merges: only the first so many count; by default all.

        >>> from tokviz import Tokenizer
        >>> Family(Tokenizer("hug", merges=[(117, 103), (104, 256), (98, 256)])).wholes_of(256).tolist()
        [1, 2]
        """
        first, last = np.searchsorted(self.parts, [id, id + 1])
        wholes = self.wholes[first:last] if id >= 0 else self.wholes[:0]
        return wholes if merges is None else wholes[: np.searchsorted(wholes, merges)]
