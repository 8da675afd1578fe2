"""One corpus under several split patterns: what each pattern costs, and which merges it forbids.

The corpus is trained once without a pattern, so that any two neighbours may merge. Each merge of this *free training*
fired at some places. Another pattern cuts the same bytes into chunks, and no merge crosses the end of a chunk. So
wherever a cut is inside a token that the free training made, the pattern forbids that merge:

    the free training       the·cat         one merge joined "the·" and "cat" here
    the cuts of gpt2        the|·cat        a cut is inside its token, so gpt2 forbids it here

A merge counts as forbidden wherever the token that it made has a cut inside, no matter where in the token it is. Then
the pattern has no chunk that contains this token. A merge is wholly forbidden if that is so wherever it fired.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokviz.encoding import OPEN
from tokviz.errors import PatternError
from tokviz.learning import Stopped
from tokviz.pattern_pieces import Piece, PieceCount
from tokviz.split import cut_in_batches
from tokviz.text import clean
from tokviz.training import Training, train_steps

CORPUS_LIMIT = 1_000_000  # bytes: the clauses of a pattern are matched chunk by chunk, which takes a second a megabyte
FREE = "none"
FREQUENT = 6  # chunks named of a pattern, and of each of its clauses
LONGEST = 3  # tokens named of a pattern

T = TypeVar("T")
Places = NDArray[np.int64]


class Step(NamedTuple):
    """How far the work is. doing: in words; done, of: bytes or merges of this part of it."""

    doing: str
    done: int
    of: int


class ForbiddenMerge(NamedTuple):
    """A merge of the free training that a pattern forbids, wholly or in part.

    rank: in the free training. left, right: the bytes of the two tokens. fired: how often it fired there. across: how
    often of these a cut of the pattern is inside the token that it made.
    """

    rank: int
    left: bytes
    right: bytes
    fired: int
    across: int

    @property
    def wholly(self) -> bool:
        """Whether it is forbidden wherever it fired."""
        return self.across == self.fired


@dataclass(frozen=True, eq=False)
class Outcome:
    """A corpus under one split pattern.

    tokens: of the corpus after the training. merges: how many were made; stopped: why there are no more. chunks: of the
    corpus; distinct: how many different ones. frequent: the most frequent of these, and how often each occurs. longest:
    tokens. Of equal ones the earliest comes first. forbidden: those merges first that are forbidden most often. pieces:
    the clauses of the pattern, or the error that says why they are not told apart; none for the pattern "none".
    """

    pattern: str
    n_bytes: int
    tokens: int
    merges: int
    stopped: Stopped
    chunks: int
    distinct: int
    frequent: tuple[tuple[bytes, int], ...]
    longest: tuple[bytes, ...]
    forbidden: tuple[ForbiddenMerge, ...] = ()
    pieces: tuple[Piece, ...] | PatternError = ()

    @property
    def bytes_per_token(self) -> float | None:
        """None for an empty corpus."""
        return self.n_bytes / self.tokens if self.tokens else None

    @property
    def wholly_forbidden(self) -> int:
        """How many merges of the free training are forbidden wherever they fired."""
        return sum(merge.wholly for merge in self.forbidden)


@dataclass(frozen=True, eq=False)
class FreeTraining:
    """A training without a split pattern, and where each of its merges fired.

    ranks, starts, ends: int32, for each firing the rank of the merge, and the first byte and the end of the token that
    it made in `training.counts.data`. There, each distinct text of the corpus stands once.
    """

    training: Training
    ranks: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    @property
    def texts(self) -> list[tuple[str, int]]:
        """The distinct texts of the corpus, and how often each occurs."""
        return [(data.decode(), times) for data, times in self.training.counts]

    def forbidden(self, cuts: Places) -> tuple[ForbiddenMerge, ...]:
        """The merges that these cuts forbid. cuts: byte offsets in `training.counts.data` at which chunks end."""
        counts, merges, vocab = self.training.counts, self.training.merges, self.training.tokenizer.vocab
        is_cut = np.zeros(len(counts.data) + 1, np.int64)
        is_cut[cuts] = 1
        cuts_before = np.cumsum(is_cut)  # and at this place itself
        inside = cuts_before[self.ends - 1] > cuts_before[self.starts]
        times = np.repeat(counts.counts, np.diff(counts.ends, prepend=0))[self.starts]
        across = np.bincount(self.ranks[inside], times[inside], len(merges)).astype(np.int64)
        found = np.flatnonzero(across)
        return tuple(
            ForbiddenMerge(rank, vocab[merges[rank].left], vocab[merges[rank].right], merges[rank].replaced, n)
            for rank, n in (
                (rank, int(across[rank])) for rank in found[np.argsort(-across[found], kind="stable")].tolist()
            )
        )


def limited(texts: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """The first CORPUS_LIMIT bytes of a corpus, and how many bytes are left out. Lone surrogates become U+FFFD.

    >>> kept, left_out = limited(["a" * 600_000, "é" * 300_000])
    >>> [len(text) for text in kept], left_out
    ([600000, 200000], 200000)
    """
    kept: list[str] = []
    room, left_out = CORPUS_LIMIT, 0
    for text in texts:
        data = clean(text).encode()
        head = data[:room].decode(errors="ignore") if room else ""
        if head:
            kept.append(head)
        used = len(head.encode())
        left_out += len(data) - used
        room = 0 if used < len(data) else room - used
    return tuple(kept), left_out


def train_freely(
    texts: Sequence[str], vocab_size: int, min_count: int
) -> Generator[Step, None, tuple[FreeTraining, Outcome]]:
    """Train without a split pattern, in steps; close the generator to stop. Raises what `tokviz.train` raises."""
    training = yield from _train(texts, FREE, vocab_size, min_count)
    return FreeTraining(training, *_firings(training)), _outcome(training)


def try_pattern(free: FreeTraining, pattern: str) -> Generator[Step, None, Outcome]:
    """Train on the same corpus with a split pattern and the same settings, and find what the pattern forbids, in steps.

    Raises PatternError if the pattern is wrong, does not cover the corpus, or takes too long.
    """
    counts, rules = free.training.counts, free.training.rules
    texts = free.texts
    repeated = [text for text, times in texts for _ in range(times)]
    training = yield from _train(repeated, pattern, 256 + free.training.asked, rules.min_count)
    cuts: list[Places] = []
    try:
        count = PieceCount(pattern)
    except PatternError as fault:
        count, pieces = None, fault.without_frames()
    start = 0
    for text, times in texts:
        batches = []
        for batch in cut_in_batches(text, pattern):
            batches.append(batch)
            yield Step("Finding the cuts", start + int(batch[-1] if len(batch) else 0), len(counts.data))
        ends = np.concatenate(batches)
        cuts.append(start + ends)
        try:
            for done in count.count(text, ends, times) if count else ():
                yield Step("Matching the clauses", start + done, len(counts.data))
        except PatternError as fault:
            count, pieces = None, fault.without_frames()
        start += int(ends[-1])
    found = pieces if count is None else count.pieces(FREQUENT)
    return _outcome(training, free.forbidden(np.concatenate(cuts) if cuts else np.empty(0, np.int64)), found)


def compare_patterns(
    texts: Sequence[str], patterns: Sequence[str], vocab_size: int = 512, min_count: int = 2
) -> list[Outcome]:
    """A corpus under each of these split patterns, all trained to the same size with the same least pair count.

    Raises what `try_pattern` raises.

    >>> none, gpt2 = compare_patterns(["the cat in the hat, the cat in the mat"], ["none", "gpt2"], 262)
    >>> none.tokens, gpt2.tokens
    (17, 19)
    >>> merge = gpt2.forbidden[0]
    >>> merge.left, merge.right, merge.fired, merge.across
    (b'the', b' ', 4, 4)
    """
    free, first = finished(train_freely(limited(texts)[0], vocab_size, min_count))
    return [first if pattern == FREE else finished(try_pattern(free, pattern)) for pattern in patterns]


def finished(steps: Generator[object, None, T]) -> T:
    """The result of steps, all of which are done now."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def _train(texts: Sequence[str], pattern: str, vocab_size: int, min_count: int) -> Generator[Step, None, Training]:
    training = None
    for progress in train_steps(texts, vocab_size, pattern=pattern, min_count=min_count):
        yield Step("Training" if progress.stage == "merge" else "Splitting", progress.done, progress.of)
        training = progress.training
    if training is None:
        raise RuntimeError("the last progress of a training carries it")
    return training


