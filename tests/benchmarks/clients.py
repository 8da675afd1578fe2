"""Thirty people who type at once, over their sockets alone."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
import urllib.request
from http.cookies import SimpleCookie
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.benchmarks.corpora import english_and_code
from tests.benchmarks.figures import cpu_seconds, load, report
from tests.e2e.browser import Server
from tokviz.ui.server.cookie import COOKIE

CLIENTS, SECONDS, KEYS_A_SECOND = 30, 20, 3
_SETTINGS = {"pattern": "gpt2", "custom": "", "vocab_size": 1256, "special": "", "tie": "first", "min_count": 1}
_GREETINGS = {  # what opens each socket on which a text is typed; no browser has the text yet
    "live": {"view": "b", "keys": ["cl100k_base"], "specials": "text", "length": None, "sum": None},
    "train": {"view": "b", "settings": _SETTINGS, "length": 0, "sum": 0},
}


def clients(server: Server, room: str) -> None:
    """Visitors who only type: each has loaded a page once, and so has a cookie. room: the socket's name."""
    times: list[float] = []

    async def person(number: int, cookie: str) -> None:
        chance, end = random.Random(number), time.perf_counter() + SECONDS
        insert, size, at = english_and_code(2_000), 2_000, 0
        headers = {"Cookie": f"{COOKIE}={cookie}"}
        address = server.url.replace("http", "ws") + f"/tokviz/{room}"
        async with websockets.connect(address, origin=server.url, additional_headers=headers) as socket:
            await socket.send(json.dumps(_GREETINGS[room]))
            await socket.recv()
            while time.perf_counter() < end:
                begun = time.perf_counter()
                await socket.send(json.dumps({"v": 1, "from": at, "to": at, "insert": insert}))
                await socket.recv()
                times.append(1000 * (time.perf_counter() - begun))
                insert, at, size = "x", chance.randint(0, size), size + 1
                pause = (1 + chance.uniform(-0.3, 0.3)) / KEYS_A_SECOND
                await asyncio.sleep(max(0, begun + pause - time.perf_counter()))

    async def everybody(cookies: list[str]) -> None:
        await asyncio.gather(*(person(number, cookie) for number, cookie in enumerate(cookies)))

    cookies = [visitor_of(server) for _ in range(CLIENTS)]
    before, begun = cpu_seconds(server), time.perf_counter()
    in_thread(lambda: asyncio.run(everybody(cookies)))
    share = (cpu_seconds(server) - before) / (time.perf_counter() - begun)
    print(f"{CLIENTS} people, {KEYS_A_SECOND} keys a second each, 2,000 characters, {load()}")
    report(f"round trip, {len(times):,} keys", times)
    print(f"  server: {100 * share:.1f} % of a core")


def visitor_of(server: Server) -> str:
    """A new visitor's cookie. The visitor exists once a page has run, which Streamlit's own socket asks for."""
    with urllib.request.urlopen(server.url) as answer:
        cookie = SimpleCookie(answer.headers["set-cookie"])[COOKIE].value

    async def run_page() -> None:
        address = server.url.replace("http", "ws") + "/_stcore/stream"
        headers = {"Cookie": f"{COOKIE}={cookie}"}
        async with websockets.connect(
            address, origin=server.url, subprotocols=["streamlit"], additional_headers=headers
        ) as socket:
            message = BackMsg()
            message.rerun_script.query_string = ""
            await socket.send(message.SerializeToString())
            while ForwardMsg.FromString(await socket.recv()).WhichOneof("type") != "script_finished":
                pass

    in_thread(lambda: asyncio.run(run_page()))
    return cookie


def in_thread(work: Any) -> None:
    """Playwright's own event loop has this thread."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
