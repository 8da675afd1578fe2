"""Asks for one of several options. Which of them is true is computed from facts, never written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from tokviz.base.sentences import SentencePart, plain, to_json
from tokviz.teach.lessons.conditions import holds
from tokviz.teach.lessons.prose import sentence
from tokviz.teach.lessons.shown import Fact, LessonError, Shown
from tokviz.teach.lessons.tasks.task import Judged, answer_as, judged_right
from tokviz.teach.lessons.views import VIEWS

COLUMNS = {4: 14, 2: 46, 1: 10_000}  # options side by side -> the most characters that one may have


@dataclass(eq=False)
class OneOf:
    """Offers options, of which one is right.

    options: a sentence or a pair of tokens each.
    right: which one is right.
    hints: sentences for a learner who chose it; none for the right option.
    notes: what is shown in each once it is chosen, and in all of them in the end.
    because: the reason, once the right one is chosen.
    columns: how many are side by side.
    after: the view after that, None if it stays as it is.
    """

    options: Sequence[Sequence[SentencePart]]
    right: int
    hints: Sequence[Sequence[SentencePart]]
    notes: Sequence[str]
    because: Sequence[SentencePart]
    columns: int
    after: Shown | None = None

    def start(self) -> dict[str, Any]:
        return {"options": [*map(to_json, self.options)], "columns": self.columns}

    def judge(self, answer: Any) -> Judged:
        chosen = answer_as(Annotated[int, range(len(self.options))], answer)
        if chosen != self.right:
            return Judged("not yet", self.hints[chosen], {"chosen": chosen, "notes": {str(chosen): self.notes[chosen]}})
        notes = {str(i): note for i, note in enumerate(self.notes)}
        return judged_right(self.because, {"chosen": chosen, "right": chosen, "notes": notes}, self.after)


class Choose(OneOf):
    """Offers sentences of a lesson file.

    options: each `says` something that is true `when` a condition on facts holds (see conditions.py). The others have a
        `hint`. An option may have a `note`.
    because: the reason.
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
        after = None
        for view in [more] if isinstance(more, Mapping) else more:
            says = dict(view)
            name, then = says.pop("as", ""), says.pop("then", False)
            other = VIEWS[says.pop("view")].show(**says)
            self.facts |= {f"{name}_{fact}" if name else fact: value for fact, value in other.facts.items()}
            after = other if then else after
        true = [i for i, option in enumerate(options) if holds(option["when"], self.facts)]
        if len(true) != 1:
            raise LessonError(f"Of the options {len(true)} are true.", "Exactly one has to be.")
        hintless = [option["says"] for i, option in enumerate(options) if i != true[0] and not option.get("hint")]
        if hintless:
            raise LessonError(f"The option “{hintless[0]}” has no hint.")
        said, hints, notes = (
            [self.sentence(option.get(what, "")) for option in options] for what in ("says", "hint", "note")
        )
        longest = max(len(plain(option)) for option in said)
        columns = next(n for n, fits in COLUMNS.items() if longest <= fits)
        super().__init__(said, true[0], hints, [*map(plain, notes)], self.sentence(because), columns, after)

    def sentence(self, text: str) -> list[SentencePart]:
        """Read a sentence of the lesson file, with the facts that it names."""
        return sentence(text, self.facts)
