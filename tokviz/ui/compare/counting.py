"""Whole files, counted: read once, then under every tokenizer, and for a pair of them why they differ.

A count goes through a file in pieces, in kernels that hold no lock, so those who type meanwhile do not feel it; and it
can be given up after any piece.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from tokviz.comparison import Comparison, Kind, compare_in_pieces
from tokviz.encoding import OPEN, Encoding
from tokviz.errors import TokvizError
from tokviz.metrics import Reading, Tally, read, tally_pieces
from tokviz.text import Text
from tokviz.tokenizer import Tokenizer
from tokviz.ui.tokenizers import Shown
from tokviz.ui.work.work import Work

PIECE = 1_000_000  # bytes counted between two looks at Cancel
STRETCHES = 240  # of a file in its minimap, fewer where it is shorter
IN_VIEW = 2_000  # bytes of a file that are drawn
REMEMBERED = 16  # places of a file whose encodings are kept

_turn = threading.Lock()  # the server makes one count at a time, of whatever kind


class Example(NamedTuple):
    """A token of one tokenizer, from byte `start` of the file; and its parts, where the other has boundaries."""

    start: int
    token: bytes
    parts: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """Why B cuts tokens of A, over a whole file.

    boundaries: how many B has that A has not. counts: at how many of them each kind of reason holds, several at one
    perhaps. examples: where each kind that holds at all does so first.
    """

    boundaries: int
    counts: dict[Kind, int]
    examples: dict[Kind, Example]


@dataclass(eq=False)
class File:
    """A file of the visitor's, and what is counted of it.

    tallies, density, faults: by the key of a tokenizer. density is tokens in each stretch of the file; a fault says why
    a tokenizer cannot read it. why: by the keys of a pair, A and B.
    """

    text: Text
    tallies: dict[str, Tally] = field(default_factory=dict)
    density: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    why: dict[tuple[str, str], Why] = field(default_factory=dict)
    _seen: dict[tuple[str, int], Encoding] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.text.name

    @property
    def stretches(self) -> int:
        return min(STRETCHES, self.text.n_bytes)

    @property
    def weight(self) -> int:
        """Bytes of memory, near enough."""
        counts = sum(t.by_id.nbytes + t.by_length.nbytes + t.closed.nbytes for t in self.tallies.values())
        return self.text.n_bytes + counts

    def lacks(self, shown: Shown) -> bool:
        """Is it yet to be counted under this tokenizer?"""
        return shown.key not in self.tallies and shown.key not in self.faults

    def near(self, shown: Shown, place: int) -> Encoding:
        """The text about a byte, under a tokenizer: a piece of the encoding of the whole file."""
        if (shown.key, place) not in self._seen:
            start = max(place - IN_VIEW // 4, 0)
            piece = next(shown.tokenizer.explain_in_pieces(self.text.text, IN_VIEW, start))
            while len(self._seen) >= REMEMBERED:
                self._seen.pop(next(iter(self._seen)))
            self._seen[shown.key, place] = piece.part(start - piece.start, IN_VIEW)
        return self._seen[shown.key, place]


@dataclass(eq=False)
class Count(Work):
    """Each file under each of its tokenizers; what is counted stands in the files at once."""

    turn: ClassVar[threading.Lock] = _turn
    todo: Sequence[tuple[File, Sequence[Shown]]]
    _doing: str = "Reading"

    def __post_init__(self) -> None:
        self.in_all = sum(file.text.n_bytes * len(shown) for file, shown in self.todo)

    @property
    def doing(self) -> str:
        return self._doing

    def slices(self) -> Iterator[None]:
        for number, (file, tokenizers) in enumerate(self.todo, 1):
            which = f"file {number} of {len(self.todo)} " if len(self.todo) > 1 else ""
            self._doing = f"Reading {which}".rstrip()
            text = read(file.text.text)
            for shown in tokenizers:
                self._doing = f"Counting {which}under {shown.name}"
                before = self.so_far
                yield from self._count(file, text, shown)
                if self.stop.is_set():
                    return
                self.so_far = before + file.text.n_bytes

    def _count(self, file: File, text: Reading, shown: Shown) -> Iterator[None]:
        density = np.zeros(file.stretches, np.int64)
        tokenizer, tally = shown.tokenizer, None
        try:
            for so_far in tally_pieces(text, self._pieces(tokenizer, file, density), len(tokenizer.merge_ids)):
                tally = so_far
                yield
                if self.stop.is_set():
                    return
        except TokvizError as fault:
            file.faults[shown.key] = str(fault)
        if tally and shown.key not in file.faults:
            file.tallies[shown.key], file.density[shown.key] = tally, density

    def _pieces(self, tokenizer: Tokenizer, file: File, density: NDArray[np.int64]) -> Iterator[Encoding]:
        for piece in tokenizer.explain_in_pieces(file.text.text, PIECE):
            starts = piece.ends - np.diff(piece.ends, prepend=0) + piece.start
            density += np.bincount(starts * len(density) // file.text.n_bytes, minlength=len(density))
            yield piece
            self.so_far += len(piece.data)


@dataclass(eq=False)
class WhyCount(Work):
    """Why the second of a pair cuts tokens of the first in a file; it stands in the file at the end."""

    turn: ClassVar[threading.Lock] = _turn
    file: File
    pair: tuple[Shown, Shown]

    def __post_init__(self) -> None:
        self.about = (self.file.text.sha256, *(shown.key for shown in self.pair))
        self.in_all = self.file.text.n_bytes

    @property
    def doing(self) -> str:
        a, b = self.pair
        return f"Finding out why {b.name} cuts tokens of {a.name}"

    def slices(self) -> Iterator[None]:
        boundaries, counts = 0, dict.fromkeys(get_args(Kind), 0)
        examples: dict[Kind, Example] = {}
        a, b = self.pair
        for piece in compare_in_pieces(self.file.text.text, [a.tokenizer, b.tokenizer], PIECE):
            mine, theirs = piece.encodings
            boundaries += int(np.count_nonzero((mine.seams < OPEN) & (theirs.seams >= OPEN)))
            for kind, places in piece.reason_places(0, 1).items():
                counts[kind] += len(places)
                if len(places) and kind not in examples:
                    examples[kind] = _example(piece, int(places[0]))
            self.so_far += len(mine.data)
            yield
            if self.stop.is_set():
                return
        self.file.why[a.key, b.key] = Why(boundaries, counts, examples)


def _example(piece: Comparison, at: int) -> Example:
    """The first tokenizer's token across a byte, cut where the second has boundaries."""
    mine, theirs = piece.encodings
    token = int(np.searchsorted(mine.ends, at, side="right"))
    start, end = int(mine.ends[token - 1]) if token else 0, int(mine.ends[token])
    cuts = [start, *(start + 1 + np.flatnonzero(theirs.seams[start + 1 : end] >= OPEN)).tolist(), end]
    parts = tuple(mine.data[first:last] for first, last in pairwise(cuts))
    return Example(mine.start + start, mine.data[start:end], parts)
