"""What only a link to the Learn page can say: which step, or which lesson plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from tokviz.teach.lessons.course import course
from tokviz.teach.lessons.plans import GUIDE, plans
from tokviz.ui.frame.address import Link, PageLink, Query, encode, shortened


@dataclass(frozen=True, slots=True)
class LearnLink(PageLink):
    """step: the id of a step. plan: the key of a lesson plan, or GUIDE. None where the link does not say.

    >>> LearnLink("bytes-1").parameters(())
    {'step': 'bytes-1', 'plan': None}
    """

    NAMES = ("step", "plan")

    step: str | None = None
    plan: str | None = None

    @classmethod
    def read(cls, query: Query) -> Self:
        """Read step and plan from a query. What the course does not have is left out, and the query notes it."""
        step, plan = query.get("step"), query.get("plan")
        if step is not None and step not in course().steps:
            query.fault(f"The course has no step {shortened(step)}.", "The step that was open is shown.")
            step = None
        if plan is not None and plan != GUIDE and plan not in plans():
            query.fault(f"There is no lesson plan {shortened(plan)}.", f"There are {', '.join(plans())}.")
            plan = None
        return cls(step, plan)


def step_query(id: str) -> str:
    """The query of a link to a step."""
    return encode(Link(LearnLink(id)))
