"""Cut UTF-8 bytes into chunks with the table of an automaton (see `tokviz.automaton`), and count distinct chunks.

An entry of the table says what to do in this state on this symbol:

    a state         take the character and go to that state
    ACCEPT | state  the same, and remember that a chunk may end before this character
    CUT | state     the chunk ends before this character, which is the first of the next chunk: take it and go there
    STUCK | CUT     the chunk ends before this character; start again with it
    STUCK           the chunk ends where it last could; start again there

A state is the index in the table at which its row begins, so the next entry is one addition away. The start is state 0,
and no chunk ends there: a chunk has at least one character.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import kernel

ACCEPT = 1 << 24
CUT = 1 << 25
STUCK = 1 << 26
STATE = ACCEPT - 1

# An automaton that is stuck goes back and reads bytes again; a pattern such as a*b|a makes it do so for every chunk.
# When it has read again so many bytes, plus so many times the length of the text, it gives up, and `regex` takes over.
REREAD_TIMES = 50
REREAD_LEAST = 1_000_000

SCANNED = 1024  # chunks that are found before they are counted; few enough for the fastest cache
PRIME = 0x9FB21C651E98DF25  # of the hash of a chunk

# Entries of `here`, uint64[7], which hold a scan between two calls. Offsets in the buffer: where the current chunk
# starts, what is read next, and where the chunk could last end. Then the state, the tail and the hash of the chunk so
# far, and how many bytes were read again.
START, POS, LAST, IN_STATE, TAIL, HASH, REREAD = range(7)


@kernel
def _key_of(buffer: NDArray[np.uint8], start: np.uint64, end: np.uint64) -> tuple[np.uint64, np.uint64]:
    """(tail, hash) of the chunk buffer[start:end]: its last eight bytes as a number, and a hash of its characters."""
    one, eight = np.uint64(1), np.uint64(8)
    tail = hashed = np.uint64(0)
    while start < end:
        character = np.uint64(buffer[start])
        tail = tail << eight | character
        start += one
        while start < end and buffer[start] & 0xC0 == 0x80:
            character = character << eight | np.uint64(buffer[start])
            tail = tail << eight | np.uint64(buffer[start])
            start += one
        hashed = (hashed ^ character) * np.uint64(PRIME)
    return tail, hashed


@kernel
def _scan(
    buffer: NDArray[np.uint8],
    until: np.uint64,
    closed: bool,
    symbols: NDArray[np.uint8],
    table: NDArray[np.uint32],
    here: NDArray[np.uint64],
    found: NDArray[np.uint64],
) -> int:
    """Find the next chunks, up to offset `until` or until `found` is full. Returns how many.

    found: uint64[n, 3], a row a chunk: its end, its tail and its hash. closed: the text ends at `until`. If the
    automaton finds no chunk, the last row is an empty one.

    A chunk has only a few bytes, and a branch at its end would be mispredicted. So the row is written at each
    character, as if the chunk ended there, and `n` goes up only if it does.
    """
    zero, one, eight, low, six = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(0x3F), np.uint64(6)
    start, pos, last, state = here[START], here[POS], here[LAST], here[IN_STATE]
    tail, hashed, reread = here[TAIL], here[HASH], here[REREAD]
    n, room = zero, np.uint64(len(found))
    while n < room:
        entry = zero
        while pos < until:
            character = np.uint64(buffer[pos])
            if character < 0x80:
                size, symbol = one, np.uint64(symbols[character])
            else:
                second = np.uint64(buffer[pos + one])
                point = second & low
                if character < 0xE0:
                    size = np.uint64(2)
                    point |= (character & np.uint64(0x1F)) << six
                    character = character << eight | second
                else:
                    third = np.uint64(buffer[pos + np.uint64(2)])
                    point = point << six | third & low
                    if character < 0xF0:
                        size = np.uint64(3)
                        point |= (character & np.uint64(0x0F)) << np.uint64(12)
                        character = (character << eight | second) << eight | third
                    else:
                        fourth = np.uint64(buffer[pos + np.uint64(3)])
                        size = np.uint64(4)
                        point = point << six | fourth & low | (character & np.uint64(0x07)) << np.uint64(18)
                        character = ((character << eight | second) << eight | third) << eight | fourth
                symbol = np.uint64(symbols[point])
            entry = np.uint64(table[state + symbol])
            if entry >= STUCK:
                break
            found[n, 0] = pos
            found[n, 1] = tail
            found[n, 2] = hashed
            ended = entry >> np.uint64(25)
            goes_on = ended - one  # all bits set, or none if the chunk ended
            tail = (tail & goes_on) << (size << np.uint64(3)) | character
            hashed = (hashed & goes_on ^ character) * np.uint64(PRIME)
            last = pos if entry >= ACCEPT else last
            state = entry & np.uint64(STATE)
            pos += size
            n += ended
            if n == room:
                break
        if n:
            start = found[n - one, 0]
        if n == room or (pos >= until and (not closed or start == until)):
            break
        if pos >= until:
            entry = np.uint64(table[state])
        end = pos if entry & np.uint64(CUT) else last
        if end < pos:
            reread += pos - end
            tail, hashed = _key_of(buffer, start, end)
        found[n, 0] = end
        found[n, 1] = tail
        found[n, 2] = hashed
        n += one
        if end == start:
            break
        start = pos = last = end
        state = tail = hashed = zero
        if reread > here[REREAD] + np.uint64(REREAD_LEAST):
            break  # the caller decides whether to go on
    here[START], here[POS], here[LAST], here[IN_STATE] = start, pos, last, state
    here[TAIL], here[HASH], here[REREAD] = tail, hashed, reread
    return int(n)


@kernel
def chunk_ends(buffer: NDArray[np.uint8], symbols: NDArray[np.uint8], table: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The byte offset at which each chunk of a text in UTF-8 ends: int64.

    buffer: uint8, the text. symbols, table: as in `tokviz.automaton.Automaton`. It stops early if the automaton finds
    no chunk or reads the same bytes too often; then the last end is not the length of the text.
    """
    ends = np.empty(len(buffer), np.int64)
    here = np.zeros(7, np.uint64)
    found = np.empty((SCANNED, 3), np.uint64)
    n = 0
    while here[START] < len(buffer) and here[REREAD] < REREAD_LEAST + REREAD_TIMES * len(buffer):
        n_found = _scan(buffer, np.uint64(len(buffer)), True, symbols, table, here, found)
        for i in range(n_found):
            end = np.int64(found[i, 0])
            if end == (ends[n - 1] if n else 0):
                return ends[:n].copy()
            ends[n] = end
            n += 1
    return ends[:n].copy()


