"""Counts the distinct chunks of a text: how often each occurs, and where first.

Chunks are found some at a time, and then looked up in a hash table. What the table holds of them is read for all of
them before any is counted: the processor then waits for all of that memory at once, not for one chunk after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import Number, grown, kernel
from tokviz.kernels.keys import SHORT, key_of, same_bytes, slot_of
from tokviz.kernels.splitting import (
    IN_STATE,
    LAST,
    NO_SYMBOLS,
    NO_TABLE,
    POS,
    REREAD,
    REREAD_LEAST,
    REREAD_TIMES,
    SCANNED,
    START,
    scan,
)

ALL_COUNTED, COUNT_PAUSED, TABLES_FULL, GIVE_UP = range(4)  # why `_count` returns
STRETCH, N_CHUNKS, N_BYTES, N_ORDER, KEPT, BYTES_NEEDED = range(6)  # entries of `at`


class ChunkList(NamedTuple):
    """Holds distinct chunks: data, ends, counts and firsts, as in `tokviz.corpus.chunk_counts.ChunkCounts`."""

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    firsts: NDArray[np.int64]


class ChunkTable(NamedTuple):
    """Holds the distinct chunks, numbered in order of first occurrence.

    slots: uint64[2**m, 2], a hash table: the key of a chunk, 0 if the slot is free, and its number.
    data, ends, counts, firsts: as in `ChunkList`. N_BYTES entries of `data` and N_CHUNKS of the others are in use.
    order: as in `tokviz.corpus.counting.WindowSource`. The first N_ORDER entries are in use.
    """

    slots: NDArray[np.uint64]
    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    firsts: NDArray[np.int64]
    order: NDArray[np.int32]


class Stretches(NamedTuple):
    """Holds the bytes to be counted next. A stretch is a text between two special tokens, or a special token.

    buffer: uint8, the stretches end to end.
    base: the byte offset of the buffer in the corpus.
    stops, specials: int64, where each stretch ends in the buffer, and the number of its special token, or -1.
    closed: the last stretch ends with the buffer, and does not go on in the next one.
    """

    buffer: NDArray[np.uint8]
    base: int
    stops: NDArray[np.int64]
    specials: NDArray[np.int64]
    closed: bool


class FoundChunks(NamedTuple):
    """Holds chunks that were found, SCANNED at most; each array has a place for each of them.

    ends, keys: uint64, where each ends in the buffer, and its key.
    numbers: int64, that of the known chunk in the slot where the search begins, or -1 if that is another one.
    long, known: int64, which of the chunks are not SHORT, and where the known chunk begins for each of these.
    """

    ends: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    numbers: NDArray[np.int64]
    long: NDArray[np.int64]
    known: NDArray[np.int64]


def new_found() -> FoundChunks:
    """Make the arrays, with nothing found yet."""
    return FoundChunks(*np.empty((2, SCANNED), np.uint64), *np.empty((3, SCANNED), np.int64))


@kernel
def _move(old: NDArray[np.uint64], slots: NDArray[np.uint64]) -> None:
    """Fill a new, larger hash table from an old one."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(old)):
        key = old[i, 0]
        if key != 0:
            slot = slot_of(key, mask)
            while slots[slot, 0] != 0:
                slot = (slot + np.uint64(1)) & mask
            slots[slot, 0] = key
            slots[slot, 1] = old[i, 1]


@kernel
def find(
    chunks: ChunkTable, buffer: NDArray[np.uint8], start: np.uint64, size: np.uint64, key: np.uint64
) -> tuple[np.uint64, np.int64]:
    """Look up the chunk of `size` bytes at buffer[start]: (its slot, its number), or (the free slot for it, -1)."""
    slots, data, ends = chunks.slots, chunks.data, chunks.ends
    mask = np.uint64(len(slots) - 1)
    slot = slot_of(key, mask)
    while slots[slot, 0] != 0:
        if slots[slot, 0] == key:
            chunk = np.int64(slots[slot, 1])
            known = np.uint64(ends[chunk - 1]) if chunk else np.uint64(0)
            same_size = np.uint64(ends[chunk]) - known == size
            if size < SHORT or (same_size and same_bytes(data, known, buffer, start, size)):
                return slot, chunk
        slot = (slot + np.uint64(1)) & mask
    return slot, np.int64(-1)


