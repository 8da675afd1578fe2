"""What if: the same training with one thing otherwise, and where the two histories part.

A change touches one rule: a token is banned, ties fall otherwise, the rarest pair wins, the corpus has a line more, or
another split pattern cuts it. The training is then run again from the beginning; nothing is patched. Two histories are
compared by the bytes of their tokens: after they part, an id says no more than its place in the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tokviz.corpus import ChunkCounts, Corpus, count_chunks
from tokviz.errors import SettingError
from tokviz.text import Text, clean, read_text
from tokviz.tokenizer import Tokenizer
from tokviz.training import Prefer, Progress, Tie, Training, train_steps

LINE_LIMIT = 1_000_000  # bytes that a change may add to a corpus


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be otherwise; what is left out stays as it was.

    ban: the bytes of a token that no merge may make. line: a line of text added after the corpus, as a text of its
    own, so that it changes no chunk of the others; `times`: how often it stands there.
    """

    ban: bytes = b""
    tie: Tie | None = None
    prefer: Prefer | None = None
    pattern: str | None = None
    line: str = ""
    times: int = 1

    @property
    def added(self) -> str:
        """The text that is added to the corpus."""
        return f"{self.line}\n" * self.times if self.line else ""


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two histories part: their first `step` merges are the same, the next is not; None where they never part.

    only_before, only_after: bytes of the tokens that merges made in one of them alone, in rank order. shared: how
    many tokens merges made in both, whatever their ranks.
    """

    step: int | None
    only_before: tuple[bytes, ...]
    only_after: tuple[bytes, ...]
    shared: int


def part(before: Tokenizer, after: Tokenizer) -> Parting:
    """Compare two tokenizers merge by merge.

    >>> from tokviz import train
    >>> before = train("aaabdaaabac", 259)
    >>> *_, last = train_otherwise(before, Change(tie="lowest"))
    >>> part(before.tokenizer, last.training.tokenizer)
    Parting(step=1, only_before=(b'aaa',), only_after=(b'ab',), shared=2)
    """
    pairs = [_pairs(before), _pairs(after)]
    same = 0
    for one, other in zip(*pairs, strict=False):
        if one != other:
            break
        same += 1
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


def train_otherwise(
    training: Training, change: Change, name: str = "what if", cancel: Callable[[], bool] | None = None
) -> Iterator[Progress]:
    """Train again under the changed rule, in slices as `train_steps` does; the last Progress carries the training.

    All but a change of the pattern can be done by the counts that every training keeps. For another pattern the texts
    themselves are needed: SettingError where they are not here (see `texts_of`), and where a change is out of range.
    """
    counts = training.counts
    if change.times < 1 or len(clean(change.line).encode()) * change.times > LINE_LIMIT:
        raise SettingError(
            f"What is added to the corpus may have {LINE_LIMIT:,} bytes in all.",
            "Take a shorter line, or fewer of it.",
        )
    corpus: Corpus | ChunkCounts = counts
    texts = texts_of(training) if change.added or change.pattern is not None else None
    if texts is not None:
        corpus = [*texts, read_text(clean(change.added).encode(), "added line")] if change.added else texts
    elif change.pattern is not None:
        raise SettingError(
            "Another split pattern cuts the texts anew, and the texts of this training are not here, only the counts "
            "of their chunks.",
            "Bring the corpus again, or change something else.",
        )
    elif change.added:
        corpus = counts + count_chunks(change.added, counts.pattern, counts.special_tokens)
    steps = train_steps(
        corpus,
        256 + training.asked,
        counts.pattern if change.pattern is None else change.pattern,
        counts.special_tokens,
        change.tie or training.tie,
        training.min_count,
        training.ban | ({change.ban} if change.ban else frozenset()),
        change.prefer or training.prefer,
        name,
        cancel,
    )
    return _with_the_same_corpus(steps, training) if corpus is counts else steps


def _with_the_same_corpus(steps: Iterator[Progress], training: Training) -> Iterator[Progress]:
    """Trained on the very chunks of another training, the new one looks at its corpus and tells of its origin."""
    for progress in steps:
        if progress.training is None:
            yield progress
            continue
        again = progress.training
        tok, origin = again.tokenizer, (training.tokenizer.made_from or {}).get("texts")
        tokenizer = Tokenizer(
            tok.name,
            tok.merges,
            pattern=tok.pattern,
            special_tokens=tok.special_tokens,
            history=tok.history,
            made_from={**(tok.made_from or {}), "texts": origin},
        )
        yield replace(progress, training=replace(again, tokenizer=tokenizer, kept=training.kept))


def texts_of(training: Training) -> list[Text] | None:
    """The texts a training was made from, put together from what it keeps for its windows.

    None where it does not keep all of them: it was made of counts, of more than `KEPT_LIMIT` bytes, of more texts than
    are named one by one, or it was cancelled before it had read everything.

    >>> from tokviz import train
    >>> [text.text for text in texts_of(train(["one", "two"], 256))]
    ['one', 'two']
    """
    origin = (training.tokenizer.made_from or {}).get("texts")
    if training.kept is None or training.kept_bytes != training.n_bytes or not isinstance(origin, list):
        return None
    if sum(row["bytes"] for row in origin) != training.n_bytes:
        return None
    texts, start = [], 0
    for row in origin:
        end = start + row["bytes"]
        text = training.kept.data[start:end].decode()
        texts.append(Text(text, row["name"], bom=False, repaired=0, sha256=row["sha256"], n_bytes=row["bytes"]))
        start = end
    return texts
