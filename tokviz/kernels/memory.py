"""Remembers the chunks that an encoder has encoded: their seams and ids."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tokviz.kernels.base import SPLIT, SPREAD, WHOLE, Number, kernel
from tokviz.kernels.keys import key_of
from tokviz.kernels.pairs import Bytes, Ints, Longs

KEY, PACKED = 0, 1  # columns of `Memory.table`
FIRST_BIT, LENGTH_BIT, TEN_BITS = 20, 10, (1 << 10) - 1  # of PACKED: first byte, length, and tokens in the low ten bits


class Memory(NamedTuple):
    """Holds chunks that have been encoded.

    table: int64[2**m, 2], a hash table: the key of a chunk (see `keys`), and three numbers in one: the index of its
    first byte in `data`, its length, and its number of tokens; 0 if the row is free.
    data: uint8, the chunks end to end.
    seams, ids: int32, those of each chunk, from the index of its first byte on.
    """

    table: Longs
    data: Bytes
    seams: Ints
    ids: Ints


@kernel
def row_of(key: Number, mask: Number) -> Number:
    """Say where the search for a chunk begins in a memory of mask + 1 rows."""
    mixed = key * SPREAD
    return (mixed ^ (mixed >> 32)) & mask


@kernel
def remember_again(old: Longs, table: Longs) -> None:
    """Fill a new, larger hash table of chunks from an old one."""
    mask = len(table) - 1
    for i in range(len(old)):
        if old[i, PACKED]:
            row = row_of(old[i, KEY], mask)
            while table[row, PACKED]:
                row = (row + 1) & mask
            table[row, KEY] = old[i, KEY]
            table[row, PACKED] = old[i, PACKED]


@kernel
def enter_lookups(data: Bytes, ends: Longs, ids: Ints, memory: Memory) -> None:
    """Remember each of these chunks as one token, in a memory that is empty and has room."""
    table, known_bytes, known_seams, known_ids = memory
    mask = len(table) - 1
    keys = np.empty(1, np.uint64)
    for chunk in range(len(ends)):
        start = ends[chunk - 1] if chunk else 0
        keys[0] = key_of(data, np.uint64(start), np.uint64(ends[chunk]))
        key = keys.view(np.int64)[0]
        row = row_of(key, mask)
        while table[row, PACKED]:
            row = (row + 1) & mask
        table[row, KEY] = key
        table[row, PACKED] = start << FIRST_BIT | (ends[chunk] - start) << LENGTH_BIT | 1
        known_ids[start] = ids[chunk]
        for at in range(start, ends[chunk]):
            known_bytes[at] = data[at]
            known_seams[at] = WHOLE
        known_seams[start] = SPLIT
