"""What the browser asks about the steps of the course. No answer before a right one tells which one it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tokviz.base.errors import InputError
from tokviz.offline.lesson import chapter_file, judged_data, view_data
from tokviz.teach.lessons.course import course
from tokviz.ui.learn.drawn import code_data, done_data, judge, own_of, step_data
from tokviz.ui.learn.state import LearnState
from tokviz.ui.server.ask import Answer, question
from tokviz.ui.server.mine import stand_at
from tokviz.ui.server.visitor import Visitor


@question("learn.show")
def show(me: Visitor, key: str, step: str) -> Answer:
    """A step, which is kept as the visitor's; the class that they lead is there now."""
    state, shown = me.state(LearnState), course().step(step)
    stand_at(shown.id, key)
    state.step = shown.id
    return {"step": step_data(shown, own_of(me), state), "done": done_data(state)}


@question("learn.view")
def view(me: Visitor, step: str, changes: dict[str, Any]) -> Answer:
    """The view of a step with other inputs. changes: by name."""
    shown = course().step(step)
    me.active = True
    me.state(LearnState).keep("inputs", shown.id, changes)
    return {"view": view_data(shown, shown.show(own_of(me), changes))}


@question("learn.try")
def attempt(me: Visitor, step: str, said: Any, typing: bool = False) -> Answer:
    """Is this an answer to the task of a step? A right one makes the step done.

    typing: more of it may be typed, so only what it is comes back, and it is not judged.
    """
    me.active = True
    state, shown = me.state(LearnState), course().step(step)
    task = shown.make_task(shown.show(own_of(me)))
    if task is None:
        raise InputError("This step has no task.", "Reload the page.")
    if typing:
        so_far = task.judge(said)
        state.keep("answer", shown.id, said)
        return {"judged": judged_data(replace(so_far, state="not done", says=[]))}
    judged = judge(shown, task, said, state)
    state.keep("answer", shown.id, said)
    return {"judged": judged_data(judged), "done": done_data(state), "code": code_data(shown, state)}


@question("learn.left")
def left(me: Visitor, step: str) -> Answer:
    """Next was pressed: a step without a task is done then."""
    state, shown = me.state(LearnState), course().step(step)
    if shown.task is None:
        state.done |= {shown.id}
    return {"done": done_data(state)}


@question("learn.find")
def find(me: Visitor, words: str) -> Answer:
    """The ids of the steps that have these words."""
    return {"steps": [step.id for step in course().find(words)]}


@question("learn.chapter")
def chapter(me: Visitor, step: str) -> Answer:
    """The chapter of a step as a file that opens without tokviz: {"name", "file"}."""
    return chapter_file(course().step(step).id, own_of(me))
