"""Makes a number for each chunk, by which a hash table finds it.

The key of a chunk of less than eight bytes is the chunk itself. A longer one has a hash, and two chunks with one hash
have to be compared. Eight bytes are read at a time: most chunks have less than that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import kernel

SHORT = 8  # bytes; the key of a chunk with less is the chunk itself
PRIME = 0x9FB21C651E98DF25  # of the hash
LONG_BIT = 1 << 63  # of the key of every longer chunk


@kernel
def _byte(buffer: NDArray[np.uint8], at: np.uint64, i: int) -> np.uint64:
    """Return byte i of the eight from `at` on, at its place in their number."""
    return np.uint64(buffer[at + np.uint64(i)]) << np.uint64(8 * i)


@kernel
def eight_bytes(buffer: NDArray[np.uint8], at: np.uint64) -> np.uint64:
    """Read buffer[at : at + 8] as one number, the first byte lowest. The compiler makes one instruction of it."""
    low = _byte(buffer, at, 0) | _byte(buffer, at, 1) | _byte(buffer, at, 2) | _byte(buffer, at, 3)
    high = _byte(buffer, at, 4) | _byte(buffer, at, 5) | _byte(buffer, at, 6) | _byte(buffer, at, 7)
    return low | high


@kernel
def key_of(buffer: NDArray[np.uint8], start: np.uint64, end: np.uint64) -> np.uint64:
    """Make the key of the chunk buffer[start:end]: its bytes and their number, or a hash with LONG_BIT. Never 0."""
    eight, three = np.uint64(8), np.uint64(3)
    size = end - start
    if size < eight and end >= eight:  # the bytes before the chunk are shifted out
        return eight_bytes(buffer, end - eight) >> (eight - size << three) | size << np.uint64(56)
    if size < eight:
        key = size << np.uint64(56)
        for i in range(size):
            key |= np.uint64(buffer[start + np.uint64(i)]) << (np.uint64(i) << three)
        return key
    hashed, at = eight_bytes(buffer, end - eight) * np.uint64(PRIME), start
    while at + eight < end:
        hashed = (hashed ^ hashed >> np.uint64(29) ^ eight_bytes(buffer, at)) * np.uint64(PRIME)
        at += eight
    return hashed ^ hashed >> np.uint64(29) | np.uint64(LONG_BIT)


@kernel
def slot_of(key: np.uint64, mask: np.uint64) -> np.uint64:
    """Say where the search for a key begins in a hash table of mask + 1 slots."""
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return (mixed ^ mixed >> np.uint64(32)) & mask


@kernel
def same_bytes(
    one: NDArray[np.uint8], start: np.uint64, other: NDArray[np.uint8], begin: np.uint64, size: np.uint64
) -> bool:
    """Is one[start : start + size] equal to other[begin : begin + size]? They have at least eight bytes."""
    eight = np.uint64(8)
    last = size - eight
    if eight_bytes(one, start + last) != eight_bytes(other, begin + last):
        return False
    at = np.uint64(0)
    while at < last:
        if eight_bytes(one, start + at) != eight_bytes(other, begin + at):
            return False
        at += eight
    return True
