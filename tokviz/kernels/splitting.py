"""Cuts UTF-8 bytes into chunks with the table of an automaton (see `tokviz.split.automaton`).

An entry of the table says what to do in this state on this symbol:

    a state         take the character and go to that state
    ACCEPT | state  the same, and remember that a chunk may end before this character
    CUT | state     the chunk ends before this character, which is the first of the next chunk: take it and go there
    STUCK | CUT     the chunk ends before this character; start again with it
    STUCK           the chunk ends where it last could; start again there

An entry is at table[symbol, state]. What follows from one character to the next is then only the state, and the
processor can find the row of a symbol before it knows the state. The start is state 0, and no chunk ends there: a chunk
has at least one character. Symbol 0 is the end of the text.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import Number, kernel

ACCEPT = 1 << 24
CUT = 1 << 25
STUCK = 1 << 26
STATE = ACCEPT - 1

# An automaton that is stuck goes back and reads bytes again; a pattern such as a*b|a makes it do so for every chunk.
# When it has read again REREAD_LEAST bytes plus REREAD_TIMES the length of the text, it gives up: `regex` takes over.
REREAD_TIMES = 50
REREAD_LEAST = 1_000_000

SCANNED = 1024  # chunks that are found before they are counted; few enough for the fastest cache

# Entries of `here`, uint64[5], which hold a scan between two calls. Offsets in the buffer: where the current chunk
# starts, what is read next, and where the chunk could last end. Then the state, and how many bytes were read again.
START, POS, LAST, IN_STATE, REREAD = range(5)


@kernel
def scan(
    buffer: NDArray[np.uint8],
    until: np.uint64,
    closed: bool,
    symbols: NDArray[np.uint8],
    table: NDArray[np.uint32],
    here: NDArray[np.uint64],
    found: NDArray[np.uint64],
) -> Number:
    """Find the next chunks, up to offset `until` or until `found` is full. Returns how many.

    found: uint64, where each chunk ends. closed: the text ends at `until`. If the automaton finds no chunk, the last
    one is empty.

    A chunk has only a few bytes, and a branch at its end would be mispredicted. So its end is written at each
    character, as if the chunk ended there, and `n` goes up only if it does.
    """
    zero, one, low, six = np.uint64(0), np.uint64(1), np.uint64(0x3F), np.uint64(6)
    start, pos, last, state, reread = here[START], here[POS], here[LAST], here[IN_STATE], here[REREAD]
    n, room = zero, np.uint64(len(found))
    while n < room:
        entry = zero
        while pos < until:
            character = np.uint64(buffer[pos])
            if character < 0x80:
                size, symbol = one, np.uint64(symbols[character])
            else:
                point = np.uint64(buffer[pos + one]) & low
                if character < 0xE0:
                    size = np.uint64(2)
                    point |= (character & np.uint64(0x1F)) << six
                else:
                    point = point << six | np.uint64(buffer[pos + np.uint64(2)]) & low
                    if character < 0xF0:
                        size = np.uint64(3)
                        point |= (character & np.uint64(0x0F)) << np.uint64(12)
                    else:
                        size = np.uint64(4)
                        point = point << six | np.uint64(buffer[pos + np.uint64(3)]) & low
                        point |= (character & np.uint64(0x07)) << np.uint64(18)
                symbol = np.uint64(symbols[point])
            entry = np.uint64(table[symbol, state])
            if entry >= STUCK:
                break
            found[n] = pos
            last = pos if entry >= ACCEPT else last
            state = entry & np.uint64(STATE)
            pos += size
            n += entry >> np.uint64(25)  # 1 if the chunk ended
            if n == room:
                break
        if n:
            start = found[n - one]
        if n == room or (pos >= until and (not closed or start == until)):
            break
        if pos >= until:
            entry = np.uint64(table[zero, state])
        end = pos if entry & np.uint64(CUT) else last
        reread += pos - end
        found[n] = end
        n += one
        if end == start:
            break
        start = pos = last = end
        state = zero
        if reread > here[REREAD] + np.uint64(REREAD_LEAST):
            break  # the caller decides whether to go on
    here[START], here[POS], here[LAST], here[IN_STATE], here[REREAD] = start, pos, last, state, reread
    return np.int64(n)


@kernel
def chunk_ends(
    buffer: NDArray[np.uint8], stops: NDArray[np.int64], symbols: NDArray[np.uint8], table: NDArray[np.uint32]
) -> NDArray[np.int64]:
    """Find the byte offset at which each chunk of some texts in UTF-8 ends: int64.

    buffer: uint8, the texts end to end. stops: int64, where each text ends. symbols, table: as in
    `tokviz.split.automaton.Automaton`. It stops early if the automaton finds no chunk or reads the same bytes too
    often; then the last end is not the length of the buffer.
    """
    ends = np.empty(len(buffer), np.int64)
    here = np.zeros(5, np.uint64)
    found = np.empty(SCANNED, np.uint64)
    n = 0
    for stop in stops:
        while here[START] < stop and here[REREAD] < REREAD_LEAST + REREAD_TIMES * len(buffer):
            n_found = scan(buffer, np.uint64(stop), True, symbols, table, here, found)
            for i in range(n_found):
                end = np.int64(found[i])
                if end == (ends[n - 1] if n else 0):
                    return ends[:n].copy()
                ends[n] = end
                n += 1
    return ends[:n].copy()


NO_SYMBOLS, NO_TABLE = np.empty(0, np.uint8), np.empty((0, 0), np.uint32)
NO_SYMBOLS.flags.writeable = NO_TABLE.flags.writeable = False
