"""Asks which pair merges next: once in a training, or in a text again and again, until no merge can act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from tokviz.base.sentences import SentencePart, Strong, pair, spelled, to_json
from tokviz.base.wording import count_of, merge_number
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.task import Judged, answer_as, choice_in, judged_right
from tokviz.teach.lessons.views.encode_steps import Encoded, Pair
from tokviz.teach.lessons.views.player import at_step
from tokviz.teach.misconceptions import hint, offer
from tokviz.training.train import Training
from tokviz.training.why import in_short, often

OPTIONS = 4


class Round(NamedTuple):
    """Holds one choice of the task.

    pairs: the pairs that are offered.
    right: the index of the right one.
    hints: for each pair the hint for a learner who chose it, if it is not right.
    notes: for each pair how often it occurs; empty where a text is encoded.
    """

    pairs: Sequence[Pair]
    right: int
    hints: Sequence[Sequence[SentencePart]]
    notes: Sequence[str] = ()


class NextMerge:
    """Offers pairs, of which one merges next.

    Over a view “player” the other pairs are those that misconceptions lead to, and an answer is the number of a pair.
    Over a view “encode-steps” it asks for all merges that act in the text, and an answer is the list of numbers so far.
    """

    def __init__(self, shown: Shown | None) -> None:
        about = shown.about if shown else None
        self.training = about if isinstance(about, Training) else None
        self.shows: list[Shown | None]  # the view after so many right choices
        if shown and isinstance(about, Training):
            self.step = int(shown.facts["step"])
            if self.step == len(about.merges):
                raise LessonError("After the last merge there is no pair to choose.")
            self.rounds = [_in_training(about, self.step)]
            self.shows = [None, at_step(about, self.step + 1, known=self.step + 1)]
            self.because = _merged(about, self.step)
        elif shown and isinstance(about, Encoded) and shown.again:
            if not about.ranks:
                raise LessonError("No merge acts in this text.")
            self.rounds = [_in_text(about, done) for done in range(len(about.ranks))]
            self.shows = [shown.again(done=done) for done in range(len(about.ranks) + 1)]
            n = count_of(len(about.encoding), "token")
            self.because = [f"No merge joins any two of these tokens: the text is encoded, in {n}."]
        else:
            raise LessonError("The task next-merge belongs to a view “player” or “encode-steps”.")

    def start(self) -> dict[str, Any]:
        return {"columns": OPTIONS, "again": self.training is None, **self._data(0)}

    def _data(self, done: int, chosen: int | None = None) -> dict[str, Any]:
        """Return what is drawn after `done` right choices. chosen: the next one, which was not right."""
        if self.training and done:
            won, notes = self.rounds[0].right, self.rounds[0].notes
            return {"done": 0, "chosen": won, "right": won, "notes": {str(i): note for i, note in enumerate(notes)}}
        pairs, _, _, notes = self.rounds[done] if done < len(self.rounds) else Round((), 0, ())
        data = {"done": done, "options": [to_json(pair(*tokens)) for tokens in pairs]}
        if chosen is None:
            return data
        return data | {"chosen": chosen, "notes": {str(chosen): notes[chosen]} if notes else {}}

    def judge(self, answer: Any) -> Judged:
        up_to_all = Annotated[list[Any], range(len(self.rounds) + 1)]
        choices = [answer] if self.training else answer_as(up_to_all, answer)
        for done, (choice, round) in enumerate(zip(choices, self.rounds, strict=False)):
            if choice_in(choice, round.pairs) != round.right:
                return Judged("not yet", round.hints[choice], self._data(done, choice), self.shows[done])
        done = len(choices)
        data, left = self._data(done), len(self.rounds) - done
        if not left:
            return judged_right(self.because, data, self.shows[done])
        says: list[SentencePart] = [Strong("Right."), f" {count_of(left, 'merge')} left."] if done else []
        return Judged("not done", says, data, self.shows[done])


def _in_training(training: Training, step: int) -> Round:
    """Offer the pair that merges at this step, and wrong ones."""
    vocab, offered = training.tokenizer.vocab, offer(training, step, OPTIONS)
    return Round(
        [(vocab[left], vocab[right]) for left, right in offered],
        [*offered.values()].index(None),
        [hint(wrong, vocab) if wrong else [] for wrong in offered.values()],
        [often(wrong.count if wrong else training.merges[step].count) for wrong in offered.values()],
    )


def _merged(training: Training, step: int) -> list[SentencePart]:
    """Say why the pair merged at this step, and what became of it."""
    vocab, won, before = training.tokenizer.vocab, training.merges[step], training.tokens_at(step)
    became = f", id {won.id}, and {before:,} tokens become {won.tokens_after:,}."
    return [*spelled(in_short(training, step), vocab), " It becomes ", vocab[won.id], became]


def _in_text(encoded: Encoded, done: int) -> Round:
    """Offer all pairs of the text that a merge joins, and perhaps some that none does, from left to right."""
    ranks = encoded.pairs(done)
    joined = sum(rank is not None for rank in ranks.values())
    some = sorted(ranks, key=lambda pair: ranks[pair] is None)[: max(OPTIONS, joined)]
    pairs = [pair for pair in ranks if pair in some]
    right = [ranks[pair] for pair in pairs].index(encoded.ranks[done])
    return Round(pairs, right, [_too_early(pair, ranks) for pair in pairs])


def _too_early(chosen: Pair, ranks: Mapping[Pair, int | None]) -> list[SentencePart]:
    """Say how many merges of the text come before the chosen one."""
    rank = ranks[chosen]
    if rank is None:
        return ["No merge joins ", *pair(*chosen), ": look for it in the list."]
    lower = sum(other is not None and other < rank for other in ranks.values())
    more = "one pair of an earlier merge is" if lower == 1 else f"{lower} pairs of earlier merges are"
    return [*pair(*chosen), f" is {merge_number(rank)}, but {more} in the text, and the earliest merge acts first."]
