"""Encoding in bulk: from chunks of bytes to seams and ids.

Tokens are numbered here: 0 to 255 are the bytes, and 256 + rank is what merge `rank` makes. Ids are looked up at the
very end. Two neighbouring tokens merge if their pair is in a hash table of pairs; the lowest rank goes first, and of
equal ranks the leftmost:

- If the merges are known, the table holds the pair of each.
- A rank file such as tiktoken's has no pairs: two neighbours merge if their bytes together are a token. Since each of
  the two is a token too, the table holds every way to cut a token into two tokens, and the same loops serve.

Seams and ids of a chunk are remembered, so that it is merged once. The memory is bounded: when it is full, everything
is forgotten and it starts again. A look-up is a chunk that is one token, whatever its merges make: it is remembered so
from the beginning.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.errors import FormatError
from tokviz.kernels.base import OPEN, SPLIT, SPREAD, WHOLE, Number, kernel

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

BITS = 21  # of a token's number; an entry of the table of pairs is left << 42 | right << 21 | rank
MOST_TOKENS = 1 << BITS
FREE = -1  # an entry of the table of pairs
LONG = 64  # bytes; a chunk of this length or more is merged with a heap

KEY, PACKED = 0, 1  # columns of `Memory.table`
FIRST_BIT, LENGTH_BIT, TEN_BITS = 20, 10, (1 << 10) - 1  # of PACKED: first byte, length, and tokens in the low ten bits
REMEMBERED = 256  # bytes; a longer chunk is not remembered
FIRST_ROWS, FIRST_BYTES = 1 << 12, 1 << 14  # size of a new memory
MOST_CHUNKS, MOST_BYTES = 1 << 18, 1 << 22  # that are remembered at a time
KNOWN_CHUNKS, KNOWN_BYTES, N_IDS, LENGTH_NEEDED = range(4)  # entries of `state`
ALL_ENCODED, MEMORY_FULL, CHUNK_TOO_LONG = range(3)  # why `_encode` returns
SLICE_CHUNKS = 200_000  # chunks that are encoded before another thread with the same tokenizer gets its turn
SHORT = 16_000  # bytes; a longer text is encoded apart from short ones, so that these never wait for it
WORTH_A_THREAD = 200_000  # bytes; two threads share a text of this length or more
CPUS = os.cpu_count() or 1


class PairTable(NamedTuple):
    """Which pairs of tokens merge, and at what rank.

    entries: int64[2**m], a hash table: left << 42 | right << 21 | rank, or FREE. of_bytes: int32[65536], the rank of
    two bytes at left << 8 | right, or MOST_TOKENS. limit: only ranks below it count.
    """

    entries: Longs
    of_bytes: Ints
    limit: int


class Memory(NamedTuple):
    """Chunks that have been encoded.

    table: int64[2**m, 2], a hash table: the key of a chunk (see `_hash`), and three numbers in one: the index of its
    first byte in `data`, its length, and its number of tokens; 0 if the row is free. data: uint8, the chunks end to
    end. seams: int32, those of each chunk. ids: int32, those of each chunk, from the index of its first byte on.
    """

    table: Longs
    data: Bytes
    seams: Ints
    ids: Ints


class Scratch(NamedTuple):
    """Arrays to merge one chunk in. tokens: int32[4, length], see `_merge_short` and `_merge_long`; its first row ends
    with the numbers of the chunk's tokens. heap: int64[2 * length]. seams: int32[length], those of the chunk."""

    tokens: Ints
    heap: Longs
    seams: Ints


class Wanted(NamedTuple):
    """Where the results go: int32, one a byte or one a token. An array that is not wanted is empty."""

    seams: Ints
    want_seams: bool
    ids: Ints
    want_ids: bool


@kernel
def _slot(entries: Longs, left: Number, right: Number) -> Number:
    """The slot of a pair in the hash table, or the free slot where it belongs."""
    key = np.int64(left) << BITS | np.int64(right)
    mixed = key * SPREAD
    mask = len(entries) - 1
    slot = (mixed ^ (mixed >> 32)) & mask
    while entries[slot] != FREE and (entries[slot] >> BITS) != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def _rank(entries: Longs, limit: Number, left: Number, right: Number) -> Number:
    """The rank at which two tokens merge, or `limit` if they do not merge below it."""
    entry = entries[_slot(entries, left, right)]
    if entry == FREE:
        return limit
    rank = entry & (MOST_TOKENS - 1)
    return min(rank, limit)


