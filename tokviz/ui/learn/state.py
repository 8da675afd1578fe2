"""What the Learn page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass

from tokviz.ui.visitors.visitor import PageState


@dataclass(eq=False)
class LearnState(PageState):
    """step: the id of the step that is shown, "" for the first of the course. done: the ids of the steps whose task is
    done, or which have none and were left by Next."""

    step: str = ""
    done: frozenset[str] = frozenset()
