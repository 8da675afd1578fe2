"""What all sockets do with browsers that send too much, too fast, or never read, on a real server."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import uvicorn
import websockets
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed

from tests.waiting import PATIENCE_S
from tokviz.ui.server import limits, pace, readable
from tokviz.ui.server.connection import MESSAGE_BYTES, TOO_LARGE, TRY_LATER
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.gate import STREAM
from tokviz.ui.server.readable import Readable
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.tokenview.socket import live_socket

HELLO = {"view": "v", "keys": ["gpt2"], "specials": "text", "length": None, "sum": None}


async def take(websocket: WebSocket) -> None:
    """Tell how long each message is."""
    await websocket.accept()
    async for message in websocket.iter_bytes():
        await websocket.send_text(str(len(message)))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The live socket and one for pages, served as Streamlit has it served: the host and port."""
    routes = [WebSocketRoute("/tokviz/live", live_socket), WebSocketRoute(STREAM, take)]
    app = Starlette(routes=routes, middleware=[Middleware(Readable)])
    listening = socket.create_server(("127.0.0.1", 0))
    serving = uvicorn.Server(uvicorn.Config(app, ws="websockets-sansio", log_config=None))
    thread = threading.Thread(target=serving.run, args=([listening],))
    thread.start()  # who connects before it runs is kept waiting by the system
    host, port = listening.getsockname()
    yield f"{host}:{port}"
    serving.should_exit = True
    thread.join()


def dial(server: str, key: str, **how: Any) -> websockets.connect:
    """A connection of the visitor with this key."""
    VISITORS.of(key)
    headers = {"Cookie": f"{COOKIE}={key}"}
    where = f"ws://{server}/tokviz/live"
    return websockets.connect(
        where, origin=websockets.Origin(f"http://{server}"), additional_headers=headers, max_size=None, **how
    )


async def greeted(connection: websockets.ClientConnection) -> None:
    await connection.send(json.dumps(HELLO))
    assert json.loads(await connection.recv())["hello"]


def patch(v: int, insert: str, at: int = 0, to: int | None = None) -> str:
    return json.dumps({"v": v, "from": at, "to": at if to is None else to, "insert": insert})


async def answered(connection: websockets.ClientConnection) -> int:
    """The number of the patch that is answered next."""
    message = await connection.recv()
    assert isinstance(message, bytes)
    return int(json.loads(message[4 : 4 + int.from_bytes(message[:4], "little")])["v"])


async def closed(connection: websockets.ClientConnection) -> tuple[int, str]:
    """The code and the reason with which the server closes the connection, whatever it answers before."""
    with suppress(ConnectionClosed):
        while True:
            await connection.recv()
    return connection.close_code or 0, connection.close_reason or ""


def run(story: Any) -> None:
    asyncio.run(asyncio.wait_for(story, PATIENCE_S))


