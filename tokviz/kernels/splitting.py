"""Chunks of UTF-8 bytes, by the table of an automaton (see `tokviz.automaton`).

An entry of the table says what to do in this state on this symbol:

    a state         take the character and go there
    ACCEPT | state  the same, but remember: a chunk may end here, before the character
    CUT | state     the chunk ends before the character; take it as the first of the next one, and go there
    CUT             the same, but do not take it yet: look at it again from the start
    STUCK           the chunk ends where it last might have; go back there

A state is written as the place in the table where its row begins, so the next entry is one addition away. The start
is 0, and no chunk ends there: a chunk has a character at least.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import kernel

ACCEPT = 1 << 24
CUT = 1 << 25
STUCK = 1 << 26
STATE = ACCEPT - 1


@kernel
def _next_end(
    buffer: NDArray[np.uint8],
    until: np.uint64,
    closed: bool,
    symbols: NDArray[np.uint8],
    table: NDArray[np.uint32],
    pos: np.uint64,
    last: np.uint64,
    state: np.uint64,
) -> tuple[int, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Reads on to where the chunk ends, or to `until`: (CUT, STUCK or 0 if it has not ended, where, pos, last, state).

    pos: up to where it was read. last: where the chunk might have ended, or its start. With `closed` the text ends at
    `until`. Where STUCK, what was read behind the end has to be read again.
    """
    one, low = np.uint64(1), np.uint64(0x3F)
    while True:
        if pos < until:
            byte = np.uint64(buffer[pos])
            if byte < 0x80:
                size, symbol = one, symbols[byte]
            elif byte < 0xE0:
                size = np.uint64(2)
                symbol = symbols[(byte & np.uint64(0x1F)) << np.uint64(6) | np.uint64(buffer[pos + one]) & low]
            elif byte < 0xF0:
                size = np.uint64(3)
                symbol = symbols[
                    (byte & np.uint64(0x0F)) << np.uint64(12)
                    | (np.uint64(buffer[pos + one]) & low) << np.uint64(6)
                    | np.uint64(buffer[pos + np.uint64(2)]) & low
                ]
            else:
                size = np.uint64(4)
                symbol = symbols[
                    (byte & np.uint64(0x07)) << np.uint64(18)
                    | (np.uint64(buffer[pos + one]) & low) << np.uint64(12)
                    | (np.uint64(buffer[pos + np.uint64(2)]) & low) << np.uint64(6)
                    | np.uint64(buffer[pos + np.uint64(3)]) & low
                ]
        elif closed:
            size, symbol = one, np.uint8(0)
        else:
            return 0, last, pos, last, state
        entry = np.uint64(table[state + np.uint64(symbol)])
        if entry < ACCEPT:
            state = entry
            pos += size
        elif entry < CUT:
            last = pos
            state = entry & np.uint64(STATE)
            pos += size
        elif entry < STUCK:
            state = entry & np.uint64(STATE)
            return CUT, pos, pos + size if state else pos, pos, state
        else:
            return STUCK, last, pos, last, np.uint64(0)


@kernel
def chunk_ends(buffer: NDArray[np.uint8], symbols: NDArray[np.uint8], table: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The byte offset at which each chunk of a text in UTF-8 ends. Where the automaton finds no chunk it stops, so the
    last end is not the length of the text."""
    ends = np.empty(len(buffer), np.int64)
    found = 0
    size = np.uint64(len(buffer))
    start = pos = state = np.uint64(0)
    while start < size:
        how, end, pos, _, state = _next_end(buffer, size, True, symbols, table, pos, start, state)
        if end == start:
            break
        if how == STUCK:
            pos = end
        ends[found] = end
        found += 1
        start = end
    return ends[:found].copy()