@kernel
def look_up(chunks: ChunkTable, buffer: NDArray[np.uint8], start: np.uint64, n: Number, found: FoundChunks) -> None:
    """Look `n` chunks up, of which the first one starts at `start`, where the search for each of them begins.

    No step depends on the one before it. Where a known chunk begins is read for all long ones before their bytes are.
    """
    slots, data, ends = chunks.slots, chunks.data, chunks.ends
    mask = np.uint64(len(slots) - 1)
    n_long, last = 0, start
    for i in range(n):
        end = found.ends[i]
        key = key_of(buffer, last, end)
        slot = slot_of(key, mask)
        found.keys[i] = key
        found.numbers[i] = np.int64(slots[slot, 1]) if slots[slot, 0] == key else np.int64(-1)
        found.long[n_long] = i
        n_long += end - last >= SHORT
        last = end
    for j in range(n_long):
        number = found.numbers[found.long[j]]
        found.known[j] = ends[number - 1] if number > 0 else 0
    for j in range(n_long):
        i, known = found.long[j], found.known[j]
        number = found.numbers[i]
        if number >= 0:
            begin = found.ends[i - 1] if i else start
            size = found.ends[i] - begin
            if np.uint64(ends[number] - known) != size or not same_bytes(data, np.uint64(known), buffer, begin, size):
                found.numbers[i] = -1


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
    found: FoundChunks,
    budget: int,
) -> int:
    """Count chunks and special tokens, from where `at` and `here` say. If `table` is empty, a stretch is one chunk.

    special_counts: int64, one a special token.
    keep: occurrences that end within the first `keep` bytes of the corpus are added to `order`.
    at: int64[6], the current stretch, the used parts of the arrays, the offset in the corpus at which the last kept
    occurrence ends, and the room that a chunk needs if the tables are full.

    Returns why it stopped: ALL_COUNTED; COUNT_PAUSED after about `budget` bytes; TABLES_FULL; GIVE_UP if the automaton
    finds no chunk, or reads the same bytes too often.
    """
    buffer, base, stops, specials, closed = text
    slots, data, ends, counts, firsts, order = chunks
    stretch, n_chunks, n_bytes, n_order = at[STRETCH], at[N_CHUNKS], at[N_BYTES], at[N_ORDER]
    limit = np.int64(here[POS]) + budget
    reread_limit = np.int64(here[REREAD]) + budget
    why = ALL_COUNTED
    while stretch < len(stops) and why == ALL_COUNTED:
        stop = stops[stretch]
        whole = closed or stretch + 1 < len(stops)
        start = here[START]
        n_found = np.int64(0)
        if n_order + SCANNED > len(order) and base + np.int64(start) < keep:
            at[BYTES_NEEDED] = 0
            why = TABLES_FULL
            break
        if specials[stretch] >= 0:
            if base + stop <= keep:
                order[n_order] = -1 - specials[stretch]
                n_order += 1
                at[KEPT] = base + stop
            special_counts[specials[stretch]] += 1
            start = here[START] = here[POS] = here[LAST] = np.uint64(stop)
        elif len(table) == 0:
            if whole and np.int64(start) < stop:
                found.ends[0] = here[START] = here[POS] = here[LAST] = np.uint64(stop)
                n_found = np.int64(1)
        elif np.int64(start) < stop:
            until = min(stop, limit)
            n_found = scan(buffer, np.uint64(until), whole and until == stop, symbols, table, here, found.ends)
            if (until < stop and np.int64(here[POS]) >= until) or np.int64(here[REREAD]) > reread_limit:
                why = COUNT_PAUSED
        if n_found and found.ends[n_found - 1] == (found.ends[n_found - 2] if n_found > 1 else start):
            n_found -= 1
            why = GIVE_UP
        look_up(chunks, buffer, start, n_found, found)
        for i in range(n_found):
            end, chunk = found.ends[i], found.numbers[i]
            if chunk < 0:
                size = end - start
                slot, chunk = find(chunks, buffer, start, size, found.keys[i])
                if chunk < 0:
                    if n_chunks == len(ends) or 2 * n_chunks >= len(slots) or n_bytes + np.int64(size) > len(data):
                        at[BYTES_NEEDED] = np.int64(size)
                        why = TABLES_FULL
                        break
                    chunk = n_chunks
                    slots[slot, 0], slots[slot, 1] = found.keys[i], np.uint64(chunk)
                    for j in range(start, end):
                        data[n_bytes] = buffer[j]
                        n_bytes += 1
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
            why = GIVE_UP
        if why in (TABLES_FULL, GIVE_UP):  # go on with the first chunk that is not counted
            here[START] = here[POS] = here[LAST] = start
            here[IN_STATE] = 0
        if why == ALL_COUNTED and np.int64(here[START]) == stop:
            stretch += 1
        elif n_found == 0:
            break  # the stretch goes on in the next buffer, or in the next call
    at[STRETCH], at[N_CHUNKS], at[N_BYTES], at[N_ORDER] = stretch, n_chunks, n_bytes, n_order
    return why


