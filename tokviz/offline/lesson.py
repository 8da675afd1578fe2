"""Save steps of the course as one HTML file that opens without tokviz and without a network.

Views are drawn from their data, as on the page. What would need the server is left out: what fields hold is text, and
answers cannot be judged. So each task has its answer folded away, computed when the file is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from tokviz.base.files import clean_name
from tokviz.base.sentences import to_json
from tokviz.offline import files
from tokviz.offline.data import data_of
from tokviz.offline.page import standalone
from tokviz.teach.lessons.course import Chapter, Fence, Step, course
from tokviz.teach.lessons.plans import plan
from tokviz.teach.lessons.shown import Chosen, Shown
from tokviz.teach.lessons.tasks.task import Judged, Task

RUN = 'uvx --from "tokviz-bpe[app]" tokviz app'  # starts the app where nothing of it is installed
WHAT_WORKS = (
    "You can step through merges, and point at tokens. Each task has its answer folded away. To type texts and answers "
    f"of your own, run tokviz: {RUN}"
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
    return clean_name(f"tokviz {title}") + ".html"


def chapters_files(chapters: Mapping[str, Chapter], ways: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Make the files of chapters that lead to each other: (name, text). chapters: by name. ways: to other files."""
    places = {step.id: f"{name}#{step.id}" for name, chapter in chapters.items() for step in chapter.steps}
    names = [*chapters]
    for name, after in zip_longest(names, names[1:]):
        more = {after: f"Next: {chapters[after].title}"} if after else {}
        yield name, _file(chapters[name].title, chapters[name].steps, (), {**ways, **more}, places)


def _file(
    title: str,
    steps: Sequence[Step],
    own: Sequence[Chosen],
    ways: Mapping[str, str] | None = None,
    others: Mapping[str, str] | None = None,
) -> str:
    """The text of a file. ways: links above its title. others: addresses of steps that are in other files."""
    places = {**(others or {}), **{step.id: f"#{step.id}" for step in steps}}
    data = {"steps": [_inside(_step(step, own), places) for step in steps]}
    style, code = files.stylesheet(*files.LESSON), files.script("learn/offline.js")
    return standalone(data, title=title, lead=WHAT_WORKS, style=style, script=code, ways=ways)


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


def _inside(value: Any, places: Mapping[str, str]) -> Any:
    """The same data, with links to steps that have a place as links to it, and all others as plain words."""
    match value:
        case {"link": str(words), "to": str(to), **more} if not more:
            place = places.get(to.partition("step=")[2]) if to.startswith("/learn?") else None
            return {"link": words, "to": place} if place else words
        case dict():
            return {name: _inside(each, places) for name, each in value.items()}
        case list() | tuple():
            return [_inside(each, places) for each in value]
    return value
