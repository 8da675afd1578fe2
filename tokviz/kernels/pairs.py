"""Says which two tokens merge, and at what rank: a hash table of pairs.

Tokens are numbered here: 0 to 255 are the bytes, and 256 + rank is what merge `rank` makes. Most pairs of tokens never
merge, and the processor takes long to fetch a slot of a large table. So a much smaller table of bits is asked first: it
knows nine of ten such pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import SPREAD, Number, kernel

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

BITS = 21  # of a token's number; an entry of the table of pairs is left << 42 | right << 21 | rank
MOST_TOKENS = 1 << BITS
FREE = -1  # an entry of the table of pairs
OF_BYTES = 1 << 15  # numbers of 64 bits that hold the ranks of all pairs of bytes
SLOTS_A_WORD = 16  # of the table of pairs, for each 64 bits of the table of bits


class PairTable(NamedTuple):
    """Says which pairs of tokens merge, and at what rank.

    of_bytes: int32[65536], the rank of two bytes at left << 8 | right, or MOST_TOKENS.
    entries: int64[2**m], a hash table: left << 42 | right << 21 | rank, or FREE.
    bits: int64[2**m / 16]; the bit of a pair that is in the hash table is set, and few others are.
    limit: only ranks below it count.
    """

    of_bytes: Ints
    entries: Longs
    bits: Longs
    limit: int


def no_pairs(slots: int) -> Longs:
    """Make the three tables of a PairTable without any pair, in one array. slots: a power of two, at least 16."""
    tables = np.full(OF_BYTES + slots + slots // SLOTS_A_WORD, FREE, np.int64)
    tables[:OF_BYTES].view(np.int32)[:] = MOST_TOKENS
    tables[OF_BYTES + slots :] = 0
    return tables


@kernel
def pair_table(tables: Longs, limit: Number) -> PairTable:
    """Make a PairTable of the array that `no_pairs` makes."""
    end = OF_BYTES + (len(tables) - OF_BYTES) // (SLOTS_A_WORD + 1) * SLOTS_A_WORD
    return PairTable(tables[:OF_BYTES].view(np.int32), tables[OF_BYTES:end], tables[end:], limit)


@kernel
def _mixed(left: Number, right: Number) -> Number:
    """Hash a pair."""
    mixed = (np.int64(left) << BITS | np.int64(right)) * SPREAD
    return mixed ^ (mixed >> 32)


@kernel
def rank_of(pairs: PairTable, left: Number, right: Number) -> Number:
    """Look up the rank at which two tokens merge; the limit if they do not merge below it."""
    mixed = _mixed(left, right)
    bit = (mixed >> 20) & (64 * len(pairs.bits) - 1)
    if not pairs.bits[bit >> 6] >> (bit & 63) & 1:
        return pairs.limit
    key = np.int64(left) << BITS | np.int64(right)
    mask = len(pairs.entries) - 1
    slot = mixed & mask
    while pairs.entries[slot] != FREE:
        if pairs.entries[slot] >> BITS == key:
            return min(pairs.entries[slot] & (MOST_TOKENS - 1), pairs.limit)
        slot = (slot + 1) & mask
    return pairs.limit


@kernel
def enter(pairs: PairTable, left: Number, right: Number, rank: Number) -> None:
    """Let a pair merge at this rank. There is room for it."""
    mixed = _mixed(left, right)
    key = np.int64(left) << BITS | np.int64(right)
    mask = len(pairs.entries) - 1
    slot = mixed & mask
    while pairs.entries[slot] != FREE and pairs.entries[slot] >> BITS != key:
        slot = (slot + 1) & mask
    pairs.entries[slot] = key << BITS | rank
    bit = (mixed >> 20) & (64 * len(pairs.bits) - 1)
    pairs.bits[bit >> 6] |= np.int64(1) << (bit & 63)
    if left < 256 and right < 256:
        pairs.of_bytes[left << 8 | right] = rank
