"""Byte-pair encoding, learned: count all pairs, join the most frequent one everywhere, and again.

    corpus -> distinct chunks and their counts -> merges, one at a time -> Training

A pair's count is how often its two tokens stand side by side inside a chunk, every window counted. Ties are a
decision: "first" takes the pair that comes first in the corpus as it now stands, "lowest" the smallest (left id, right
id), "hf" that of the Hugging Face trainer. What a page draws is what ran: `train` only exhausts `train_steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tokviz.arguments import clamped_span, shown, text_of, whole_number
from tokviz.corpus import ChunkCounts, Corpus, Counting, Kept, begin_counting
from tokviz.encoding import SPLIT, WHOLE, Encoding, Ints
from tokviz.errors import SettingError
from tokviz.kernels import Learner, pairs_at
from tokviz.merges import History, check_total
from tokviz.specials import check_special_tokens
from tokviz.tokenizer import MergeRecord, Tokenizer

Tie = Literal["first", "lowest", "hf"]
Prefer = Literal["frequent", "rarest"]
Stopped = Literal["size", "no_pairs", "min_count", "cancelled"]
TIES: dict[str, str] = {
    "first": "the pair that comes first in the corpus as it now stands",
    "lowest": "the pair with the lowest ids, left before right",
    "hf": "the pair with the lowest ids as the Hugging Face trainer numbers bytes",
}

VOCAB_LIMIT = 1_000_000  # tokens
RAREST_LIMIT = 200_000  # bytes of distinct chunks: every merge looks at all pairs
SLICE_SECONDS = 0.05  # between two looks at `cancel`

# The Hugging Face trainer numbers bytes in the order of the characters that GPT-2's files write them with: the
# printable ones stand for themselves, the others for U+0100 and on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_HF_ORDER = _PRINTABLE + [byte for byte in range(256) if byte not in _PRINTABLE]
HF_PLACE = [_HF_ORDER.index(byte) for byte in range(256)]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that could merge: its ids, its count over the whole corpus, and the byte offset where it first stands."""

    left: int
    right: int
    count: int
    first: int | None


