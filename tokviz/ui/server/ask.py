"""The door for questions of pages: the socket /tokviz/ask, on which a browser asks by name and gets an answer to each.

    {"n": 3, "ask": "replay.why", "of": null, "step": 7}    a question: its number, its name, its fields
    {"n": 3, "answer": {...}}                               the answer
    {"n": 3, "error": "There is no step 7 here. ..."}       why there is none, in words for the reader

A question is a function in `questions.py` of a page's folder. Its parameters are the fields, and their types say what
is understood (see base/typed.py). Three parameters come from the server: `me`, the visitor; `key`, theirs; and `kept`,
what the connection keeps, an object of the parameter's class that the first question makes.

Questions of one page are answered in the order in which they came, each after the one before. Those of other pages do
not wait for them.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import make_dataclass
from functools import partial
from inspect import Parameter, signature
from typing import Any, NamedTuple, TypeVar, get_type_hints

from starlette.websockets import WebSocket, WebSocketDisconnect

from tokviz.base.errors import TokvizError
from tokviz.base.typed import Id
from tokviz.split.cutting import is_quick
from tokviz.ui.server.connection import (
    UNREADABLE,
    Conversation,
    Refusal,
    read_as,
    read_message,
    serve,
    visitor_with,
    written,
)
from tokviz.ui.server.line import ANSWERS, OWN_EXPRESSIONS, PEERS, InLoop, Line
from tokviz.ui.server.visitor import Visitor

Answer = dict[str, Any]
A = TypeVar("A", bound=Callable[..., Answer])
Lines = Line | InLoop | Callable[..., Line | InLoop]  # a line, or what says which one, from the visitor and the fields

WAITING_LIMIT = 16  # questions of a connection that have no answer yet, before its next message is read

QUESTIONS: dict[str, Question] = {}
_GIVEN = ("me", "key", "kept")  # parameters that are no fields
_NONE = "This message is not one of the questions."


class Question:
    """A question of a page. The parameters are those of `question`."""

    def __init__(self, name: str, function: Callable[..., Answer], line: Lines, apart: bool) -> None:
        self.function, self.line = function, line
        self.queue = name if apart else name.partition(".")[0]  # those of one queue wait for each other
        hints, parameters = get_type_hints(function, include_extras=True), signature(function).parameters
        self.given, self.kept = parameters.keys() & _GIVEN, hints.get("kept")
        if taken := parameters.keys() & set(_Head._fields):
            raise ValueError(f"{name} cannot have a field {min(taken)}, which every question has.")
        fields: list[Any] = [
            (field, hints[field], *(() if parameter.default is Parameter.empty else (parameter.default,)))
            for field, parameter in parameters.items()
            if field not in _GIVEN
        ]
        self.fields = make_dataclass("Fields", fields, kw_only=True)

    def answer(self, fields: dict[str, Any], me: Visitor, key: str, kept: dict[type, Any]) -> Answer:
        """The answer. Raises TokvizError if there is none. kept: by its class, what the connection keeps."""
        if self.kept and self.kept not in kept:
            kept[self.kept] = self.kept()
        given = {"me": me, "key": key, "kept": kept[self.kept] if self.kept else None}
        return self.function(**{name: given[name] for name in self.given}, **fields)


def line_of(me: Visitor, of: str | None = None, keys: Sequence[str] = (), **_: Any) -> Line:
    """The line for a question about tokenizers: that of the one that may take the longest.

    of, keys: the fields in which a question names one, or several.
    """
    patterns = [one.tokenizer.pattern for one in me.tokenizers if one.key in (of, *keys)]
    if None in patterns:  # that of a tokenizer of another package
        return PEERS
    return ANSWERS if all(is_quick(pattern) for pattern in patterns if pattern) else OWN_EXPRESSIONS


def question(name: str, line: Lines = line_of, *, apart: bool = False) -> Callable[[A], A]:
    """Let browsers ask this function.

    name: the page, a dot, and what is asked. line: in which it is answered. apart: whether it waits for no question of
    the page, nor they for it.

    >>> @question("example.twice")
    ... def twice(me: Visitor, number: int, more: int = 0) -> Answer:
    ...     return {"twice": 2 * number + more}
    >>> n, asked, fields = understood('{"n": 1, "ask": "example.twice", "number": 3}')
    >>> n, asked.answer(fields, Visitor(), "", {})
    (1, {'twice': 6})
    >>> del QUESTIONS["example.twice"]
    """

    def register(function: A) -> A:
        QUESTIONS[name] = Question(name, function, line, apart)
        return function

    return register


class _Head(NamedTuple):
    n: Id
    ask: str


def understood(message: str | None) -> tuple[int, Question, dict[str, Any]]:
    """Read a message: (its number, the question, the fields). Refusal if it is none of the questions."""
    said = read_message(message)
    n, name = read_as(_Head, said, _NONE)
    if name not in QUESTIONS:
        raise Refusal(UNREADABLE, _NONE)
    return n, QUESTIONS[name], vars(read_as(QUESTIONS[name].fields, said, _NONE))


class Asking(Conversation):
    """One connection. tasks: in which it answers."""

    def __init__(self, websocket: WebSocket, key: str, tasks: asyncio.TaskGroup) -> None:
        super().__init__(websocket, key)
        self.tasks, self.kept, self.room = tasks, dict[type, Any](), asyncio.Semaphore(WAITING_LIMIT)
        self.turns = defaultdict[str, asyncio.Lock](asyncio.Lock)  # by the name of a queue

    async def hear(self, message: str | None) -> None:
        n, asked, fields = understood(message)
        me = visitor_with(self.key)
        await self.room.acquire()  # so that nothing more is read meanwhile
        task = self.tasks.create_task(self.reply(me, n, asked, fields))
        task.add_done_callback(lambda _: self.room.release())

    async def reply(self, me: Visitor, n: int, asked: Question, fields: dict[str, Any]) -> None:
        """Answer a question when it is its turn."""

        def told() -> str:
            try:
                said: Answer = {"answer": asked.answer(fields, me, self.key, self.kept)}
            except TokvizError as error:
                said = {"error": str(error)}
            return written({"n": n, **said})  # in a thread: an answer can have many megabytes

        async with self.turns[asked.queue]:
            line = asked.line(me, **fields) if callable(asked.line) else asked.line
            said = await line.do(self.key, told)
            with suppress(WebSocketDisconnect):  # what was asked is done all the same
                await self.tell(said)


async def ask_socket(websocket: WebSocket) -> None:
    """Serve one connection until the browser has left and what it asked is done."""
    async with asyncio.TaskGroup() as tasks:
        await serve(websocket, partial(Asking, tasks=tasks))
