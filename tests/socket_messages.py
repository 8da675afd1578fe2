"""Conversations with every socket, as no browser would have them: messages of every wrong shape, size and order.

`conversations` draws them. `hold` has one with a socket, and raises AssertionError if the server did not hold.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st
from starlette.websockets import WebSocket

import tokviz
from tests import asking as _asking  # noqa: F401 (who imports it can ask all questions)
from tests.strategies import wild_texts
from tests.waiting import PATIENCE_S
from tokviz.offline.replay import LENGTHS
from tokviz.teach.rooms.register import opaque
from tokviz.ui.classroom.socket import class_socket
from tokviz.ui.server.ask import ask_socket
from tokviz.ui.server.connection import REASON_BYTES, REFUSED, STARTED_OVER, TOO_LARGE, TRY_LATER, UNREADABLE
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.hub import hub
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.questions import sum_of
from tokviz.ui.tokenview.socket import live_socket
from tokviz.vocabulary.search import SORTS, USES

Message = str | bytes
SOCKETS: dict[str, Callable[[WebSocket], Awaitable[None]]] = {
    "live": live_socket,
    "ask": ask_socket,
    "class": class_socket,
}
CODES = {UNREADABLE, REFUSED, TOO_LARGE, TRY_LATER, STARTED_OVER}

# -- what is said --

_SETTINGS = {"pattern": "gpt2", "custom": "a+|.", "vocab_size": 300, "special": "<e>", "tie": "first", "min_count": 1}
_OWN_PATTERN = {**_SETTINGS, "pattern": "custom"}
_CHOICE = {
    "search": "a",
    "by": "text",
    "kind": "",
    "length": 0,
    "script": "",
    "use": USES[0],
    "odd": "",
    "sort": SORTS[0],
}
_BY_PATTERN = {**_CHOICE, "by": "pattern", "down": True}
_HELLO = {"view": "v", "keys": ["mine1", "gpt2"], "specials": "special", "length": None, "sum": None}
_SUM = sum_of(Visitor().text)
_PATCH = {"v": 1, "from": 0, "to": 0, "insert": "aab <e> aab"}
GOOD: dict[str, list[dict[str, Any]]] = {
    "live": [
        _HELLO,
        _PATCH,
    ],
    "ask": [
        {"n": n, "ask": name, **fields}
        for n, (name, fields) in enumerate(
            [
                ("replay.why", {"of": None, "step": 3}),
                ("replay.window", {"of": "mine1", "start": 0, "length": LENGTHS[0]}),
                ("replay.fires", {"of": "gpt2", "rank": 1, "after": 0, "length": LENGTHS[0]}),
                ("replay.text", {"of": "mine1", "text": "aab"}),
                ("replay.pairs", {"of": None, "step": 3}),
                ("replay.guess", {"of": None, "step": 3, "guess": 0}),
                ("replay.link", {"of": None, "step": 1, "start": 0, "length": 200, "presenting": False}),
                ("vocabulary.list", {"of": "mine1", "choice": {**_CHOICE, "down": False}, "token": None}),
                ("vocabulary.list", {"of": "mine1", "choice": _BY_PATTERN, "token": 97, "more": True}),
                ("vocabulary.rows", {"of": "mine1", "choice": {**_CHOICE, "down": False}, "start": 0, "count": 50}),
                ("vocabulary.csv", {"of": "mine1", "choice": {**_CHOICE, "down": False}}),
                ("vocabulary.link", {"of": "mine1", "choice": {**_CHOICE, "down": False}, "token": 97}),
                ("vocabulary.card", {"of": "mine1", "id": 97, "pinned": True}),
                ("vocabulary.family", {"of": "mine1", "id": 97, "first": 0}),
                ("vocabulary.places", {"of": "mine1", "id": 97, "remaining": True, "first": 0}),
                ("tokens.choices", {}),
                ("train.written", {"view": "w", "text": "aab <e> aab", "settings": _SETTINGS, "step": None}),
                ("train.step", {"view": "w", "step": 3}),
                ("train.link", {"view": "w", "text": "aab <e> aab", "settings": _SETTINGS, "step": 3}),
                ("train.keep", {"view": "w", "text": "aab aab", "settings": _OWN_PATTERN, "replay": True}),
                ("tokens.proof", {"keys": ["gpt2", "mine1"], "sum": _SUM, "size": 257}),
                ("tokens.card", {"of": "mine1", "sum": _SUM, "start": None, "size": None}),
                ("tokens.card", {"of": "mine1", "sum": _SUM, "start": 0, "size": None}),
                ("tokens.family", {"of": "mine1", "sum": _SUM, "start": 0, "size": 257}),
                ("compare.why", {"keys": ["gpt2", "mine1"], "sum": 0, "start": 0, "stop": 1}),
                ("learn.show", {"step": "bytes-1"}),
                ("learn.view", {"step": "why-tokens-1", "changes": {"text": "aab"}}),
                ("learn.try", {"step": "why-tokens-3", "said": "the wood"}),
                ("learn.try", {"step": "bytes-2", "said": 3, "typing": True}),
                ("learn.left", {"step": "bytes-1"}),
                ("learn.find", {"words": "bytes"}),
                ("learn.chapter", {"step": "bytes-1"}),
            ]
        )
    ],
    "class": [
        {"role": "teacher"},
        {"show_code": True},
        {"drop": 1},
        {"do": "ask", "question": 1},
        {"follow": False},
        {"end": True},
        {"role": "student"},
        {"join": "K7QF"},
        {"vote": 0, "question": 1, "round": 1, "n": 1},
        {"leave": True},
    ],
}
BEGINNINGS = {room: [good[:1], good[:2]] for room, good in GOOD.items()}
BEGINNINGS["class"].append([{"role": "student"}])
# In JSON as it is sent, because Python cannot write all of it.
WILD = [
    *("null", "true", "false", "NaN", "-Infinity", "1e999", "-1e999", "-1", "0", "-0.0", "0.5", "257"),
    *map(str, (2**31, 2**53, 2**63, 2**70, -(2**70), 10**4000)),
    *(
        '""',
        '"gpt2"',
        '"mine1"',
        '"mine9"',
        '"text"',
        '"\\ud800"',
        '"\\udfff\\ud800"',
        '"\\u0000"',
        '"(a|aa)+$"',
        '"("',
    ),
    *("[]", "{}", "[[]]", '["\\ud83d"]', '{"":null}', '{"n":{"n":{}}}', "[" * 60 + "]" * 60, '"' + "é" * 3_000 + '"'),
]
BROKEN: list[Message] = [
    *("", "{", "[]", "null", "NaN", '"', "[" * 5_000, '{"n":1', "\ud800", "\x00", '{"v":1e999}', '{"n":1,"n":2}'),
    *(b"", b"bytes", b"\xff\xfe", "x" * 110_000, '{"n":' + "[" * 900 + "]" * 900 + "}"),
]


class _Raw(NamedTuple):
    """A value in JSON."""

    json: str


def _written(value: Any) -> str:
    if isinstance(value, _Raw):
        return value.json
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{_written(part)}" for name, part in value.items()) + "}"
    return json.dumps(value)


_wild = st.one_of(st.sampled_from(WILD), wild_texts.map(json.dumps), st.integers(-5, 300).map(str)).map(_Raw)


@st.composite
def _damaged(draw: Any, good: dict[str, Any]) -> str:
    """A good message with one fault."""
    name = draw(st.sampled_from([*good]))
    if isinstance(good[name], dict) and draw(st.booleans()):
        return _written({**good, name: _Raw(draw(_damaged(good[name])))})
    match draw(st.sampled_from(["other", "other", "other", "gone", "twice", "more"])):
        case "other":
            return _written({**good, name: draw(_wild)})
        case "gone":
            return _written({key: value for key, value in good.items() if key != name})
        case "twice":
            return _written(good)[:-1] + f",{json.dumps(name)}:{_written(draw(_wild))}" + "}"
    return _written({**good, draw(st.text(max_size=5)): draw(_wild)})


def messages(room: str) -> st.SearchStrategy[Message]:
    """Messages to a socket, most of which are nearly right."""
    good = st.sampled_from(GOOD[room])
    return st.one_of(good.map(_written), good.flatmap(_damaged), good.flatmap(_damaged), st.sampled_from(BROKEN))


def conversations(room: str) -> st.SearchStrategy[list[Message]]:
    """What one connection says: often a good beginning, because without it little is heard of the rest."""
    begins = st.sampled_from([[], *([_written(one) for one in good] for good in BEGINNINGS[room])])
    return st.builds(list.__add__, begins, st.lists(messages(room), max_size=6))


# -- who hears it --


class Heard(NamedTuple):
    """What the server said, and the code and reason with which it closed the socket, if it did."""

    said: list[str | bytes]
    closed: tuple[int, str] | None


def scope_of(room: str, key: str, **headers: str | None) -> dict[str, Any]:
    """The ASGI scope of a connection with this socket, opened by a page of a visitor with this key."""
    said = {"host": "here", "origin": "http://here", "cookie": f"{COOKIE}={key}", **headers}
    return {
        "type": "websocket",
        "path": f"/tokviz/{room}",
        "headers": [(name.encode(), value.encode()) for name, value in said.items() if value is not None],
        "client": ("192.0.2.1", 1),
    }


async def talk(scope: dict[str, Any], said: Sequence[Message]) -> Heard:
    """Say all this, wait until the server is done with it, and leave."""
    room = scope["path"].rpartition("/")[2]
    tasks: list[asyncio.Task[Any]] = []
    loop = asyncio.get_running_loop()

    def make(loop: asyncio.AbstractEventLoop, coroutine: Any, **named: Any) -> asyncio.Task[Any]:
        tasks.append(asyncio.Task(coroutine, loop=loop, **named))
        return tasks[-1]

    to_server: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    heard, closed, read = list[str | bytes](), list[tuple[int, str]](), asyncio.Event()

    async def receive() -> dict[str, Any]:
        if to_server.empty():
            read.set()
        return await to_server.get()

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close":
            closed.append((message["code"], message.get("reason") or ""))
            read.set()
        elif message["type"] == "websocket.send":
            heard.append(message["text"] if message.get("text") is not None else message["bytes"])

    for message in [{"type": "websocket.connect"}, *map(_as_sent, said)]:
        to_server.put_nowait(message)
    serving = asyncio.create_task(SOCKETS[room](WebSocket(scope, receive, send)))  # type: ignore[arg-type]
    loop.set_task_factory(make)
    reading = asyncio.create_task(read.wait())
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.wait([serving, reading], return_when=asyncio.FIRST_COMPLETED)
        if room != "class":  # where a task waits for what may change
            while under_way := [task for task in tasks if task is not reading and not task.done()]:
                await asyncio.wait(under_way)
        to_server.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await serving
    reading.cancel()
    for task in tasks:
        if task.done() and not task.cancelled() and task.exception():
            raise AssertionError(f"A task of the {room} socket failed.") from task.exception()
    return Heard(heard, closed[0] if closed else None)


def _as_sent(message: Message) -> dict[str, Any]:
    return {"type": "websocket.receive", "bytes" if isinstance(message, bytes) else "text": message}


def _refuse(number: str) -> None:
    raise AssertionError(f"No browser can read {number}.")


_OWN = tokviz.train("aab aab abab", 258, pattern=r"a+|\S|\s", special_tokens=["<e>"]).tokenizer


def hold(room: str, said: Sequence[Message]) -> Heard:
    """Have a conversation as a new visitor. AssertionError if a browser could not read an answer, if the server logged
    an error, or if it answers nobody else afterwards. What the server raises is raised."""
    key, other = new_key(), new_key()
    VISITORS.of(key).add("own", _OWN)
    VISITORS.of(other)
    led = hub().rooms.open(opaque(key)) if room == "class" else None
    faults: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: faults.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        heard = asyncio.run(talk(scope_of(room, key), said))
        answered = asyncio.run(talk(scope_of("live", other), [_written(_HELLO | {"keys": ["gpt2"]}), _written(_PATCH)]))
    finally:
        logging.getLogger().removeHandler(handler)
        if led:
            led.end(hub().rooms.now())
    for message in heard.said:
        if isinstance(message, str):
            json.loads(message, parse_constant=_refuse)
    assert not faults, faults
    assert heard.closed is None or heard.closed[0] in CODES, heard.closed
    assert heard.closed is None or len(heard.closed[1].encode()) <= REASON_BYTES, heard.closed
    assert len(answered.said) == 2 and answered.closed is None, answered
    return heard
