"""Each socket answers a recorded browser as it did when the conversation was recorded."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocket

from tests.class_clients import start_server
from tests.golden.conversations import DRIVEN, Line, heard, recorded, socket_of
from tests.socket_messages import SOCKETS, scope_of
from tests.waiting import PATIENCE_S
from tokviz import kernels
from tokviz.teach.rooms.register import opaque
from tokviz.ui.classroom.choosing import add_questions, first_questions
from tokviz.ui.frame.tokenizers import reference_family
from tokviz.ui.server.cookie import new_key
from tokviz.ui.server.hub import hub
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import FIRST_TEXT


async def again(socket: str, key: str, lines: list[Line]) -> list[Line]:
    """Say the browser's side of a conversation again, each message where it came then. Returns both sides."""
    to_server, from_server = asyncio.Queue[dict[str, Any]](), asyncio.Queue[dict[str, Any]]()
    websocket = WebSocket(scope_of(socket, key), to_server.get, from_server.put)  # type: ignore[arg-type]
    serving = asyncio.create_task(SOCKETS[socket](websocket))
    to_server.put_nowait({"type": "websocket.connect"})
    assert (await from_server.get())["type"] == "websocket.accept"
    said = list[Line]()
    for line in lines:
        if "sent" in line:
            to_server.put_nowait({"type": "websocket.receive", "text": json.dumps(line["sent"])})
            said.append(line)
        else:
            message = await asyncio.wait_for(from_server.get(), PATIENCE_S)
            assert message["type"] == "websocket.send", message
            said.append(heard(message["text"] if message.get("text") is not None else message["bytes"]))
    to_server.put_nowait({"type": "websocket.disconnect", "code": 1001})
    await serving
    return said


@pytest.mark.parametrize("name", DRIVEN)
def test_a_recorded_browser_gets_the_recorded_answers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_server(tmp_path, monkeypatch)
    kernels.wait(PATIENCE_S)
    socket, key, lines = socket_of(name), new_key(), recorded(name)
    visitor = VISITORS.of(key)
    if name == "live":
        visitor.lend(FIRST_TEXT)  # as Tokens does for a new visitor
    reference_family("o200k_base")  # which was known when the conversation was recorded
    if socket == "class":
        add_questions(hub().rooms.open(opaque(key)), first_questions())  # as the page does when its button is pressed
    said = asyncio.run(again(socket, key, lines))
    assert sorted(map(json.dumps, said)) == sorted(map(json.dumps, lines))  # two questions are answered in any order
