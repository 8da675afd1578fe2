"""Finds which kinds of content are dear in a text, and which of their chunks cost the most tokens.

Each chunk belongs to a group, such as numbers. The bytes of a group would cost its *fair* share of the tokens if all
bytes of the text cost the same. What it costs beyond that is `over_average`, which is below 0 for cheap content. The
text itself is the scale, because any other would be unfair to its language or its tokenizer.

No merge crosses the end of a chunk, so a chunk costs one token at least. What it costs beyond one is its `over_one`: no
merges together can save more. Only `over_average` sees what the split pattern costs: cl100k cuts a number into chunks
of three digits, and no merge can join them.

All figures are whole numbers, and all sums are exact: the tokens, bytes and `over_one` of the groups add up to those of
the text, and `over_average` to 0. Special tokens are read as text. A chunk of several words, which no named split
pattern makes, is counted token by token.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.base.arguments import checked_text
from tokviz.base.progress import WorkProgress, result_of
from tokviz.base.text import clean
from tokviz.cost.waste.groups import GROUPS, LABEL, Labelled, WasteGroup, label_steps
from tokviz.kernels.counting import ChunkCounter
from tokviz.tokenizer.encoding import OPEN, SPLIT, Encoding
from tokviz.tokenizer.peers import AnyTokenizer

__all__ = ["GROUPS", "ChunkCost", "GroupCost", "WasteGroup", "WasteReport", "waste", "waste_steps"]

LEADING = 20  # chunks that are named of each group
CHUNK_BYTES = 1_000  # of a chunk that are kept; under the pattern "none" a word can be as long as the text
PIECE = 2_000_000  # bytes counted between two yields
MOST_OCCURRENCES = 1 << 62  # that a counter of chunks may number

Longs = NDArray[np.int64]


class ChunkCost(NamedTuple):
    """Holds a chunk and its cost. data: its first CHUNK_BYTES bytes. tokens: of each of its `times` occurrences."""

    data: bytes
    tokens: int
    times: int

    @property
    def total(self) -> int:
        """The tokens at all its places together."""
        return self.tokens * self.times


@dataclass(frozen=True, slots=True)
class GroupCost:
    """Holds what a group of content costs.

    over_one: its tokens that do not begin a chunk.
    fair: the tokens that its bytes would cost at the average of the text.
    leading: its chunks with the most tokens at all their places together.
    """

    group: WasteGroup
    tokens: int
    n_bytes: int
    over_one: int
    fair: int
    leading: tuple[ChunkCost, ...]

    @property
    def over_average(self) -> int:
        """The tokens beyond the fair share; below 0 if the group is cheaper than the average."""
        return self.tokens - self.fair


@dataclass(frozen=True, slots=True)
class WasteReport:
    """Says what a text costs by a tokenizer, and where. groups: all that occur, the highest `over_average` first."""

    tokens: int
    n_bytes: int
    groups: tuple[GroupCost, ...]


def waste(text: str, tokenizer: AnyTokenizer) -> WasteReport:
    """Count what each group of content in a text costs under a tokenizer.

    >>> import tokviz
    >>> report = waste("The id is 550e8400-e29b-41d4-a716-446655440000, is it?", tokviz.reference("cl100k_base"))
    >>> [(cost.group.key, cost.tokens, cost.over_average) for cost in report.groups]
    [('hexadecimal', 18, 1), ('punctuation', 2, 1), ('space', 1, 0), ('words', 5, -2)]
    """
    return result_of(waste_steps(text, tokenizer))


def waste_steps(text: str, tokenizer: AnyTokenizer) -> Iterator[WorkProgress[WasteReport]]:
    """Do as `waste`, in steps, which say how many bytes are counted so far."""
    text = clean(checked_text(text))
    data = text.encode()
    labelling = label_steps(data)
    kinds = next(labelling)  # which the next steps complete
    for _ in labelling:
        yield WorkProgress("label", 0, len(data))
    sums = np.zeros((len(GROUPS), 3), np.int64)  # tokens, bytes, tokens over one
    chunks = ChunkCounter(MOST_OCCURRENCES)
    keys, times = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for piece in tokenizer.explain_in_pieces(text, PIECE):
        bare = len(piece.bare)
        sums[LABEL["unplaced"]] += bare, 0, bare
        if piece.data:
            distinct, often = np.unique(_add(piece, kinds, sums, chunks), return_counts=True)
            keys.append(distinct)
            times.append(often)
        yield WorkProgress("count", piece.start + len(piece.data), len(data))
    report = _report(sums, chunks, np.concatenate(keys), np.concatenate(times))
    yield WorkProgress("count", len(data), len(data), report)


def _add(piece: Encoding, kinds: Labelled, sums: Longs, chunks: ChunkCounter) -> Longs:
    """Add a piece to the sums, and its chunks to their counter. Returns the key of each chunk, see `_report`."""
    starts = np.flatnonzero(piece.seams >= OPEN)
    begins = piece.seams[starts] == SPLIT
    is_token = np.ones(len(starts), np.bool_)
    is_token[np.searchsorted(starts, [start for start, id in piece.whole.items() if id is None])] = False

    spaces = kinds.spaces[piece.start : piece.start + len(piece.data)]
    word_starts = ~spaces & np.append(True, spaces[:-1])
    word_starts[starts[begins]] = ~spaces[starts[begins]]
    words = np.add.reduceat(word_starts, starts[begins], dtype=np.int64)
    firsts = np.flatnonzero(begins | (words > 1)[np.cumsum(begins) - 1])  # a chunk of several words: token by token

    labels = kinds.of_spans(starts[firsts] + piece.start, piece.start + len(piece.data))
    ends = np.append(starts[firsts][1:], len(piece.data))
    tokens = np.add.reduceat(is_token, firsts, dtype=np.int64)
    over_one = np.add.reduceat(is_token & ~begins, firsts, dtype=np.int64)
    for column, weights in enumerate((tokens, ends - starts[firsts], over_one)):
        sums[:, column] += np.bincount(labels, weights, len(GROUPS)).astype(np.int64)
    numbers = chunks.add(piece.data, ends).astype(np.int64)
    keys: Longs = (numbers << 6 | labels) << 30 | tokens
    return keys


def _report(sums: Longs, chunks: ChunkCounter, keys: Longs, times: Longs) -> WasteReport:
    """Put the report together. keys: of chunks, each with its number, the label of its group, and its tokens."""
    distinct, same = np.unique(keys, return_inverse=True)
    times = np.bincount(same, times, len(distinct)).astype(np.int64)
    number, labels, of_chunk = distinct >> 36, distinct >> 30 & (1 << 6) - 1, distinct & (1 << 30) - 1
    total = of_chunk * times

    def leading(of: int) -> Generator[ChunkCost]:
        among = np.flatnonzero((labels == of) & (total > 0))
        for row in among[np.argsort(-total[among], kind="stable")][:LEADING].tolist():  # of equal ones, the first
            start, end = int(chunks.ends[number[row] - 1]) if number[row] else 0, int(chunks.ends[number[row]])
            data = chunks.data[start : min(end, start + CHUNK_BYTES)].tobytes()
            yield ChunkCost(data, int(of_chunk[row]), int(times[row]))

    n_tokens, n_bytes, _ = sums.sum(axis=0).tolist()
    present = np.flatnonzero(sums.any(axis=1)).tolist()
    rows = sums[present].tolist()
    fair = _shares(n_tokens, [size for _, size, _ in rows])
    groups = [
        GroupCost(GROUPS[label], tokens, size, over, its_fair, tuple(leading(label)))
        for label, (tokens, size, over), its_fair in zip(present, rows, fair, strict=True)
    ]
    return WasteReport(n_tokens, n_bytes, tuple(sorted(groups, key=lambda cost: (-cost.over_average, -cost.tokens))))


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
