"""Choose the pair that merges next: the task of a player whose next merge is hidden."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tokviz.base.sentences import Part, Strong, pair
from tokviz.base.wording import capital, count_of, times
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.task import Judged, choice_in
from tokviz.teach.lessons.views.player import at_step
from tokviz.teach.misconceptions import Misconception, Pair, offer
from tokviz.training.rules import TIES
from tokviz.training.train import Training


class ChoosePair:
    """options: how many pairs are on offer: the one that merges next, and those that misconceptions lead to."""

    def __init__(self, shown: Shown | None, *, options: int = 4) -> None:
        if shown is None or not isinstance(shown.about, Training):
            raise LessonError("The task choose-pair belongs to a view “player”.")
        self.training, self.step = shown.about, int(shown.data["step"])
        if self.step >= len(self.training.merges):
            raise LessonError("After the last merge there is no pair to choose.")
        self.vocab = self.training.tokenizer.vocab
        self.winner = self.training.merges[self.step]
        offered = offer(self.training, self.step, options)
        self.options = [*offered]
        self.wrong = {pair: wrong for pair, wrong in offered.items() if wrong}

    def _pair(self, option: Pair) -> list[Part]:
        return pair(self.vocab[option[0]], self.vocab[option[1]])

    def start(self) -> dict[str, Any]:
        return {"options": [self._pair(option) for option in self.options]}

    def judge(self, answer: Any) -> Judged:
        chosen = choice_in(answer, self.options)
        option = self.options[chosen]
        if option not in self.wrong:
            return self._right(chosen)
        wrong = self.wrong[option]
        hint = [*self._pair(option), *self._hint(wrong)]
        return Judged("not yet", hint, {"chosen": chosen, "notes": {chosen: often(wrong.count)}})

    def _right(self, chosen: int) -> Judged:
        won, training = self.winner, self.training
        says: list[Part] = [Strong("Right."), " ", *self._pair(self.options[chosen]), f" occurs {times(won.count)}"]
        if won.tied > 1:
            others = "another pair does" if won.tied == 2 else f"{won.tied - 1} other pairs do"
            says += [f", as {others}; the one {TIES[training.rules.tie].winner} wins"]
        says += [". It becomes ", self.vocab[won.id], f", id {won.id}, and {training.tokens_at(self.step):,} tokens"]
        says += [f" become {won.tokens_after:,}."]
        counts = [self.wrong[pair].count if pair in self.wrong else won.count for pair in self.options]
        notes = {i: often(count) for i, count in enumerate(counts)}
        after = at_step(training, self.step + 1, hidden=True)
        after = replace(after, data={**after.data, "hidden": False})  # nothing waits for an answer any more
        return Judged("done", says, {"chosen": chosen, "right": chosen, "notes": notes}, after)

    def _hint(self, wrong: Misconception) -> list[Part]:
        """What this very choice got wrong. Unlike `refutation`, it does not name the pair that merges."""
        count, proof = often(wrong.count), wrong.proof
        rule = TIES[proof.tie].winner
        equal = wrong.count == self.winner.count
        more = f"another pair occurs as often, and the one {rule} wins" if equal else "another pair occurs more often"
        match wrong.kind:
            case "overlap":
                return [f" occurs {count}, and {more}. Places that overlap count too."]
            case "boundary":
                places = count_of(proof.across, "place")
                return [f" stands at {places} where a chunk ends between the two. No merge crosses the end of a chunk."]
            case "earlier":
                now = f"now it occurs {count}" + (f", and {more}" if wrong.count else "")
                return [
                    f" occurred {times(wrong.believed)} before the last merge. That merge changed neighbours: {now}."
                ]
            case "distinct":
                return [f" occurs {count}, and {more}. A chunk counts as often as it occurs in the corpus."]
            case "token":
                crowd = [self.vocab[proof.crowd]] if proof.crowd is not None else []
                told = f" occurs {count}, and {more}. The token "
                return [told, *crowd, " is the most frequent, but pairs are counted, not tokens."]
        if equal:
            return [f" occurs {count}. {capital(more)}."]
        return [f" occurs {count}, and {more}", *self._where(wrong.pair)]

    def _where(self, chosen: Pair) -> list[Part]:
        """Which token of the chosen pair is in the right one too, and on which side to look."""
        won = (self.winner.left, self.winner.right)
        shared = next((id for id in chosen if id in won), None)
        if shared is None:
            return [". Count where other tokens are neighbours."]
        side = "before" if won[1] == shared else "after"
        token = self.vocab[shared]
        return [". ", token, " is in it too: look at what comes ", side, " each ", token, "."]


def often(count: int) -> str:
    """How often a pair occurs.

    >>> often(0), often(2)
    ('nowhere', '2 times')
    """
    return times(count) if count else "nowhere"
