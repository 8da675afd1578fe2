"""How much two vocabularies overlap at every size, plain and weighted by the use of their tokens in a text.

Both are Jaccard indices: 0 if nothing is common, 1 if everything is. At size n, each tokenizer has its first n - 256
merges, or all of them if it has fewer.

    plain      merges of both / merges of either. The 256 single bytes are in every vocabulary, so they do not count.
    weighted   the text is encoded by both. For each token, take how often each of them has it in the result, 0 for
               never; then the sum of the smaller numbers / the sum of the larger numbers. Single bytes count here, but
               special tokens do not.

Source of the plain one: P. Jaccard, "The distribution of the flora in the alpine zone", New Phytologist 11, 1912. Of
the weighted one: S. Ioffe, "Improved consistent sampling, weighted minhash and L1 sketching", ICDM 2010.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.encoding import Encoding
from tokviz.overlay import Overlay, TokenList


class Overlap(NamedTuple):
    """The overlap of two vocabularies at one size.

    shared: how many merges both have. either: how many at least one has. plain: their quotient, None if there are none.
    """

    size: int
    shared: int
    either: int

    @property
    def plain(self) -> float | None:
        return self.shared / self.either if self.either else None


def overlap_at(two: Overlay, sizes: Iterable[int]) -> list[Overlap]:
    """The plain overlap at each of these vocabulary sizes.

    >>> from tokviz import Tokenizer
    >>> from tokviz.overlay import overlay
    >>> two = overlay(Tokenizer("hug", [(117, 103), (104, 256)]), Tokenizer("bug", [(117, 103), (98, 256)]))
    >>> [(one.size, one.shared, one.either) for one in overlap_at(two, [256, 257, 258])]
    [(256, 0, 0), (257, 1, 1), (258, 1, 3)]
    """
    in_both = np.sort(two.ranks.max(axis=1)) if len(two.ranks) else np.empty(0, np.int64)  # the rank that joins them
    found = []
    for size in sizes:
        n = size - 256
        shared = int(np.searchsorted(in_both, n))
        found.append(Overlap(size, shared, min(n, two.a.merges) + min(n, two.b.merges) - shared))
    return found


def weighted_overlap_at(
    two: Overlay, of_a: Sequence[Encoding], of_b: Sequence[Encoding], sizes: Iterable[int]
) -> list[float | None]:
    """The weighted overlap at each of these vocabulary sizes; None if the text has no tokens.

    of_a, of_b: the text under each tokenizer, whole or in pieces.

    >>> from tokviz import Tokenizer
    >>> from tokviz.overlay import overlay
    >>> hug, bug = Tokenizer("hug", [(117, 103), (104, 256)]), Tokenizer("bug", [(117, 103), (98, 256)])
    >>> weighted_overlap_at(overlay(hug, bug), [hug.explain("ughug")], [bug.explain("ughug")], [257, 258])
    [1.0, 0.25]
    """
    a, b = _Uses(two.a, of_a), _Uses(two.b, of_b)
    found: list[float | None] = []
    for size in sizes:
        uses_a, uses_b = a.at(size - 256), b.at(size - 256)
        smaller = int(np.minimum(uses_a[two.shared[:, 0]], uses_b[two.shared[:, 1]]).sum())
        larger = int(uses_a.sum() + uses_b.sum()) - smaller
        found.append(smaller / larger if larger else None)
    return found


class _Uses:
    """How often each token of a list is in a text at any step."""

    def __init__(self, listed: TokenList, encodings: Sequence[Encoding]) -> None:
        self.n = len(listed)
        self.encodings = encodings
        ids = [*listed.ids.tolist(), *listed.again]
        self.place_of_id = np.full(listed.tokenizer.n_vocab, -1)
        self.place_of_id[ids] = [*range(self.n), *listed.again.values()]

    def at(self, k: int) -> NDArray[np.int64]:
        """int64, by place: how often each token is there after the first k merges."""
        found = np.zeros(self.n, np.int64)
        for encoding in self.encodings:
            ids = encoding.at(k).ids
            places = self.place_of_id[ids[ids >= 0]]
            found += np.bincount(places[places >= 0], minlength=self.n)
        return found