# Distinct chunks, and how often each occurs

ALL_COUNTED, COUNT_PAUSED, TABLES_FULL, GIVE_UP = range(4)  # why `_count` returns
STRETCH, N_CHUNKS, N_BYTES, N_ORDER, KEPT, BYTES_NEEDED = range(6)  # entries of `at`


class ChunkList(NamedTuple):
    """Distinct chunks: data, ends, counts and firsts, as in `tokviz.chunk_counts.ChunkCounts`."""

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    firsts: NDArray[np.int64]


class ChunkTable(NamedTuple):
    """The distinct chunks, numbered in order of first occurrence.

    slots: uint64[2**m, 2], a hash table: the key of a chunk, 0 if the slot is free, and its number. data, ends, counts,
    firsts: as in `tokviz.corpus.ChunkCounts`. order: as in `tokviz.corpus.Kept`. The first N_CHUNKS, N_BYTES or N_ORDER
    entries of these arrays are in use.
    """

    slots: NDArray[np.uint64]
    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    firsts: NDArray[np.int64]
    order: NDArray[np.int32]


class Stretches(NamedTuple):
    """The bytes to be counted next. A stretch is a text between two special tokens, or a special token.

    buffer: uint8, the stretches end to end. base: the offset of the buffer in the corpus. stops: int64, where each
    stretch ends in the buffer. specials: int64, the number of the special token that a stretch is, or -1. closed: the
    last stretch ends with the buffer, and does not go on in the next one.
    """

    buffer: NDArray[np.uint8]
    base: int
    stops: NDArray[np.int64]
    specials: NDArray[np.int64]
    closed: bool


