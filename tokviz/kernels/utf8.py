"""Finds where the bytes of a text stop being UTF-8."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import Number, kernel
from tokviz.kernels.keys import eight_bytes

HIGH_BITS = 0x8080808080808080  # of eight bytes; none is set if all are ASCII


@kernel
def valid_until(buffer: NDArray[np.uint8]) -> Number:
    """Find the offset of the first byte with which no whole character begins; the length if all bytes are UTF-8.

    Table 3-7 of the Unicode Standard says which bytes make a character. Only the second byte has limits that depend on
    the first one: they keep out surrogates, longer forms than needed, and what is above U+10FFFF.
    """
    at, end, one = np.uint64(0), np.uint64(len(buffer)), np.uint64(1)
    while at < end:
        first = buffer[at]
        if first < 0x80:
            at += one
            while at + np.uint64(8) <= end and eight_bytes(buffer, at) & np.uint64(HIGH_BITS) == 0:
                at += np.uint64(8)
            continue
        least, most = 0x80, 0xBF
        if first < 0xE0:
            size = np.uint64(2)
        elif first < 0xF0:
            size = np.uint64(3)
            least = 0xA0 if first == 0xE0 else least
            most = 0x9F if first == 0xED else most
        else:
            size = np.uint64(4)
            least = 0x90 if first == 0xF0 else least
            most = 0x8F if first == 0xF4 else most
        if first < 0xC2 or first > 0xF4 or at + size > end or not least <= buffer[at + one] <= most:
            break
        if size > 2 and buffer[at + np.uint64(2)] & 0xC0 != 0x80:
            break
        if size > 3 and buffer[at + np.uint64(3)] & 0xC0 != 0x80:
            break
        at += size
    return np.int64(at)
