"""From texts to distinct chunks and how often each occurs: all that training needs to know of a corpus.

A corpus is one text or many: a string is always text, a path is always a file, and a `Text` (from `read_text`) is a
file already read. Texts follow one another without a gap, but the end of a text is the end of a chunk.
"""

from __future__ import annotations

import functools
import hashlib
import os
import threading
from bisect import bisect_right
from collections.abc import Collection, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.automaton import Automaton
from tokviz.errors import InputError, SettingError
from tokviz.kernels.splitting import ALL_COUNTED, COUNT_PAUSED, GIVE_UP, NO_SYMBOLS, NO_TABLE, ChunkCounter
from tokviz.specials import check_special_tokens, cut_specials, special_finder
from tokviz.split import DEFAULT, automaton_of, check_pattern, cut_by_regex
from tokviz.text import Blocks, Text, clean

UNCUT_LIMIT = 8_000_000  # bytes of a text under pattern "none": it is one chunk, and has to be held open whole
KEPT_LIMIT = 64_000_000  # bytes of a corpus that are kept for windows; of the rest only distinct chunks are
BLOCK = 1 << 23  # bytes of a file read at a time, and of small texts counted together
SLICE = 4_000_000  # bytes counted before the caller gets a say: some 50 ms
WORTH_A_THREAD = 500_000  # bytes from which on two threads share the work
CPUS = os.cpu_count() or 1
TEXTS_NAMED = 1_000  # texts whose name and sum are kept one by one

Corpus = str | os.PathLike[str] | Text | Iterable["str | os.PathLike[str] | Text"]


@dataclass(frozen=True, eq=False)
class ChunkCounts:
    """Distinct chunks of a corpus in order of first occurrence, and how often each occurs. Plain arrays.

    data: uint8, the chunks end to end. ends, counts, firsts: int64, one a chunk: where it ends in `data`, how often it
    occurs, the byte offset of its first occurrence in the corpus. special_counts: how often each special token occurs.
    n_bytes: of the whole corpus. Two shards of a corpus are joined by `+`, the earlier one on the left.

    >>> both = count_chunks("the cat ") + count_chunks("the hat")
    >>> [(chunk, n) for chunk, n in both]
    [(b'the', 2), (b' cat', 1), (b' ', 1), (b' hat', 1)]
    """

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    firsts: NDArray[np.int64]
    pattern: str
    special_tokens: tuple[str, ...]
    special_counts: tuple[int, ...]
    n_bytes: int

    def __len__(self) -> int:
        """How many distinct chunks."""
        return len(self.ends)

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        data, start = self.data.tobytes(), 0
        for end, count in zip(self.ends.tolist(), self.counts.tolist(), strict=True):
            yield data[start:end], count
            start = end

    def __add__(self, more: ChunkCounts) -> ChunkCounts:
        if not isinstance(more, ChunkCounts):
            return NotImplemented
        if (self.pattern, self.special_tokens) != (more.pattern, more.special_tokens):
            raise SettingError(
                "These counts were made with different patterns or special tokens; count both alike first."
            )
        tally = ChunkCounter(self.n_bytes + more.n_bytes)
        tally.add(self.data, self.ends)
        order = tally.add(more.data, more.ends)
        new = order >= len(self)
        counts = np.concatenate([self.counts, np.zeros(int(new.sum()), np.int64)])
        counts[order] += more.counts  # the chunks of each are distinct, so no place is met twice
        return ChunkCounts(
            tally.data[: tally.n_bytes].copy(),
            tally.ends[: tally.n_chunks].copy(),
            counts,
            np.concatenate([self.firsts, more.firsts[new] + self.n_bytes]),
            self.pattern,
            self.special_tokens,
            tuple(a + b for a, b in zip(self.special_counts, more.special_counts, strict=True)),
            self.n_bytes + more.n_bytes,
        )

    @cached_property
    def n_tokens(self) -> int:
        """Tokens before any merge: one a byte, and one a special token."""
        in_chunks = self.ends @ self.counts - self.ends[:-1] @ self.counts[1:]  # sizes times counts
        return int(in_chunks) + sum(self.special_counts)


