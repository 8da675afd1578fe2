"""Asks for a text of which something is true, written in the field of the step's view, which shows it as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.typed import JsonText
from tokviz.teach.lessons.conditions import holds
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.prose import sentence
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.task import Judged, answer_as, judged_right


class WriteText:
    """Asks for a text with certain facts. All sentences name facts of the view with the learner's text.

    when: what has to be true of the facts (see conditions.py).
    because: the sentence after "Right.".
    hints: each {when, says}; the first whose condition holds is said. The last one may have no condition.
    """

    def __init__(
        self, shown: Shown | None, *, when: str, because: str = "", hints: Sequence[Mapping[str, str]] = ()
    ) -> None:
        if shown is None or shown.again is None or not shown.typing:
            raise LessonError("The task write-text belongs to a view in which the learner can type.")
        self.again, self.when, self.because, self.hints = shown.again, when, because, hints
        for condition in (when, *(hint["when"] for hint in hints if "when" in hint)):
            holds(condition, shown.facts)

    def start(self) -> dict[str, Any]:
        return {}

    def judge(self, answer: Any) -> Judged:
        text = checked_text(answer_as(JsonText, answer))
        shown = self.again(text=text)
        if not text.strip():
            return Judged("not done", [], shown=shown)
        if holds(self.when, shown.facts):
            return judged_right(sentence(self.because, shown.facts), shown=shown)
        hint = next((hint for hint in self.hints if holds(hint.get("when", "1 == 1"), shown.facts)), {"says": ""})
        return Judged("not yet", sentence(hint["says"], shown.facts), shown=shown)
