"""Steps and judgements as the browser gets them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tokviz.base.errors import TokvizError
from tokviz.base.sentences import Code, SentencePart
from tokviz.offline.data import data_of
from tokviz.offline.lesson import judged_data, step_told, view_data
from tokviz.teach.lessons.course import Step, course
from tokviz.teach.lessons.shown import Chosen, Shown
from tokviz.teach.lessons.tasks.task import Judged, Task
from tokviz.teach.lessons.views import VIEWS
from tokviz.ui.frame.tokenizers import at_hand
from tokviz.ui.learn.link import step_query
from tokviz.ui.learn.state import LearnState
from tokviz.ui.server.visitor import Visitor


def own_of(me: Visitor) -> list[Chosen]:
    """The tokenizers of the visitor's own that lessons can show."""
    own = ((shown, shown.own) for shown in at_hand(me))
    return [Chosen("own", shown.name, shown.series, tok) for shown, tok in own if tok and tok.has_merges]


def step_data(step: Step, own: Sequence[Chosen], state: LearnState | None = None) -> dict[str, Any]:
    """A step. Nothing in it tells the answer of its task, unless the visitor gave it.

    state: the visitor's. The step is as they left it: with the inputs of its view, and with their last answer.
    """
    state = state or LearnState()
    shown = step.show(own)
    task = step.make_task(shown)
    data = step_told(step, shown, task, _view_as_left(step, own, shown, state))
    if task:
        data["task"] |= _answer_as_left(step, task, state)
    return data | {"query": step_query(step.id), "code": code_data(step, state)}


def code_data(step: Step, state: LearnState) -> str:
    """Its lines of Python; before the task is done without those that tell its answer."""
    return step.code if not step.task or step.id in state.done else step.code_before


def _view_as_left(step: Step, own: Sequence[Chosen], shown: Shown | None, state: LearnState) -> dict[str, Any] | None:
    """The view with the inputs that the visitor left there. If they cannot be shown, `fault` says why, and `typed` has
    what its fields hold."""
    if not shown or not step.view or ("inputs", step.id) not in state.kept:
        view = view_data(step, shown)
        return view and view | {"isNew": True}
    inputs = state.recall("inputs", step.id)
    try:
        return view_data(step, step.show(own, inputs))
    except TokvizError as fault:
        fields = VIEWS[step.view.name].inputs
        typed = {name: value for name, value in inputs.items() if name in fields and isinstance(value, str)}
        return {"blocks": data_of(step.blocks(shown)), "typed": typed, "fault": str(fault)}


def _answer_as_left(step: Step, task: Task, state: LearnState) -> dict[str, Any]:
    """The last answer of the visitor and what it is worth, if it is known and still makes sense."""
    if ("answer", step.id) not in state.kept:
        return {}
    answer = state.recall("answer", step.id)
    try:
        return {"answer": answer, "judged": judged_data(judge(step, task, answer, state))}
    except TokvizError:
        return {"answer": answer}


def judge(step: Step, task: Task, answer: Any, state: LearnState) -> Judged:
    """Judge an answer. A right one makes the step done, and stays in view with its reason when others come after it."""
    judged = task.judge(answer)
    if judged.state == "done":
        state.done |= {step.id}
        state.keep("right", step.id, answer)
    elif step.id in state.done:
        if ("right", step.id) not in state.kept:
            return replace(judged, says=[])
        right = state.recall("right", step.id)
        typed: list[SentencePart] = []
        for text in right if isinstance(right, list) else [right]:
            typed += [" and " if typed else "Done with ", Code(text)] if isinstance(text, str) else []
        says = [*typed, ". "] if typed else []
        return replace(judged, says=[*says, *task.judge(right).says])
    return judged


def outline() -> list[dict[str, Any]]:
    """The chapters, each with the ids and titles of its steps."""
    return [
        {"title": chapter.title, "steps": [{"id": step.id, "title": step.title} for step in chapter.steps]}
        for chapter in course().chapters
    ]


def done_data(state: LearnState) -> list[str]:
    """The ids of the steps that are done, in the order of the course."""
    return [id for id in course().steps if id in state.done]
