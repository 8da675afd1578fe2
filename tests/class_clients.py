"""A class against the socket itself, in one event loop: a teacher, students, and all that each of them hears."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocket

from tests.socket_messages import scope_of
from tests.waiting import PATIENCE_S
from tokviz.base.once import Once
from tokviz.teach.questions import Question, own_question
from tokviz.teach.rooms.register import opaque
from tokviz.teach.rooms.room import Room
from tokviz.ui.classroom import socket
from tokviz.ui.classroom.socket import class_socket
from tokviz.ui.server import hub as hubs
from tokviz.ui.server.cookie import new_key
from tokviz.ui.server.hub import Hub, hub

OWN = own_question("Which one?", ["first", "second", "third"], right=1)


def start_server(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the server, or start it again: nothing is left but the files in this folder. States come without a pause,
    and rooms are written only when a test asks for it."""
    monkeypatch.setenv("TOKVIZ_SAVED", str(folder))
    monkeypatch.setattr(socket, "BETWEEN_S", 0.001)
    monkeypatch.setattr(hubs, "_HUBS", Once(lambda folder: Hub(folder, write_after=PATIENCE_S)))


class Client:
    """A browser with a cookie, which can connect, lose its connection, and connect again.

    said: all that the server sent, as text. state, question, refused: the last of each. closed: why the server closed
    the connection, as (code, reason).
    """

    def __init__(self, role: str, key: str | None = None) -> None:
        self.role, self.key = role, key or new_key()
        self.said: list[str] = []
        self.state: dict[str, Any] = {}
        self.question: dict[str, Any] = {}
        self.refused = ""
        self.closed: tuple[int, str] | None = None
        self.n = 0  # of the last vote
        self.vote: dict[str, Any] = {}
        self._serving: asyncio.Task[None] | None = None

    async def connect(self) -> Client:
        """Connect, and say the role."""
        self._to_server: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._from_server: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        websocket = WebSocket(scope_of("class", self.key), self._to_server.get, self._from_server.put)  # type: ignore[arg-type]
        self._serving = asyncio.create_task(class_socket(websocket))
        self._to_server.put_nowait({"type": "websocket.connect"})
        self.closed, self.state = None, {}
        self.tell(role=self.role)
        return self

    async def cut(self) -> None:
        """Lose the connection."""
        self._to_server.put_nowait({"type": "websocket.disconnect", "code": 1006})
        if self._serving:
            await self._serving
        self._serving = None

    def tell(self, **message: Any) -> None:
        """Send a message, without waiting for its answer."""
        self._to_server.put_nowait({"type": "websocket.receive", "text": json.dumps(message)})

    async def hear(self) -> None:
        """Hear one message."""
        message = await asyncio.wait_for(self._from_server.get(), PATIENCE_S)
        if message["type"] == "websocket.close":
            self.closed = message["code"], message["reason"]
        elif message["type"] == "websocket.send":
            self.said.append(message["text"])
            heard = json.loads(message["text"])
            self.state = heard.get("state", self.state)
            self.question = heard.get("question", self.question)
            self.refused = heard.get("refused", self.refused)

    async def until(self, holds: Callable[[Client], bool]) -> Client:
        """Hear until this holds."""
        while not holds(self):
            await self.hear()
        return self

    async def at(self, phase: str, **fields: Any) -> Client:
        """Hear until the state has this phase and these fields."""
        return await self.until(
            lambda me: me.state.get("phase") == phase and all(me.state[name] == value for name, value in fields.items())
        )

    async def refusal(self, **message: Any) -> str:
        """Send a message that is not obeyed; why not."""
        self.refused = ""
        self.tell(**message)
        await self.until(lambda me: bool(me.refused))
        return self.refused

    # -- as a teacher --

    @property
    def room(self) -> Room:
        """The room of this teacher."""
        room = hub().rooms.of_teacher(opaque(self.key))
        assert room is not None
        return room

    async def opens(self) -> str:
        """Open a room, as a click on the page does; its code."""
        hub().rooms.open(opaque(self.key))
        await self.at("join")
        return str(self.state["code"])

    async def adds(self, *questions: Question) -> None:
        """Put questions into the plan, as a click on the page does."""
        for question in questions:
            self.room.add(question)
        await self.until(lambda me: me.state["of"] == self.room.n_questions)

    async def presses(self, act: str) -> None:
        """Press one of the four buttons."""
        before = self.state["phase"], self.state["number"]
        self.tell(do=act, question=self.state["number"])
        await self.until(lambda me: (me.state["phase"], me.state["number"]) != before)

    # -- as a student --

    def votes(self, option: int) -> None:
        """Vote on the question in view, without waiting."""
        self.n += 1
        round = 1 if self.state["phase"] == "ask" else 2
        self.vote = {"vote": option, "question": self.state["number"], "round": round, "n": self.n}
        self.tell(**self.vote)

    async def voted(self) -> None:
        """Hear that the last vote has arrived."""
        await self.until(lambda me: bool(me.state) and me.state["mine"]["n"] == me.n)


def run(story: Callable[[], Awaitable[None]]) -> None:
    """Run a test in an event loop of its own."""
    asyncio.run(story())  # type: ignore[arg-type]


@contextlib.asynccontextmanager
async def a_class(n: int, code: str = "") -> AsyncIterator[tuple[Client, list[Client]]]:
    """A teacher with an open room, and n students in it (or in the room with this code)."""
    teacher = await Client("teacher").connect()
    await teacher.at("none")
    code = code or await teacher.opens()
    students = [await Client("student").connect() for _ in range(n)]
    for student in students:
        student.tell(join=code)
    for student in students:
        await student.until(lambda me: me.state.get("code") == code)
    await teacher.until(lambda me: me.state["joined"] == me.state["here"] == n)
    try:
        yield teacher, students
    finally:
        for client in (teacher, *students):
            with contextlib.suppress(asyncio.CancelledError):
                await client.cut()
