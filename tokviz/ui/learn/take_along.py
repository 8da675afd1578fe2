"""Save steps of the course as one HTML file that opens without tokviz and without a network.

Views are drawn from their data, as on the page. What would need the server is left out: what fields hold is text, and
answers cannot be judged. So each task has its answer folded away, computed when the file is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from tokviz.catalog import saved
from tokviz.teach.lessons.course import Step, course
from tokviz.teach.lessons.plans import plan
from tokviz.teach.lessons.shown import Chosen
from tokviz.ui.frame.standalone import standalone
from tokviz.ui.kit.served import script, stylesheet
from tokviz.ui.learn.drawn import judged_data, step_data
from tokviz.ui.learn.lesson import STYLES

WHAT_WORKS = (
    "You can step through merges, and point at tokens. Nothing can be typed here, so each task has its answer folded "
    "away. Made with tokviz; it needs no network."
)

# A sentence that asks for what cannot be done in the file.
_ASKS = re.compile(r"[^.?!]*\b(?:field|type|choose)\b[^.?!]*[.?!]\s*", re.IGNORECASE)


def chapter_file(step: str, own: Sequence[Chosen]) -> dict[str, str]:
    """The chapter of a step as a file: its name and its text. Raises UnknownNameError."""
    course().step(step)
    chapter = course().chapter_of(step)
    return {"name": _name(chapter.title), "file": _file(chapter.title, chapter.steps, own)}


def plan_file(key: str, own: Sequence[Chosen]) -> str:
    """The steps of a lesson plan, each once, as the text of a file. Raises UnknownNameError."""
    ids = dict.fromkeys(row.step for row in plan(key).rows if row.step)
    return _file(_title(key), [course().step(id) for id in ids], own)


def plan_name(key: str) -> str:
    """The name of this file."""
    return _name(_title(key))


def _title(key: str) -> str:
    return f"{plan(key).title}, {plan(key).minutes} minutes"


def _name(title: str) -> str:
    return saved.clean_name(f"tokviz {title}") + ".html"


def _file(title: str, steps: Sequence[Step], own: Sequence[Chosen]) -> str:
    ids = {step.id for step in steps}
    data = {"steps": [_inside(_step(step, own), ids) for step in steps]}
    style, code = stylesheet(*STYLES), script("learn/offline.js")
    return standalone(data, title=title, lead=WHAT_WORKS, style=style, script=code)


def _step(step: Step, own: Sequence[Chosen]) -> dict[str, Any]:
    """A step with the answer of its task: the one that the lesson file has as right, and why it is."""
    data = step_data(step, own) | {"code": step.code}
    task = step.make_task(step.show(own))
    if task and step.task:
        right = step.task.says["right"]
        begin = _ASKS.sub("", data["task"]["begin"]).strip()
        data["task"] |= {"begin": begin, "right": right, "judged": judged_data(task.judge(right))}
    return data


def _inside(value: Any, ids: Iterable[str]) -> Any:
    """The same data, with links to steps of the file as links inside it, and all others as plain words."""
    match value:
        case {"link": str(words), "to": str(to), **more} if not more:
            step = to.partition("step=")[2]
            return {"link": words, "to": f"#{step}"} if to.startswith("/learn?") and step in ids else words
        case dict():
            return {name: _inside(each, ids) for name, each in value.items()}
        case list() | tuple():
            return [_inside(each, ids) for each in value]
    return value