@kernel
def _enter(entries: Longs, of_bytes: Ints, left: Number, right: Number, rank: Number) -> None:
    entries[_slot(entries, left, right)] = (np.int64(left) << BITS | np.int64(right)) << BITS | rank
    if left < 256 and right < 256:
        of_bytes[left << 8 | right] = rank


@kernel
def _enter_pairs(entries: Longs, of_bytes: Ints, pairs: Longs) -> None:
    for rank in range(len(pairs)):
        _enter(entries, of_bytes, pairs[rank, 0], pairs[rank, 1], rank)


@kernel
def _hash(data: Bytes, start: Number, end: Number) -> Number:
    """The key of data[start:end]: up to seven bytes are the key itself; more give a hash, which is negative."""
    key = np.int64(end - start)
    if end - start <= 7:
        for at in range(start, end):
            key = key << 8 | np.int64(data[at])
        return key
    for at in range(start, end):
        key = (key ^ np.int64(data[at])) * SPREAD
        key ^= key >> 32
    return key | np.int64(-(2**63))


@kernel
def _token_slot(names: Ints, data: Bytes, ends: Longs, start: Number, end: Number) -> Number:
    """The slot of data[start:end] in `names`, a hash table of tokens by their bytes, or the free slot where it belongs.

    names: int32, rank + 1, or 0 if the slot is free. ends: where the bytes of each token end in `data`, by rank.
    """
    mask = len(names) - 1
    key = _hash(data, start, end) * SPREAD
    slot = (key ^ (key >> 32)) & mask
    while names[slot]:
        rank = names[slot] - 1
        first = ends[rank - 1] if rank else 0
        if ends[rank] - first == end - start:
            same = 0
            while same < end - start and data[first + same] == data[start + same]:
                same += 1
            if same == end - start:
                break
        slot = (slot + 1) & mask
    return slot


@kernel
def _token_of(names: Ints, data: Bytes, ends: Longs, start: Number, end: Number) -> Number:
    """The number of the token whose bytes are data[start:end], or -1."""
    if end - start == 1:
        return np.int64(data[start])
    rank = names[_token_slot(names, data, ends, start, end)]
    return rank + 255 if rank else -1


@kernel
def _enter_tokens(names: Ints, data: Bytes, ends: Longs) -> None:
    for rank in range(len(ends)):
        first = ends[rank - 1] if rank else 0
        names[_token_slot(names, data, ends, first, ends[rank])] = rank + 1


@kernel
def _enter_cuts(
    entries: Longs, of_bytes: Ints, names: Ints, data: Bytes, ends: Longs, first: Number, room: Number
) -> Number:
    """Enter every way to cut a token into two tokens, for the tokens from rank `first` on.

    Returns the rank to go on with, early if there is no room for the cuts of the next token.
    """
    for rank in range(first, len(ends)):
        start = ends[rank - 1] if rank else 0
        room -= ends[rank] - start
        if room < 0:
            return rank
        for middle in range(start + 1, ends[rank]):
            left = _token_of(names, data, ends, start, middle)
            if left >= 0:
                right = _token_of(names, data, ends, middle, ends[rank])
                if right >= 0:
                    _enter(entries, of_bytes, left, right, rank)
    return len(ends)


@kernel
def _merge_short(data: Bytes, start: Number, length: Number, merging: PairTable, scratch: Scratch) -> Number:
    """Merge a chunk; for each merge, look at all its pairs. Returns the number of tokens.

    scratch.tokens has a column a token: its number, where it starts, and its rank with the next token.
    """
    tokens, _, seams = scratch
    entries, of_bytes, limit = merging
    n = length
    for i in range(n):
        tokens[0, i], tokens[1, i], tokens[2, i] = data[start + i], i, limit
        seams[i] = OPEN
        if i + 1 < n:
            rank = of_bytes[np.int64(data[start + i]) << 8 | np.int64(data[start + i + 1])]
            tokens[2, i] = min(rank, limit)
    seams[0] = SPLIT
    while n > 1:
        best, at = limit, 0
        for i in range(n - 1):
            if tokens[2, i] < best:
                best, at = tokens[2, i], i
        if best == limit:
            break
        seams[tokens[1, at + 1]] = best
        tokens[0, at] = best + 256
        n -= 1
        for i in range(at + 1, n):
            tokens[0, i], tokens[1, i], tokens[2, i] = tokens[0, i + 1], tokens[1, i + 1], tokens[2, i + 1]
        tokens[2, at] = _rank(entries, limit, tokens[0, at], tokens[0, at + 1]) if at + 1 < n else limit
        if at:
            tokens[2, at - 1] = _rank(entries, limit, tokens[0, at - 1], tokens[0, at])
    return n


