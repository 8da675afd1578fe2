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
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from starlette.websockets import WebSocket

from tokviz.base.errors import InputError
from tokviz.teach.lessons.course import course
from tokviz.ui.address import Link, encode
from tokviz.ui.course.drawn import code_data, done_data, judge, judged_data, own_of, step_data, view_data
from tokviz.ui.course.state import LearnState
from tokviz.ui.learn.link import LearnLink
from tokviz.ui.learn.take_along import chapter_file, plan_file
from tokviz.ui.server.connection import UNREADABLE, Refusal, read_message, reply, serve, visitor_with
from tokviz.ui.server.mine import stand_at
from tokviz.ui.server.visitor import Visitor

MESSAGE_LIMIT = 100_000  # characters
# One for each visitor with connections: all of them together have one question answered at a time, in one thread.
_TURNS: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


class Asked(NamedTuple):
    """What is asked about the step with this id. said: the changes to its view, or the answer to its task.

    Of the kind "plan", step is the key of a lesson plan.
    """

    step: str
    kind: str
    said: Any = None


def understood(message: str | None) -> tuple[int, Asked]:
    """Read a message: (number of the question, question). Refusal if it is none of the questions.

    >>> understood('{"n": 1, "step": "bytes-1", "try": 2}')
    (1, Asked(step='bytes-1', kind='try', said=2))
    """
    match read_message(message, MESSAGE_LIMIT):
        case {"n": int(n), "step": str(step), "view": dict(changes)}:
            return n, Asked(step, "view", changes)
        case {"n": int(n), "step": str(step), "try": said, **more}:
            return n, Asked(step, "typing" if more.get("typing") is True else "try", said)
        case {"n": int(n), "step": str(step), "left": True}:
            return n, Asked(step, "left")
        case {"n": int(n), "step": str(step)}:
            return n, Asked(step, "step")
        case {"n": int(n), "link": str(step)}:
            return n, Asked(step, "link")
        case {"n": int(n), "save": {"step": str(step)}}:
            return n, Asked(step, "chapter")
        case {"n": int(n), "save": {"plan": str(plan)}}:
            return n, Asked(plan, "plan")
    raise Refusal(UNREADABLE, "This message is not one of the questions.")


def answer(me: Visitor, asked: Asked) -> dict[str, Any]:
    """The answer to a question. Raises TokvizError if it cannot be answered."""
    own = own_of(me)
    if asked.kind == "plan":
        return plan_file(asked.step, own)
    state, step = me.state(LearnState), course().step(asked.step)
    match asked.kind:
        case "chapter":
            return chapter_file(step.id, own)
        case "step":
            state.step = step.id
            return {"step": step_data(step, own, state), "done": done_data(state)}
        case "view":
            state.keep("inputs", step.id, asked.said)
            return {"view": view_data(step.show(own, asked.said))}
        case "try" | "typing":
            task = step.make_task(step.show(own))
            if task is None:
                raise InputError("This step has no task.", "Reload the page.")
            if asked.kind == "typing":
                so_far = task.judge(asked.said)
                state.keep("answer", step.id, asked.said)
                return {"judged": judged_data(replace(so_far, state="not done", says=[]))}
            judged = judge(step, task, asked.said, state)
            state.keep("answer", step.id, asked.said)
            return {"judged": judged_data(judged), "done": done_data(state), "code": code_data(step, state)}
        case "left":
            if step.task is None:
                state.done |= {step.id}
            return {"done": done_data(state)}
    return {"query": encode(Link(LearnLink(step.id)))}


async def learn_socket(websocket: WebSocket) -> None:
    """Serve one connection of the Learn page's socket until it closes."""
    await serve(websocket, Answers)


class Answers:
    """One connection, which answers each question before it reads the next one. key: the visitor's."""

    def __init__(self, websocket: WebSocket, key: str) -> None:
        self.websocket = websocket
        self.key = key
        self.turn = _TURNS.setdefault(key, asyncio.Lock())

    async def hear(self, message: str | None) -> None:
        """Answer one message. Raises Refusal if it is not a question."""
        n, asked = understood(message)
        me = visitor_with(self.key)

        def answering() -> dict[str, Any]:
            if asked.kind == "step" and asked.step in course().steps:
                stand_at(asked.step, self.key)
            return answer(me, asked)

        async with self.turn:
            await reply(self.websocket, n, self.key, answering)

    def end(self) -> None:
        """Nothing is under way."""
