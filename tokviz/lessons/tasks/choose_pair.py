"""Choose the pair that merges next: the task of a player whose next merge is hidden."""

from __future__ import annotations

import hashlib
from typing import Any

from tokviz.lessons.sentences import Part, Strong, pair
from tokviz.lessons.shown import LessonError, Shown
from tokviz.lessons.tasks.task import Judged, choice_in
from tokviz.lessons.views.player import at_step
from tokviz.rules import TIES
from tokviz.training import Candidate, Training
from tokviz.wording import times


class ChoosePair:
    """options: how many pairs are on offer, the one that merges next among them."""

    def __init__(self, shown: Shown | None, *, options: int = 4) -> None:
        if shown is None or not isinstance(shown.about, Training):
            raise LessonError("The task choose-pair belongs to a view “player”.")
        self.training, self.step = shown.about, int(shown.data["step"])
        if self.step >= len(self.training.merges):
            raise LessonError("After the last merge there is no pair to choose.")
        self.vocab = self.training.tokenizer.vocab
        self.winner = self.training.merges[self.step]
        leading = self.training.candidates(self.step, options)
        self.options = sorted(leading, key=self._place)

    def _place(self, option: Candidate) -> bytes:
        """An order that does not depend on counts."""
        pair_bytes = self.vocab[option.left].hex() + " " + self.vocab[option.right].hex()
        return hashlib.sha256(f"{self.step} {pair_bytes}".encode()).digest()

    def _pair(self, option: Candidate) -> list[Part]:
        return pair(self.vocab[option.left], self.vocab[option.right])

    def start(self) -> dict[str, Any]:
        return {"options": [self._pair(option) for option in self.options]}

    def judge(self, answer: Any) -> Judged:
        chosen = choice_in(answer, self.options)
        option = self.options[chosen]
        if (option.left, option.right) == (self.winner.left, self.winner.right):
            return self._right(chosen)
        return Judged("not yet", self._hint(option), {"chosen": chosen, "notes": {chosen: times(option.count)}})

    def _right(self, chosen: int) -> Judged:
        won, training = self.winner, self.training
        says: list[Part] = [Strong("Right."), " ", *self._pair(self.options[chosen]), f" occurs {times(won.count)}"]
        if won.tied > 1:
            says += [f", as {won.tied - 1} other pairs do; {TIES[training.rules.tie].winner} wins"]
        says += [". It becomes ", self.vocab[won.id], f", id {won.id}, and {training.tokens_at(self.step):,} tokens"]
        says += [f" become {won.tokens_after:,}."]
        notes = {i: times(option.count) for i, option in enumerate(self.options)}
        after = at_step(training, self.step + 1, hidden=True)
        return Judged("done", says, {"chosen": chosen, "right": chosen, "notes": notes}, after)

    def _hint(self, option: Candidate) -> list[Part]:
        won = self.winner
        says: list[Part] = [*self._pair(option), f" occurs {times(option.count)}. "]
        if option.count == won.count:
            return [*says, f"Another pair occurs as often, and {TIES[self.training.rules.tie].winner} wins."]
        shared = next((id for id in (option.left, option.right) if id in (won.left, won.right)), None)
        if shared is None:
            return [*says, "Another pair occurs more often. Count again where other tokens stand side by side."]
        side = "before" if won.right == shared else "after"
        token = self.vocab[shared]
        return [
            *says,
            "Another pair occurs more often, and ",
            token,
            f" is in it too: look at what comes {side} each ",
            token,
            ".",
        ]