class ChunkCounter:
    """Counts distinct chunks, and notes where each occurs in the first `keep` bytes of a corpus.

    The text comes in buffers: `feed` one, then `count` it. The arrays of `ChunkTable` are attributes, and grow here.
    """

    def __init__(self, keep: int, n_specials: int = 0) -> None:
        self.keep = keep
        self.special_counts = np.zeros(n_specials, np.int64)
        self.slots = np.zeros((1 << 10, 2), np.uint64)
        self.data = np.empty(1 << 12, np.uint8)
        self.ends, self.counts, self.firsts = (np.empty(1 << 9, np.int64) for _ in range(3))
        self.order = np.empty(SCANNED, np.int32)
        self.at = np.zeros(6, np.int64)
        self.here = np.zeros(5, np.uint64)
        self.found = new_found()
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
        rest = self.special_counts, self.keep, self.at, self.here, self.found, budget
        while True:
            with np.errstate(over="ignore"):  # products wrap around; numpy warns if kernels run as plain Python
                why = _count(text, symbols, table, self.table(), *rest)
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
        """Return the distinct chunks so far."""
        n = self.n_chunks
        return ChunkList(self.data[: self.n_bytes], self.ends[:n], self.counts[:n], self.firsts[:n])

    def table(self) -> ChunkTable:
        """Return the hash table, and the arrays that belong to it."""
        return ChunkTable(self.slots, self.data, self.ends, self.counts, self.firsts, self.order)

    def _make_room(self, n_bytes: int) -> None:
        """Grow the arrays that have no room for one more chunk of this size, to twice their length at least."""
        if self.n_chunks == len(self.ends):
            self.ends, self.counts, self.firsts = (grown(a, 2 * len(a)) for a in (self.ends, self.counts, self.firsts))
        if self.n_bytes + n_bytes > len(self.data):
            self.data = grown(self.data, max(2 * len(self.data), self.n_bytes + n_bytes))
        if self.n_order + SCANNED > len(self.order):  # pages that are never written take no memory
            self.order = grown(self.order, 4 * len(self.order))

    def _grow_slots(self) -> None:
        slots = np.zeros((len(self.slots) * (4 if len(self.slots) < 1 << 16 else 2), 2), np.uint64)
        with np.errstate(over="ignore"):
            _move(self.slots, slots)
        self.slots = slots
