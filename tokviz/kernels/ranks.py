"""Makes the table of pairs of a tokenizer, from the pairs of its merges or from the bytes of its tokens.

A rank file such as tiktoken's has no pairs: two neighbours merge if their bytes together are a token. As a rule that is
the same as one pair a token: the pair that the token, encoded alone with those before it, becomes. Assume that
somewhere a token is made of another pair. Nothing has merged across its ends, and the lowest rank always goes first, so
inside them the merges below its rank were those of the token alone, in the same order. They end with that one pair.

It does not hold if a token, encoded alone with those before it, does not become two tokens. Then there are look-ups
(see `tokviz.tokenizer.merge_table`), and the table holds every way to cut a token into two tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokviz.kernels.base import Number, kernel
from tokviz.kernels.chunks import LONG, merge
from tokviz.kernels.keys import key_of, slot_of
from tokviz.kernels.pairs import BITS, FREE, MOST_TOKENS, Bytes, Ints, Longs, enter, no_pairs, pair_table


@kernel
def _enter_pairs(tables: Longs, pairs: Longs) -> None:
    """Enter pairs in the tables. pairs: int64[n, 3], left, right, rank."""
    table = pair_table(tables, MOST_TOKENS)
    for i in range(len(pairs)):
        enter(table, pairs[i, 0], pairs[i, 1], pairs[i, 2])


@kernel
def _enter_made(tables: Longs, data: Bytes, ends: Longs, longest: Number) -> bool:
    """Enter the pair that each token is made of. It stops and returns False if there is a token without such a pair."""
    tokens, seams = np.empty((4, max(longest, LONG)), np.int32), np.empty(longest, np.int32)
    start = np.int64(0)
    for rank in range(len(ends)):
        pairs = pair_table(tables, rank)
        if merge(data, start, ends[rank] - start, pairs, tokens, seams, np.int64(0)) != 2:
            return False
        enter(pairs, tokens[0, 0], tokens[0, 1], rank)
        start = ends[rank]
    return True


@kernel
def _token_slot(names: Ints, data: Bytes, ends: Longs, start: Number, end: Number) -> Number:
    """Find the slot of data[start:end] in `names`, a hash table of tokens by their bytes, or the free slot for it.

    names: int32, rank + 1, or 0 if the slot is free. ends: where the bytes of each token end in `data`, by rank.
    """
    mask = len(names) - 1
    slot = np.int64(slot_of(key_of(data, np.uint64(start), np.uint64(end)), np.uint64(mask)))
    while names[slot]:
        rank = names[slot] - 1
        first = ends[rank - 1] if rank else 0
        if ends[rank] - first == end - start:
            same = 0
            while same < end - start and data[first + same] == data[start + same]:
                same += 1
            if same == end - start:
                break
        slot = (slot + 1) & mask
    return slot


@kernel
def _token_of(names: Ints, data: Bytes, ends: Longs, start: Number, end: Number) -> Number:
    """Look up the number of the token whose bytes are data[start:end]; -1 if there is none."""
    if end - start == 1:
        return np.int64(data[start])
    rank = names[_token_slot(names, data, ends, start, end)]
    return rank + 255 if rank else -1


@kernel
def _enter_tokens(names: Ints, data: Bytes, ends: Longs) -> None:
    for rank in range(len(ends)):
        first = ends[rank - 1] if rank else 0
        names[_token_slot(names, data, ends, first, ends[rank])] = rank + 1


@kernel
def _enter_cuts(tables: Longs, names: Ints, data: Bytes, ends: Longs, first: Number, room: Number) -> Number:
    """Enter every way to cut a token into two tokens, for the tokens from rank `first` on.

    Returns the rank to go on with, early if there is no room for the cuts of the next token.
    """
    pairs = pair_table(tables, MOST_TOKENS)
    for rank in range(first, len(ends)):
        start = ends[rank - 1] if rank else 0
        room -= ends[rank] - start
        if room < 0:
            return rank
        for middle in range(start + 1, ends[rank]):
            left = _token_of(names, data, ends, start, middle)
            if left >= 0:
                right = _token_of(names, data, ends, middle, ends[rank])
                if right >= 0:
                    enter(pairs, left, right, rank)
    return len(ends)


class Ranks:
    """Holds which tokens merge, and at what rank. At most MOST_TOKENS. tables: see `tokviz.kernels.pairs.no_pairs`."""

    def __init__(self, n_pairs: int) -> None:
        self.tables = no_pairs(max(1 << (2 * n_pairs + 1).bit_length(), 16))

    @classmethod
    def of_pairs(cls, pairs: Longs) -> Ranks:
        """Make the table of merges. pairs: int64[n, 2], a row a merge: the numbers of its two tokens."""
        ranks = cls(len(pairs))
        _enter_pairs(ranks.tables, np.column_stack([pairs, np.arange(len(pairs))]))
        return ranks

    @classmethod
    def of_tokens(cls, tokens: Sequence[bytes]) -> Ranks:
        """Make the table of tokens: two neighbours merge if their bytes together are one of them. tokens: the bytes of
        each merge's token, in rank order."""
        data = np.frombuffer(b"".join(tokens), np.uint8)
        ends = np.cumsum(np.fromiter(map(len, tokens), np.int64, len(tokens)))
        ranks = cls(len(tokens))
        if _enter_made(ranks.tables, data, ends, max(map(len, tokens), default=0)):
            return ranks
        names = np.zeros(1 << (2 * len(tokens) + 1).bit_length(), np.int32)
        _enter_tokens(names, data, ends)
        ranks, done = cls(2 * len(tokens)), 0
        while done < len(tokens):
            entries = pair_table(ranks.tables, MOST_TOKENS).entries
            used = entries[entries != FREE]
            room = len(entries) // 2 - len(used)
            done, before = _enter_cuts(ranks.tables, names, data, ends, done, room), done
            if done == before:
                ranks.tables = no_pairs(2 * len(entries))
                pairs = np.column_stack([used >> 2 * BITS, used >> BITS & MOST_TOKENS - 1, used & MOST_TOKENS - 1])
                _enter_pairs(ranks.tables, pairs)
        return ranks