def _outcome(
    training: Training,
    forbidden: tuple[ForbiddenMerge, ...] = (),
    pieces: tuple[Piece, ...] | PatternError = (),
) -> Outcome:
    counts, merges, tok = training.counts, training.merges, training.tokenizer
    chunks = heapq.nlargest(FREQUENT, enumerate(counts), key=lambda row: (row[1][1], -row[0]))
    made = heapq.nlargest(LONGEST, range(len(merges)), key=lambda rank: (len(tok.vocab[merges[rank].id]), -rank))
    return Outcome(
        counts.pattern,
        counts.n_bytes,
        training.tokens_at(len(merges)),
        len(merges),
        training.stopped,
        int(counts.counts.sum()),
        len(counts),
        tuple(row for _, row in chunks),
        tuple(tok.vocab[merges[rank].id] for rank in made),
        forbidden,
        pieces,
    )


def _firings(training: Training) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Ranks, starts and ends as in FreeTraining, read off the seams.

    The merges are made again in rank order, all firings of one at once: those of one rank share no byte.
    """
    seams = training.seams
    places = np.flatnonzero((seams >= 0) & (seams < OPEN)).astype(np.int32)
    places = places[np.argsort(seams[places], kind="stable")]
    ranks = seams[places]
    starts, ends = np.empty_like(places), np.empty_like(places)
    start_before = np.arange(-1, len(seams), dtype=np.int32)  # the start of the token that ends here
    end_after = np.arange(1, len(seams) + 2, dtype=np.int32)  # the end of the token that starts here
    firsts = np.flatnonzero(np.diff(ranks, prepend=-1, append=-1)).tolist()
    for first, last in pairwise(firsts):
        here = places[first:last]
        start, end = start_before[here], end_after[here]
        start_before[end], end_after[start] = start, end
        starts[first:last], ends[first:last] = start, end
    return ranks, starts, ends
