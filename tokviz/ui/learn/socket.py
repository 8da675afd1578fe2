"""The Learn page's socket: it answers what the browser asks about a step.

    {"n", "step": id}                     show this step; it is kept as the visitor's
    {"n", "step": id, "view": changes}    its view with other inputs, by name
    {"n", "step": id, "try": answer, "typing": more}   is this an answer to its task? A right one makes the step done,
                                          unless more of it may be typed: then only what it is comes back, not judged
    {"n", "step": id, "left": true}       Next was pressed: a step without a task is done then
    {"n", "link": id}                     the query of a link to the step
    {"n", "save": {"step": id}}           the chapter of this step as a file that opens without tokviz: {"name", "file"}
    {"n", "save": {"plan": key}}          the steps of this lesson plan as such a file

n is the number of the question. The answer is {"n", "answer"}, or {"n", "error"} with a message for the reader. No
answer before a right one tells which one it is.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple
from weakref import WeakValueDictionary

from starlette.websockets import WebSocket

from tokviz.base.errors import InputError
from tokviz.teach.lessons.course import course
from tokviz.ui.course.drawn import code_data, done_data, judge, judged_data, own_of, step_data, view_data
from tokviz.ui.course.state import LearnState
from tokviz.ui.frame.address import Link, encode
from tokviz.ui.learn.link import LearnLink
from tokviz.ui.learn.take_along import chapter_file, plan_file
from tokviz.ui.server.connection import Conversation, read_as, read_message, reply, serve, visitor_with
from tokviz.ui.server.mine import stand_at
from tokviz.ui.server.visitor import Visitor

MESSAGE_LIMIT = 100_000  # characters
# One for each visitor with connections: all of them together have one question answered at a time, in one thread.
_TURNS: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


class To(NamedTuple):
    n: int


class View(NamedTuple):
    """The view of a step with other inputs, by name."""

    step: str
    changes: Annotated[dict[str, Any], "view"]


class Try(NamedTuple):
    """Is this an answer to the task of a step? typing: whether more of it may be typed."""

    step: str
    said: Annotated[Any, "try"]
    typing: bool = False


class Left(NamedTuple):
    """Next was pressed."""

    step: str
    left: Literal[True]


class Show(NamedTuple):
    """A step, which is shown from now on."""

    step: str


class LinkTo(NamedTuple):
    """A link to a step."""

    step: Annotated[str, "link"]


class Chapter(NamedTuple):
    """The chapter of a step, as a file."""

    step: str


class Plan(NamedTuple):
    """The steps of the lesson plan with this key, as a file."""

    plan: str


class Save(NamedTuple):
    """What is saved as a file."""

    what: Annotated[Chapter | Plan, "save"]


Asked = View | Try | Left | Show | LinkTo | Save


def understood(message: str | None) -> tuple[int, Asked]:
    """Read a message: (number of the question, question). Refusal if it is none of the questions.

    >>> understood('{"n": 1, "step": "bytes-1", "try": 2}')
    (1, Try(step='bytes-1', said=2, typing=False))
    """
    said = read_message(message, MESSAGE_LIMIT)
    return read_as(To, said).n, read_as(Asked, said)


def answer(me: Visitor, asked: Asked) -> dict[str, Any]:
    """The answer to a question. Raises TokvizError if it cannot be answered."""
    own = own_of(me)
    if isinstance(asked, Save):
        of = asked.what
        return plan_file(of.plan, own) if isinstance(of, Plan) else chapter_file(course().step(of.step).id, own)
    state, step = me.state(LearnState), course().step(asked.step)
    match asked:
        case Show():
            state.step = step.id
            return {"step": step_data(step, own, state), "done": done_data(state)}
        case View(_, changes):
            state.keep("inputs", step.id, changes)
            return {"view": view_data(step.show(own, changes))}
        case Try(_, said, typing):
            task = step.make_task(step.show(own))
            if task is None:
                raise InputError("This step has no task.", "Reload the page.")
            if typing:
                so_far = task.judge(said)
                state.keep("answer", step.id, said)
                return {"judged": judged_data(replace(so_far, state="not done", says=[]))}
            judged = judge(step, task, said, state)
            state.keep("answer", step.id, said)
            return {"judged": judged_data(judged), "done": done_data(state), "code": code_data(step, state)}
        case Left():
            if step.task is None:
                state.done |= {step.id}
            return {"done": done_data(state)}
        case LinkTo():
            return {"query": encode(Link(LearnLink(step.id)))}


class Answers(Conversation):
    """One connection, which answers each question before it reads the next one."""

    def __init__(self, websocket: WebSocket, key: str) -> None:
        super().__init__(websocket, key)
        self.turn = _TURNS.setdefault(key, asyncio.Lock())

    async def hear(self, message: str | None) -> None:
        n, asked = understood(message)
        me = visitor_with(self.key)

        def answering() -> dict[str, Any]:
            if isinstance(asked, Show) and asked.step in course().steps:
                stand_at(asked.step, self.key)
            return answer(me, asked)

        async with self.turn:
            await reply(self.websocket, n, self.key, answering)


learn_socket = partial(serve, begin=Answers)