@kernel
def _slot(key: np.uint64, mask: np.uint64) -> np.uint64:
    """Where the search for a key begins in a hash table of mask + 1 slots."""
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return (mixed ^ mixed >> np.uint64(32)) & mask


@kernel
def _move(old: NDArray[np.uint64], slots: NDArray[np.uint64]) -> None:
    """Fill a new, larger hash table from an old one."""
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
def _whole_key(size: np.uint64, tail: np.uint64, hashed: np.uint64) -> np.uint64:
    """The key of a chunk, never 0: its bytes and their number if it has less than eight, else a hash with a top bit."""
    long = hashed ^ hashed >> np.uint64(29) | np.uint64(1 << 63)
    return tail | size << np.uint64(56) if size < 8 else long


@kernel
def _find(
    chunks: ChunkTable, buffer: NDArray[np.uint8], start: np.uint64, size: np.uint64, key: np.uint64
) -> tuple[np.uint64, np.int64]:
    """Look up the chunk of `size` bytes at buffer[start]: (its slot, its number), or (the free slot for it, -1)."""
    slots, data, ends = chunks.slots, chunks.data, chunks.ends
    one, eight = np.uint64(1), np.uint64(8)
    mask = np.uint64(len(slots) - 1)
    slot = _slot(key, mask)
    while slots[slot, 0] != 0:
        if slots[slot, 0] == key:
            chunk = np.int64(slots[slot, 1])
            if size < eight:  # the key is the chunk itself
                return slot, chunk
            known = np.uint64(ends[chunk - 1]) if chunk else np.uint64(0)
            if np.uint64(ends[chunk]) - known == size:
                j = np.uint64(0)
                while j < size and data[known + j] == buffer[start + j]:
                    j += one
                if j == size:
                    return slot, chunk
        slot = (slot + one) & mask
    return slot, np.int64(-1)


