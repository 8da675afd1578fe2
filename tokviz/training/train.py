"""Learns byte-pair encoding: counts all pairs, merges the one that wins everywhere, and repeats.

    corpus -> distinct chunks and their counts -> merges, one at a time -> Training

A pair's count is how often its two tokens are neighbours inside a chunk; 'aaa' counts (a, a) twice. `Rules` decide
which pair wins. `train` runs `train_steps` to its end, so a page that draws the steps draws what `train` does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from os import PathLike
from typing import Any

import numpy as np

from tokviz.base import bounds, progress
from tokviz.base.arguments import checked_text, clamped_span, number_in_message, shown, whole_number
from tokviz.base.drawn import Page, html, page
from tokviz.base.errors import InputError, SettingError
from tokviz.base.wording import counted
from tokviz.corpus.chunk_counts import ChunkCounts
from tokviz.corpus.counting import Counting, WindowSource, begin_counting, threads_of
from tokviz.corpus.reading import Corpus
from tokviz.kernels import trainer_compiles, wait
from tokviz.tokenizer.encoding import SPLIT, TOKENS_SHOWN, WHOLE, Encoding, Ints
from tokviz.tokenizer.tokenizer import MergeRecord, Tokenizer
from tokviz.training.learning import SLICE_SECONDS, Learning, Stopped, learns_plainly, pairs_after
from tokviz.training.rules import Prefer, Rules, Tie


@dataclass(frozen=True, slots=True)
class Candidate:
    """Holds a pair that could merge: its two ids, its count over the whole corpus, and its first byte offset there."""

    left: int
    right: int
    count: int
    first: int | None


@dataclass(frozen=True, eq=False)
class Training:
    """Holds the result of a training: the tokenizer, and the record that lets you replay the training.

    tokenizer: has the merges in its `history`.
    stopped, asked: the reason why there are no more merges, and how many were asked for.
    counts: the distinct chunks of the corpus.
    seams: int32, one for each byte of `counts.data`.
    kept: what windows can show of the corpus; None if the training was made from counts.
    rules: how each merge was picked.
    """

    tokenizer: Tokenizer
    stopped: Stopped
    asked: int
    counts: ChunkCounts
    seams: Ints
    kept: WindowSource | None
    rules: Rules

    def __repr__(self) -> str:
        first = [self.tokenizer.vocab[merge.id] for merge in self.merges[:TOKENS_SHOWN]]
        return f"<Training {self.tokenizer.name!r}: {counted(first, len(self.merges), 'merge')}>"

    def _repr_html_(self) -> str:
        """Draw it for Jupyter: a summary, and the first merges."""
        return html(self)

    def replay(self) -> Page:
        """Make the page that plays the merges of this training one by one, without a server.

        Jupyter shows it in a frame; `save` writes it to a file.
        """
        return page(self)

    def save_replay(self, path: str | PathLike[str]) -> None:
        """Write this page to a file, whole or not at all.

        SettingError if the file cannot be written, InputError if the path is not a path.

        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     train("aaabdaaabac", vocab_size=259).save_replay(folder + "/replay.html")
        ...     Path(folder, "replay.html").read_text("utf-8").startswith("<!doctype html>")
        True
        """
        self.replay().save(path)

    @property
    def merges(self) -> Sequence[MergeRecord]:
        """One record for each merge, in rank order. A record is made when you look at it."""
        return self.tokenizer.history or ()

    @property
    def n_bytes(self) -> int:
        """Bytes of the corpus."""
        return self.counts.n_bytes

    @property
    def kept_bytes(self) -> int:
        """Bytes of the corpus that windows can show; 0 if the training was made from counts."""
        return len(self.kept.data) if self.kept else 0

    @property
    def text_ends(self) -> list[int] | None:
        """The byte offset at which each text of the corpus ends.

        None if this is not known: the training was made from counts, from more than `KEPT_LIMIT` bytes or from more
        than `TEXTS_NAMED` texts, or it was cancelled before it had read everything.
        """
        origin = self.tokenizer.origin
        ends = list(accumulate(row.bytes for row in origin.named))
        is_known = self.kept and origin.texts is not None and self.kept_bytes == self.n_bytes == (ends or [0])[-1]
        return ends if is_known else None

    @property
    def chunks(self) -> Encoding:
        """The distinct chunks end to end, with the seams that this training closed in them."""
        tok = self.tokenizer
        return Encoding(self.counts.data.tobytes(), self.seams, tok.alphabet, tok.merge_ids)

    def tokens_at(self, k: int) -> int:
        """Return the number of tokens in the whole corpus after the first k merges."""
        k = whole_number(k, "The step", 0, len(self.merges))
        return self.merges[k - 1].tokens_after if k else self.counts.n_tokens

    def window(self, start: int, length: int) -> Encoding:
        """Return a part of the corpus with the seams that this training closed there. Nothing is encoded again.

        start, length: bytes, clamped to the kept corpus. The window widens to boundaries of the final tokens and of
        characters, so that its bytes are text; `.start` says where it begins. Raises SettingError if the training was
        made from counts.

        >>> window = train("the cat in the hat", vocab_size=259).window(5, 3)
        >>> window.start, window.data, window.ids.tolist()
        (5, b'at ', [258, 32])
        """
        if self.kept is None:
            raise SettingError(
                "This training was made from chunk counts, so it has no corpus to show.", "Train on the texts instead."
            )
        kept, tok = self.kept, self.tokenizer
        start, end = clamped_span(start, length, len(kept.data))
        first = max(int(np.searchsorted(kept.starts, start, side="right")) - 1, 0)
        last = max(int(np.searchsorted(kept.starts, end, side="left")), min(first + 1, len(kept.order)))
        # A pipeline may cut inside a character.
        while 0 < first < len(kept.order) and kept.data[kept.starts[first]] & 0xC0 == 0x80:
            first -= 1
        while last < len(kept.order) and kept.data[kept.starts[last]] & 0xC0 == 0x80:
            last += 1
        origin, order, starts = int(kept.starts[first]), kept.order[first:last], kept.starts[first : last + 1]
        is_chunk, sizes = order >= 0, np.diff(starts)
        seams = np.full(int(sizes.sum()), WHOLE, np.int32)
        begin = self.counts.ends[order[is_chunk]] - sizes[is_chunk]  # of each chunk in `self.seams`
        in_chunks = np.flatnonzero(np.repeat(is_chunk, sizes))
        seams[in_chunks] = self.seams[np.repeat(begin - starts[:-1][is_chunk] + origin, sizes[is_chunk]) + in_chunks]
        special_starts = starts[:-1][~is_chunk] - origin
        seams[special_starts] = SPLIT
        ids = [tok.special_tokens[self.counts.special_tokens[-1 - chunk]] for chunk in order[~is_chunk]]
        whole: dict[int, int | None] = dict(zip(special_starts.tolist(), ids, strict=True))
        covered = kept.data[origin : int(kept.starts[last])]
        chunks = Encoding(covered, seams, tok.alphabet, tok.merge_ids, whole, origin, special_ids=tok.special_ids)
        return chunks.part(start - origin, end - start)

    def candidates(self, k: int, n: int = 20) -> list[Candidate]:
        """List the n leading pairs at step k over the whole corpus, by count and then by the tie rule.

        Pairs that may not merge (banned, or below `min_count`) are left out. 0 <= k <= merges; at k = merges you get
        the pairs that would have come next. SettingError for any other k. The counts are exact: they are counted again.

        >>> [(c.left, c.right, c.count, c.first) for c in train("aaabdaaabac", vocab_size=259).candidates(1, 2)]
        [(256, 97, 2, 0), (97, 98, 2, 2)]
        """
        k, n = whole_number(k, "The step"), whole_number(n, "The number of candidates", 0)
        if not 0 <= k <= len(self.merges):
            raise SettingError(
                f"There is no step {number_in_message(k)}: this training has steps 0 to {len(self.merges):,}.",
                "Choose one of these.",
            )
        counts = self.counts
        left, right, totals, places = pairs_after(counts, self.seams, self.merges, k).T
        found: list[Candidate] = []
        for i in islice(self.rules.ranked(left, right, totals, places, self.tokenizer.vocab), min(n, len(left))):
            place = int(places[i])
            chunk = int(np.searchsorted(counts.ends, place, side="right"))
            begin = int(counts.ends[chunk - 1]) if chunk else 0
            first = int(counts.firsts[chunk]) + place - begin
            found.append(Candidate(int(left[i]), int(right[i]), int(totals[i]), first))
        return found


@dataclass(frozen=True)
class Progress(progress.WorkProgress[Training]):
    """Says how far a training is. In the stage "count", `done` of `of` bytes are counted; in "merge", `done` of `of`
    merges are made; in "compile", it waits for kernels that the app compiles on its first start. merges: the records
    of this slice."""

    merges: Sequence[MergeRecord] = ()

    @property
    def training(self) -> Training | None:
        """The result, in the last Progress only."""
        return self.result


def train(
    corpus: Corpus | ChunkCounts,
    vocab_size: int = 1024,
    *,
    pattern: str | None = None,
    special_tokens: Collection[str] = (),
    tie: Tie = "first",
    min_count: int = 1,
    ban: Collection[bytes] = (),
    prefer: Prefer = "frequent",
    name: str = "trained",
    threads: int | None = None,
    pattern_seconds: float | None = None,
) -> Training:
    """Train a byte-level BPE tokenizer. The result equals the naive algorithm: recount all, merge the winner, repeat.

    corpus: a text, a path, several of them, or ChunkCounts.
    vocab_size: 256 + merges; special tokens come on top, and their ids follow those of the merges made.
    pattern: a name or a regex; None means "gpt2", or the pattern of the counts.
    special_tokens: texts that are cut out first; each gets an id of its own.
    tie, min_count, ban, prefer: see `Rules`; prefer="rarest" is a lesson and makes poor tokenizers.
    name: the tokenizer's.
    threads: how many work at most; None means one for each core.
    pattern_seconds: CPU time that a custom pattern may take for one text; see `tokviz.split.cutting.cut`.

    Raises SettingError, PatternError, InputError, SpecialTokenError.

    >>> training = train("aaabdaaabac", vocab_size=259)
    >>> [training.tokenizer.vocab[merge.id] for merge in training.merges], training.stopped
    ([b'aa', b'aaa', b'aaab'], 'size')
    """
    rules = Rules(tie, min_count, ban, prefer)
    steps = train_by_rules(
        rules,
        corpus,
        vocab_size,
        pattern=pattern,
        special_tokens=special_tokens,
        name=name,
        cancel=None,
        threads=threads,
        pattern_seconds=pattern_seconds,
    )
    return progress.result_of(steps)


def train_steps(
    corpus: Corpus | ChunkCounts,
    vocab_size: int = 1024,
    *,
    pattern: str | None = None,
    special_tokens: Collection[str] = (),
    tie: Tie = "first",
    min_count: int = 1,
    ban: Collection[bytes] = (),
    prefer: Prefer = "frequent",
    name: str = "trained",
    cancel: Callable[[], bool] | None = None,
    threads: int | None = None,
    pattern_seconds: float | None = None,
) -> Iterator[Progress]:
    """Train as `train` does, in slices. The last Progress carries the training.

    `cancel` is called between slices. Once it returns True, the last Progress carries a training of the merges so far,
    with stopped = "cancelled". Closing the generator discards everything. The settings are checked before the first
    slice; raises what `train` raises.

    >>> last = [*train_steps("aaabdaaabac", vocab_size=259)][-1]
    >>> last.stage, last.done, last.of, last.training.stopped
    ('merge', 3, 3, 'size')
    """
    rules = Rules(tie, min_count, ban, prefer)
    return train_by_rules(
        rules,
        corpus,
        vocab_size,
        pattern=pattern,
        special_tokens=special_tokens,
        name=name,
        cancel=cancel,
        threads=threads,
        pattern_seconds=pattern_seconds,
    )


def train_by_rules(
    rules: Rules,
    corpus: Corpus | ChunkCounts,
    vocab_size: int,
    *,
    pattern: str | None,
    special_tokens: Collection[str],
    name: str,
    cancel: Callable[[], bool] | None,
    threads: int | None = None,
    pattern_seconds: float | None = None,
) -> Iterator[Progress]:
    """Train as `train_steps` does, with the rules as one record.

    >>> *_, last = train_by_rules(
    ...     Rules(tie="lowest"), "abcb", 257, pattern=None, special_tokens=(), name="trained", cancel=None
    ... )
    >>> last.training.tokenizer.merges
    ((97, 98),)
    """
    vocab_size = _checked_size(vocab_size)
    checked_text(name, "The name")
    if cancel is not None and not callable(cancel):
        raise SettingError(f"cancel is {shown(cancel)}, which cannot be called.", "Pass a function, or None.")
    if isinstance(corpus, ChunkCounts):
        corpus.check_made_with(pattern, special_tokens)
        return _steps(rules, corpus, vocab_size, name, cancel, threads_of(threads))
    counting = begin_counting(corpus, pattern, special_tokens, False, threads, pattern_seconds)
    return _steps(rules, counting, vocab_size, name, cancel, threads_of(threads))


def _steps(
    rules: Rules,
    source: Counting | ChunkCounts,
    vocab_size: int,
    name: str,
    cancel: Callable[[], bool] | None,
    threads: int,
) -> Iterator[Progress]:
    asked = vocab_size - 256
    cancelled = False
    kept: Callable[[], WindowSource] | None = None
    if isinstance(source, Counting):
        if not source.plain:
            cancelled = yield from _compiled(cancel)
        for done in () if cancelled else source.run():
            yield Progress("count", done, source.size)
            if cancelled := cancel is not None and cancel():
                break
        counts, kept = source.result()
    else:
        counts = source
    if not cancelled and not learns_plainly(counts, asked):
        cancelled = yield from _compiled(cancel)
    learning = Learning(counts, rules, asked, cancelled, threads)
    most_mb = bounds.now().chunks_mb
    if isinstance(source, Counting) and len(counts.data) > most_mb * bounds.MB:
        raise InputError(
            f"The distinct chunks have {len(counts.data):,} bytes together, and {most_mb:,} MB are the limit.",
            "Use a shorter corpus, or a split pattern that cuts it into shorter chunks. Or count it first and train on "
            "the counts: then the memory of the machine is the limit.",
        )
    told = 0
    for latest in learning.run(cancel):
        told += len(latest)
        yield Progress("merge", told, asked, merges=latest)
    history, seams, stopped = learning.result()
    settings = {
        "vocab_size": vocab_size,
        "pattern": counts.pattern,
        "special_tokens": list(counts.special_tokens),
        **rules.settings(),
    }
    made_from: dict[str, Any] = {
        "settings": settings,
        "texts": source.origin() if isinstance(source, Counting) else None,
    }
    if isinstance(source, ChunkCounts):
        made_from["counted"] = {"shards": len(counts.shards) or 1, "bytes": counts.n_bytes}
    tokenizer = Tokenizer.learned(
        name,
        history,
        pattern=counts.pattern,
        special_tokens={token: 256 + len(history) + i for i, token in enumerate(counts.special_tokens)},
        made_from=made_from,
    )
    training = Training(tokenizer, stopped, asked, counts, seams, kept() if kept else None, rules)
    yield Progress("merge", len(history), asked, training, history[told:])


def _compiled(cancel: Callable[[], bool] | None) -> Generator[Progress, None, bool]:
    """Wait while the app compiles the kernels, on its first start. Returns whether that was cancelled."""
    while trainer_compiles():
        yield Progress("compile", 0, 0)
        if cancel is not None and cancel():
            return True
        wait(SLICE_SECONDS)
    return False


def _checked_size(vocab_size: int) -> int:
    vocab_size = whole_number(vocab_size, "The vocabulary size")
    if not 256 <= vocab_size <= bounds.now().vocabulary:
        raise SettingError(
            f"The vocabulary size {number_in_message(vocab_size)} is out of range: every vocabulary contains the 256 "
            f"bytes, and {bounds.now().vocabulary:,} is the limit.",
            "Choose a size between them.",
        )
    return vocab_size
