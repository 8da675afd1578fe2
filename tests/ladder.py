"""What a browser makes of the answers of the Train page's socket: the ladder, its marks, and the seams."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tokviz.tokenizer.encoding import OPEN
from tokviz.training.train import Training

GONE = -9


@dataclass(eq=False)
class Row:
    """A merge in the ladder. It stays the same object for as long as its token is made."""

    token: bytes
    left: bytes
    right: bytes
    count: int
    replaced: int
    tied: int


@dataclass
class Ladder:
    """What the browser shows. marks: by rank, how far the merge moved up (down: negative), None if it is new."""

    rows: list[Row] = field(default_factory=list)
    seams: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    whole: dict[int, int] = field(default_factory=dict)
    marks: list[int | None] = field(default_factory=list)
    gone: list[tuple[int, bytes]] = field(default_factory=list)
    header: dict[str, Any] = field(default_factory=dict)

    def apply(self, message: bytes) -> dict[str, Any]:
        """Take in an answer; an error changes nothing. Returns the header."""
        size = int.from_bytes(message[:4], "little")
        header = json.loads(message[4 : 4 + size])
        if "error" in header:
            assert len(message) == 4 + size
            return header
        numbers = np.frombuffer(message[4 + size :], "<i4")
        sizes = [7 * header["rows"], 2 * header["runs"], header["seams"], 2 * header["whole"]]
        assert len(numbers) == sum(sizes)
        rows, runs, seams, whole = np.split(numbers, np.cumsum(sizes)[:-1])
        was, self.header = self.rows, header
        ranks: dict[int, int] = {}  # old rank -> new rank
        fresh: list[Row | None] = [None] * header["merges"]
        self.marks = [None] * header["merges"]
        for rank, old, number in header["kept"]:
            for i in range(number):
                fresh[rank + i], ranks[old + i] = was[old + i], rank + i
        for rank, old, left, right, count, replaced, tied in rows.reshape(-1, 7).tolist():
            parts = [bytes([id]) if id < 256 else fresh[id - 256].token for id in (left, right)]
            if old >= 0:
                ranks[old] = rank
                assert was[old].token == b"".join(parts)
            fresh[rank] = Row(b"".join(parts), *parts, count, replaced, tied)
        for old, rank in ranks.items():
            self.marks[rank] = old - rank
        self.rows = [row for row in fresh if row]
        assert len(self.rows) == header["merges"]
        self.gone = [(old, was[old].token) for old in header["gone"]]
        moves = [mark for mark in self.marks if mark is not None]
        counted = [sum(mark > 0 for mark in moves), sum(mark < 0 for mark in moves), self.marks.count(None)]
        assert counted == [header["up"], header["down"], header["new"]]
        first, removed, added = header["edit"]
        closed = [seam if seam < 0 or seam >= OPEN else ranks.get(seam, GONE) for seam in self.seams.tolist()]
        self.seams = np.array([*closed[:first], *[GONE] * added, *closed[first + removed :]], np.int32)
        for start, length in runs.reshape(-1, 2).tolist():
            self.seams[start : start + length], seams = seams[:length], seams[length:]
        assert not len(seams)
        self.whole = dict(whole.reshape(-1, 2).tolist())
        return header

    def equals(self, training: Training) -> None:
        """Fail unless this is what the training made."""
        vocab, header, merges = training.tokenizer.vocab, self.header, training.merges
        tokens = header["tokens"]
        for row, merge in zip(self.rows, merges, strict=True):
            tokens -= row.replaced
            assert (row.token, row.left, row.right) == (vocab[merge.id], vocab[merge.left], vocab[merge.right])
            assert (row.count, row.replaced, row.tied, tokens) == (*merge[4:7], merge.tokens_after)
        encoding = training.window(0, training.n_bytes)
        assert np.array_equal(self.seams, encoding.seams)
        assert {place: 256 + len(merges) + at for place, at in self.whole.items()} == encoding.whole
        assert (header["stopped"], header["bytes"]) == (training.stopped, training.n_bytes)
        assert header["specials"] == list(training.counts.special_tokens)