@kernel
def _count(
    text: Stretches,
    symbols: NDArray[np.uint8],
    table: NDArray[np.uint32],
    chunks: ChunkTable,
    special_counts: NDArray[np.int64],
    keep: int,
    at: NDArray[np.int64],
    here: NDArray[np.uint64],
    found: NDArray[np.uint64],
    budget: int,
) -> int:
    """Count chunks and special tokens, from where `at` and `here` say. If `table` is empty, a stretch is one chunk.

    special_counts: int64, one a special token. keep: occurrences that end within so many bytes of the corpus are added
    to `order`. at: int64[6], the current stretch, the used parts of the arrays, the offset in the corpus at which the
    last kept occurrence ends, and the room that a chunk needs if the tables are full. found: scratch, as for `_scan`.

    Returns why it stopped: ALL_COUNTED; COUNT_PAUSED after about `budget` bytes; TABLES_FULL; GIVE_UP if the automaton
    finds no chunk, or reads the same bytes too often.
    """
    buffer, base, stops, specials, closed = text
    slots, data, ends, counts, firsts, order = chunks
    one = np.uint64(1)
    stretch, n_chunks, n_bytes, n_order = at[STRETCH], at[N_CHUNKS], at[N_BYTES], at[N_ORDER]
    limit = np.int64(here[POS]) + budget
    reread_limit = np.int64(here[REREAD]) + budget
    why = ALL_COUNTED
    while stretch < len(stops) and why == ALL_COUNTED:
        stop = stops[stretch]
        whole = closed or stretch + 1 < len(stops)
        start = here[START]
        n_found = 0
        if specials[stretch] >= 0:
            if base + stop <= keep:
                if n_order == len(order):
                    why = TABLES_FULL
                    break
                order[n_order] = -1 - specials[stretch]
                n_order += 1
                at[KEPT] = base + stop
            special_counts[specials[stretch]] += 1
            here[START] = here[POS] = here[LAST] = np.uint64(stop)
        elif len(table) == 0:
            if whole and np.int64(start) < stop:
                found[0, 0] = np.uint64(stop)
                found[0, 1], found[0, 2] = _key_of(buffer, start, np.uint64(stop))
                here[START] = here[POS] = here[LAST] = np.uint64(stop)
                n_found = 1
        elif np.int64(start) < stop:
            until = min(stop, limit)
            n_found = _scan(buffer, np.uint64(until), whole and until == stop, symbols, table, here, found)
            if (until < stop and np.int64(here[POS]) >= until) or np.int64(here[REREAD]) > reread_limit:
                why = COUNT_PAUSED
        # Read the first slot of every chunk before any is looked up: the processor then fetches all of them at once.
        mask, last = np.uint64(len(slots) - 1), start
        for i in range(n_found):
            key = _whole_key(found[i, 0] - last, found[i, 1], found[i, 2])
            last = found[i, 0]
            found[i, 1] = key
            found[i, 2] = slots[_slot(key, mask), 0]
        for i in range(n_found):
            end, key = found[i, 0], found[i, 1]
            size = end - start
            slot, chunk = _find(chunks, buffer, start, size, key)
            full = n_chunks == len(ends) or 2 * n_chunks >= len(slots) or n_bytes + np.int64(size) > len(data)
            if size == 0 or (chunk < 0 and full) or n_order == len(order):
                why = TABLES_FULL if size else GIVE_UP
                at[BYTES_NEEDED] = np.int64(size)
                here[START] = here[POS] = here[LAST] = start
                here[IN_STATE] = here[TAIL] = here[HASH] = 0
                break
            if chunk < 0:
                chunk = n_chunks
                slots[slot, 0] = key
                slots[slot, 1] = np.uint64(chunk)
                j = start
                while j < end:
                    data[n_bytes] = buffer[j]
                    n_bytes += 1
                    j += one
                ends[chunk] = n_bytes
                counts[chunk] = 0
                firsts[chunk] = base + np.int64(start)
                n_chunks += 1
            counts[chunk] += 1
            if base + np.int64(end) <= keep:
                order[n_order] = chunk
                n_order += 1
                at[KEPT] = base + np.int64(end)
            start = end
        reread_too_much = np.int64(here[REREAD]) > REREAD_LEAST + REREAD_TIMES * (base + len(buffer))
        if why != TABLES_FULL and len(table) > 0 and reread_too_much:
            here[START] = here[POS] = here[LAST] = start
            here[IN_STATE] = here[TAIL] = here[HASH] = 0
            why = GIVE_UP
        if why == ALL_COUNTED and np.int64(here[START]) == stop:
            stretch += 1
        elif n_found == 0:
            break  # the stretch goes on in the next buffer, or in the next call
    at[STRETCH], at[N_CHUNKS], at[N_BYTES], at[N_ORDER] = stretch, n_chunks, n_bytes, n_order
    return why


NO_SYMBOLS, NO_TABLE = np.empty(0, np.uint8), np.empty(0, np.uint32)
NO_SYMBOLS.flags.writeable = NO_TABLE.flags.writeable = False


