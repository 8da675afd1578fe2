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

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.encoding import WHOLE, Encoding, Ints
from tokviz.overlay import Overlay, TokenList

_Tokens = tuple[Ints, NDArray[np.int64]]


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
    sizes = list(sizes)
    steps = sorted({size - 256 for size in sizes})
    found: dict[int, float | None] = {}
    uses = zip(steps, _uses(two.a, of_a, steps), _uses(two.b, of_b, steps), strict=True)
    for step, uses_a, uses_b in uses:
        smaller = int(np.minimum(uses_a[two.shared[:, 0]], uses_b[two.shared[:, 1]]).sum())
        larger = int(uses_a.sum() + uses_b.sum()) - smaller
        found[256 + step] = smaller / larger if larger else None
    return [found[size] for size in sizes]


def _uses(listed: TokenList, encodings: Sequence[Encoding], steps: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """For each of these rising steps, how often each token is in the text after so many merges: int64, by place.

    The tokens of a step are those of the step before it, some of them joined. So each step looks only at the tokens
    that the last one left, not at all bytes.
    """
    pieces = [_bytes_of(listed, encoding) for encoding in encodings]
    for step in steps:
        pieces = [_joined(seams, places, step) for seams, places in pieces]
        uses = np.zeros(len(listed), np.int64)
        for _, places in pieces:
            uses += np.bincount(places[places >= 0], minlength=len(listed))
        yield uses


def _bytes_of(listed: TokenList, encoding: Encoding) -> _Tokens:
    """The seam before each token of the text before any merge, and its place in the list; -1 if it has none there."""
    places = np.frombuffer(encoding.data, np.uint8).astype(np.int64)
    if encoding.whole:
        place_of = {id: place for place, id in enumerate(listed.ids.tolist())} | dict(listed.again)
        for start, id in encoding.whole.items():
            places[start] = -1 if id is None else place_of.get(id, -1)
    starts = encoding.seams != WHOLE
    return encoding.seams[starts], places[starts]


def _joined(seams: Ints, places: NDArray[np.int64], step: int) -> _Tokens:
    """The tokens after the first `step` merges, from those of an earlier step."""
    starts = np.flatnonzero(seams >= step)
    if not len(starts):
        return seams, places
    last_merge = np.maximum.reduceat(np.where(seams < step, seams, np.int32(-1)), starts)
    return seams[starts], np.where(last_merge >= 0, 256 + last_merge, places[starts])
