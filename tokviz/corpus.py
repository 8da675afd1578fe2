"""From texts to distinct chunks and how often each occurs: all that training needs to know of a corpus.

A corpus is one text or many: a string is always text, a path is always a file, and a `Text` (from `read_text`) is a
file already read. Texts follow one another without a gap, but the end of a text is the end of a chunk.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.errors import InputError, SettingError
from tokviz.specials import check_special_tokens, cut_specials
from tokviz.split import DEFAULT, check_pattern, cut_in_batches
from tokviz.text import Text, clean, read_text

UNCUT_LIMIT = 8_000_000  # bytes of a text under pattern "none": it is one chunk, and has to be held open whole
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
        tally = _Tally()
        for counts, offset in ((self, 0), (more, self.n_bytes)):
            for (chunk, count), first in zip(counts, counts.firsts.tolist(), strict=True):
                tally.add(chunk, count, offset + first)
        specials = tuple(a + b for a, b in zip(self.special_counts, more.special_counts, strict=True))
        return tally.counts(self.pattern, self.special_tokens, specials, self.n_bytes + more.n_bytes)

    @property
    def n_tokens(self) -> int:
        """Tokens before any merge: one a byte, and one a special token."""
        return int(np.diff(self.ends, prepend=0) @ self.counts) + sum(self.special_counts)


@dataclass(frozen=True, slots=True)
class Kept:
    """A corpus as it stands: its bytes, and which distinct chunk stands where.

    order: int32, one a chunk occurrence: its place among the distinct chunks, or -1 - i for special token i.
    starts: int64, one more than that: the byte offset at which each occurrence starts, and the end.
    """

    data: bytes
    order: NDArray[np.int32]
    starts: NDArray[np.int64]


class _Tally:
    """Distinct chunks as they come in."""

    def __init__(self) -> None:
        self.place: dict[bytes, int] = {}
        self.times: list[int] = []
        self.firsts: list[int] = []

    def add(self, chunk: bytes, times: int, first: int) -> int:
        place = self.place.setdefault(chunk, len(self.times))
        if place == len(self.times):
            self.times.append(times)
            self.firsts.append(first)
        else:
            self.times[place] += times
        return place

    def counts(
        self, pattern: str, special_tokens: tuple[str, ...], special_counts: tuple[int, ...], n_bytes: int
    ) -> ChunkCounts:
        return ChunkCounts(
            np.frombuffer(b"".join(self.place), np.uint8),
            np.cumsum([len(chunk) for chunk in self.place], dtype=np.int64),
            np.array(self.times, np.int64),
            np.array(self.firsts, np.int64),
            pattern,
            special_tokens,
            special_counts,
            n_bytes,
        )


@dataclass
class Counting:
    """A corpus being counted, batch by batch, so that a long one can be followed and given up half way."""

    texts: list[Text]
    pattern: str
    special_tokens: tuple[str, ...]
    n_bytes: int = 0  # counted so far
    _tally: _Tally = field(default_factory=_Tally)
    _specials: list[int] = field(default_factory=list)
    _order: array[int] = field(default_factory=lambda: array("i"))
    _starts: array[int] = field(default_factory=lambda: array("q", [0]))
    _pieces: list[bytes] = field(default_factory=list)

    def run(self) -> Iterator[int]:
        """Count everything; after each batch, how many bytes are counted."""
        self._specials = [0] * len(self.special_tokens)
        for text in self.texts:
            for stretch, special in cut_specials(text.text, self.special_tokens):
                if special:
                    place = self.special_tokens.index(stretch)
                    self._specials[place] += 1
                    self._keep(stretch.encode(), [-1 - place], [len(stretch.encode())])
                else:
                    yield from self._count(stretch, text.name)
        yield self.n_bytes

    def _count(self, stretch: str, name: str) -> Iterator[int]:
        data = stretch.encode()
        if self.pattern == "none" and len(data) > UNCUT_LIMIT:
            raise SettingError(
                f"{name or 'The text'} has {len(data):,} bytes. Without a split pattern a text is one chunk, and "
                f"{UNCUT_LIMIT:,} bytes are the limit for that. Choose a pattern, or a shorter text."
            )
        start = 0
        for batch in cut_in_batches(stretch, self.pattern):
            begun, order, ends = start, [], batch.tolist()
            for end in ends:
                order.append(self._tally.add(data[start:end], 1, self.n_bytes + start - begun))
                start = end
            self._keep(data[begun:start], order, [end - begun for end in ends])
            yield self.n_bytes

    def _keep(self, piece: bytes, order: list[int], ends: list[int]) -> None:
        self._pieces.append(piece)
        self._order.extend(order)
        self._starts.extend(self.n_bytes + end for end in ends)
        self.n_bytes += len(piece)

    def counts(self) -> ChunkCounts:
        """What was counted so far."""
        return self._tally.counts(self.pattern, self.special_tokens, tuple(self._specials), self.n_bytes)

    def kept(self) -> Kept:
        """The corpus as it stands, as far as it was counted."""
        return Kept(b"".join(self._pieces), np.array(self._order, np.int32), np.array(self._starts, np.int64))


def count_chunks(corpus: Corpus, pattern: str | None = None, special_tokens: Collection[str] = ()) -> ChunkCounts:
    """Distinct chunks of a corpus, and how often each occurs.

    Training on the counts equals training on the texts, ties included, so any engine that maps and reduces can count
    a corpus that no machine holds. `pattern` None means "gpt2".

    >>> list(count_chunks("the cat in the hat"))
    [(b'the', 1), (b' cat', 1), (b' in', 1), (b' the', 1), (b' hat', 1)]
    """
    counting = begin_counting(corpus, pattern, special_tokens)
    for _ in counting.run():
        pass
    return counting.counts()


def begin_counting(corpus: Corpus, pattern: str | None, special_tokens: Collection[str]) -> Counting:
    """Read the corpus and check the settings; nothing is counted yet."""
    specials = check_special_tokens(special_tokens)
    return Counting(read_corpus(corpus), check_pattern(DEFAULT if pattern is None else pattern), specials)


def read_corpus(corpus: Corpus) -> list[Text]:
    """The texts of a corpus, in order. An iterator is read once; bytes and open files are refused, with the way out."""
    if isinstance(corpus, str | os.PathLike | Text):
        return [_read(corpus, "the text")]
    _refuse_bytes(corpus)
    if isinstance(corpus, Iterable) and not isinstance(corpus, dict):
        return [_read(item, f"text {number}") for number, item in enumerate(corpus, 1)]
    raise InputError(f"A corpus is a text, a path, or several of them, not {type(corpus).__name__}.")


def origin(texts: list[Text]) -> list[dict[str, Any]] | dict[str, Any]:
    """Name, bytes and sha256 of each text; of very many, one sum over their sums."""
    if len(texts) <= TEXTS_NAMED:
        return [{"name": text.name, "bytes": text.n_bytes, "sha256": text.sha256} for text in texts]
    sums = hashlib.sha256("".join(text.sha256 for text in texts).encode()).hexdigest()
    return {"texts": len(texts), "bytes": sum(text.n_bytes for text in texts), "sha256_of_sums": sums}


def _read(item: object, name: str) -> Text:
    if isinstance(item, Text):
        return item
    if isinstance(item, str):
        text = clean(item)
        data = text.encode()
        return Text(text, name, False, 0, hashlib.sha256(data).hexdigest(), len(data))
    if isinstance(item, os.PathLike):
        path = Path(item)
        try:
            return read_text(path.read_bytes(), path.name)
        except OSError as fault:
            raise InputError(f"{path.name} cannot be read: {fault.strerror}.") from None
    _refuse_bytes(item)
    raise InputError(f"A corpus holds texts and paths, not {type(item).__name__}.")


def _refuse_bytes(item: object) -> None:
    if isinstance(item, bytes | bytearray | memoryview):
        raise InputError("A corpus of bytes says nothing of its encoding. Make it text by tokviz.read_text(data).text.")
    if hasattr(item, "read"):
        raise InputError(
            "An open file is refused, as it may have been opened in any way. Hand in its path: pathlib.Path(name)."
        )
