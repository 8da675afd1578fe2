"""Whole files counted under tokenizers, piece by piece, and why two tokenizers cut a file differently.

A count yields after each piece, so whoever runs it can show its progress, and can give it up by asking for no more.
The kernels hold no lock while they count a piece, so other threads go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from tokviz.base.errors import TokvizError
from tokviz.base.text import Text
from tokviz.comparison.comparison import Comparison, ReasonKind, compare_in_pieces
from tokviz.cost.figures import Tally, TextFacts, tally_pieces
from tokviz.tokenizer.encoding import OPEN, Encoding
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.server.sizes import size

PIECE = 1_000_000  # bytes counted between two yields
STRETCHES = 240  # of a file, for its density; fewer where the file has fewer bytes
IN_VIEW = 2_000  # bytes of a file that are drawn at once
REMEMBERED = 16  # encodings of places in view that a file keeps


class CutToken(NamedTuple):
    """A token that another tokenizer cuts. start: its first byte in the file. parts: the pieces it is cut into."""

    start: int
    token: bytes
    parts: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class BoundaryReasons:
    """Why tokenizer B has boundaries inside tokens of A, over a whole file.

    boundaries: how many such boundaries there are. counts: at how many of them each kind of reason holds; several can
    hold at one boundary. examples: the first token that was cut for each kind that holds anywhere.
    """

    boundaries: int
    counts: dict[ReasonKind, int]
    examples: dict[ReasonKind, CutToken]


@dataclass(eq=False)
class FileCounts:
    """A file, and what has been counted of it under tokenizers, each known by a key of the caller's.

    tallies: the tally under each tokenizer. density: int64[stretches], how many tokens begin in each stretch of the
    file. faults: why a tokenizer cannot read the file. reasons: by the keys of A and B, why B cuts tokens of A.
    """

    text: Text
    tallies: dict[str, Tally] = field(default_factory=dict)
    density: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    faults: dict[str, TokvizError] = field(default_factory=dict)
    reasons: dict[tuple[str, str], BoundaryReasons] = field(default_factory=dict)
    _in_view: dict[tuple[str, int], Encoding] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.text.name

    @property
    def n_bytes(self) -> int:
        """Bytes of memory that the text and its counts take."""
        tallies = [(tally.tokens_at, tally.ids.values, tally.ids.times) for tally in [*self.tallies.values()]]
        return size(self.text, tallies, [*self._in_view.values()])

    @property
    def stretches(self) -> int:
        """Into how many stretches of equal length `density` divides the file."""
        return min(STRETCHES, self.text.n_bytes)

    def lacks(self, key: str) -> bool:
        """Whether the file has not been counted under this tokenizer yet."""
        return key not in self.tallies and key not in self.faults

    def near(self, key: str, tokenizer: AnyTokenizer, place: int) -> Encoding:
        """The part of the file around byte `place`: a piece of the encoding of the whole file, about IN_VIEW bytes."""
        found = self._in_view.get((key, place))
        if found is None:
            start = max(place - IN_VIEW // 4, 0)
            piece = next(tokenizer.explain_in_pieces(self.text.text, IN_VIEW, start), None) or tokenizer.explain("")
            found = piece.part(start - piece.start, IN_VIEW)
            # Two tabs may be here at once. So the dictionary is replaced and never changed in place.
            latest = list(self._in_view.items())[1 - REMEMBERED :]
            self._in_view = {**dict(latest), (key, place): found}
        return found

    def count(self, key: str, tokenizer: AnyTokenizer, facts: TextFacts) -> Iterator[int]:
        """Count the file under a tokenizer; yields the number of bytes counted so far, after each piece.

        facts: of this file's text. After the last piece the result is in `tallies` and `density`. If the tokenizer
        cannot read the file, `faults` says why and nothing is raised. A count that is given up leaves nothing.

        >>> from tokviz import read_text, reference
        >>> from tokviz.cost.figures import facts_of
        >>> file = FileCounts(read_text(b"the cat sat on the mat", "notes.txt"))
        >>> list(file.count("gpt2", reference("gpt2"), facts_of(file.text.text)))
        [22]
        >>> file.tallies["gpt2"].tokens, int(file.density["gpt2"].sum())
        (6, 6)
        """
        density = np.zeros(self.stretches, np.int64)
        counted = 0
        tally: Tally | None = None

        def pieces() -> Iterator[Encoding]:
            nonlocal counted, density
            for piece in tokenizer.explain_in_pieces(self.text.text, PIECE):
                starts = piece.starts[piece.ids >= 0]
                places = starts + piece.start if piece.typed is None else piece.typed[starts].astype(np.int64)
                bins = np.minimum(places, self.text.n_bytes - 1) * len(density) // self.text.n_bytes
                density += np.bincount(bins, minlength=len(density))
                counted = piece.start + len(piece.data)
                yield piece

        try:
            for so_far in tally_pieces(facts, pieces(), len(tokenizer.merge_ids)):
                tally = so_far
                yield counted
        except TokvizError as fault:
            self.faults[key] = fault.without_frames()
            return
        if tally:
            self.tallies[key], self.density[key] = tally, density

    def count_reasons(self, keys: tuple[str, str], a: AnyTokenizer, b: AnyTokenizer) -> Iterator[int]:
        """Count why B cuts tokens of A; yields the number of bytes counted so far, after each piece.

        keys: of A and B. After the last piece the result is in `reasons`. A count that is given up leaves nothing.

        >>> from tokviz import read_text, reference
        >>> file = FileCounts(read_text(b"In 2008 there were 2009 of them", "notes.txt"))
        >>> list(file.count_reasons(("gpt2", "cl100k_base"), reference("gpt2"), reference("cl100k_base")))
        [31]
        >>> found = file.reasons["gpt2", "cl100k_base"]
        >>> found.boundaries, found.counts["split"], found.examples["split"]
        (4, 4, CutToken(start=2, token=b' 2008', parts=(b' ', b'200', b'8')))
        """
        boundaries, counts = 0, dict.fromkeys(get_args(ReasonKind), 0)
        examples: dict[ReasonKind, CutToken] = {}
        for piece in compare_in_pieces(self.text.text, [a, b], PIECE):
            of_a, of_b = piece.encodings
            boundaries += int(np.count_nonzero((of_a.seams < OPEN) & (of_b.seams >= OPEN)))
            for kind, places in piece.reason_places(0, 1).items():
                counts[kind] += len(places)
                if len(places) and kind not in examples:
                    examples[kind] = _cut_token(piece, int(places[0]))
            yield of_a.start + len(of_a.data)
        self.reasons[keys] = BoundaryReasons(boundaries, counts, examples)


def _cut_token(piece: Comparison, at: int) -> CutToken:
    """The first tokenizer's token that covers byte `at`, cut where the second tokenizer has boundaries."""
    of_a, of_b = piece.encodings
    token = int(np.searchsorted(of_a.ends, at, side="right"))
    start, end = int(of_a.ends[token - 1]) if token else 0, int(of_a.ends[token])
    cuts = [start, *(start + 1 + np.flatnonzero(of_b.seams[start + 1 : end] >= OPEN)).tolist(), end]
    parts = tuple(of_a.data[first:last] for first, last in pairwise(cuts))
    return CutToken(of_a.start + start, of_a.data[start:end], parts)