class ChunkCounter:
    """Distinct chunks, how often each occurs, and where each occurs in the first `keep` bytes of a corpus.

    The text comes in buffers: `feed` one, then `count` it. The arrays of `ChunkTable` are attributes, and grow here.
    """

    def __init__(self, keep: int, n_specials: int = 0) -> None:
        self.keep = keep
        self.special_counts = np.zeros(n_specials, np.int64)
        self.slots = np.zeros((1 << 10, 2), np.uint64)
        self.data = np.empty(1 << 12, np.uint8)
        self.ends, self.counts, self.firsts = (np.empty(1 << 9, np.int64) for _ in range(3))
        self.order = np.empty(1 << 9, np.int32)
        self.at = np.zeros(6, np.int64)
        self.here, self.found = np.zeros(7, np.uint64), np.empty((SCANNED, 3), np.uint64)
        self.base = 0
        self.feed(b"", [], [], True)

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
    def kept(self) -> int:
        """The byte offset in the corpus at which the last kept occurrence ends."""
        return int(self.at[KEPT])

    @property
    def done(self) -> int:
        """Bytes of the corpus counted so far."""
        return self.base + int(self.here[START])

    def feed(
        self,
        buffer: bytes | memoryview | NDArray[np.uint8],
        stops: Sequence[int] | NDArray[np.int64],
        specials: Sequence[int] | NDArray[np.int64],
        closed: bool,
    ) -> None:
        """Give the bytes to be counted next, as in `Stretches`. They begin with those of the last buffer that were not
        counted; the last stretch ends at the end of the buffer."""
        start = self.here[START]
        self.base += int(start)
        self.here[[START, POS, LAST]] -= start
        self.at[STRETCH] = 0
        self.buffer = np.frombuffer(buffer, np.uint8)
        self.buffer.flags.writeable = False  # always: numba would compile again for a writeable array
        self.stops, self.specials = np.array(stops, np.int64), np.array(specials, np.int64)
        self.closed = closed

    def add(self, buffer: bytes | NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """Count chunks that are cut already. Returns the number of each, int32, if they are among the first `keep`."""
        before = self.n_order
        self.feed(buffer, ends, np.full(len(ends), -1), True)
        self.count(NO_SYMBOLS, NO_TABLE, len(buffer))
        return self.order[before : self.n_order]

    def count(self, symbols: NDArray[np.uint8], table: NDArray[np.uint32], budget: int) -> int:
        """Count about `budget` bytes. Returns ALL_COUNTED at the end of the buffer, COUNT_PAUSED or GIVE_UP."""
        text = Stretches(self.buffer, self.base, self.stops, self.specials, self.closed)
        while True:
            with np.errstate(over="ignore"):  # products wrap around; numpy warns if kernels run as plain Python
                why = _count(
                    text,
                    symbols,
                    table,
                    self._chunks(),
                    self.special_counts,
                    self.keep,
                    self.at,
                    self.here,
                    self.found,
                    budget,
                )
            if why != TABLES_FULL:
                return int(why)
            self._make_room(int(self.at[BYTES_NEEDED]))
            if 2 * self.n_chunks >= len(self.slots):
                self._grow_slots()

    def restart(self, base: int) -> None:
        """Go on at another place of the corpus: the next buffer begins there, at byte `base`, with a new chunk."""
        self.here[:REREAD] = 0
        self.base = base

    def used(self) -> ChunkList:
        """The distinct chunks so far."""
        n = self.n_chunks
        return ChunkList(self.data[: self.n_bytes], self.ends[:n], self.counts[:n], self.firsts[:n])

    def _chunks(self) -> ChunkTable:
        return ChunkTable(self.slots, self.data, self.ends, self.counts, self.firsts, self.order)

    def _make_room(self, n_bytes: int) -> None:
        """Grow the arrays that have no room for one more chunk of so many bytes, to twice their length at least."""
        n = self.n_chunks + 1
        if n > len(self.ends):
            self.ends, self.counts, self.firsts = (_longer(a, n) for a in (self.ends, self.counts, self.firsts))
        if self.n_bytes + n_bytes > len(self.data):
            self.data = _longer(self.data, self.n_bytes + n_bytes)
        if self.n_order == len(self.order):  # pages that are never written take no memory
            self.order = _longer(self.order, 4 * len(self.order))

    def _grow_slots(self) -> None:
        times = 4 if len(self.slots) < 1 << 20 else 2
        slots = np.zeros((len(self.slots) * times, 2), np.uint64)
        with np.errstate(over="ignore"):
            _move(self.slots, slots)
        self.slots = slots


def _longer(array: NDArray[Any], least: int) -> NDArray[Any]:
    """A copy with twice the length, or with `least` if that is more."""
    room = np.empty(max(2 * len(array), least), array.dtype)
    room[: len(array)] = array
    return room
