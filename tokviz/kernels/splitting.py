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

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import kernel

ACCEPT = 1 << 24
CUT = 1 << 25
STUCK = 1 << 26
STATE = ACCEPT - 1

# An automaton that is stuck goes back and reads again. Patterns such as a*b|a make it do that for every chunk of a long
# text; then it gives up, and the `regex` package does, or refuses, the work.
REREAD_TIMES = 50
REREAD_LEAST = 1_000_000


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
    """The byte offset at which each chunk of a text in UTF-8 ends.

    Where the automaton finds no chunk, or reads the same bytes over and over, it stops: then the last end is not the
    length of the text.
    """
    ends = np.empty(len(buffer), np.int64)
    found = 0
    size = np.uint64(len(buffer))
    start = pos = state = np.uint64(0)
    reread = 0
    while start < size:
        how, end, pos, _, state = _next_end(buffer, size, True, symbols, table, pos, start, state)
        if how == STUCK:
            reread += np.int64(pos - end)
            pos = end
        if end == start or reread > REREAD_LEAST + REREAD_TIMES * len(buffer):
            break
        ends[found] = end
        found += 1
        start = end
    return ends[:found].copy()


# Distinct chunks, and how often each occurs

DONE, PAUSE, GROW, GIVE_UP = 0, 1, 2, 3
STRETCH, START, POS, LAST, IN_STATE, N_CHUNKS, N_BYTES, N_ORDER, REREAD, NEEDED = range(10)


@kernel
def _key(buffer: NDArray[np.uint8], start: np.uint64, end: np.uint64) -> np.uint64:
    """64 bits of a chunk: of up to seven bytes the bytes themselves and their number, else a hash, marked as one.
    Never 0."""
    one, eight = np.uint64(1), np.uint64(8)
    key = end - start
    if key < eight:
        while start < end:
            key = key << eight | np.uint64(buffer[start])
            start += one
        return key
    while start < end:
        key = (key ^ np.uint64(buffer[start])) * np.uint64(0x9FB21C651E98DF25)
        start += one
    return key ^ key >> np.uint64(29) | np.uint64(1 << 63)


@kernel
def _slot(key: np.uint64, mask: np.uint64) -> np.uint64:
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return (mixed ^ mixed >> np.uint64(32)) & mask


