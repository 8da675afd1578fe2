"""A step of the course: where it is, its sentences, its live view, its task, and the way to the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokviz.offline.files import LESSON
from tokviz.ui.kit.served import component

_component = component("lesson", "learn/lesson.js", *LESSON)


def lesson(
    outline: Sequence[dict[str, Any]],
    step: dict[str, Any],
    done: Sequence[str],
    *,
    ways: Sequence[dict[str, str]] = (),
    alone: bool = False,
    fresh: bool = False,
    key: str,
) -> None:
    """Draw the course.

    outline: its chapters and steps. step: the one that is shown, as `step_data` of drawn.py makes it; from then on the
    browser asks for others. done: the ids of the steps that are done. ways: links below the chapters, each
    with the page, the query and the text. alone: only the step, without chapters, Back and Next; the page that draws it
    decides which step that is. fresh: whether this visitor has opened no step before, as after a restart of the server;
    a browser that shows one keeps it.
    """
    data = {"outline": outline, "step": step, "done": done, "ways": ways, "alone": alone, "fresh": fresh}
    _component(key=key, data=data, on_renew_change=lambda: None)
