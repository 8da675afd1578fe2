"""Counting the tokens of texts by chunk and by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.encoding import OPEN, SPLIT, Encoding
from tokviz.errors import TokvizError
from tokviz.kernels.counting import ChunkCounter
from tokviz.peers import AnyTokenizer, Peer
from tokviz.text import Text
from tokviz.waste.costs import CHUNK_BYTES, ChunkCost, FileCost, GroupCost, LineCost, WasteReport
from tokviz.waste.groups import GROUPS, LABEL, Labelled, Labels

LEADING = 20  # chunks that are named of each group and of all, and lines
MOST_OCCURRENCES = 1 << 62  # that a counter of chunks may number
PIECE = 2_000_000  # bytes counted between two yields

Longs = NDArray[np.int64]


class Counting:
    """The tokens of texts as they are counted, in rows: a distinct chunk, a group, and its tokens of that group."""

    def __init__(self, tokenizer: AnyTokenizer) -> None:
        self.tokenizer = tokenizer
        self.faults: dict[str, TokvizError] = {}
        self._texts: list[Text] = []
        self._of_texts: list[list[int]] = []  # tokens and tokens over one, of each text
        self._by_group = np.zeros((len(GROUPS), 3), np.int64)  # tokens, bytes, tokens over one
        self._chunks = ChunkCounter(MOST_OCCURRENCES)
        # int64, a row a distinct key (see `_keys`): it, how often it occurs, and the text and byte where it first does
        self._rows: list[Longs] = []

    def count(self, text: Text, kinds: Labelled, number: int) -> Iterator[int]:
        """Count a text; yields how many bytes of it are counted. number: of the text.

        If the tokenizer cannot read the text, `faults` says why, and nothing of it is counted.
        """
        by_group, n_rows = self._by_group.copy(), len(self._rows)
        try:
            for piece in self.tokenizer.explain_in_pieces(text.text, PIECE):
                self._add(piece, kinds, number)
                yield piece.start + len(piece.data)
        except TokvizError as fault:
            self._by_group, self._rows = by_group, self._rows[:n_rows]
            self.faults[text.name] = fault.without_frames()
            return
        self._texts.append(text)
        self._of_texts.append((self._by_group - by_group).sum(axis=0)[[0, 2]].tolist())

    def _add(self, piece: Encoding, kinds: Labelled, text: int) -> None:
        bare = len(piece.bare)
        self._by_group[LABEL["unplaced"]] += bare, 0, bare
        if not piece.data:
            return
        starts = np.flatnonzero(piece.seams >= OPEN)
        begins = piece.seams[starts] == SPLIT
        is_token = np.ones(len(starts), np.bool_)
        is_token[np.searchsorted(starts, [start for start, id in piece.whole.items() if id is None])] = False
        labels = _labels_of_tokens(piece, kinds, starts, begins)
        lengths = np.diff(starts, append=len(piece.data))
        for column, weights in enumerate((is_token, lengths, is_token & ~begins)):
            self._by_group[:, column] += np.bincount(labels, weights, len(GROUPS)).astype(np.int64)

        firsts = np.flatnonzero(begins)  # the first token of each chunk
        chunk_starts = starts[firsts]
        numbers = self._chunks.add(piece.data, np.append(chunk_starts[1:], len(piece.data))).astype(np.int64)
        mixed = np.minimum.reduceat(labels, firsts) != np.maximum.reduceat(labels, firsts)
        tokens = np.add.reduceat(is_token, firsts, dtype=np.int64)
        keys = _keys(numbers, labels[firsts], tokens, is_token[firsts])
        self._add_rows(keys[~mixed], text, chunk_starts[~mixed] + piece.start)
        if mixed.any():  # a chunk in several groups has a row in each
            chunk = np.cumsum(begins) - 1
            inside = np.flatnonzero(mixed[chunk])
            parts, at, part = np.unique(chunk[inside] << 8 | labels[inside], return_index=True, return_inverse=True)
            tokens = np.bincount(part, is_token[inside]).astype(np.int64)
            begun = np.bincount(part, (is_token & begins)[inside]) > 0
            chunk = parts >> 8
            keys = _keys(numbers[chunk], labels[inside][at], tokens, begun)
            self._add_rows(keys, text, chunk_starts[chunk] + piece.start)

    def _add_rows(self, keys: Longs, text: int, starts: Longs) -> None:
        distinct, at, times = np.unique(keys, return_index=True, return_counts=True)
        self._rows.append(np.column_stack([distinct, times, np.full(len(distinct), text), starts[at]]))

    def report(self, lines: Sequence[LineCost]) -> WasteReport:
        """What was counted. lines: the repeated ones."""
        rows = np.concatenate([*self._rows, np.empty((0, 4), np.int64)])
        keys, at, same = np.unique(rows[:, 0], return_index=True, return_inverse=True)
        times = np.bincount(same, rows[:, 1], len(keys)).astype(np.int64)
        parts = _parts(keys)

        def leading(measure: Longs, among: NDArray[np.bool_]) -> tuple[ChunkCost, ...]:
            """The chunks with the highest measure; of equal ones, that which occurs first."""
            found = np.flatnonzero(among & (measure > 0))
            order = np.lexsort((rows[at[found], 3], rows[at[found], 2], -measure[found]))
            return tuple(
                self._chunk_cost(keys[row], int(times[row]), *rows[at[row], 2:].tolist())
                for row in found[order[:LEADING]].tolist()
            )

        total = parts.tokens * times
        over_one = total - parts.begins * times
        n_tokens, n_bytes, n_over = self._by_group.sum(axis=0).tolist()
        present = np.flatnonzero(self._by_group.any(axis=1)).tolist()
        sums = self._by_group[present].tolist()
        fair = _shares(n_tokens, [size for _, size, _ in sums])
        groups = [
            GroupCost(tokens, size, over, its_fair, GROUPS[label], leading(total, parts.label == label))
            for label, (tokens, size, over), its_fair in zip(present, sums, fair, strict=True)
        ]
        fair = _shares(n_tokens, [text.n_bytes for text in self._texts])
        files = [
            FileCost(tokens, text.n_bytes, over, its_fair, text.name)
            for text, (tokens, over), its_fair in zip(self._texts, self._of_texts, fair, strict=True)
        ]
        return WasteReport(
            n_tokens,
            n_bytes,
            n_over,
            tuple(sorted(groups, key=lambda cost: (-cost.over_average, -cost.tokens))),
            leading(over_one, np.ones(len(keys), np.bool_)),
            tuple(sorted(lines, key=lambda cost: -cost.total)),
            tuple(sorted(files, key=lambda cost: -cost.over_average)),
            self.faults,
        )

    def _chunk_cost(self, key: Longs, times: int, text: int, start: int) -> ChunkCost:
        number, label, tokens, begins = (int(part) for part in _parts(key))
        first, end = int(self._chunks.ends[number - 1]) if number else 0, int(self._chunks.ends[number])
        data = self._chunks.data[first : min(end, first + CHUNK_BYTES)].tobytes()
        pieces = _pieces(self.tokenizer, data) if end - first <= CHUNK_BYTES else ()
        whole = pieces if len(pieces) == tokens else ()
        return ChunkCost(data, GROUPS[label], tokens, times, text, start, whole, bool(begins))


class Parts(NamedTuple):
    """What the key of a row consists of: the number of a chunk, the label of a group, how many tokens of the chunk are
    of this group, and whether the first is among them. An array each."""

    number: Longs
    label: Longs
    tokens: Longs
    begins: Longs


def _keys(number: Longs, label: Labels, tokens: Longs, begins: NDArray[np.bool_]) -> Longs:
    keys: Longs = (number << 6 | label) << 30 | tokens << 1 | begins
    return keys


def _parts(keys: Longs) -> Parts:
    return Parts(keys >> 36, keys >> 30 & (1 << 6) - 1, (keys & (1 << 30) - 1) >> 1, keys & 1)


def _labels_of_tokens(piece: Encoding, kinds: Labelled, starts: Longs, begins: NDArray[np.bool_]) -> Labels:
    """The label of each token: that of its chunk, or its own if the chunk has several words.

    starts, begins: an entry a token, where it starts in the piece, and whether a chunk begins there.
    """
    spaces = kinds.spaces[piece.start : piece.start + len(piece.data)]
    word_starts = ~spaces & np.append(True, spaces[:-1])
    word_starts[starts[begins]] = ~spaces[starts[begins]]
    words = np.add.reduceat(word_starts, starts[begins], dtype=np.int64)
    alone = begins | (words > 1)[np.cumsum(begins) - 1]
    labels = kinds.of_spans(starts[alone] + piece.start, piece.start + len(piece.data))
    found: Labels = labels[np.cumsum(alone) - 1]
    return found


def _pieces(tokenizer: AnyTokenizer, chunk: bytes) -> tuple[bytes, ...]:
    """The tokens of a chunk, by their bytes; empty if the chunk alone does not tell them."""
    if isinstance(tokenizer, Peer):
        return ()
    return (chunk,) if chunk in tokenizer.lookups else tuple(tokenizer.merged(chunk))


def _shares(total: int, weights: Sequence[int]) -> list[int]:
    """Divide a whole number in proportion to weights, so that the parts add up to it: the largest remainders get more.

    >>> _shares(10, [1, 1, 1]), _shares(0, [0])
    ([4, 3, 3], [0])
    """
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    shares = [total * weight // whole for weight in weights]
    remainders = sorted(range(len(weights)), key=lambda place: -(total * weights[place] % whole))
    for place in remainders[: total - sum(shares)]:
        shares[place] += 1
    return shares
