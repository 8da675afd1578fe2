"""Finds which tokens two vocabularies share, and which only one of them has.

Tokens are compared by their bytes, because equal ids mean nothing across two vocabularies. Special tokens do not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokviz.base.wording import capital, count_of, percent
from tokviz.tokenizer.ids import ordinary_ids
from tokviz.tokenizer.peers import AnyTokenizer

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SharedTokens:
    """Holds the ids of the tokens of two vocabularies, a and b: int64, in rising order.

    in_a, in_b: the ids of the tokens that both have. only_a, only_b: the ids of those that only one has.
    longest: how many bytes the longest token that both have has; 0 if they share none.
    Where a peer has several ids for the same bytes, the lowest counts.
    """

    in_a: Ids
    in_b: Ids
    only_a: Ids
    only_b: Ids
    longest: int


def shared_tokens(a: AnyTokenizer, b: AnyTokenizer) -> SharedTokens:
    """Compare two vocabularies.

    >>> from tokviz import Tokenizer
    >>> hug, bug = Tokenizer("hug", merges=[(117, 103), (104, 256)]), Tokenizer("bug", merges=[(117, 103), (98, 256)])
    >>> two = shared_tokens(hug, bug)
    >>> len(two.in_a), two.only_a.tolist(), two.only_b.tolist()
    (257, [257], [257])
    """
    of_a, of_b = _lowest_ids(a), _lowest_ids(b)
    both = [token for token in of_a if token in of_b]
    return SharedTokens(
        np.array([of_a[token] for token in both], np.int64),
        np.sort(np.array([of_b[token] for token in both], np.int64)),
        np.array([id for token, id in of_a.items() if token not in of_b], np.int64),
        np.array([id for token, id in of_b.items() if token not in of_a], np.int64),
        max(map(len, both), default=0),
    )


def _lowest_ids(tokenizer: AnyTokenizer) -> dict[bytes, int]:
    """Find the lowest id of each token, in rising order."""
    vocab, found = tokenizer.vocab, dict[bytes, int]()
    for id in sorted(ordinary_ids(tokenizer)):
        found.setdefault(vocab[id], id)
    return found


def finding(two: SharedTokens, a: str, b: str) -> str:
    """Say what two vocabularies share, in a sentence without its full stop. a, b: their names.

    >>> from tokviz import Tokenizer
    >>> hug, bug = Tokenizer("hug", merges=[(117, 103), (104, 256)]), Tokenizer("bug", merges=[(117, 103)])
    >>> print(finding(shared_tokens(hug, bug), "hug", "bug").replace("\u00a0", " "))
    99.6 % of hug is also in bug, and all of bug is in hug
    """
    shared, only_a, only_b = len(two.in_a), len(two.only_a), len(two.only_b)
    if not shared:
        return f"{a} and {b} have no token in common"
    if not only_a and not only_b:
        return f"{a} and {b} have the same {count_of(shared, 'token')}"
    if two.longest == 1 and only_a and only_b:
        return f"{a} and {b} share {count_of(shared, 'single byte')}, and no longer token"
    of_a, of_b = ("all" if not only else percent(shared / (shared + only)) for only in (only_a, only_b))
    return f"{capital(of_a)} of {a} is also in {b}, and {of_b} of {b} is in {a}"
