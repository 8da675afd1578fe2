"""Counts how often each token was made in a text, and how often it remains at the end.

Both are read off the seams. Each seam that the merge of rank r closed made one token of rank r, so the number of seams
equal to r is how often that token was made. It remains where it is a token of the final text; elsewhere a later merge
absorbed it. The share that remains is the measure of intermediate merge residues in arXiv 2602.04706: final occurrences
over final and intermediate ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tokviz.tokenizer.encoding import Encoding, count_closed
from tokviz.training.train import Training

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TokenUse:
    """Holds the use of a tokenizer's tokens in a text.

    made, remain: int64[256 + merges], by the place of a token: its byte, or 256 + the rank of its merge. A byte is made
        wherever it is in a chunk.
    whole: id -> how often, of the tokens that no merge made: special tokens, look-ups, and all tokens of a peer.
    n_bytes: of the text.
    """

    made: Counts
    remain: Counts
    whole: dict[int, int] = field(default_factory=dict)
    n_bytes: int = 0


def use_in_training(training: Training) -> TokenUse:
    """Count the use of its tokens in the corpus of a training.

    >>> import tokviz
    >>> use = use_in_training(tokviz.train("aaabdaaabac", vocab_size=259))
    >>> use.made[256:].tolist(), use.remain[256:].tolist()
    ([2, 2, 2], [0, 0, 2])
    """
    counts = training.counts
    weights = np.repeat(counts.counts, np.diff(counts.ends, prepend=0))
    use = _use(training.chunks, weights, len(training.merges))
    tok = training.tokenizer
    whole = {
        tok.special_tokens[token]: times
        for token, times in zip(counts.special_tokens, counts.special_counts, strict=True)
        if times
    }
    return TokenUse(*use, whole, counts.n_bytes)


def use_in_text(encodings: Iterable[Encoding], merges: int) -> TokenUse:
    """Count the use of tokens in a text, given as encodings of its pieces. merges: how many the tokenizer has.

    >>> import tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> use_in_text([tok.explain("aaab")], 3).made[256:].tolist()
    [1, 1, 1]
    """
    made, remain = np.zeros(256 + merges, np.int64), np.zeros(256 + merges, np.int64)
    whole: Counter[int] = Counter()
    size = 0
    for encoding in encodings:
        starts = np.fromiter(encoding.whole, np.int64, len(encoding.whole))
        covered = np.zeros(len(encoding.data) + 1, np.int64)
        covered[starts] = 1
        covered[encoding.ends[np.searchsorted(encoding.ends, starts, side="right")]] -= 1
        piece = _use(encoding, 1 - covered.cumsum()[:-1], merges)
        made += piece[0]
        remain += piece[1]
        whole.update(id for id in encoding.whole.values() if id is not None)
        whole.update(encoding.bare)
        size += len(encoding.data)
    return TokenUse(made, remain, dict(whole), size)


def _use(encoding: Encoding, weights: Counts, merges: int) -> tuple[Counts, Counts]:
    """Count how often each token was made and how often it remains. weights: how often each byte counts."""
    data, ranks = np.frombuffer(encoding.data, np.uint8), encoding.ranks
    made = np.append(np.bincount(data, weights, 256).astype(np.int64), count_closed(encoding.seams, merges, weights))
    places = np.where(ranks < 0, data[encoding.starts], 256 + ranks)
    remain = np.bincount(places, weights[encoding.starts], 256 + merges)
    return made, remain.astype(np.int64)  # sums below 2^53, so the floats are exact
