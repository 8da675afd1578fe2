"""Asks which pair merges next: once in a training, or in a text again and again, until no merge can act."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from tokviz.base.sentences import SentencePart, Strong, pair, spelled, to_json
from tokviz.base.wording import count_of, merge_number
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.choose import OneOf
from tokviz.teach.lessons.tasks.task import Judged, Task, answer_as, judged_right
from tokviz.teach.lessons.views.encode_steps import Encoded, Pair
from tokviz.teach.lessons.views.player import at_step
from tokviz.teach.misconceptions import hint, offer
from tokviz.training.train import Training
from tokviz.training.why import in_short, often

OPTIONS = 4


def next_merge(shown: Shown | None) -> Task:
    """Make the task over a view “player” or “encode-steps”."""
    about = shown.about if shown else None
    if shown and isinstance(about, Training):
        return MergeOfTraining(about, int(shown.facts["step"]))
    if shown and shown.again and isinstance(about, Encoded):
        return MergesOfText(about, shown.again)
    raise LessonError("The task next-merge belongs to a view “player” or “encode-steps”.")


class MergeOfTraining(OneOf):
    """Offers the pair that merges next in a training, and pairs that misconceptions lead to."""

    def __init__(self, training: Training, step: int) -> None:
        if step == len(training.merges):
            raise LessonError("After the last merge there is no pair to choose.")
        self.training, self.step = training, step
        vocab, offered = training.tokenizer.vocab, offer(training, step, OPTIONS)
        super().__init__(
            [pair(vocab[left], vocab[right]) for left, right in offered],
            [*offered.values()].index(None),
            [hint(wrong, vocab) if wrong else [] for wrong in offered.values()],
            [often(wrong.count if wrong else training.merges[step].count) for wrong in offered.values()],
            _merged(training, step),
            OPTIONS,
            at_step(training, step + 1, known=step + 1),
        )


def _merged(training: Training, step: int) -> list[SentencePart]:
    """Say why the pair merged at this step, and what became of it."""
    vocab, won, before = training.tokenizer.vocab, training.merges[step], training.tokens_at(step)
    became = f", id {won.id}, and {before:,} tokens become {won.tokens_after:,}."
    return [*spelled(in_short(training, step), vocab), " It becomes ", vocab[won.id], became]


class MergesOfText:
    """Offers pairs of a text, again and again, until no merge can act. An answer is the list of all choices so far."""

    def __init__(self, encoded: Encoded, show: Callable[..., Shown]) -> None:
        if not encoded.ranks:
            raise LessonError("No merge acts in this text.")
        self.encoded, self.show = encoded, show

    def start(self) -> dict[str, Any]:
        return {"columns": OPTIONS, "again": True, **self._data(0)}

    def _pairs(self, done: int) -> dict[Pair, int | None]:
        """Offer the pairs that a merge joins then, with its rank, and perhaps others, from left to right."""
        ranks = self.encoded.pairs(done) if done < len(self.encoded.ranks) else {}
        joined = sum(rank is not None for rank in ranks.values())
        some = sorted(ranks, key=lambda pair: ranks[pair] is None)[: max(OPTIONS, joined)]
        return {pair: rank for pair, rank in ranks.items() if pair in some}

    def _data(self, done: int) -> dict[str, Any]:
        return {"done": done, "options": [to_json(pair(*tokens)) for tokens in self._pairs(done)]}

    def judge(self, answer: Any) -> Judged:
        ranks = self.encoded.ranks
        choices = answer_as(Annotated[list[Any], range(len(ranks) + 1)], answer)
        for done, choice in enumerate(choices):
            pairs = self._pairs(done)
            chosen = [*pairs][answer_as(Annotated[int, range(len(pairs))], choice)]
            if pairs[chosen] != ranks[done]:
                data = {**self._data(done), "chosen": choice}
                return Judged("not yet", _too_early(chosen, pairs), data, self.show(done=done))
        done = len(choices)
        data, shown, left = self._data(done), self.show(done=done), len(ranks) - done
        if not left:
            n = count_of(len(self.encoded.encoding), "token")
            because = f"No merge joins any two of these tokens: the text is encoded, in {n}."
            return judged_right([because], data, shown)
        says: list[SentencePart] = [Strong("Right."), f" {count_of(left, 'merge')} left."] if done else []
        return Judged("not done", says, data, shown)


def _too_early(chosen: Pair, ranks: Mapping[Pair, int | None]) -> list[SentencePart]:
    """Say how many merges of the text come before the chosen one."""
    rank = ranks[chosen]
    if rank is None:
        return ["No merge joins ", *pair(*chosen), ": look for it in the list."]
    lower = sum(other is not None and other < rank for other in ranks.values())
    more = "one pair of an earlier merge is" if lower == 1 else f"{lower} pairs of earlier merges are"
    return [*pair(*chosen), f" is {merge_number(rank)}, but {more} in the text, and the earliest merge acts first."]