@dataclass(frozen=True, eq=False)
class Training:
    """What a training came to: the tokenizer, and the record by which it can be replayed.

    tokenizer.history holds the merges; `stopped` says why there are no more; `asked` how many were asked for. counts
    and seams are those of the distinct chunks (int32, one a byte of `counts.data`).
    """

    tokenizer: Tokenizer
    stopped: Stopped
    asked: int
    counts: ChunkCounts
    seams: Ints
    kept: Kept | None
    tie: Tie
    prefer: Prefer
    ban: frozenset[bytes]
    min_count: int

    @property
    def merges(self) -> Sequence[MergeRecord]:
        """One record a merge, in rank order; made as they are looked at."""
        return self.tokenizer.history or ()

    @property
    def n_bytes(self) -> int:
        """Bytes of the corpus."""
        return self.counts.n_bytes

    @property
    def kept_bytes(self) -> int:
        """Bytes of the corpus that windows reach; 0 where the training was made of counts."""
        return len(self.kept.data) if self.kept else 0

    def tokens_at(self, k: int) -> int:
        """Tokens in the whole corpus after the first k merges."""
        k = whole_number(k, "The step", 0, len(self.merges))
        return self.merges[k - 1].tokens_after if k else self.counts.n_tokens

    def window(self, start: int, length: int) -> Encoding:
        """A place of the corpus with the seams that this training closed there; nothing is encoded again.

        start, length: bytes, clamped. The window widens to places that are boundaries of the final tokens and of
        characters, so its bytes are text; `.start` says where it begins.

        >>> window = train("the cat in the hat", vocab_size=259).window(5, 3)
        >>> window.start, window.data, window.ids.tolist()
        (5, b'at ', [258, 32])
        """
        if self.kept is None:
            raise SettingError("A training made of counts has no corpus to look at.", "Train on the texts themselves.")
        kept, size = self.kept, len(self.kept.data)
        start, end = clamped_span(start, length, size)
        first = max(int(np.searchsorted(kept.starts, start, side="right")) - 1, 0)
        last = max(int(np.searchsorted(kept.starts, end, side="left")), min(first + 1, len(kept.order)))
        pieces: list[Ints] = [np.empty(0, np.int32)]
        whole: dict[int, int | None] = {}
        origin = int(kept.starts[first])
        for occurrence in range(first, last):
            chunk = int(kept.order[occurrence])
            if chunk >= 0:
                begin = int(self.counts.ends[chunk - 1]) if chunk else 0
                pieces.append(self.seams[begin : int(self.counts.ends[chunk])])
            else:
                begin, end_ = int(kept.starts[occurrence]), int(kept.starts[occurrence + 1])
                whole[begin - origin] = self.tokenizer.special_tokens[self.counts.special_tokens[-1 - chunk]]
                pieces.append(np.array([SPLIT] + [WHOLE] * (end_ - begin - 1), np.int32))
        table = self.tokenizer
        covered = kept.data[origin : int(kept.starts[last])]
        chunks = Encoding(covered, np.concatenate(pieces), table.alphabet, table.merge_ids, whole, origin)
        return chunks.part(start - origin, end - start)

    def candidates(self, k: int, n: int = 20) -> list[Candidate]:
        """The leading pairs at step k over the whole corpus: by count, then by the tie rule. Left out are those that
        could not merge: banned ones, and ones below `min_count`.

        0 <= k <= merges; at k = merges, what would have come next. Exact: read off the seams, not off a record.

        >>> [(c.left, c.right, c.count, c.first) for c in train("aaabdaaabac", vocab_size=259).candidates(1, 2)]
        [(256, 97, 2, 0), (97, 98, 2, 2)]
        """
        k, n = whole_number(k, "The step"), whole_number(n, "The number of candidates", 0)
        if not 0 <= k <= len(self.merges):
            raise SettingError(f"There is no step {k:,}: this training has steps 0 to {len(self.merges):,}.")
        counts = self.counts
        left, right, totals, places = pairs_at(counts.data, self.seams, counts.ends, counts.counts, k).T
        keys: Sequence[NDArray[np.int64]] = (
            (places,) if self.tie == "first" else (self._tie_ids(right), self._tie_ids(left))
        )
        order = np.lexsort((*keys, totals if self.prefer == "rarest" else -totals))
        vocab = self.tokenizer.vocab
        found: list[Candidate] = []
        for i in order.tolist():
            if len(found) == n:
                break
            if totals[i] < self.min_count:
                continue
            a, b, place = int(left[i]), int(right[i]), int(places[i])
            if self.ban and vocab[a] + vocab[b] in self.ban:
                continue
            chunk = int(np.searchsorted(counts.ends, place, side="right"))
            begin = int(counts.ends[chunk - 1]) if chunk else 0
            found.append(Candidate(a, b, int(totals[i]), int(counts.firsts[chunk]) + place - begin))
        return found

    def _tie_ids(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        if self.tie == "lowest":
            return ids
        places = np.array(HF_PLACE, np.int64)
        return np.where(ids < 256, places[np.minimum(ids, 255)], ids)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is. stage "count": bytes `done` of `of`; stage "merge": merges. `merges` are the records of
    this slice; the last Progress carries the training."""

    stage: Literal["count", "merge"]
    done: int
    of: int
    merges: Sequence[MergeRecord] = ()
    training: Training | None = None


def train(
    corpus: Corpus | ChunkCounts,
    vocab_size: int = 1024,
    pattern: str | None = None,
    special_tokens: Collection[str] = (),
    tie: Tie = "first",
    min_count: int = 1,
    ban: Collection[bytes] = (),
    prefer: Prefer = "frequent",
    name: str = "trained",
) -> Training:
    """Train a byte-level BPE tokenizer. Equal to the naive algorithm: recount everything, merge the winner, repeat.

    corpus: a text, a path, several of them, or ChunkCounts. vocab_size: 256 + merges; special tokens come on top,
    their ids after those of the merges made. pattern: a name or a regex; None means "gpt2", or the counts' own.
    min_count: pairs that occur less often are not merged. ban: token bytes that no merge may make. prefer: "rarest"
    lets the rarest pair win, a lesson and not a trainer. Raises SettingError, PatternError, InputError,
    SpecialTokenError.

    >>> training = train("aaabdaaabac", vocab_size=259)
    >>> [training.tokenizer.vocab[merge.id] for merge in training.merges], training.stopped
    ([b'aa', b'aaa', b'aaab'], 'size')
    """
    steps = train_steps(corpus, vocab_size, pattern, special_tokens, tie, min_count, ban, prefer, name)
    *_, last = steps
    if last.training is None:
        raise SettingError("The training ended without a result.")
    return last.training


def train_steps(
    corpus: Corpus | ChunkCounts,
    vocab_size: int = 1024,
    pattern: str | None = None,
    special_tokens: Collection[str] = (),
    tie: Tie = "first",
    min_count: int = 1,
    ban: Collection[bytes] = (),
    prefer: Prefer = "frequent",
    name: str = "trained",
    cancel: Callable[[], bool] | None = None,
) -> Iterator[Progress]:
    """As `train`, in slices. `cancel` is asked between them; once it is true the last Progress carries the merges so
    far, stopped "cancelled". Closing the generator discards all. Settings are checked before the first slice.

    >>> last = [*train_steps("aaabdaaabac", vocab_size=259)][-1]
    >>> last.stage, last.done, last.of, last.training.stopped
    ('merge', 3, 3, 'size')
    """
    _check(vocab_size, tie, min_count, prefer)
    banned = _checked_ban(ban)
    if isinstance(corpus, ChunkCounts):
        _check_counts(corpus, pattern, special_tokens)
        return _steps(None, corpus, vocab_size, tie, min_count, banned, prefer, name, cancel)
    counting = begin_counting(corpus, pattern, special_tokens)
    return _steps(counting, None, vocab_size, tie, min_count, banned, prefer, name, cancel)


def _steps(
    counting: Counting | None,
    counts: ChunkCounts | None,
    vocab_size: int,
    tie: Tie,
    min_count: int,
    ban: frozenset[bytes],
    prefer: Prefer,
    name: str,
    cancel: Callable[[], bool] | None,
) -> Iterator[Progress]:
    text_of(name, "The name")
    if cancel is not None and not callable(cancel):
        raise SettingError(f"cancel is {shown(cancel)}, which cannot be called.", "Pass a function, or None.")
    vocab_size, min_count = int(vocab_size), int(min_count)  # numpy's integers too
    asked = vocab_size - 256
    cancelled = False
    kept: Kept | None = None
    if counting is not None:
        for done in counting.run():
            yield Progress("count", done, counting.size)
            if cancelled := cancel is not None and cancel():
                break
        counts, kept = counting.result()
    if counts is None:
        raise SettingError("There is nothing to train on.")
    if prefer == "rarest" and len(counts.data) > RAREST_LIMIT:
        raise SettingError(
            f'prefer="rarest" looks at every pair for every merge; {RAREST_LIMIT:,} bytes of distinct chunks are its '
            f"limit, and this corpus has {len(counts.data):,}.",
            "Use a shorter corpus.",
        )
    learner = Learner(
        counts.data,
        counts.ends,
        counts.counts,
        n_tokens=counts.n_tokens,
        asked=asked,
        tie_key={"first": None, "lowest": range(256), "hf": HF_PLACE}[tie],
        min_count=min_count,
        ban=ban,
        rarest=prefer == "rarest",
    )
    told, n_tokens = 0, counts.n_tokens
    if not cancelled:
        for _ in learner.learn(SLICE_SECONDS):
            if cancelled := cancel is not None and cancel():
                break
            latest = _history(learner.merges[told:], told, n_tokens)
            yield Progress("merge", told + len(latest), asked, latest)
            told += len(latest)
            n_tokens = latest[-1].tokens_after if latest else n_tokens
    history = _history(learner.merges, 0, counts.n_tokens)
    check_total(learner.n_token_bytes, len(history) - 1)
    stopped: Stopped = (
        "size"
        if len(history) == asked
        else "cancelled"
        if cancelled
        else "min_count"
        if learner.pairs_left
        else "no_pairs"
    )
    settings = {
        "vocab_size": vocab_size,
        "pattern": counts.pattern,
        "special_tokens": list(counts.special_tokens),
        "tie": tie,
        "min_count": min_count,
        "ban": sorted(token.hex() for token in ban),
        "prefer": prefer,
    }
    tokenizer = Tokenizer.learned(
        name,
        history,
        pattern=counts.pattern,
        special_tokens={token: 256 + len(history) + i for i, token in enumerate(counts.special_tokens)},
        made_from={"settings": settings, "texts": counting.origin() if counting else None},
    )
    training = Training(
        tokenizer,
        stopped,
        asked,
        counts,
        learner.seams,
        kept,
        tie,
        prefer,
        ban,
        min_count,
    )
    yield Progress("merge", len(history), asked, history[told:], training)


def _history(merges: NDArray[np.int64], first: int, n_tokens: int) -> History:
    """The records of merges as a Learner makes them. first, n_tokens: the rank of the first, the tokens before it."""
    left, right, count, replaced, tied = merges.T
    ranks = first + np.arange(len(merges))
    return History(
        np.column_stack([ranks, left, right, 256 + ranks, count, replaced, tied, n_tokens - np.cumsum(replaced)])
    )


def _check(vocab_size: int, tie: str, min_count: int, prefer: str) -> None:
    whole_number(vocab_size, "The vocabulary size")
    if not 256 <= vocab_size <= VOCAB_LIMIT:
        raise SettingError(
            f"The vocabulary size {vocab_size:,} is out of range: the 256 bytes are always in it, and {VOCAB_LIMIT:,} "
            f"is the limit.",
            "Choose a size between them.",
        )
    if not isinstance(tie, str) or tie not in TIES:
        raise SettingError(f"There is no tie rule {shown(tie)}.", f"Choose one of {', '.join(TIES)}.")
    whole_number(min_count, "The least pair count", 1)
    if prefer not in ("frequent", "rarest"):
        raise SettingError(f"prefer cannot be {shown(prefer)}.", "Choose one of frequent, rarest.")


def _checked_ban(ban: Collection[bytes]) -> frozenset[bytes]:
    tokens = tuple(ban) if isinstance(ban, Iterable) and not isinstance(ban, str | bytes) else (None,)
    if not all(isinstance(token, bytes) for token in tokens):
        raise SettingError(f"ban is {shown(ban)}, which is no collection of token bytes.", "Write [b' the'].")
    return frozenset(tokens)


def _check_counts(counts: ChunkCounts, pattern: str | None, special_tokens: Collection[str]) -> None:
    if pattern is not None and pattern != counts.pattern:
        raise SettingError(
            f"The counts were made with the pattern {counts.pattern!r}, not {pattern!r}.",
            "Leave it out, or count again.",
        )
    if special_tokens and check_special_tokens(special_tokens) != counts.special_tokens:
        raise SettingError("The counts were made with other special tokens.", "Leave them out, or count again.")
