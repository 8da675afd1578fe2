"""Holds the distinct chunks of a corpus and how often each occurs, all that training needs, and joins shards.

A corpus may be counted in shards, on many machines. Its shards have numbers, and follow one another in their order. A
place in the corpus is then a shard and a byte offset in it: this is known where the shard is counted, whatever is
counted elsewhere. So counts join in any order and in any groups to the same result, and ties of a training fall as if
one machine had counted everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.base import files
from tokviz.base.arguments import path_of, shown, some
from tokviz.base.drawn import as_file
from tokviz.base.errors import SettingError
from tokviz.kernels import uniting
from tokviz.kernels.counting import ChunkList
from tokviz.kernels.utf8 import valid_until
from tokviz.split.cutting import PATTERNS
from tokviz.split.specials import check_special_tokens

MOST_SHARD = 2**53 - 1  # the highest number of a shard; JSON of other programs holds no higher one exactly
FAULTS = {  # what `fault_of_chunks` finds, in words
    uniting.NOTHING: "",
    uniting.ENDS_FALL: "at chunk {chunk:,} 'ends' does not rise, or does not fit the bytes of all chunks",
    uniting.TOO_FEW_COUNTED: "'counts' says of chunk {chunk:,} that it never occurs",
    uniting.FIRSTS_FALL: "'firsts' has chunk {chunk:,} before the end of the one before it",
    uniting.PAST_ITS_SHARD: "'firsts' has chunk {chunk:,} past the end of its shard",
    uniting.TOO_MANY_BYTES: "up to chunk {chunk:,} the chunks have more bytes than the corpus, by 'counts'",
    uniting.TOO_FEW_BYTES: "all chunks and special tokens together do not have the bytes of the corpus, by 'counts'",
}


@dataclass(frozen=True, eq=False)
class ChunkCounts:
    """Holds the distinct chunks of a corpus in order of first occurrence, and how often each occurs, as plain arrays.

    data: uint8, the chunks end to end.
    ends, counts: int64, for each chunk where it ends in `data`, and how often it occurs.
    firsts: int64, the byte offset of its first occurrence in the corpus.
    special_counts: how often each special token occurs.
    n_bytes: bytes of the whole corpus.
    shards: the bytes of each shard by its number, in order of the numbers; empty if the counts have no number.
    regex_version: of the package that cut the text if the pattern is no name.

    `+` joins two. Shards join in any order, and none may be in both. Counts without a number join as one text behind
    the other, with the earlier one on the left; beside shards they are shard 0.

    >>> from tokviz import count_chunks
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
    shards: Mapping[int, int] = field(default_factory=dict)
    regex_version: str | None = None

    def __len__(self) -> int:
        """Count the distinct chunks."""
        return len(self.ends)

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        data, start = self.data.tobytes(), 0
        for end, count in zip(self.ends.tolist(), self.counts.tolist(), strict=True):
            yield data[start:end], count
            start = end

    def __repr__(self) -> str:
        return f"<ChunkCounts: {len(self):,} distinct of {self.n_bytes:,} bytes, pattern {self.pattern!r}>"

    def check_made_with(self, pattern: str | None, special_tokens: Collection[str]) -> None:
        """Raise SettingError if these were counted with another pattern or other special tokens. None, (): any."""
        if pattern is not None and pattern != self.pattern:
            raise SettingError(
                f"The counts were made with the pattern {self.pattern!r}, not {pattern!r}.",
                "Leave the pattern out, or count again.",
            )
        if special_tokens and check_special_tokens(special_tokens) != self.special_tokens:
            raise SettingError(
                "The counts were made with other special tokens.", "Leave the special tokens out, or count again."
            )

    def __add__(self, more: ChunkCounts) -> ChunkCounts:
        if not isinstance(more, ChunkCounts):
            return NotImplemented
        refuse_unlike(self.way, more.way)
        n_bytes = self.n_bytes + more.n_bytes
        if n_bytes > MOST_SHARD:
            raise SettingError(
                f"Together they are the counts of {n_bytes:,} bytes, and {MOST_SHARD:,} are the limit.",
                "Train on a part of the corpus.",
            )
        if self.shards or more.shards:
            own, others = self.shards or {0: self.n_bytes}, more.shards or {0: more.n_bytes}
            if twice := sorted(own.keys() & others.keys()):
                are = f"Shard {twice[0]} is" if len(twice) == 1 else f"Shards {some(twice)} are"
                raise SettingError(f"{are} in both counts.", "Add each shard once, and give each its own number.")
            shards = dict(sorted({**own, **others}.items()))
            firsts, more_firsts = _moved(self.firsts, own, shards), _moved(more.firsts, others, shards)
        else:
            shards, firsts, more_firsts = {}, self.firsts, more.firsts + self.n_bytes
        joined = _joined(
            ChunkList(self.data, self.ends, self.counts, firsts),
            ChunkList(more.data, more.ends, more.counts, more_firsts),
        )
        counts = tuple(a + b for a, b in zip(self.special_counts, more.special_counts, strict=True))
        return replace(self, **joined._asdict(), special_counts=counts, n_bytes=n_bytes, shards=shards)

    def save(self, path: str | PathLike[str]) -> None:
        """Write these counts to a file, whole or not at all; `tokviz.load_counts` reads it.

        Raises SettingError if the file cannot be written, InputError if the path is no path.
        """
        files.write(path_of(path), as_file(self))

    @cached_property
    def n_tokens(self) -> int:
        """Tokens before any merge: one for each byte of a chunk, and one for each special token."""
        in_chunks = self.ends @ self.counts - self.ends[:-1] @ self.counts[1:]  # sizes times counts
        return int(in_chunks) + sum(self.special_counts)

    @property
    def way(self) -> dict[str, Any]:
        """How they were counted: what has to be the same in all counts that are joined."""
        return {
            "patterns": self.pattern,
            "special tokens": list(self.special_tokens),
            "versions of the regex package": self.regex_version,
        }