@kernel
def _move(old: NDArray[np.uint64], slots: NDArray[np.uint64]) -> None:
    """Fill a new table from an old one."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(old)):
        key = old[i, 0]
        if key != 0:
            slot = _slot(key, mask)
            while slots[slot, 0] != 0:
                slot = (slot + np.uint64(1)) & mask
            slots[slot, 0] = key
            slots[slot, 1] = old[i, 1]


@kernel
def _count(
    buffer: NDArray[np.uint8],
    base: int,
    stops: NDArray[np.int64],
    specials: NDArray[np.int64],
    closed: bool,
    symbols: NDArray[np.uint8],
    table: NDArray[np.uint32],
    slots: NDArray[np.uint64],
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    counts: NDArray[np.int64],
    firsts: NDArray[np.int64],
    order: NDArray[np.int32],
    starts: NDArray[np.int64],
    special_counts: NDArray[np.int64],
    keep: int,
    at: NDArray[np.int64],
    budget: int,
) -> int:
    """Count the chunks of a buffer, on from where `at` says, and say why it stopped: see `Tally`. Where the table is
    empty each stretch is a chunk."""
    one, zero = np.uint64(1), np.uint64(0)
    mask = np.uint64(len(slots) - 1)
    stretch, n_chunks, n_bytes, n_order, reread = at[STRETCH], at[N_CHUNKS], at[N_BYTES], at[N_ORDER], at[REREAD]
    start, pos, last, state = np.uint64(at[START]), np.uint64(at[POS]), np.uint64(at[LAST]), np.uint64(at[IN_STATE])
    limit = pos + np.uint64(budget)
    reread_limit = reread + budget
    why = DONE
    while stretch < len(stops):
        stop = np.uint64(stops[stretch])
        if specials[stretch] >= 0:
            if base + stops[stretch] <= keep:
                if n_order == len(order):
                    why = GROW
                    break
                order[n_order] = -1 - specials[stretch]
                starts[n_order + 1] = base + stops[stretch]
                n_order += 1
            special_counts[specials[stretch]] += 1
            start = stop
        while start < stop:
            if len(table) == 0:
                how = CUT if closed or stretch + 1 < len(stops) else 0
                end = pos = last = stop
            elif limit < stop:
                how, end, pos, last, state = _next_end(buffer, limit, False, symbols, table, pos, last, state)
            else:
                whole = closed or stretch + 1 < len(stops)
                how, end, pos, last, state = _next_end(buffer, stop, whole, symbols, table, pos, last, state)
            if how == 0:
                why = PAUSE if limit < stop and len(table) else DONE  # else the stretch goes on in the next buffer
                break
            if end == start or reread > REREAD_LEAST + REREAD_TIMES * (base + at[START]):
                pos = last = start
                state = zero
                why = GIVE_UP
                break
            if how == STUCK:
                reread += np.int64(pos - end)
                pos = end
            size = end - start
            key = _key(buffer, start, end)
            slot = _slot(key, mask)
            place = -1
            while slots[slot, 0] != 0:
                if slots[slot, 0] == key:
                    place = np.int64(slots[slot, 1])
                    if size < np.uint64(8):
                        break
                    other = np.uint64(ends[place - 1]) if place else zero
                    if np.uint64(ends[place]) - other == size:
                        i = zero
                        while i < size and data[other + i] == buffer[start + i]:
                            i += one
                        if i == size:
                            break
                    place = -1
                slot = (slot + one) & mask
            full = n_chunks == len(ends) or 2 * n_chunks >= len(slots) or n_bytes + np.int64(size) > len(data)
            if (place < 0 and full) or n_order == len(order):
                at[NEEDED] = np.int64(size)
                pos = last = start
                state = zero
                why = GROW
                break
            if place < 0:
                place = n_chunks
                slots[slot, 0] = key
                slots[slot, 1] = place
                i = start
                while i < end:
                    data[n_bytes] = buffer[i]
                    n_bytes += 1
                    i += one
                ends[place] = n_bytes
                counts[place] = 0
                firsts[place] = base + np.int64(start)
                n_chunks += 1
            counts[place] += 1
            if base + np.int64(end) <= keep:
                order[n_order] = place
                starts[n_order + 1] = base + np.int64(end)
                n_order += 1
            start = end
            if reread > reread_limit:
                why = PAUSE
                break
        if why != DONE or start < stop:
            break
        pos = last = start
        state = zero
        stretch += 1
    at[STRETCH], at[N_CHUNKS], at[N_BYTES], at[N_ORDER], at[REREAD] = stretch, n_chunks, n_bytes, n_order, reread
    at[START], at[POS], at[LAST], at[IN_STATE] = np.int64(start), np.int64(pos), np.int64(last), np.int64(state)
    return why


NO_SYMBOLS, NO_TABLE = np.empty(0, np.uint8), np.empty(0, np.uint32)
NO_SYMBOLS.flags.writeable = NO_TABLE.flags.writeable = False


class Tally:
    """Distinct chunks as they come in, and where each stood in the first `keep` bytes. The arrays grow here.

    slots: the hash table, one row a slot: key (0 where free) and place. data, ends, counts, firsts: see ChunkCounts;
    order, starts: see Kept. The first n_chunks, n_bytes or n_order of each are in use.
    """

    def __init__(self, keep: int, n_specials: int = 0) -> None:
        self.keep = keep
        self.special_counts = np.zeros(n_specials, np.int64)
        self.slots = np.zeros((1 << 10, 2), np.uint64)
        self.data = np.empty(1 << 12, np.uint8)
        self.ends, self.counts, self.firsts = (np.empty(1 << 9, np.int64) for _ in range(3))
        self.order, self.starts = np.empty(1 << 9, np.int32), np.zeros((1 << 9) + 1, np.int64)
        self.at = np.zeros(10, np.int64)
        self.buffer: NDArray[np.uint8] = np.frombuffer(b"", np.uint8)
        self.base = 0

    @property
    def n_chunks(self) -> int:
        """Distinct chunks so far."""
        return int(self.at[N_CHUNKS])

    @property
    def n_bytes(self) -> int:
        """Bytes of distinct chunks so far."""
        return int(self.at[N_BYTES])

    @property
    def n_order(self) -> int:
        """Occurrences that are kept so far."""
        return int(self.at[N_ORDER])

    @property
    def done(self) -> int:
        """Bytes counted so far."""
        return self.base + int(self.at[START])

    def feed(
        self,
        buffer: bytes | NDArray[np.uint8],
        stops: Sequence[int] | NDArray[np.int64],
        specials: Sequence[int] | NDArray[np.int64],
        closed: bool,
    ) -> None:
        """What is to be counted next: what was left of the last buffer, then all that follows it.

        stops: where each stretch ends, the last one at the end of the buffer. specials: for each the special token
        that it is, or -1. closed: does the last stretch end here, or does it go on in the next buffer?
        """
        start = int(self.at[START])
        self.base += start
        self.at[[START, POS, LAST]] -= start
        self.at[STRETCH] = 0
        self.buffer = np.frombuffer(buffer, np.uint8)
        self.buffer.flags.writeable = False  # as all the others: numba compiles for each kind of array
        self.stops, self.specials = np.array(stops, np.int64), np.array(specials, np.int64)
        self.closed = closed

    def add(self, buffer: bytes | NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """Count chunks that are cut already. Their places, if they are among the bytes that are kept."""
        before = self.n_order
        self.feed(buffer, ends, np.full(len(ends), -1), True)
        while self.count(NO_SYMBOLS, NO_TABLE, len(buffer)) != DONE:
            pass
        return self.order[before : self.n_order]

    def count(self, symbols: NDArray[np.uint8], table: NDArray[np.uint32], budget: int) -> int:
        """Count about `budget` bytes. DONE when the buffer is, GIVE_UP where the automaton finds no chunk."""
        while True:
            with np.errstate(over="ignore"):  # numpy minds, where kernels run as plain Python
                why = _count(
                    self.buffer,
                    self.base,
                    self.stops,
                    self.specials,
                    self.closed,
                    symbols,
                    table,
                    self.slots,
                    self.data,
                    self.ends,
                    self.counts,
                    self.firsts,
                    self.order,
                    self.starts,
                    self.special_counts,
                    self.keep,
                    self.at,
                    budget,
                )
            if why != GROW:
                return int(why)
            self._grow()

    def _grow(self) -> None:
        n_chunks, n_bytes, n_order = self.n_chunks, self.n_bytes, self.n_order
        if n_chunks == len(self.ends):
            self.ends, self.counts, self.firsts = (_longer(a) for a in (self.ends, self.counts, self.firsts))
        if n_bytes + int(self.at[NEEDED]) > len(self.data):
            self.data = _longer(self.data, int(self.at[NEEDED]))
        if n_order == len(self.order):
            self.order, self.starts = _longer(self.order), _longer(self.starts)
        if 2 * n_chunks >= len(self.slots):
            slots = np.zeros((len(self.slots) * 4, 2), np.uint64)
            with np.errstate(over="ignore"):
                _move(self.slots, slots)
            self.slots = slots


def _longer(array: NDArray[Any], more: int = 0) -> NDArray[Any]:
    """A copy with room for twice as much and `more`."""
    room = np.empty(2 * len(array) + more, array.dtype)
    room[: len(array)] = array
    return room
