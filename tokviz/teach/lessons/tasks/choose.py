"""Asks for one of several sentences. Which of them is true is computed from facts, never written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.sentences import SentencePart, plain, to_json
from tokviz.teach.lessons.conditions import holds
from tokviz.teach.lessons.prose import sentence
from tokviz.teach.lessons.shown import Fact, LessonError, Shown
from tokviz.teach.lessons.tasks.task import Judged, choice_in, judged_right
from tokviz.teach.lessons.views import VIEWS

COLUMNS = {4: 14, 2: 46, 1: 10_000}  # options side by side -> the most characters that one may have


class Choose:
    """Asks for one of several sentences.

    options: each `says` something that is true `when` a condition on facts holds (see conditions.py). The others have a
        `hint`, which the learner gets for choosing them. An option may have a `note`, which is shown in it once it is
        chosen, and in every option in the end.
    because: the reason, once the right one is chosen.
    more: another view, or several, each with its arguments, whose facts are known too. If such a view has a name `as`,
        its facts begin with it: `as = "long"` makes `long_tokens`. It is not shown before the right answer is given;
        with `then = true` it takes the place of the step's view afterwards.
    """

    def __init__(
        self,
        shown: Shown | None,
        *,
        options: Sequence[Mapping[str, str]],
        because: str,
        more: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.facts: dict[str, Fact] = dict(shown.facts) if shown else {}
        self.options = options
        self.after: Shown | None = None
        for view in [more] if isinstance(more, Mapping) else more:
            says = dict(view)
            name, then = says.pop("as", ""), says.pop("then", False)
            other = VIEWS[says.pop("view")].show(**says)
            self.facts |= {f"{name}_{fact}" if name else fact: value for fact, value in other.facts.items()}
            if then:
                self.after = other
        true = [i for i, option in enumerate(options) if holds(option["when"], self.facts)]
        if len(true) != 1:
            raise LessonError(f"Of the options {len(true)} are true.", "Exactly one has to be.")
        self.right = true[0]
        hintless = [option["says"] for i, option in enumerate(options) if i != self.right and not option.get("hint")]
        if hintless:
            raise LessonError(f"The option “{hintless[0]}” has no hint.")
        self.sentences = [self.sentence(option["says"]) for option in options]
        self.because = self.sentence(because)

    def sentence(self, text: str) -> list[SentencePart]:
        """Read a sentence of the lesson file, with the facts that it names."""
        return sentence(text, self.facts)

    def hint(self, option: int) -> list[SentencePart]:
        """Return the hint for an option that is not the right one."""
        return self.sentence(self.options[option]["hint"])

    def start(self) -> dict[str, Any]:
        longest = max(len(plain(option)) for option in self.sentences)
        return {
            "options": [*map(to_json, self.sentences)],
            "columns": next(n for n, fits in COLUMNS.items() if longest <= fits),
        }

    def judge(self, answer: Any) -> Judged:
        chosen = choice_in(answer, self.options)
        if chosen == self.right:
            data = {"chosen": chosen, "right": chosen, "notes": self._notes(range(len(self.options)))}
            return judged_right(self.because, data, self.after)
        return Judged("not yet", self.hint(chosen), {"chosen": chosen, "notes": self._notes([chosen])})

    def _notes(self, which: Sequence[int]) -> dict[str, str]:
        return {str(i): plain(self.sentence(self.options[i]["note"])) for i in which if "note" in self.options[i]}
