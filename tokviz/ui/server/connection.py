"""What all sockets share: who may connect, whose visitor it is, how a message is read, and how a connection ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from numpy.typing import NDArray
from starlette.types import Receive
from starlette.websockets import WebSocket, WebSocketDisconnect

from tokviz.base.typed import Misfit, read
from tokviz.ui.server import limits
from tokviz.ui.server.cookie import key_in
from tokviz.ui.server.pace import Paces
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor

# The codes with which a WebSocket closes (RFC 6455, section 7.4.1).
UNREAD = 1006  # said to nobody: the browser is gone
UNREADABLE = 1007
REFUSED = 1008
TOO_LARGE = 1009
TRY_LATER = 1013  # in the registry of that RFC; the browser shows the reason
STARTED_OVER = 4001  # a code of our own: the page that opened the socket shows what a visitor has left behind

MESSAGE_BYTES = 2_000_000  # of the largest message; JSON takes up to six for a UTF-16 unit
View = Annotated[str, range(65)]  # the name of a text area
REASON_BYTES = 123  # of the reason for a closed socket; RFC 6455 leaves no room for more

UNKNOWN = "The server does not know this visitor. Load the page again."


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number} is no number.")
    return value


_JSON = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)  # Python's own would take NaN and 1e999


class Refusal(Exception):
    """Why a connection ends: the code and the words that the browser gets."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason.encode("utf-8", "replace")[:REASON_BYTES].decode("utf-8", "ignore")


class Conversation(ABC):
    """What a kind of socket does with one connection. key: the visitor's."""

    def __init__(self, websocket: WebSocket, key: str) -> None:
        self.websocket, self.key = websocket, key

    @abstractmethod
    async def hear(self, message: str | None) -> None:
        """Answer a message; None if it was not text. Raises Refusal if it is none of those that this socket takes."""

    async def tell(self, said: dict[str, Any] | str | bytes) -> None:
        """Send a message, as it is or in JSON.

        WebSocketDisconnect if the browser has left, or if it reads nothing for too long. A message waits here until the
        browser has read nearly all that was sent before. So at most one message of each task of a connection is kept
        for it.
        """
        text = written(said) if isinstance(said, dict) else said
        sending = self.websocket.send_bytes(text) if isinstance(text, bytes) else self.websocket.send_text(text)
        await _in_time(self.websocket, sending)

    def end(self) -> None:  # noqa: B027 (some connections hold nothing)
        """The connection is closed: let go what is under way."""


async def serve(websocket: WebSocket, begin: Callable[[WebSocket, str], Conversation]) -> None:
    """Serve a connection until the browser leaves or is refused. begin: gets the socket and the visitor's key."""
    await websocket.accept()
    take_no_larger_message(websocket._receive, MESSAGE_BYTES)
    conversation, paces = None, Paces(websocket.scope)
    try:
        key = key_in(websocket.cookies)
        if key is None:
            raise Refusal(REFUSED, UNKNOWN)
        conversation = begin(websocket, key)
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            await paces.wait(text or "")
            check_still_here(key)  # or they have started over in another tab
            await conversation.hear(text)
    except WebSocketDisconnect:
        return
    except Refusal as refusal:
        with contextlib.suppress(WebSocketDisconnect):  # the browser has left meanwhile
            await _in_time(websocket, websocket.close(refusal.code, refusal.reason))
    finally:
        if conversation:
            conversation.end()


def written(said: dict[str, Any]) -> str:
    """A message in JSON."""
    return json.dumps(said, separators=(",", ":"))


async def _in_time(websocket: WebSocket, sending: Awaitable[None]) -> None:
    try:
        async with asyncio.timeout(limits.UNREAD_SECONDS):
            await sending
    except TimeoutError:
        transport = getattr(_protocol(websocket._receive), "transport", None)
        if transport is not None:
            transport.abort()  # to close it in order would need a browser that reads
        raise WebSocketDisconnect(UNREAD) from None
    except RuntimeError:  # the socket is closed
        raise WebSocketDisconnect(UNREAD) from None


def take_no_larger_message(receive: Receive, n_bytes: int) -> None:
    """A message is read as a whole before anybody sees it, and the server below takes up to 200 MB.

    receive: as the server gave it to the application.
    """
    connection = getattr(_protocol(receive), "conn", None)
    if connection is not None:
        connection.max_message_size = n_bytes


def _protocol(receive: Receive) -> Any:
    """uvicorn's end of the connection, which ASGI has no name for; None under another server."""
    return getattr(receive, "__self__", None)


def with_numbers(header: dict[str, Any], *numbers: NDArray[Any]) -> bytes:
    """A message of numbers: the header's length as uint32, the header, spaces up to a multiple of four, int32."""
    head = written(header).encode()
    head += b" " * (-len(head) % 4)
    return b"".join([len(head).to_bytes(4, "little"), head, *(part.astype("<i4").tobytes() for part in numbers)])


def check_still_here(key: str, view: str = "") -> None:
    """Refusal if the visitor with this key has started over, or the one who saw the text area `view`."""
    if VISITORS.has_started_over(key) or VISITORS.has_left(view):
        raise Refusal(STARTED_OVER, "The visitor has started over. Load the page again.")


def visitor_with(key: str) -> Visitor:
    """The visitor with this key. Refusal if the server does not know them, or no longer."""
    visitor = VISITORS.find(key)
    if visitor is None:
        raise Refusal(REFUSED, UNKNOWN)
    return visitor


def read_as(kind: Any, said: Any, else_say: str) -> Any:
    """What a message says as this type (see base/typed.py). Refusal if it does not fit.

    else_say: what the Refusal says then, before what is wrong.
    """
    try:
        return read(said, kind)
    except Misfit as fault:
        raise Refusal(UNREADABLE, f"{else_say[:-1]}: {fault}." if len(fault.path) > 1 else else_say) from None


def read_message(message: str | None, limit: int = MESSAGE_BYTES) -> Any:
    """The JSON of a message. Refusal if it is not text, longer than `limit` characters, or not JSON."""
    if message is None:
        raise Refusal(UNREADABLE, "A message must be text.")
    if len(message) > limit:
        raise Refusal(TOO_LARGE, f"A message can have at most {limit:,} characters.")
    try:
        return _JSON.decode(message)
    except (ValueError, RecursionError):
        raise Refusal(UNREADABLE, "A message must be JSON.") from None
