"""Finds which merges of a vocabulary fire in a text, in rank order. A player plays these instead of all 200,000.

They are read off the seams: a merge fired at each seam that has its rank. This shows how a text is encoded, not how the
vocabulary was trained: a vocabulary does not tell how often a pair occurred in its corpus.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tokviz.tokenizer.encoding import Encoding, Ints, is_closed


class Fired(NamedTuple):
    """Describes a merge that fired: its rank, the bytes of the tokens it joined, and the id of the token it made.

    times: how often it fired in the text. tokens_after: the number of tokens in the text after it fired everywhere.
    """

    rank: int
    left: bytes
    right: bytes
    id: int
    times: int
    tokens_after: int


def fired(encoding: Encoding) -> list[Fired]:
    """List the merges that fired in an encoded text, in rank order.

    >>> from tokviz import train
    >>> for merge in fired(train("aaabdaaabac", 259).tokenizer.explain("aaab aa")):
    ...     print(*merge)
    0 b'a' b'a' 256 2 5
    1 b'aa' b'a' 257 1 4
    2 b'aaa' b'b' 258 1 3
    """
    ranks, firsts, times = _ranks_in(encoding)
    tokens = len(encoding) + int(times.sum())
    found = []
    for rank, at, n in zip(ranks.tolist(), firsts.tolist(), times.tolist(), strict=True):
        tokens -= n
        left, right = encoding.joined_at(at)
        found.append(Fired(rank, left, right, int(encoding.merge_ids[rank]), n, tokens))
    return found


def only_fired(encoding: Encoding) -> Encoding:
    """Renumber the ranks of an encoding 0, 1, 2 ..., so that at step k the first k merges have fired.

    >>> import tokviz
    >>> text = tokviz.reference("gpt2").explain("hello")
    >>> text.seams.tolist()[1:], only_fired(text).seams.tolist()[1:]
    ([2, 12502, 41, 31117], [0, 2, 1, 3])
    """
    ranks, _, _ = _ranks_in(encoding)
    seams = encoding.seams.copy()
    closed = is_closed(seams)
    seams[closed] = np.searchsorted(ranks, seams[closed])
    return replace(encoding, seams=seams, merge_ids=encoding.merge_ids[ranks])


def _ranks_in(encoding: Encoding) -> tuple[Ints, Ints, Ints]:
    """Return int32: the ranks in the seams, ascending; for each the byte after its first seam, and how many it has."""
    places = np.flatnonzero(is_closed(encoding.seams))
    ranks, firsts, times = np.unique(encoding.seams[places], return_index=True, return_counts=True)
    return ranks, places[firsts].astype(np.int32), times.astype(np.int32)
