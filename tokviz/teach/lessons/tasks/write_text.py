"""Asks for a text of which something is true, and shows it as the step's view does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.typed import JsonText
from tokviz.teach.lessons.conditions import holds
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.prose import sentence
from tokviz.teach.lessons.shown import LessonError, Shown, parted
from tokviz.teach.lessons.tasks.task import Judged, answer_as, judged_right


class WriteText:
    """Asks for a text with certain facts, in the field of the view. All sentences name facts of the learner's text.

    when: what has to be true of the facts (see conditions.py).
    because: the sentence after "Right.".
    hints: each {when, says}; the first whose condition holds is said. The last one may have no condition.
    """

    def __init__(
        self, shown: Shown | None, *, when: str, because: str = "", hints: Sequence[Mapping[str, str]] = ()
    ) -> None:
        if shown is None or shown.again is None or not shown.typing:
            raise LessonError("The task write-text belongs to a view in which the learner can type.")
        self.begins = self._drawn(shown)
        self.again, self.when, self.because, self.hints = shown.again, when, because, hints
        for condition in (when, *(hint["when"] for hint in hints if "when" in hint)):
            holds(condition, shown.facts)

    def start(self) -> dict[str, Any]:
        return self.begins

    def _drawn(self, shown: Shown) -> dict[str, Any]:
        return {"blocks": parted(shown.blocks)[1]}

    def judge(self, answer: Any) -> Judged:
        text = checked_text(answer_as(JsonText, answer))
        shown = self.again(text=text)
        data = self._drawn(shown)
        if not text.strip():
            return Judged("not done", [], data)
        if holds(self.when, shown.facts):
            return judged_right(sentence(self.because, shown.facts), data)
        hint = next((hint for hint in self.hints if holds(hint.get("when", "1 == 1"), shown.facts)), {"says": ""})
        return Judged("not yet", sentence(hint["says"], shown.facts), data)
