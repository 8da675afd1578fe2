"""Choose one of several sentences. Which of them is true is computed from facts, never written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.lessons.conditions import holds
from tokviz.lessons.prose import parts_of, with_facts
from tokviz.lessons.sentences import Part, Strong, plain
from tokviz.lessons.shown import Fact, LessonError, Shown
from tokviz.lessons.tasks.task import Judged, choice_in
from tokviz.lessons.views import VIEWS

COLUMNS = {4: 14, 2: 46, 1: 10_000}  # of options side by side, while none is longer than so many characters


class Choose:
    """options: each `says` something that is true `when` a condition on facts holds (see conditions.py). The others
    have a `hint`, which is what the learner gets for choosing them. An option may have a `note`, which is shown in it
    once it is chosen, and in every option in the end.

    because: the reason, once the right one is chosen. more: another view, with its arguments, whose facts are known
    too; it is not shown before the right answer is given. then: whether it is shown afterwards, in place of the step's.
    """

    def __init__(
        self,
        shown: Shown | None,
        *,
        options: Sequence[Mapping[str, str]],
        because: str,
        more: Mapping[str, Any] | None = None,
        then: bool = False,
    ) -> None:
        other = self._other(more)
        self.facts: dict[str, Fact] = {**(shown.facts if shown else {}), **(other.facts if other else {})}
        self.options, self.because, self.after = options, because, other if then else None
        true = [i for i, option in enumerate(options) if holds(option["when"], self.facts)]
        if len(true) != 1:
            raise LessonError(f"Of the options {len(true)} are true.", "Exactly one has to be.")
        self.right = true[0]
        hintless = [option["says"] for i, option in enumerate(options) if i != self.right and not option.get("hint")]
        if hintless:
            raise LessonError(f"The option “{hintless[0]}” has no hint.")

    def _other(self, more: Mapping[str, Any] | None) -> Shown | None:
        if more is None:
            return None
        says = dict(more)
        return VIEWS[says.pop("view")].show(**says)

    def _sentence(self, text: str) -> list[Part]:
        return with_facts(parts_of(text), self.facts)

    def start(self) -> dict[str, Any]:
        options = [self._sentence(option["says"]) for option in self.options]
        longest = max(len(plain(option)) for option in options)
        return {"options": options, "columns": next(n for n, fits in COLUMNS.items() if longest <= fits)}

    def judge(self, answer: Any) -> Judged:
        chosen = choice_in(answer, self.options)
        if chosen == self.right:
            data = {"chosen": chosen, "right": chosen, "notes": self._notes(range(len(self.options)))}
            return Judged("done", [Strong("Right."), " ", *self._sentence(self.because)], data, self.after)
        hint = self._sentence(self.options[chosen]["hint"])
        return Judged("not yet", hint, {"chosen": chosen, "notes": self._notes([chosen])})

    def _notes(self, which: Sequence[int]) -> dict[int, str]:
        return {i: plain(self._sentence(self.options[i]["note"])) for i in which if "note" in self.options[i]}