@dataclass(frozen=True, eq=False)
class Kept:
    """A corpus as it stands, or its first KEPT_LIMIT bytes: the bytes, and which distinct chunk stands where.

    order: int32, one a chunk occurrence: its place among the distinct chunks, or -1 - i for special token i.
    ends: of the distinct chunks, as in ChunkCounts.
    """

    data: bytes
    order: NDArray[np.int32]
    ends: NDArray[np.int64]
    special_tokens: tuple[str, ...]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """int64, one more than there are occurrences: the byte offset at which each starts, and the end."""
        special_sizes = [len(token.encode()) for token in reversed(self.special_tokens)]  # -1 is the first of them
        sizes = np.concatenate([np.diff(self.ends, prepend=0), np.array(special_sizes, np.int64)])
        return np.append(0, np.cumsum(sizes[self.order]))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Bytes of a text. special: the special token that they are, or -1. closed: does a stretch end here?"""

    data: bytes
    special: int
    closed: bool


class Counting:
    """A corpus being counted, slice by slice, so that a long one can be followed and given up half way.

    Texts are read one after the other and files block by block; what is held is the distinct chunks, the head of the
    corpus, and a block. A block is cut only where the automaton cut with the following characters in view: what comes
    after the last such place waits for the next block. Where only the `regex` package can cut, a stretch of text is
    held whole until it ends.
    """

    def __init__(self, corpus: Corpus, pattern: str, special_tokens: tuple[str, ...], counts_only: bool) -> None:
        self.pattern = pattern
        self.special_tokens = special_tokens
        self._items, self._alone, self._size = _items(corpus)
        self._seen = 0  # bytes of the texts that were read
        self._origin = _Origin()
        self._automaton = automaton_of(pattern)
        self._room = 0 if counts_only else KEPT_LIMIT  # bytes that may still be kept
        self._kept: list[bytes] = []
        self._tally = ChunkCounter(self._room, len(special_tokens))
        self._wants_origin = not counts_only
        self._unsummed: tuple[str, bytes] | None = None  # a large text whose sum is found while merges are learned
        self._sum: Future[str] | None = None
        # What waits to be counted: bytes, where the stretches in it end, and which special token each of them is.
        self._waiting: list[bytes] = []
        self._n_waiting = 0
        self._enough = BLOCK
        self._stops: list[int] = []
        self._kinds: list[int] = []
        self._opened = 0  # where in the corpus the first stretch that waits began

    @property
    def n_bytes(self) -> int:
        """Bytes counted so far."""
        return self._tally.done

    @property
    def size(self) -> int:
        """Bytes of the corpus, as far as they are known: of an iterator, those that were read."""
        return max(self._size, self._seen, self.n_bytes)

    def origin(self) -> list[dict[str, Any]] | dict[str, Any]:
        """Name, bytes and sha256 of each text that was read; of very many, one sum over their sums."""
        if self._unsummed and self._sum:
            (name, data), self._unsummed = self._unsummed, None
            self._origin.add(name, len(data), self._sum.result())
        return self._origin.told()

    def run(self) -> Iterator[int]:
        """Count everything; after each slice, how many bytes are counted."""
        for number, item in enumerate(self._items, 1):
            for piece in self._pieces(item, "the text" if self._alone else f"text {number}"):
                self._take(piece)
                if self._n_waiting >= self._enough and (self._stops or self._automaton):
                    yield from self._count()
        yield from self._count()
        yield self.n_bytes

    def result(self) -> tuple[ChunkCounts, Kept]:
        """What was counted so far, and the corpus as it stands, as far as it is kept. Ends the counting, as it lets go
        of the tables: they may be larger than what they hold."""
        if self._unsummed:
            pool = ThreadPoolExecutor(1)
            self._sum = pool.submit(_sha256, self._unsummed[1])
            pool.shutdown(wait=False)
        tally, self._tally = self._tally, ChunkCounter(0)
        self._tally.base = tally.done
        tally.slots = self._tally.slots
        tally.order.resize(tally.n_order, refcheck=False)  # in place: it may be large
        ends = tally.ends[: tally.n_chunks].copy()
        kept = Kept(_joined(self._kept, tally.kept), tally.order, ends, self.special_tokens)
        self._kept, self._waiting = [], []
        counts = ChunkCounts(
            tally.data[: tally.n_bytes].copy(),
            ends,
            tally.counts[: tally.n_chunks].copy(),
            tally.firsts[: tally.n_chunks].copy(),
            self.pattern,
            self.special_tokens,
            tuple(tally.special_counts.tolist()),
            tally.done,
        )
        return counts, kept

    def _pieces(self, item: object, name: str) -> Iterator[_Piece]:
        """A text cut at special tokens; a file also where its blocks end. Tells where it came from."""
        if isinstance(item, os.PathLike):
            size = _size(item)
            blocks = Blocks(Path(item), BLOCK)
            if not self.special_tokens:
                self._refuse_uncut(size, blocks.path.name)
            yield from self._pieces_of(blocks)
            self._size += blocks.n_bytes - size if self._size else 0  # the byte order mark
            self._note(blocks.path.name, blocks.n_bytes, blocks.sha256)
            return
        if isinstance(item, Text):
            text, data = item.text, item.text.encode()
            self._note(item.name, item.n_bytes, item.sha256)
        elif isinstance(item, str):
            text, data = _encoded(item)
            self._size += len(data) - _size(item) if self._size else 0
            if self._wants_origin and self._alone and len(data) >= WORTH_A_THREAD:
                self._seen, self._unsummed = len(data), (name, data)
            else:
                self._note(name, len(data), _sha256(data) if self._wants_origin else "")
        else:
            raise _no_text(item)
        if not self.special_tokens:
            self._refuse_uncut(len(data), name)
            yield _Piece(data, -1, True)
            return
        for stretch, special in cut_specials(text, self.special_tokens):
            data = stretch.encode()
            if not special:
                self._refuse_uncut(len(data), name)
            yield _Piece(data, self.special_tokens.index(stretch) if special else -1, True)

    def _note(self, name: str, n_bytes: int, sha256: str) -> None:
        self._seen += n_bytes
        if self._wants_origin:
            self._origin.add(name, n_bytes, sha256)

    def _pieces_of(self, blocks: Blocks) -> Iterator[_Piece]:
        """A file cut at special tokens, any of which may lie across the end of a block."""
        if not self.special_tokens:
            yield from (_Piece(block, -1, False) for block in blocks)
            yield _Piece(b"", -1, True)
            return
        longest = max(map(len, self.special_tokens))
        finder = special_finder(frozenset(self.special_tokens))
        text, stretch = "", 0
        for block in chain(blocks, [b""]):
            text += block.decode()
            # From here on a special token might begin, or a longer one win, with what the next block brings.
            settled = len(text) - longest + 1 if block else len(text)
            start = 0
            for match in finder.finditer(text):
                if match.start() >= settled:
                    break
                yield _Piece(text[start : match.start()].encode(), -1, True)
                yield _Piece(match.group().encode(), self.special_tokens.index(match.group()), True)
                start, stretch = match.end(), 0
            if start < settled:
                data = text[start:settled].encode()
                stretch += len(data)
                self._refuse_uncut(stretch, blocks.path.name)
                yield _Piece(data, -1, False)
            text = text[max(start, settled) :]
        yield _Piece(b"", -1, True)

    def _refuse_uncut(self, size: int, name: str) -> None:
        if self.pattern == "none" and size > UNCUT_LIMIT:
            raise SettingError(
                f"{name or 'The text'} has {size:,} bytes.",
                f"Without a split pattern a text is one chunk, and "
                f"{UNCUT_LIMIT:,} bytes are the limit for that. Choose a pattern, or a shorter text.",
            )

    def _take(self, piece: _Piece) -> None:
        """Let a piece wait to be counted."""
        self._waiting.append(piece.data)
        self._n_waiting += len(piece.data)
        if self._room:
            self._kept.append(piece.data)
            self._room = max(self._room - len(piece.data), 0)
        if piece.closed:
            self._stops.append(self._n_waiting)
            self._kinds.append(piece.special)

    def _count(self) -> Iterator[int]:
        """Count what waits, but for a tail that what follows may bring to another end."""
        buffer = self._waiting[0] if len(self._waiting) == 1 else b"".join(self._waiting)
        begun = self.n_bytes
        if self._automaton is not None:
            closed = bool(self._stops) and self._stops[-1] == len(buffer)
            stops, kinds = (self._stops, self._kinds) if closed else ([*self._stops, len(buffer)], [*self._kinds, -1])
            why = yield from self._count_by_automaton(self._automaton, buffer, stops, kinds, closed)
            if why == GIVE_UP:
                self._automaton = None  # it cannot go on; `regex` says why, or does the rest
        if self._automaton is None:
            yield from self._count_by_regex(buffer, begun)
        if self._stops:
            self._opened = begun + self._stops[-1]
        rest = buffer[self.n_bytes - begun :]
        self._waiting, self._n_waiting = [rest], len(rest)
        self._enough = max(BLOCK, 2 * len(rest))  # a long chunk is not put together again for each block
        self._stops, self._kinds = [], []
        yield self.n_bytes

    def _count_by_automaton(
        self, automaton: Automaton, buffer: bytes, stops: list[int], kinds: list[int], closed: bool
    ) -> Generator[int, None, int]:
        """Count a buffer, a large one in two threads. Why it ended: ALL_COUNTED or GIVE_UP."""
        count = functools.partial(ChunkCounter.count, symbols=automaton.symbols, table=automaton.table, budget=SLICE)
        first = self._tally
        middle = _middle(automaton, buffer, stops, kinds) if len(buffer) >= WORTH_A_THREAD else None
        if middle is None:
            first.feed(buffer, stops, kinds, closed)
            while (why := count(first)) == COUNT_PAUSED:
                yield first.done
            return why
        # The first half is counted up to where it looks at the character behind the middle.
        begun, view = first.done, memoryview(buffer)
        behind = middle + 1 + sum(buffer[middle] >= lead for lead in (0xC0, 0xE0, 0xF0))
        n = bisect_right(stops, middle)
        first.feed(view[:behind], [*stops[:n], behind], [*kinds[:n], -1], False)
        second = ChunkCounter(first.keep, len(self.special_tokens))
        second.base = begun + middle
        second.feed(view[middle:], [stop - middle for stop in stops[n:]], kinds[n:], closed)
        stop = threading.Event()

        def count_second() -> int:
            while (why := count(second)) == COUNT_PAUSED and not stop.is_set():
                pass
            return why

        with ThreadPoolExecutor(1) as pool:
            beside = pool.submit(count_second)
            try:
                while (why := count(first)) == COUNT_PAUSED:
                    yield first.done + second.done - begun - middle
                while why == ALL_COUNTED and not beside.done():
                    wait([beside], 0.05)
                    yield first.done + second.done - begun - middle
            finally:
                stop.set()
        if why == ALL_COUNTED and (why := beside.result()) == ALL_COUNTED:
            first.absorb(second)
        return why

    def _count_by_regex(self, buffer: bytes, begun: int) -> Iterator[int]:
        """Count the closed stretches of a buffer that begins at byte `begun` of the corpus."""
        opened = self._opened
        for stop, kind in zip(self._stops, self._kinds, strict=True):
            start = self.n_bytes - begun
            if start < stop and kind >= 0:
                self._tally.feed(buffer[start:stop], [stop - start], [kind], True)
                self._tally.count(NO_SYMBOLS, NO_TABLE, SLICE)
            elif start < stop:
                rest = buffer[start:stop]
                counted = 0
                for ends in cut_by_regex(rest.decode(), self.pattern, begun + start - opened):
                    self._tally.add(rest[counted : ends[-1]], ends - counted)
                    counted = int(ends[-1])
                    yield self.n_bytes
            opened = begun + stop


def _middle(automaton: Automaton, buffer: bytes, stops: list[int], kinds: list[int]) -> int | None:
    """A place near the middle of a buffer where a chunk ends for sure, and that is inside a stretch of text."""
    half = len(buffer) // 2
    stretch = bisect_right(stops, half)
    if CPUS < 2 or kinds[stretch] >= 0:
        return None
    place = automaton.place_to_part(buffer[half : min(half + 10_000, stops[stretch])])
    return None if place is None else half + place


def count_chunks(corpus: Corpus, pattern: str | None = None, special_tokens: Collection[str] = ()) -> ChunkCounts:
    """Distinct chunks of a corpus, and how often each occurs.

    Training on the counts equals training on the texts, ties included, so any engine that maps and reduces can count
    a corpus that no machine holds. `pattern` None means "gpt2".

    >>> list(count_chunks("the cat in the hat"))
    [(b'the', 1), (b' cat', 1), (b' in', 1), (b' the', 1), (b' hat', 1)]
    """
    counting = begin_counting(corpus, pattern, special_tokens, counts_only=True)
    for _ in counting.run():
        pass
    return counting.result()[0]


def begin_counting(
    corpus: Corpus, pattern: str | None, special_tokens: Collection[str], counts_only: bool = False
) -> Counting:
    """Check the corpus and the settings; nothing is counted yet, and of an iterator nothing is read.

    counts_only: nothing of the corpus is kept for windows, and nobody will ask where it came from.
    """
    specials = check_special_tokens(special_tokens)
    return Counting(corpus, check_pattern(DEFAULT if pattern is None else pattern), specials, counts_only)


class _Origin:
    """Name, bytes and sha256 of the texts of a corpus, for the first TEXTS_NAMED; of all, a sum over their sums."""

    def __init__(self) -> None:
        self.named: list[dict[str, Any]] = []
        self.n_texts = 0
        self.n_bytes = 0
        self.sums = hashlib.sha256()

    def add(self, name: str, n_bytes: int, sha256: str) -> None:
        if self.n_texts < TEXTS_NAMED:
            self.named.append({"name": name, "bytes": n_bytes, "sha256": sha256})
        self.n_texts += 1
        self.n_bytes += n_bytes
        self.sums.update(sha256.encode())

    def told(self) -> list[dict[str, Any]] | dict[str, Any]:
        if self.n_texts <= TEXTS_NAMED:
            return self.named
        return {"texts": self.n_texts, "bytes": self.n_bytes, "sha256_of_sums": self.sums.hexdigest()}


def _items(corpus: Corpus) -> tuple[Iterable[object], bool, int]:
    """(the texts of a corpus, is it one alone, bytes as far as they are known).

    An iterator is read later, once; what is there already is checked at once.
    """
    if isinstance(corpus, str | os.PathLike | Text):
        return [corpus], True, _size(corpus)
    _refuse_bytes(corpus)
    if not isinstance(corpus, Iterable) or isinstance(corpus, dict):
        raise InputError(f"A corpus is a text, a path, or several of them, not {type(corpus).__name__}.")
    if isinstance(corpus, list | tuple):
        return corpus, False, sum(map(_size, corpus))
    return corpus, False, 0


def _joined(pieces: list[bytes], size: int) -> bytes:
    """The first `size` bytes of the pieces, which may be large: none is copied twice, and a whole one not at all."""
    if len(pieces) == 1:
        return pieces[0][:size]
    starts = accumulate(map(len, pieces), initial=0)
    return b"".join(memoryview(piece)[: max(size - start, 0)] for start, piece in zip(starts, pieces, strict=False))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _encoded(text: str) -> tuple[str, bytes]:
    """A text without lone surrogates, and its UTF-8."""
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        text = clean(text)
        return text, text.encode()


def _size(item: object) -> int:
    """Bytes of a text, as far as one can tell without reading it. InputError for what is none."""
    if isinstance(item, str):
        return len(item)
    if isinstance(item, Text):
        return item.n_bytes
    if isinstance(item, os.PathLike):
        path = Path(item)
        try:
            return path.stat().st_size
        except OSError as fault:
            raise InputError(f"{path.name} cannot be read: {fault.strerror}.") from None
    raise _no_text(item)


def _no_text(item: object) -> InputError:
    _refuse_bytes(item)
    return InputError(f"A corpus holds texts and paths, not {type(item).__name__}.")


def _refuse_bytes(item: object) -> None:
    if isinstance(item, bytes | bytearray | memoryview):
        raise InputError(
            "A corpus of bytes says nothing of its encoding.", "Make it text by tokviz.read_text(data).text."
        )
    if hasattr(item, "read"):
        raise InputError(
            "An open file is refused, as it may have been opened in any way.", "Hand in its path: pathlib.Path(name)."
        )