def refuse_unlike(way: Mapping[str, Any], other: Mapping[str, Any], which: str = "These counts") -> None:
    """Raise SettingError if two ways of counting differ. which: the two counts, as the beginning of a sentence."""
    for what, own in way.items():
        if own != other[what]:
            raise SettingError(
                f"{which} were made with different {what}: {shown(own)} and {shown(other[what])}.",
                "Count both with the same ones, then add them.",
            )


def join(parts: Iterable[ChunkCounts]) -> ChunkCounts:
    """Join many counts, as `+` joins two. SettingError if there are none, or where `+` raises it.

    Large ones are joined with large ones, so that no chunk is copied often. Parts may come from an iterator: only few
    are held at the same time.

    >>> from tokviz import count_chunks
    >>> [n for _, n in join(count_chunks(text) for text in ["a", "b", "a"])]
    [2, 1]
    """
    joined: list[ChunkCounts] = []  # each has more chunks than the next
    for part in parts:
        joined.append(part)
        while len(joined) > 1 and len(joined[-2]) <= 2 * len(joined[-1]):
            joined[-2:] = [joined[-2] + joined[-1]]
    if not joined:
        raise SettingError("There are no counts to join.", "Pass some.")
    while len(joined) > 1:
        joined[-2:] = [joined[-2] + joined[-1]]
    return joined[0]


def fault_of(counts: ChunkCounts) -> str:
    """Say why the numbers of these cannot be the counts of a corpus; "" if they can."""
    chunks, shards, n = ChunkList(counts.data, counts.ends, counts.counts, counts.firsts), counts.shards, len(counts)
    kinds = [(array.dtype.name, array.ndim) for array in chunks]
    if kinds != [("uint8", 1), *[("int64", 1)] * 3] or {len(array) for array in chunks[1:]} != {n}:
        return "their arrays are not of one length, or not of the kinds uint8 and int64"
    if len(counts.special_counts) != len(counts.special_tokens):
        return "there is not one number for each special token"
    if any(a >= b for a, b in pairwise(shards)) or sum(shards.values()) != (counts.n_bytes if shards else 0):
        return "the numbers of the shards do not rise, or their bytes are not those of the corpus together"
    if (counts.regex_version is None) != (counts.pattern in PATTERNS):
        return "a version of the regex package belongs to a pattern that is no name, and to no other"
    if n > uniting.MOST_CHUNKS or counts.n_bytes > MOST_SHARD:
        return "they are too many"
    of_specials = zip(counts.special_tokens, counts.special_counts, strict=True)
    in_chunks = counts.n_bytes - sum(times * len(token.encode()) for token, times in of_specials)
    chunks, stops = uniting.read_only(chunks), np.cumsum([*shards.values()] or [counts.n_bytes])
    kind, chunk = uniting.fault_of_chunks(chunks, stops, max(in_chunks, -1))
    return FAULTS[kind].format(chunk=chunk + 1)


def fault_of_data(counts: ChunkCounts) -> str:
    """Say why the chunks themselves, whose numbers are right, cannot be those of a corpus; "" if they can."""
    chunks = uniting.read_only(ChunkList(counts.data, counts.ends, counts.counts, counts.firsts))
    data, ends, *_ = chunks
    if valid_until(data) < len(data) or (data[ends[:-1]] & 0xC0 == 0x80).any():
        return "a chunk is not UTF-8"
    again = uniting.repeated(chunks)
    return f"chunk {again + 1:,} was there before" if again >= 0 else ""


def _moved(firsts: NDArray[np.int64], own: Mapping[int, int], shards: Mapping[int, int]) -> NDArray[np.int64]:
    """Turn offsets in the corpus of `own` shards into the same places in the corpus of all `shards`."""
    begins = dict(zip(shards, accumulate(shards.values(), initial=0), strict=False))
    stops = np.cumsum([*own.values()])
    shifts = np.array([begins[number] + size for number, size in own.items()]) - stops
    moved: NDArray[np.int64] = firsts + np.repeat(shifts, np.diff(np.searchsorted(firsts, stops), prepend=0))
    return moved


def _joined(some: ChunkList, more: ChunkList) -> ChunkList:
    """Join two lists of distinct chunks. Their first occurrences are in one corpus."""
    few, many = map(uniting.read_only, (some, more) if len(some.ends) <= len(more.ends) else (more, some))
    numbers = uniting.numbers_in(few, many)
    in_both = np.flatnonzero(numbers >= 0)
    n_chunks = len(few.ends) + len(many.ends) - len(in_both)
    if n_chunks > uniting.MOST_CHUNKS:
        raise SettingError(
            f"Together they have {n_chunks:,} distinct chunks, and {uniting.MOST_CHUNKS:,} are the limit.",
            "Train on a part of the corpus.",
        )
    n_bytes = len(few.data) + len(many.data) - int(np.diff(many.ends, prepend=0)[in_both].sum())
    joined = ChunkList(np.empty(n_bytes, np.uint8), *(np.empty(n_chunks, np.int64) for _ in range(3)))
    uniting.join_chunks(few, many, numbers, joined)
    return joined
