"""Save steps of the course as one HTML file that opens without tokviz and without a network.

Views are drawn from their data, as on the page. What would need the server is left out: what fields hold is text, and
answers cannot be judged. So each task has its answer folded away, computed when the file is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tokviz.base.sentences import to_json
from tokviz.catalog import saved
from tokviz.offline import files
from tokviz.offline.data import data_of
from tokviz.offline.page import standalone
from tokviz.teach.lessons.course import Fence, Step, course
from tokviz.teach.lessons.plans import plan
from tokviz.teach.lessons.shown import Chosen, Shown
from tokviz.teach.lessons.tasks.task import Judged, Task

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
    style, code = files.stylesheet(*files.LESSON), files.script("learn/offline.js")
    return standalone(data, title=title, lead=WHAT_WORKS, style=style, script=code)


def _step(step: Step, own: Sequence[Chosen]) -> dict[str, Any]:
    """A step with the answer of its task: the one that the lesson file has as right, and why it is."""
    shown = step.show(own)
    task = step.make_task(shown)
    data = step_told(step, shown, task, view_data(step, shown))
    if task and step.task:
        right = step.task.says["right"]
        begin = _ASKS.sub("", data["task"]["begin"]).strip()
        data["task"] |= {"begin": begin, "right": right, "judged": judged_data(task.judge(right))}
    return data


def step_told(step: Step, shown: Shown | None, task: Task | None, view: dict[str, Any] | None) -> dict[str, Any]:
    """A step as it is before the first answer. view: what its view shows."""
    return {
        "id": step.id,
        "title": step.title,
        "prose": [to_json(paragraph) for paragraph in step.sentences(shown.facts if shown else {})],
        "view": view,
        "task": task and step.task and task_data(step.task, task),
        "code": step.code,
    }


def task_data(block: Fence, task: Task) -> dict[str, Any]:
    """A task as it is before the first answer."""
    return {
        "kind": block.name,
        "title": block.says["title"],
        "begin": block.says.get("begin", ""),
        "start": _sent(task.start()),
    }


def view_data(step: Step, shown: Shown | None) -> dict[str, Any] | None:
    """What the view of a step shows; None if all of it is in the task."""
    blocks = step.blocks(shown) if shown else []
    return {"blocks": data_of(blocks)} if blocks else None


def judged_data(judged: Judged) -> dict[str, Any]:
    """What an answer is worth."""
    return {
        "state": judged.state,
        "says": to_json(judged.says),
        "data": _sent(judged.data),
        "view": {"blocks": data_of(judged.shown.blocks)} if judged.shown else None,
    }


def _sent(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a task shows, as JSON."""
    return {name: data_of(value) if name == "blocks" else value for name, value in data.items()}


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