def test_what_comes_too_fast_is_read_later_and_none_of_it_is_lost(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MESSAGES_A_SECOND", 100)
    monkeypatch.setattr(pace, "BURST_S", 0.1)
    waited: list[float] = []
    wait = pace.Pace.wait

    def noted(self: pace.Pace, n: float) -> float:
        waited.append(wait(self, n))
        return waited[-1]

    monkeypatch.setattr(pace.Pace, "wait", noted)

    async def story(key: str) -> None:
        async with dial(server, key) as one:
            await greeted(one)
            for v in range(40):
                await one.send(patch(v, "x"))
            assert [await answered(one) for _ in range(40)] == [*range(40)]
        assert VISITORS.of(key).text == "x" * 40
        assert max(waited) > 0

    run(story(new_key()))


@pytest.mark.right
def test_a_flood_on_the_socket_of_pages_waits_and_another_visitor_does_not(server: str) -> None:
    """Each message may start a run. The benchmark hostile-visitor measures how long others wait."""
    heartbeat = BackMsg(app_heartbeat=True).SerializeToString()
    at_once = limits.MESSAGES_A_SECOND * pace.BURST_S / readable.AS_MANY

    def page() -> websockets.connect:
        return websockets.connect(f"ws://{server}{STREAM}", additional_headers={"Cookie": f"{COOKIE}={new_key()}"})

    async def story() -> None:
        taken = 0

        async def count(flood: websockets.ClientConnection) -> None:
            nonlocal taken
            async for _ in flood:
                taken += 1

        async with page() as flood, page() as other:
            begun, counting = time.monotonic(), asyncio.create_task(count(flood))
            for _ in range(2_000):
                await flood.send(heartbeat)
            await other.send(heartbeat)
            assert await other.recv() == str(len(heartbeat))
            while taken < at_once:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            more = (time.monotonic() - begun) * limits.MESSAGES_A_SECOND / readable.AS_MANY
            assert taken <= at_once + more + 1
            flood.transport.abort()
            counting.cancel()

    run(story())


@pytest.mark.right
def test_an_address_has_a_pace_and_who_connects_again_has_no_new_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cookie is easily made up, and a connection quickly made again."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.extend([seconds] if seconds else [])

    async def story() -> None:
        monkeypatch.setattr(asyncio, "sleep", sleep)

        async def one(key: str, n: int = 1) -> None:
            cookie = (b"cookie", f"{COOKIE}={key}".encode())
            paces = pace.Paces({"type": "websocket", "headers": [cookie], "client": ("192.0.2.77", 1)})
            for _ in range(n):
                await paces.wait("x")

        key = new_key()
        await one(key, int(limits.MESSAGES_A_SECOND * pace.BURST_S))
        assert not waits
        await one(key, 10)
        assert waits
        waits.clear()
        for _ in range(limits.MESSAGES_A_SECOND_AN_ADDRESS):
            await one(new_key())
        assert waits

    monkeypatch.setattr(limits, "MESSAGES_A_SECOND", 4)
    monkeypatch.setattr(limits, "MESSAGES_A_SECOND_AN_ADDRESS", 30)
    run(story())


class Unread:
    """A browser that greets and reads nothing: uvicorn's end of its connection, whose buffer is full."""

    def __init__(self) -> None:
        self.conn = self.transport = self
        self.aborted = False
        greeting = {"type": "websocket.receive", "text": json.dumps(HELLO)}
        self.said = [{"type": "websocket.connect"}, greeting]

    def abort(self) -> None:
        self.aborted = True

    async def receive(self) -> dict[str, Any]:
        return self.said.pop(0) if self.said else {"type": "websocket.disconnect", "code": 1006}

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] != "websocket.accept":
            await asyncio.Event().wait()


def test_who_never_reads_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNREAD_SECONDS", 0.01)
    key, browser = new_key(), Unread()
    VISITORS.of(key)
    headers = [(b"host", b"here"), (b"origin", b"http://here"), (b"cookie", f"{COOKIE}={key}".encode())]
    run(live_socket(WebSocket({"type": "websocket", "headers": headers}, browser.receive, browser.send)))  # type: ignore[arg-type]
    assert browser.aborted and not browser.said


def test_half_a_character_is_answered_and_a_message_of_megabytes_is_not(server: str) -> None:
    async def story() -> None:
        async with dial(server, new_key()) as one:
            await greeted(one)
            await one.send('{"v": 1, "from": 0, "to": 0, "insert": "\\ud800"}')
            assert await answered(one) == 1
            await one.send("x" * (MESSAGE_BYTES + 1))
            assert (await closed(one))[0] == TOO_LARGE

    run(story())


def test_a_page_sends_no_message_of_hundreds_of_megabytes(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit would keep it until it is whole, and one browser can begin many."""
    monkeypatch.setattr(readable, "MESSAGE_BYTES", 100_000)

    async def story() -> None:
        async with websockets.connect(f"ws://{server}{STREAM}") as page:
            for n_bytes in (90_000, 110_000):
                await page.send(BackMsg(debug_disconnect_websocket=True).SerializeToString() * (n_bytes // 2))
                if n_bytes < 100_000:
                    assert await page.recv() == str(n_bytes)
            assert (await closed(page))[0] == TOO_LARGE

    run(story())


def test_open_texts_count_with_what_a_visitor_keeps(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VISITORS, "limit_each", 2_000_000)
    piece = "so many words " * 10_000

    async def story(key: str) -> None:
        async with dial(server, key) as one, dial(server, key) as other:
            for tab in (one, other):
                await greeted(tab)
            await one.send(patch(1, piece))
            assert await answered(one) == 1
            await other.send(patch(1, "short"))
            assert await answered(other) == 1
            await one.send(patch(2, piece * 3))
            code, reason = await closed(one)
            assert code == TRY_LATER and reason.startswith("You can keep 2 MB") and reason.endswith("shorter.")
            await other.send(patch(2, "x", 5))
            assert await answered(other) == 2

    run(story(new_key()))
