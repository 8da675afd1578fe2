"""One visitor without a browser: a cookie, a mark of their own, and what they heard that they should not have."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

import websockets
from websockets.asyncio.client import ClientConnection, connect

from tokviz.ui.server.cookie import COOKIE

PATIENCE_S = 120.0  # after which an answer that has not come counts as an error
FAULT = b"fault of tokviz itself"  # what a page says where a bug ended it
_MARK = re.compile(rb"vz[0-9]{3}z[0-9a-f]{6}")


class Wrong(Exception):
    """An answer that is not right, or that did not come."""


@dataclass
class Heard:
    """What all visitors of a run heard together. errors, crossings, said: words -> how often they came; of what went
    wrong, of what was another's, and of what pages say to their visitors."""

    errors: dict[str, int] = field(default_factory=dict)
    crossings: dict[str, int] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)  # what was done -> ms, each time
    done: dict[str, int] = field(default_factory=dict)  # what was done -> how often
    checked: int = 0  # answers that were compared with those of the library in this process

    def time(self, what: str, ms: float) -> None:
        """Something took this long."""
        self.times.setdefault(what, []).append(ms)

    def say(self, words: str) -> None:
        """A page said this to its visitor."""
        self.said[words] = self.said.get(words, 0) + 1

    def count(self, what: str) -> None:
        """Something was done once more."""
        self.done[what] = self.done.get(what, 0) + 1

    def error(self, words: str) -> None:
        """Something went wrong."""
        self.errors[words] = self.errors.get(words, 0) + 1


class Person:
    """A visitor of this server. knows: the marks that they may see: their own, and their teacher's. address: from which
    they come; on Linux, each that begins with 127 is one of this machine."""

    def __init__(self, url: str, number: int, heard: Heard, address: str = "127.0.0.1") -> None:
        self.url, self.number, self.heard, self.address = url, number, heard, address
        self.mark = f"vz{number:03d}z{secrets.token_hex(3)}"
        self.knows = {self.mark.encode()}
        self.cookies: dict[str, str] = {}

    async def arrive(self) -> None:
        """Get the cookies that a browser gets with its first page."""
        for path in ("/", "/_stcore/health"):
            status, headers, said = await self.request("GET", path, Accept="text/html")
            if status != 200:
                raise Wrong(f"{path} answered {status}: {_words(said)}")
            for name, value in headers:
                if name == "set-cookie":
                    self.cookies |= {key: one.value for key, one in SimpleCookie(value).items()}
        if COOKIE not in self.cookies:
            raise Wrong("The server gave no cookie.")

    @property
    def headers(self) -> dict[str, str]:
        """The headers with which each request comes."""
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}

    async def request(
        self, method: str, path: str, body: bytes = b"", **headers: str
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        """Send one request: the status, the headers and the body of the answer."""
        host = urlsplit(self.url).netloc
        said = {"Host": host, "Connection": "close", "Content-Length": str(len(body)), **self.headers, **headers}
        reader, writer = await asyncio.open_connection(
            urlsplit(self.url).hostname, urlsplit(self.url).port, local_addr=(self.address, 0)
        )
        try:
            head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in said.items())
            writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
            async with asyncio.timeout(PATIENCE_S):
                await writer.drain()
                answer = await reader.read()
        finally:
            writer.close()
        top, _, rest = answer.partition(b"\r\n\r\n")
        first, *lines = top.decode("latin-1").split("\r\n")
        pairs = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        return int(first.split()[1]), pairs, rest

    @contextlib.asynccontextmanager
    async def socket(self, path: str, *subprotocols: str) -> AsyncIterator[ClientConnection]:
        """A socket of this server, such as "/tokviz/live"."""
        address = self.url.replace("http", "ws", 1) + path
        async with connect(
            address,
            origin=self.url,  # type: ignore[arg-type]
            subprotocols=subprotocols or None,  # type: ignore[arg-type]
            additional_headers=self.headers,
            compression=None,
            max_size=None,
            open_timeout=PATIENCE_S,
            ping_interval=None,
            local_addr=(self.address, 0),
            close_timeout=1,
        ) as socket:
            yield socket

    def read(self, message: str | bytes) -> bytes:
        """A message as bytes. What is in it of another visitor's is noted."""
        data = message.encode() if isinstance(message, str) else message
        for mark in set(_MARK.findall(data)) - self.knows:
            crossing = f"{self.mark} saw {mark.decode()}"
            self.heard.crossings[crossing] = self.heard.crossings.get(crossing, 0) + 1
        if FAULT in data:
            self.heard.error("A page said: a fault of tokviz itself")
        return data

    async def hear(self, socket: ClientConnection) -> bytes:
        """The next message of a socket."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                return self.read(await socket.recv())
        except TimeoutError:
            raise Wrong(f"No answer for {PATIENCE_S:.0f} s.") from None
        except websockets.ConnectionClosed as closed:
            end = closed.rcvd
            raise Wrong(f"The socket was closed: {end.code} {end.reason}" if end else "The socket broke.") from None

    async def ask(self, socket: ClientConnection, **question: Any) -> dict[str, Any]:
        """Ask a question with the number n; the answer, without it. Raises Wrong for any other answer."""
        await socket.send(json.dumps(question))
        said: dict[str, Any] = json.loads(await self.hear(socket))
        if said.get("n") != question["n"]:
            raise Wrong("The answer has another number than the question.")
        return said


def _words(page: bytes) -> str:
    """The heading of a page that says why it is not the one that was asked for."""
    found = re.search(rb"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    return (found[1] if found else page[:100]).decode("utf-8", "replace")
