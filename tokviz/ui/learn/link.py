"""What only a link to the Learn page can say: which step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from tokviz.lessons.course import course
from tokviz.ui.address import PageLink, Query, shortened


@dataclass(frozen=True, slots=True)
class LearnLink(PageLink):
    """step: the id of a step, None where the link does not say."""

    NAMES = ("step",)

    step: str | None = None

    def parameters(self, tokenizers: tuple[str, ...]) -> dict[str, object]:
        """The parameters of the query. tokenizers: not used here.

        >>> LearnLink("bytes-1").parameters(())
        {'step': 'bytes-1'}
        """
        return {"step": self.step}

    @classmethod
    def read(cls, query: Query) -> Self:
        """Read the step from a query. A step that is not in the course is left out, and the query notes it."""
        step = query.get("step")
        if step is not None and step not in course().steps:
            query.fault(f"The course has no step {shortened(step)}.", "The step that was open is shown.")
            step = None
        return cls(step)
