"""Asks for a number: a fact that the view computes and does not show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any

from tokviz.base.sentences import SentencePart
from tokviz.base.wording import rounded
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.prose import fact_of, sentence
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.task import Judged, answer_as, judged_right

_NUMBER = re.compile(r"-?(\d{1,15}|\d{1,3}(,\d{3}){1,4})(\.\d{1,12})?", re.ASCII)
NEAR = 0.1  # an answer is called near if it is off by this share of the right number, or less


class Number:
    """Asks for a fact. All sentences may name facts, and tokens and links as the prose of a step does.

    of: the name of the fact.
    unit: the words behind the field.
    decimals: how many of them have to be right; by default 0 for a whole number, and 2 for another.
    because: the sentence after "Right.".
    misread: what is said of an answer that is another fact, by its name: {bytes = "That is the number of bytes."}.
    low, high: what is said besides when the answer is too low or too high.
    then: inputs of the view with which it is shown once the answer is right, as in {hidden = false}.
    """

    def __init__(
        self,
        shown: Shown | None,
        *,
        of: str,
        unit: str = "",
        decimals: int | None = None,
        because: str = "",
        misread: Mapping[str, str] | None = None,
        low: str = "",
        high: str = "",
        then: Mapping[str, Any] | None = None,
    ) -> None:
        facts = shown.facts if shown else {}
        self.after = shown.again(**then) if shown and shown.again and then else None
        self.right = _number_in(facts, of)
        self.unit = unit
        self.decimals = (0 if isinstance(facts[of], int) else 2) if decimals is None else decimals
        self.because, self.low, self.high = (sentence(text, facts) for text in (because, low, high))
        self.misread: dict[str, list[SentencePart]] = {}
        for name, words in (misread or {}).items():
            number = self._rounded(_number_in(facts, name))
            if number == self._rounded(self.right):
                raise LessonError(f"The facts “{name}” and “{of}” are both {number}, so no answer can mistake them.")
            self.misread.setdefault(number, sentence(words, facts))

    def start(self) -> dict[str, Any]:
        return {"unit": self.unit}

    def judge(self, answer: Any) -> Judged:
        number = _number(answer)
        if number is None:
            return Judged("not done", ["Type a number in figures, such as 1,024 or 3.5."])
        said = self._rounded(number)
        if said == self._rounded(self.right):
            return judged_right(self.because, shown=self.after)
        if said in self.misread:
            return Judged("not yet", self.misread[said])
        more = self.high if number > self.right else self.low
        return Judged("not yet", [f"{number:,} is {self._how_far(number)}.", *([" ", *more] if more else [])])

    def _rounded(self, number: Decimal) -> str:
        return rounded(float(number), self.decimals)

    def _how_far(self, number: Decimal) -> str:
        """Say how far off an answer is, in words that do not tell the right one."""
        too = "too high" if number > self.right else "too low"
        off, whole = abs(number - self.right), abs(self.right)
        if off <= max(whole * Decimal(NEAR), 1 if self.decimals == 0 else 0):
            return f"a little {too}"
        far = number > 2 * whole or number < whole / 2
        return f"far {too}" if far and off > 2 else too


def _number_in(facts: Mapping[str, Any], name: str) -> Decimal:
    fact = fact_of(name, facts)
    if isinstance(fact, int | float):
        return Decimal(repr(fact))
    raise LessonError(f"The fact “{name}” is no number.")


def _number(answer: Any) -> Decimal | None:
    """Read the number that was typed; None if it is not written as one. A lesson file may write it without quotes."""
    written = answer_as(int | float | Annotated[str, range(100)], answer)
    text = checked_text(written if isinstance(written, str) else repr(written)).strip()
    return Decimal(text.replace(",", "")) if _NUMBER.fullmatch(text) else None
