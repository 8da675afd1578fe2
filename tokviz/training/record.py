"""Reads the record of a training that a tokenizer keeps: settings, merges made, ties, and tokens before and after."""

from __future__ import annotations

from dataclasses import dataclass

from tokviz.base.wording import rate
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.learning import STOPPED
from tokviz.training.rules import Rules
from tokviz.training.train import Training


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """Records what is known of a training; a field is None if it is not known.

    made, asked: merges made, and those that the vocabulary size asked for.
    stopped: why it ended, in a few words.
    rules, vocab_size: the settings.
    ties: merges whose pair had the same count as another one.
    n_bytes, before, after: bytes of the corpus, and its tokens before the first merge and after the last.
    """

    made: int
    asked: int | None = None
    stopped: str | None = None
    rules: Rules | None = None
    vocab_size: int | None = None
    ties: int | None = None
    n_bytes: int | None = None
    before: int | None = None
    after: int | None = None

    @property
    def bytes_per_token(self) -> str:
        """Bytes per token of the corpus before and after; "" if that is not known.

        >>> TrainingRecord(3, n_bytes=11, before=11, after=5).bytes_per_token
        '1.00 → 2.20'
        """
        if not self.n_bytes or not self.before or not self.after:
            return ""
        return f"{rate(self.n_bytes / self.before)} → {rate(self.n_bytes / self.after)}"


def training_record(tokenizer: Tokenizer, training: Training | None = None) -> TrainingRecord | None:
    """Read the record of the training that made this tokenizer; None if it was not trained here.

    training: the training itself, if it is at hand. A model file does not say why its training stopped.

    >>> import tokviz
    >>> found = training_record(tokviz.train("aaabdaaabac", 259).tokenizer)
    >>> found.made, found.asked, found.stopped, found.ties, found.bytes_per_token
    (3, 3, 'vocabulary size', 1, '1.00 → 2.20')
    """
    history, origin = tokenizer.history, tokenizer.origin
    if history is None and not origin.said:
        return None
    rules, vocab_size = Rules.of(origin.settings), origin.settings and origin.settings.vocab_size
    asked = training.asked if training else None if vocab_size is None else vocab_size - 256
    made = len(tokenizer.merge_ids)
    stopped = STOPPED[training.stopped] if training else None
    if not training and origin.truncated_to:
        stopped = "cut to a smaller vocabulary afterwards"
    elif not training and asked is not None:
        stopped = (
            STOPPED["size"]
            if made == asked
            else "no pair left, none as frequent as the least count, or too many bytes in all tokens"
        )
    if not history:
        return TrainingRecord(made, asked, stopped, rules, vocab_size)
    before = training.tokens_at(0) if training else history[0].tokens_after + history[0].replaced
    return TrainingRecord(
        made,
        asked,
        stopped,
        rules,
        vocab_size,
        sum(tied > 1 for tied in history.column("tied")),
        training.n_bytes if training else origin.n_bytes or before,
        before,
        history[-1].tokens_after,
    )