@kernel
def _sift_down(heap: Longs, at: Number, n: Number) -> None:
    """Move an entry down until none below is lower."""
    entry = heap[at]
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] > entry:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = entry


@kernel
def _push(heap: Longs, n: Number, entry: Number) -> None:
    """Add an entry to a heap of n."""
    at = n
    while at > 0 and heap[(at - 1) >> 1] > entry:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = entry


@kernel
def _merge_long(data: Bytes, start: Number, length: Number, merging: PairTable, scratch: Scratch) -> Number:
    """Does what `_merge_short` does, in n log n: a heap holds the pairs, as rank << 32 | where the left token starts.

    scratch.tokens has a column a byte. Where a token starts: its number, where it ends, and its rank with the next
    token. At its last byte, the fourth row says where it starts.
    """
    tokens, heap, seams = scratch
    entries, of_bytes, limit = merging
    n_heap, size = 0, np.int64(length)
    for i in range(size):
        tokens[0, i], tokens[1, i], tokens[2, i], tokens[3, i] = data[start + i], i + 1, limit, i
        seams[i] = OPEN
        if i + 1 < size:
            rank = of_bytes[np.int64(data[start + i]) << 8 | np.int64(data[start + i + 1])]
            if rank < limit:
                tokens[2, i] = rank
                heap[n_heap] = np.int64(rank) << 32 | i
                n_heap += 1
    seams[0] = SPLIT
    for i in range(n_heap // 2 - 1, -1, -1):
        _sift_down(heap, i, n_heap)
    while n_heap:
        left, rank = heap[0] & 0xFFFFFFFF, heap[0] >> 32
        n_heap -= 1
        heap[0] = heap[n_heap]
        _sift_down(heap, 0, n_heap)
        if tokens[2, left] != rank:  # one of the two has since merged with another token
            continue
        middle = np.int64(tokens[1, left])
        end = np.int64(tokens[1, middle])
        seams[middle] = rank
        tokens[0, left], tokens[1, left], tokens[2, left] = rank + 256, end, limit
        tokens[2, middle] = limit
        tokens[3, end - 1] = left
        if end < size:
            rank = _rank(entries, limit, tokens[0, left], tokens[0, end])
            if rank < limit:
                tokens[2, left] = rank
                _push(heap, n_heap, np.int64(rank) << 32 | left)
                n_heap += 1
        if left:
            before = np.int64(tokens[3, left - 1])
            rank = _rank(entries, limit, tokens[0, before], tokens[0, left])
            tokens[2, before] = rank
            if rank < limit:
                _push(heap, n_heap, np.int64(rank) << 32 | before)
                n_heap += 1
    n, at = 0, 0
    while at < size:  # leave the numbers of the tokens in the first columns, as `_merge_short` does
        after = tokens[1, at]
        tokens[0, n] = tokens[0, at]
        n += 1
        at = after
    return n


@kernel
def _encode(
    data: Bytes,
    ends: Longs,
    first: Number,
    last: Number,
    merging: PairTable,
    token_ids: Ints,
    memory: Memory,
    scratch: Scratch,
    wanted: Wanted,
    state: Longs,
) -> tuple[Number, Number]:
    """Encode the chunks from number `first` up to `last`. Returns (why it stopped, the chunk to go on with).

    ends: where each chunk ends in `data`. token_ids: int32, the number of a token -> its id. state: int64[4], how many
    chunks and bytes are remembered, how many ids have been written, and the length of the chunk that is too long.
    """
    table, known_bytes, known_seams, known_ids = memory
    tokens, _, chunk_seams = scratch
    seams, want_seams, ids, want_ids = wanted
    mask = len(table) - 1
    start = ends[first - 1] if first else np.int64(0)
    n_ids = state[N_IDS]
    why, chunk = ALL_ENCODED, first
    while chunk < last:
        end = ends[chunk]
        length = end - start
        if length == 1:
            if want_seams:
                seams[start] = SPLIT
            if want_ids:
                ids[n_ids] = token_ids[data[start]]
                n_ids += 1
            start = end
            chunk += 1
            continue
        row, key = -1, np.int64(0)
        if length <= REMEMBERED:
            key = _hash(data, start, end)
            mixed = key * SPREAD
            row = (mixed ^ (mixed >> 32)) & mask
            while table[row, PACKED]:
                packed = table[row, PACKED]
                if table[row, KEY] == key and packed >> LENGTH_BIT & TEN_BITS == length:
                    if key > 0:  # the key is the chunk itself
                        break
                    same, known = 0, packed >> FIRST_BIT
                    while same < length and known_bytes[known + same] == data[start + same]:
                        same += 1
                    if same == length:
                        break
                row = (row + 1) & mask
        if row >= 0 and table[row, PACKED]:
            known = table[row, PACKED] >> FIRST_BIT
            if want_seams:
                for i in range(length):
                    seams[start + i] = known_seams[known + i]
            if want_ids:
                for i in range(table[row, PACKED] & TEN_BITS):
                    ids[n_ids] = known_ids[known + i]
                    n_ids += 1
        else:
            if length > len(chunk_seams):
                state[LENGTH_NEEDED] = length
                why = CHUNK_TOO_LONG
                break
            if row >= 0 and (2 * state[KNOWN_CHUNKS] >= len(table) or state[KNOWN_BYTES] + length > len(known_bytes)):
                why = MEMORY_FULL
                break
            if length < LONG:
                n = _merge_short(data, start, length, merging, scratch)
            else:
                n = _merge_long(data, start, length, merging, scratch)
            if want_seams:
                for i in range(length):
                    seams[start + i] = chunk_seams[i]
            if want_ids:
                for i in range(n):
                    ids[n_ids] = token_ids[tokens[0, i]]
                    n_ids += 1
            if row >= 0:
                known = state[KNOWN_BYTES]
                table[row, KEY] = key
                table[row, PACKED] = known << FIRST_BIT | length << LENGTH_BIT | n
                for i in range(length):
                    known_bytes[known + i] = data[start + i]
                    known_seams[known + i] = chunk_seams[i]
                for i in range(n):
                    known_ids[known + i] = token_ids[tokens[0, i]]
                state[KNOWN_CHUNKS] += 1
                state[KNOWN_BYTES] += length
        start = end
        chunk += 1
    state[N_IDS] = n_ids
    return why, chunk


@kernel
def _remember_again(old: Longs, table: Longs) -> None:
    """Fill a new, larger hash table of chunks from an old one."""
    mask = len(table) - 1
    for i in range(len(old)):
        if old[i, PACKED]:
            mixed = old[i, KEY] * SPREAD
            row = (mixed ^ (mixed >> 32)) & mask
            while table[row, PACKED]:
                row = (row + 1) & mask
            table[row, KEY] = old[i, KEY]
            table[row, PACKED] = old[i, PACKED]


@kernel
def _enter_lookups(data: Bytes, ends: Longs, ids: Ints, memory: Memory) -> None:
    """Remember each of these chunks as one token, in a memory that is empty and has room."""
    table, known_bytes, known_seams, known_ids = memory
    mask = len(table) - 1
    for chunk in range(len(ends)):
        start = ends[chunk - 1] if chunk else 0
        key = _hash(data, start, ends[chunk])
        mixed = key * SPREAD
        row = (mixed ^ (mixed >> 32)) & mask
        while table[row, PACKED]:
            row = (row + 1) & mask
        table[row, KEY] = key
        table[row, PACKED] = start << FIRST_BIT | (ends[chunk] - start) << LENGTH_BIT | 1
        known_ids[start] = ids[chunk]
        for at in range(start, ends[chunk]):
            known_bytes[at] = data[at]
            known_seams[at] = WHOLE
        known_seams[start] = SPLIT


class Ranks:
    """Which tokens merge, and at what rank. Made from the pairs of merges, or from tokens as tiktoken ranks them."""

    def __init__(self, n_pairs: int) -> None:
        self.entries = np.full(1 << (2 * n_pairs + 1).bit_length(), FREE, np.int64)
        self.of_bytes = np.full(1 << 16, MOST_TOKENS, np.int32)

    @classmethod
    def of_pairs(cls, pairs: Longs) -> Ranks:
        """pairs: int64[n, 2], a row a merge: the numbers of its two tokens. FormatError if there are too many."""
        _check_size(len(pairs))
        ranks = cls(len(pairs))
        _enter_pairs(ranks.entries, ranks.of_bytes, pairs)
        return ranks

    @classmethod
    def of_tokens(cls, tokens: Sequence[bytes]) -> Ranks:
        """tokens: the bytes of each merge's token, in rank order. Two neighbours merge if their bytes together are one
        of them. FormatError if there are too many."""
        _check_size(len(tokens))
        data = np.frombuffer(b"".join(tokens), np.uint8)
        ends = np.cumsum(np.fromiter(map(len, tokens), np.int64, len(tokens)))
        names = np.zeros(1 << (2 * len(tokens) + 1).bit_length(), np.int32)
        _enter_tokens(names, data, ends)
        ranks, done = cls(2 * len(tokens)), 0
        while done < len(tokens):
            room = len(ranks.entries) // 2 - int(np.count_nonzero(ranks.entries != FREE))
            done, before = _enter_cuts(ranks.entries, ranks.of_bytes, names, data, ends, done, room), done
            if done == before:
                ranks._grow()
        return ranks

    def _grow(self) -> None:
        entries = self.entries[self.entries != FREE]
        self.entries = np.full(2 * len(self.entries), FREE, np.int64)
        pairs = np.column_stack([entries >> 2 * BITS, entries >> BITS & MOST_TOKENS - 1, entries & MOST_TOKENS - 1])
        _enter_again(self.entries, pairs)


@kernel
def _enter_again(entries: Longs, pairs: Longs) -> None:
    """Fill a new table with pairs: int64[n, 3], left, right, rank."""
    for i in range(len(pairs)):
        left, right = pairs[i, 0], pairs[i, 1]
        entries[_slot(entries, left, right)] = (left << BITS | right) << BITS | pairs[i, 2]


def _check_size(merges: int) -> None:
    if merges + 256 > MOST_TOKENS:
        raise FormatError(
            f"The vocabulary has {merges + 256:,} tokens, and {MOST_TOKENS:,} are the limit.",
            "Load a smaller vocabulary.",
        )


class Encoder:
    """Gives the seams and ids of chunks, under the first `limit` merges. Any number of threads may use it at once.

    token_ids: int32, the number of a token -> its id, for the 256 bytes and `limit` merges. lookups: chunk -> id, of
    the chunks that are one token whatever the merges make of them; each has 2 to REMEMBERED bytes. Only one text at a
    time is encoded with one memory, so long texts have another encoder, with a memory of its own. So has the later half
    of a large text, which is encoded in a second thread.
    """

    def __init__(self, ranks: Ranks, token_ids: Ints, limit: int, lookups: Mapping[bytes, int] | None = None) -> None:
        self._ranks, self._limit, self._lookups = ranks, limit, lookups or {}
        self._token_ids = np.array(token_ids, np.int32)
        self._lock = threading.Lock()
        self._others: tuple[Encoder, Encoder] | None = None  # for long texts
        self._state = np.zeros(4, np.int64)
        self._memory: Any
        # Plain tuples: numba tells their type faster than a NamedTuple's, which matters for a short text.
        self._merging: Any = (ranks.entries, ranks.of_bytes, limit)
        self._make_memory()
        self._make_scratch(REMEMBERED)

    def seams(self, data: bytes, ends: Longs) -> Ints:
        """int32, one a byte: SPLIT where a chunk starts, the rank that closed the seam before it, WHOLE or OPEN.

        ends: int64, where each chunk ends in `data`.
        """
        seams = np.empty(len(data), np.int32)
        self._run(np.frombuffer(data, np.uint8), ends, seams, None)
        return seams

    def ids(self, data: bytes, ends: Longs) -> Ints:
        """int32, one a token. ends: int64, where each chunk ends in `data`."""
        ids = np.empty(len(data), np.int32)
        return ids[: self._run(np.frombuffer(data, np.uint8), ends, None, ids)].copy()

    def _run(self, data: Bytes, ends: Longs, seams: Ints | None, ids: Ints | None) -> int:
        """Encode all chunks, in two threads if that is faster. Returns the number of ids."""
        if len(data) <= SHORT:
            return self._run_part(data, ends, 0, len(ends), seams, ids)
        if self._others is None:
            self._others = self._like_this(), self._like_this()
        first, second = self._others
        middle = int(np.searchsorted(ends, len(data) // 2)) if len(data) >= WORTH_A_THREAD and CPUS > 1 else 0
        if middle == 0:
            return first._run_part(data, ends, 0, len(ends), seams, ids)
        start = int(ends[middle - 1])  # the first half has at most so many ids, so those of the second half may go here
        later = None if ids is None else ids[start:]
        with ThreadPoolExecutor(1) as pool:
            beside = pool.submit(second._run_part, data, ends, middle, len(ends), seams, later)
            n_ids = first._run_part(data, ends, 0, middle, seams, ids)
            n_later = beside.result()
        if ids is not None:
            ids[n_ids : n_ids + n_later] = ids[start : start + n_later]
        return n_ids + n_later

    def _like_this(self) -> Encoder:
        return Encoder(self._ranks, self._token_ids, self._limit, self._lookups)

    def _run_part(self, data: Bytes, ends: Longs, done: int, last: int, seams: Ints | None, ids: Ints | None) -> int:
        """Encode the chunks from number `done` up to `last`. Returns the number of their ids."""
        wanted: Any = (
            _NONE if seams is None else seams,
            seams is not None,
            _NONE if ids is None else ids,
            ids is not None,
        )
        n_ids = 0
        while done < last:
            with self._lock:
                self._state[N_IDS] = n_ids
                why, done = _encode(
                    data,
                    ends,
                    done,
                    last if last - done <= SLICE_CHUNKS else done + SLICE_CHUNKS,
                    self._merging,
                    self._token_ids,
                    self._memory,
                    self._scratch,
                    wanted,
                    self._state,
                )
                n_ids = self._state.item(N_IDS)
                if why == CHUNK_TOO_LONG:
                    self._make_scratch(int(self._state[LENGTH_NEEDED]))
                elif why == MEMORY_FULL:
                    self._grow_memory()
        if self._longest > REMEMBERED:
            with self._lock:
                self._make_scratch(REMEMBERED)
        return n_ids

    def _make_scratch(self, length: int) -> None:
        """Make room to merge a chunk of so many bytes. Each merge takes one entry off the heap and adds at most two."""
        scratch = Scratch(np.empty((4, length), np.int32), np.empty(2 * length, np.int64), np.empty(length, np.int32))
        self._scratch: Any = tuple(scratch)
        self._longest = length

    def _make_memory(self) -> None:
        """Make a new memory, in which only the look-ups are known."""
        data = b"".join(self._lookups)
        rows = max(FIRST_ROWS, 1 << (4 * len(self._lookups)).bit_length())
        n_bytes = max(FIRST_BYTES, 2 * len(data))
        memory = Memory(
            np.zeros((rows, 2), np.int64),
            np.empty(n_bytes, np.uint8),
            np.empty(n_bytes, np.int32),
            np.empty(n_bytes, np.int32),
        )
        self._memory = tuple(memory)
        self._state[:] = 0
        if self._lookups:
            ends = np.cumsum(np.fromiter(map(len, self._lookups), np.int64, len(self._lookups)))
            ids = np.array([*self._lookups.values()], np.int32)
            _enter_lookups(np.frombuffer(data, np.uint8), ends, ids, self._memory)
            self._state[KNOWN_CHUNKS], self._state[KNOWN_BYTES] = len(ends), len(data)

    def _grow_memory(self) -> None:
        """Double the arrays of the memory that are full, or forget everything if they have reached their limit."""
        table, data, seams, ids = self._memory
        chunks, n_bytes = int(self._state[KNOWN_CHUNKS]), int(self._state[KNOWN_BYTES])
        table_is_full = 2 * chunks >= len(table)
        data_is_full = n_bytes + REMEMBERED > len(data)
        if (table_is_full and chunks >= MOST_CHUNKS) or (data_is_full and n_bytes >= MOST_BYTES):
            self._make_memory()
            return
        if table_is_full:
            old, table = table, np.zeros((4 * len(table), 2), np.int64)
            _remember_again(old, table)
        if data_is_full:
            data, seams, ids = _doubled(data), _doubled(seams), _doubled(ids)
        self._memory = (table, data, seams, ids)


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    """A copy with twice the length."""
    doubled = np.empty(2 * len(array), array.dtype)
    doubled[: len(array)] = array
    return doubled


_NONE: Ints = np.empty(0, np.int32)
