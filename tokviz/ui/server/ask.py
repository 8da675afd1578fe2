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
import contextlib
import json
from collections.abc import Callable
from dataclasses import make_dataclass
from functools import partial
from inspect import Parameter, signature
from typing import Any, NamedTuple, TypeVar, get_type_hints
from weakref import WeakValueDictionary

from starlette.websockets import WebSocket, WebSocketDisconnect

from tokviz.base.errors import TokvizError
from tokviz.base.typed import Id
from tokviz.ui.server.connection import (
    ASKED_LIMIT,
    UNREADABLE,
    WAITING_LIMIT,
    Conversation,
    Refusal,
    read_as,
    read_message,
    send,
    serve,
    visitor_with,
)
from tokviz.ui.server.pool import Pool, pool_about
from tokviz.ui.server.visitor import Visitor

Answer = dict[str, Any]
A = TypeVar("A", bound=Callable[..., Answer])

_GIVEN = ("me", "key", "kept")  # parameters that are no fields
_NONE = "This message is not one of the questions."


class Question(NamedTuple):
    """A question of a page.

    fields: a dataclass of them. given: what comes from the server, with its types. The rest is as in `question`.
    """

    name: str
    answer: Callable[..., Answer]
    fields: type
    given: dict[str, type]
    pool: Pool | Callable[..., Pool]
    apart: bool
    of_visitor: bool

    @property
    def queue(self) -> str:
        """The name of the questions that wait for each other."""
        return self.name if self.apart else self.name.partition(".")[0]


QUESTIONS: dict[str, Question] = {}


def pool_of(me: Visitor, of: str | None = None, **_: Any) -> Pool:
    """The pool for a question about the tokenizer with the key `of`."""
    return pool_about(next((one.tokenizer for one in me.tokenizers if one.key == of), None))


def question(
    name: str, pool: Pool | Callable[..., Pool] = pool_of, *, apart: bool = False, of_visitor: bool = False
) -> Callable[[A], A]:
    """Let browsers ask this function.

    name: the page, a dot, and what is asked. pool: where it is answered, or what says so, from the visitor and the
    fields. apart: whether it waits for no other question of the page, nor they for it; it is forgotten if the browser
    leaves before its turn. of_visitor: whether it waits for the page's questions on all connections of the visitor.

    >>> @question("example.twice")
    ... def twice(me: Visitor, number: int, more: int = 0) -> Answer:
    ...     return {"twice": 2 * number + more}
    >>> understood('{"n": 1, "ask": "example.twice", "number": 3}').answer(Visitor())
    {'twice': 6}
    >>> del QUESTIONS["example.twice"]
    """

    def register(answer: A) -> A:
        hints = get_type_hints(answer, include_extras=True)
        fields, given = list[Any](), dict[str, Any]()
        for field, parameter in signature(answer).parameters.items():
            if field in _GIVEN:
                given[field] = hints[field]
            else:
                usual = () if parameter.default is Parameter.empty else (parameter.default,)
                fields.append((field, hints[field], *usual))
        kind = make_dataclass(answer.__name__, fields, kw_only=True)
        QUESTIONS[name] = Question(name, answer, kind, given, pool, apart, of_visitor)
        return answer

    return register


class Asked(NamedTuple):
    """A question with its number and its fields."""

    n: int
    question: Question
    fields: dict[str, Any]

    def answer(self, me: Visitor, key: str = "", kept: dict[type, Any] | None = None) -> Answer:
        """The answer. Raises TokvizError if there is none. kept: by its class, what the connection keeps."""
        given: dict[str, Any] = {"me": me, "key": key}
        for name, kind in self.question.given.items():
            if name == "kept":
                given[name] = ({} if kept is None else kept).setdefault(kind, kind())
        return self.question.answer(**{name: given[name] for name in self.question.given}, **self.fields)


class _Head(NamedTuple):
    n: Id
    ask: str


def understood(message: str | None) -> Asked:
    """Read a message. Refusal if it is none of the questions."""
    said = read_message(message, ASKED_LIMIT)
    n, name = read_as(_Head, said, _NONE)
    if name not in QUESTIONS:
        raise Refusal(UNREADABLE, _NONE)
    asked = QUESTIONS[name]
    return Asked(n, asked, vars(read_as(asked.fields, said, _NONE)))


# By the name of a queue and whose it is, for as long as somebody waits in it.
_TURNS: WeakValueDictionary[tuple[str, str | Asking], asyncio.Lock] = WeakValueDictionary()


class Asking(Conversation):
    """One connection. tasks: in which it answers."""

    def __init__(self, websocket: WebSocket, key: str, tasks: asyncio.TaskGroup) -> None:
        super().__init__(websocket, key)
        self.tasks, self.kept, self.room = tasks, dict[type, Any](), asyncio.Semaphore(WAITING_LIMIT)
        self.apart = set[asyncio.Task[None]]()

    async def hear(self, message: str | None) -> None:
        asked, me = understood(message), visitor_with(self.key)
        await self.room.acquire()  # so that nothing more is read meanwhile
        task = self.tasks.create_task(self.reply(me, asked))
        task.add_done_callback(lambda _: self.room.release())
        if asked.question.apart:
            self.apart.add(task)
            task.add_done_callback(self.apart.discard)

    async def reply(self, me: Visitor, asked: Asked) -> None:
        """Answer a question when it is its turn."""
        asks = asked.question

        def told() -> str:
            try:
                said: Answer = {"answer": asked.answer(me, self.key, self.kept)}
            except TokvizError as error:
                said = {"error": str(error)}
            return json.dumps({"n": asked.n, **said}, separators=(",", ":"))  # an answer can have many megabytes

        async with _TURNS.setdefault((asks.queue, self.key if asks.of_visitor else self), asyncio.Lock()):
            pool = asks.pool if isinstance(asks.pool, Pool) else asks.pool(me, **asked.fields)
            said = await pool.do(self.key, told)
            with contextlib.suppress(WebSocketDisconnect):  # the browser has left meanwhile
                await send(self.websocket, said)

    def end(self) -> None:
        for task in self.apart:
            task.cancel()


async def ask_socket(websocket: WebSocket) -> None:
    """Serve one connection until the browser has left and what it asked is done."""
    async with asyncio.TaskGroup() as tasks:
        await serve(websocket, partial(Asking, tasks=tasks))
