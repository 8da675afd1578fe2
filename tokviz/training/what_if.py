"""Runs a training again with a change, and finds where the two histories part.

A change bans a token, settles ties differently, lets the rarest pair win, adds a line to the corpus, or uses another
split pattern. The training then runs again from the beginning. Histories are compared by the bytes of their tokens,
because after they part, equal ids no longer mean equal tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tokviz.base.errors import SettingError
from tokviz.base.text import Text, clean, read_text
from tokviz.corpus.chunk_counts import ChunkCounts
from tokviz.corpus.counting import count_chunks
from tokviz.corpus.reading import Corpus
from tokviz.tokenizer.merges import same_at_start
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.rules import Rules
from tokviz.training.train import Progress, Training, train_by_rules

LINE_LIMIT = 1_000_000  # bytes that a change may add to a corpus


@dataclass(frozen=True, slots=True)
class TrainingChange:
    """Says what is different in the second training; None or "" leaves a thing as it was.

    rules, pattern: those of the second training.
    line, times: a line added after the corpus, this many times, as a separate text: no chunk of the corpus changes.
    """

    rules: Rules | None = None
    pattern: str | None = None
    line: str = ""
    times: int = 1

    @property
    def added(self) -> str:
        """The text that is added to the corpus."""
        return f"{self.line}\n" * self.times if self.line else ""


@dataclass(frozen=True, slots=True)
class Parting:
    """Says where two histories part: the first `step` merges are the same, the next is not; None if they never part.

    only_before, only_after: bytes of the tokens that only one history makes, in rank order. shared: how many tokens
    both make, at any rank.
    """

    step: int | None
    only_before: tuple[bytes, ...]
    only_after: tuple[bytes, ...]
    shared: int


def parting_of(before: Tokenizer, after: Tokenizer) -> Parting:
    """Compare two tokenizers merge by merge.

    >>> from tokviz import train
    >>> before = train("aaabdaaabac", 259)
    >>> *_, last = train_with_change(before, TrainingChange(rules=Rules(tie="lowest")))
    >>> parting_of(before.tokenizer, last.training.tokenizer)
    Parting(step=1, only_before=(b'aaa',), only_after=(b'ab',), shared=2)
    """
    pairs = [_pairs(before), _pairs(after)]
    same = same_at_start(*pairs)
    made = [[left + right for left, right in rows] for rows in pairs]
    of_one, of_other = map(frozenset, made)
    return Parting(
        step=None if same == len(pairs[0]) == len(pairs[1]) else same,
        only_before=tuple(token for token in made[0] if token not in of_other),
        only_after=tuple(token for token in made[1] if token not in of_one),
        shared=len(of_one & of_other),
    )


def _pairs(tokenizer: Tokenizer) -> list[tuple[bytes, bytes]]:
    vocab = tokenizer.vocab
    return [(vocab[left], vocab[right]) for left, right in tokenizer.merges]


def train_with_change(
    training: Training, change: TrainingChange, name: str = "what if", cancel: Callable[[], bool] | None = None
) -> Iterator[Progress]:
    """Train again with a change, in slices like `train_steps`. The last Progress contains the training.

    name, cancel: as in `train_steps`. Only another pattern needs the texts of the training; for everything else its
    counts are enough. Raises SettingError if those texts are not here (see `texts_of`) or the change is out of range.
    """
    counts = training.counts
    if change.times < 1:
        raise SettingError(f"A line cannot be added {change.times:,} times.", "Add it at least once.")
    if (size := len(clean(change.line).encode()) * change.times) > LINE_LIMIT:
        raise SettingError(
            f"The change adds {size:,} bytes to the corpus, and the limit is {LINE_LIMIT:,} bytes.",
            "Use a shorter line, or add it fewer times.",
        )
    corpus: Corpus | ChunkCounts = counts
    texts = texts_of(training) if change.added or change.pattern is not None else None
    if texts is not None:
        corpus = [*texts, read_text(clean(change.added).encode(), "added line")] if change.added else texts
    elif change.pattern is not None:
        raise SettingError(
            "Another split pattern needs the texts of this training, but only the counts of their chunks are here.",
            "Train on the texts again first, or change another rule.",
        )
    elif change.added:
        behind = max(counts.shards) + 1 if counts.shards else None
        corpus = counts + count_chunks(change.added, counts.pattern, counts.special_tokens, behind)
    steps = train_by_rules(
        change.rules or training.rules,
        corpus,
        256 + training.asked,
        pattern=counts.pattern if change.pattern is None else change.pattern,
        special_tokens=counts.special_tokens,
        name=name,
        cancel=cancel,
    )
    return _with_corpus_of(training, steps) if corpus is counts else steps


def _with_corpus_of(training: Training, steps: Iterator[Progress]) -> Iterator[Progress]:
    """Run the steps, and give the new training the texts and their names from `training`: the corpus is the same."""
    for progress in steps:
        if progress.training is None:
            yield progress
            continue
        again = progress.training
        tok, said = again.tokenizer, training.tokenizer.made_from or {}
        tokenizer = Tokenizer(
            tok.name,
            tok.merges,
            pattern=tok.pattern,
            special_tokens=tok.special_tokens,
            history=tok.history,
            made_from=tok.origin.saying(texts=said.get("texts")),
        )
        yield replace(progress, result=replace(again, tokenizer=tokenizer, kept=training.kept))


def texts_of(training: Training) -> list[Text] | None:
    """Rebuild the texts of a training from what it keeps for its windows.

    None if `Training.text_ends` is: it does not keep all of them, or does not know where each one ends.

    >>> from tokviz import train
    >>> [text.text for text in texts_of(train(["one", "two"], 256))]
    ['one', 'two']
    """
    if training.kept is None or training.text_ends is None:
        return None
    texts, start = [], 0
    for row, end in zip(training.tokenizer.origin.named, training.text_ends, strict=True):
        text = training.kept.data[start:end].decode()
        texts.append(Text(text, row.name, bom=False, repaired=0, sha256=row.sha256, n_bytes=row.bytes))
        start = end
    return texts
