"""Asks the learner to encode a text by hand: to choose the merge that acts next, until none can."""

from __future__ import annotations

from typing import Any

from tokviz.base.sentences import SentencePart, Strong, pair
from tokviz.base.wording import count_of
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.task import Judged, choice_in, not_an_answer
from tokviz.teach.lessons.views.encode_steps import Encoded, Pair

OPTIONS = 4


class NextMerge:
    """Asks for the merges of a view “encode-steps”. An answer is a list: for each merge the number of the option."""

    def __init__(self, shown: Shown | None) -> None:
        if shown is None or not isinstance(shown.about, Encoded) or shown.again is None:
            raise LessonError("The task next-merge belongs to a view “encode-steps”.")
        self.encoded, self.again = shown.about, shown.again
        if not self.encoded.ranks:
            raise LessonError("No merge acts in this text.")

    def _options(self, done: int) -> list[tuple[Pair, int | None]]:
        """List all pairs that a merge joins, and perhaps some that none does, from left to right."""
        pairs = self.encoded.pairs(done)
        joined = sum(rank is not None for rank in pairs.values())
        shown = sorted(pairs, key=lambda pair: pairs[pair] is None)[: max(OPTIONS, joined)]
        return [(pair, rank) for pair, rank in pairs.items() if pair in shown]

    def _drawn(self, done: int) -> list[list[SentencePart]]:
        return [pair(*tokens) for tokens, _ in self._options(done)] if done < len(self.encoded.ranks) else []

    def start(self) -> dict[str, Any]:
        return {"options": self._drawn(0), "of": len(self.encoded.ranks)}

    def judge(self, answer: Any) -> Judged:
        ranks = self.encoded.ranks
        if not isinstance(answer, list) or len(answer) > len(ranks):
            raise not_an_answer()
        for done, choice in enumerate(answer):
            options = self._options(done)
            chosen, rank = options[choice_in(choice, options)]
            if rank != ranks[done]:
                data = {"done": done, "options": self._drawn(done), "chosen": choice}
                return Judged("not yet", self._hint(done, rank, chosen), data, self.again(done=done))
        done = len(answer)
        data = {"done": done, "options": self._drawn(done)}
        shown = self.again(done=done)
        left = len(ranks) - done
        if left:
            says: list[SentencePart] = [Strong("Right."), f" {count_of(left, 'merge')} left."] if done else []
            return Judged("not done", says, data, shown)
        n = len(self.encoded.encoding)
        told = f" No merge joins any two of these tokens: the text is encoded, in {count_of(n, 'token')}."
        return Judged("done", [Strong("Right."), told], data, shown)

    def _hint(self, done: int, rank: int | None, chosen: Pair) -> list[SentencePart]:
        """Say how many merges of the text come before the chosen one."""
        if rank is None:
            return ["No merge joins ", *pair(*chosen), ": look for it in the list."]
        lower = sum(other is not None and other < rank for _, other in self._options(done))
        more = "one pair of an earlier merge is" if lower == 1 else f"{lower} pairs of earlier merges are"
        return [*pair(*chosen), f" is merge {rank + 1}, but {more} in the text, and the earliest merge acts first."]
