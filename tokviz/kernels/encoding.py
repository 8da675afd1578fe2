"""Encodes the bytes of a text to seams and ids.

The chunks of a text are found by an automaton, some at a time, or their ends are known. Each is merged as
`tokviz.kernels.pairs` and `tokviz.kernels.chunks` say. Ids are looked up at the very end.

Seams and ids of a chunk are remembered, so that it is merged once. The memory is bounded: when it is full, everything
is forgotten and it starts again. A look-up is a chunk that is one token, whatever its merges make: it is remembered as
such from the beginning.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import CPUS, SPLIT, Number, grown, kernel
from tokviz.kernels.chunks import merge
from tokviz.kernels.keys import key_of, same_bytes
from tokviz.kernels.memory import (
    FIRST_BIT,
    KEY,
    LENGTH_BIT,
    PACKED,
    TEN_BITS,
    Memory,
    enter_lookups,
    remember_again,
    row_of,
)
from tokviz.kernels.pairs import Bytes, Ints, Longs, PairTable, pair_table
from tokviz.kernels.ranks import Ranks
from tokviz.kernels.splitting import (
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

REMEMBERED = 256  # bytes; a longer chunk is not remembered
FIRST_ROWS, FIRST_BYTES = 1 << 12, 1 << 14  # size of a new memory
MOST_CHUNKS, MOST_BYTES = 1 << 18, 1 << 22  # that are remembered at a time
KNOWN_CHUNKS, KNOWN_BYTES, LIMIT, PAUSE_AFTER, AT, N_IDS, READ_AGAIN = range(7)  # entries of `state`
PAUSED, MEMORY_FULL, NO_CHUNK = -1, -2, -3  # why `_encode` stops early
SLICE = 1_000_000  # bytes that are encoded before another thread with the same tokenizer gets its turn
SHORT = 16_000  # bytes; a longer text is encoded apart from short ones, so that these never wait for it
WORTH_A_THREAD = 100_000  # bytes that each thread gets at least
WINDOW = 10_000  # bytes in which a place to part a text is searched for


CutArguments = tuple[Any, ...]  # of `_encode`: ends, symbols and automaton


class AutomatonArrays(Protocol):
    """Finds the chunks of a text: see `tokviz.split.automaton.Automaton`."""

    @property
    def cut(self) -> CutArguments: ...

    def place_to_part(self, window: bytes) -> int | None: ...


Chunks = Longs | AutomatonArrays  # where each chunk ends in a text, or the automaton that finds them


class NoChunk(Exception):
    """The automaton left a part of the text out, or gave up."""


@kernel
def _merge_apart(
    data: Bytes, start: Number, length: Number, pairs: PairTable, token_ids: Ints, seams: Ints, ids: Ints, n_ids: Number
) -> Number:
    """Merge a chunk that is too long to be remembered, and write its seams and ids. Returns how many ids."""
    tokens = np.empty((4, length), np.int32)
    into, to = (seams, start) if len(seams) else (np.empty(length, np.int32), np.int64(0))
    n = merge(data, start, length, pairs, tokens, into, to)
    if len(ids):
        for i in range(n):
            ids[n_ids + i] = token_ids[tokens[0, i]]
    return n


@kernel
def _encode(
    text: bytes,
    begin: Number,
    until: Number,
    seams: Ints,
    ids: Ints,
    ends: Longs,
    symbols: Bytes,
    automaton: NDArray[np.uint32],
    tables: Longs,
    token_ids: Ints,
    table: Longs,
    known_bytes: Bytes,
    known_seams: Ints,
    known_ids: Ints,
    state: Longs,
) -> Number:
    """Encode the chunks of text[begin:until]. Returns the number of their ids, or below 0 why it stopped early.

    seams, ids: int32, one a byte of the whole text, and as many ids as there may be. What is not wanted is empty.
    ends: int64, where each chunk of the text ends; if `automaton` is not empty, it finds that.
    symbols, automaton: `symbols` and `table` of `tokviz.split.automaton.Automaton`.
    tables, token_ids: those of a PairTable; int32, the number of a token -> its id.
    table to known_ids: the arrays of `Memory`, one by one, which is quicker than in tuples.
    state: int64[7]: how many chunks and bytes are remembered, how many merges count, after how many bytes it pauses.
    Then, if it stopped early: where to go on, the number of ids so far, and how many bytes the automaton read again.
    """
    data = np.frombuffer(text, np.uint8)
    pairs = pair_table(tables, state[LIMIT])
    tokens = np.empty((4, REMEMBERED), np.int32)
    found = np.empty((3, min(SCANNED, until - begin + 1)), np.uint64)  # where chunks end, their keys, and what is read
    numbers = found.view(np.int64)
    here = np.zeros(5, np.uint64)
    here[START] = here[POS] = here[LAST] = begin
    here[REREAD] = state[READ_AGAIN]
    reread_limit = np.uint64(REREAD_LEAST + REREAD_TIMES * len(data))
    chunk = 0 if len(automaton) else np.searchsorted(ends, begin, "right")
    mask = len(table) - 1
    start, n_ids, why = np.int64(begin), state[N_IDS], 0
    n_chunks, n_bytes = state[KNOWN_CHUNKS], state[KNOWN_BYTES]
    while start < until and why == 0:
        if start - begin >= state[PAUSE_AFTER]:
            why = PAUSED
            break
        if len(automaton):
            n = scan(data, np.uint64(until), True, symbols, automaton, here, found[0])
        else:
            n = 0
            while n < found.shape[1] and (numbers[0, n - 1] if n else start) < until:
                numbers[0, n] = ends[chunk]
                n += 1
                chunk += 1
        # Read the first row of every chunk before any is looked up: the processor then fetches all of them at once.
        last = np.uint64(start)
        for i in range(n):
            found[1, i] = key_of(data, last, found[0, i])
            last = found[0, i]
            numbers[2, i] = table[row_of(numbers[1, i], mask), KEY]
        if n == 0 or here[REREAD] > reread_limit:
            why = NO_CHUNK
        for i in range(n):
            end, key = numbers[0, i], numbers[1, i]
            length = end - start
            if length < 2:
                if length == 0:
                    why = NO_CHUNK
                    break
                if len(seams):
                    seams[start] = SPLIT
                if len(ids):
                    ids[n_ids] = token_ids[data[start]]
                    n_ids += 1
                start = end
                continue
            if length > REMEMBERED:
                n_ids += _merge_apart(data, start, length, pairs, token_ids, seams, ids, n_ids)
                start = end
                continue
            row = row_of(key, mask)
            while table[row, PACKED]:
                packed = table[row, PACKED]
                if table[row, KEY] == key and packed >> LENGTH_BIT & TEN_BITS == length:
                    if key > 0:  # the key is the chunk itself
                        break
                    known = packed >> FIRST_BIT
                    if same_bytes(known_bytes, np.uint64(known), data, np.uint64(start), np.uint64(length)):
                        break
                row = (row + 1) & mask
            known, n_tokens = table[row, PACKED] >> FIRST_BIT, table[row, PACKED] & TEN_BITS
            if n_tokens == 0:
                known = n_bytes
                if 2 * n_chunks >= len(table) or n_bytes + length > len(known_bytes):
                    why = MEMORY_FULL
                    break
                n_tokens = merge(data, start, length, pairs, tokens, known_seams, known)
                table[row, KEY] = key
                table[row, PACKED] = known << FIRST_BIT | length << LENGTH_BIT | n_tokens
                for j in range(n_tokens):
                    known_ids[known + j] = token_ids[tokens[0, j]]
                if key < 0:
                    for j in range(length):
                        known_bytes[known + j] = data[start + j]
                n_chunks += 1
                n_bytes += length
            if len(seams):
                for j in range(length):
                    seams[start + j] = known_seams[known + j]
            if len(ids):
                for j in range(n_tokens):
                    ids[n_ids + j] = known_ids[known + j]
                n_ids += n_tokens
            start = end
    state[KNOWN_CHUNKS], state[KNOWN_BYTES] = n_chunks, n_bytes
    if why == 0:
        state[AT] = state[N_IDS] = state[READ_AGAIN] = 0
        return n_ids
    state[AT], state[N_IDS], state[READ_AGAIN] = start, n_ids, np.int64(here[REREAD])
    return why


class Encoder:
    """Gives the seams and ids of chunks, under the first `limit` merges. Any number of threads may use it at once.

    token_ids: int32, the number of a token -> its id, for the 256 bytes and `limit` merges.
    lookups: chunk -> id, of chunks of 2 to REMEMBERED bytes that are one token whatever the merges make of them.

    Only one text at a time is encoded with one memory, so long texts have other encoders, with memories of their own:
    one for each part of the text that a thread encodes.
    """

    def __init__(
        self, ranks: Ranks, token_ids: Ints, limit: int, lookups: Mapping[bytes, int] | None = None, share: int = 1
    ) -> None:
        """Begin with an empty memory. share: it remembers at most 1 / share of MOST_CHUNKS and of MOST_BYTES."""
        self._ranks, self._limit, self._lookups, self._share = ranks, limit, lookups or {}, share
        self._token_ids = np.array(token_ids, np.int32)
        self._lock = threading.Lock()
        self._others: list[Encoder] = []  # for long texts
        self._state = np.zeros(7, np.int64)
        self._state[LIMIT], self._state[PAUSE_AFTER] = limit, SLICE
        self._make_memory()

    def seams(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """Return int32, one a byte: SPLIT where a chunk starts, the rank that closed the seam before it, WHOLE or OPEN.

        threads: how many share a long text at most; None means one a core. NoChunk if the automaton finds no chunk at
        some place, or reads the same bytes too often.
        """
        seams = np.empty(len(data), np.int32)
        self._run(data, chunks, threads, seams, _NO_IDS)
        return seams

    def ids(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """Return int32, one a token. Parameters and errors are those of `seams`."""
        ids = np.empty(len(data), np.int32)
        return ids[: self._run(data, chunks, threads, _NO_IDS, ids)].copy()

    def _run(self, data: bytes, chunks: Chunks, threads: int | None, seams: Ints, ids: Ints) -> int:
        """Encode all chunks. Returns the number of ids."""
        cut = (chunks, NO_SYMBOLS, NO_TABLE) if isinstance(chunks, np.ndarray) else chunks.cut
        if len(data) <= SHORT:
            return self._run_part(data, 0, len(data), cut, seams, ids)
        n_threads = min(CPUS, threads or CPUS, len(data) // WORTH_A_THREAD) or 1
        places = [0, *places_to_part(data, chunks, n_threads), len(data)]
        share = max(CPUS // 2, 1)  # together they remember no more on many cores than on two
        while len(self._others) < len(places) - 1:
            self._others.append(Encoder(self._ranks, self._token_ids, self._limit, self._lookups, share))

        def run(part: int) -> int:
            begin, until = places[part : part + 2]
            return self._others[part]._run_part(data, begin, until, cut, seams, ids[begin:until])

        if len(places) == 2:
            return run(0)
        with ThreadPoolExecutor(len(places) - 2) as pool:
            beside = pool.map(run, range(1, len(places) - 1))
            counts = [run(0), *beside]
        n_ids = 0
        for begin, count in zip(places, counts, strict=False):
            ids[n_ids : n_ids + count] = ids[begin : begin + count]
            n_ids += count
        return n_ids

    def _run_part(self, data: bytes, begin: int, until: int, cut: CutArguments, seams: Ints, ids: Ints) -> int:
        """Encode the chunks of data[begin:until]. Returns the number of their ids."""
        so_far = None
        while True:
            with self._lock:
                try:
                    if so_far is not None:
                        self._state[AT:], begin = so_far, int(so_far[0])
                    n_ids: int = _encode(data, begin, until, seams, ids, *cut, *self._tables)
                    if n_ids >= 0:
                        return n_ids
                    if n_ids == MEMORY_FULL:
                        self._grow_memory()
                    so_far = self._state[AT:].copy()
                    self._state[AT:] = 0  # the next call, of another text perhaps, begins without it
                except BaseException:  # such as Ctrl+C: the next text would go on where this one stopped
                    self._state[AT:] = 0
                    self._make_memory()
                    raise
            if n_ids == NO_CHUNK:
                raise NoChunk

    def _make_memory(self) -> None:
        """Make a new memory, in which only the look-ups are known."""
        data = b"".join(self._lookups)
        rows = max(FIRST_ROWS, 1 << (4 * len(self._lookups)).bit_length())
        n_bytes = max(FIRST_BYTES, 2 * len(data))
        memory = Memory(np.zeros((rows, 2), np.int64), np.empty(n_bytes, np.uint8), *np.empty((2, n_bytes), np.int32))
        self._remember(memory)
        self._state[[KNOWN_CHUNKS, KNOWN_BYTES]] = 0
        if self._lookups:
            ends = np.cumsum(np.fromiter(map(len, self._lookups), np.int64, len(self._lookups)))
            ids = np.array([*self._lookups.values()], np.int32)
            enter_lookups(np.frombuffer(data, np.uint8), ends, ids, memory)
            self._state[KNOWN_CHUNKS], self._state[KNOWN_BYTES] = len(ends), len(data)

    def _remember(self, memory: Memory) -> None:
        self._memory = memory
        self._tables: Any = (self._ranks.tables, self._token_ids, *memory, self._state)

    def _grow_memory(self) -> None:
        """Double the arrays of the memory that are full, or forget everything if they have reached their limit."""
        table, data, seams, ids = self._memory
        chunks, n_bytes = int(self._state[KNOWN_CHUNKS]), int(self._state[KNOWN_BYTES])
        table_is_full = 2 * chunks >= len(table)
        data_is_full = n_bytes + REMEMBERED > len(data)
        most_chunks, most_bytes = MOST_CHUNKS // self._share, MOST_BYTES // self._share
        if (table_is_full and chunks >= most_chunks) or (data_is_full and n_bytes >= most_bytes):
            self._make_memory()
            return
        if table_is_full:
            old, table = table, np.zeros((4 * len(table), 2), np.int64)
            remember_again(old, table)
        if data_is_full:
            data, seams, ids = (grown(array, 2 * len(array)) for array in (data, seams, ids))
        self._remember(Memory(table, data, seams, ids))


_NO_IDS: Ints = np.empty(0, np.int32)


def places_to_part(data: bytes, chunks: Chunks, n: int) -> list[int]:
    """Find up to n - 1 byte offsets that part a text in about equal parts, which are cut as the whole text is."""
    found = [0]
    for i in range(1, n):
        at = len(data) * i // n
        if isinstance(chunks, np.ndarray):
            place: int | None = int(chunks[np.searchsorted(chunks, at)])
        else:
            near = chunks.place_to_part(data[at : at + WINDOW])
            place = None if near is None else at + near
        if place is not None and found[-1] < place < len(data):
            found.append(place)
    return found[1:]
