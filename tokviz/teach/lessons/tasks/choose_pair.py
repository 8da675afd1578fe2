"""Asks which pair merges next: the task of a player whose next merge is hidden."""

from __future__ import annotations

from typing import Any

from tokviz.base.sentences import SentencePart, Strong, pair, spelled
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.task import Judged, choice_in
from tokviz.teach.lessons.views.player import at_step
from tokviz.teach.misconceptions import hint, offer
from tokviz.training.train import Training
from tokviz.training.why import in_short, often


class ChoosePair:
    """Offers the pair that merges next, and pairs that misconceptions lead to. options: how many in all."""

    def __init__(self, shown: Shown | None, *, options: int = 4) -> None:
        if shown is None or not isinstance(shown.about, Training):
            raise LessonError("The task choose-pair belongs to a view “player”.")
        self.training, self.step = shown.about, int(shown.facts["step"])
        if self.step >= len(self.training.merges):
            raise LessonError("After the last merge there is no pair to choose.")
        self.vocab = self.training.tokenizer.vocab
        self.winner = self.training.merges[self.step]
        offered = offer(self.training, self.step, options)
        self.options = [*offered]
        self.wrong = {pair: wrong for pair, wrong in offered.items() if wrong}

    def start(self) -> dict[str, Any]:
        return {"options": [pair(self.vocab[left], self.vocab[right]) for left, right in self.options]}

    def judge(self, answer: Any) -> Judged:
        chosen = choice_in(answer, self.options)
        option = self.options[chosen]
        if option not in self.wrong:
            return self._right(chosen)
        wrong = self.wrong[option]
        return Judged("not yet", hint(wrong, self.vocab), {"chosen": chosen, "notes": {chosen: often(wrong.count)}})

    def _right(self, chosen: int) -> Judged:
        won, training = self.winner, self.training
        says: list[SentencePart] = [Strong("Right."), " ", *spelled(in_short(training, self.step), self.vocab)]
        says += [" It becomes ", self.vocab[won.id], f", id {won.id}, and {training.tokens_at(self.step):,} tokens"]
        says += [f" become {won.tokens_after:,}."]
        counts = [self.wrong[pair].count if pair in self.wrong else won.count for pair in self.options]
        notes = {i: often(count) for i, count in enumerate(counts)}
        after = at_step(training, self.step + 1, known=self.step + 1)
        return Judged("done", says, {"chosen": chosen, "right": chosen, "notes": notes}, after)
