"""What all sockets share: who may connect, whose visitor it is, how a message is read, and how a connection ends."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import urlsplit

from starlette.websockets import WebSocket, WebSocketDisconnect

from tokviz.errors import TokvizError
from tokviz.ui.sockets.pool import ANSWERS, Pool
from tokviz.ui.visitors.cookie import key_in
from tokviz.ui.visitors.registry import VISITORS
from tokviz.ui.visitors.visitor import Visitor

# The codes with which a WebSocket closes (RFC 6455, section 7.4.1).
UNREADABLE = 1007
REFUSED = 1008
TOO_LARGE = 1009
STARTED_OVER = 4001  # a code of our own: the page that opened the socket shows what a visitor has left behind

_STARTED_OVER = "The visitor has started over. Load the page again."
_NO_VISITOR = "There is no visitor with this cookie. Load the page first."


class Refusal(Exception):
    """Why a connection ends: the code and the words that the browser gets."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class Conversation(Protocol):
    """What a kind of socket does with one connection."""

    async def hear(self, message: str | None) -> None:
        """A message came; None if it was not text."""

    def end(self) -> None:
        """The connection is closed."""


async def serve(
    websocket: WebSocket,
    begin: Callable[[WebSocket, str], Conversation],
    key_of: Callable[[WebSocket], str] | None = None,
) -> None:
    """Serve a connection until the browser leaves or is refused.

    begin: gets the socket and the visitor's key. key_of: finds the key, `visitor_key` if it is None.
    """
    await websocket.accept()
    conversation = None
    try:
        conversation = begin(websocket, (key_of or visitor_key)(websocket))
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            await conversation.hear(message.get("text"))
    except WebSocketDisconnect:
        return
    except Refusal as refusal:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the browser has left meanwhile
            await websocket.close(refusal.code, refusal.reason)
    finally:
        if conversation:
            conversation.end()


async def reply(
    websocket: WebSocket, n: int, visitor: str, answering: Callable[[], dict[str, Any]], pool: Pool = ANSWERS
) -> None:
    """Answer question n by what `answering` returns in a thread of this pool: {"n", "answer"}. visitor: their key.

    If it raises a TokvizError, the answer is {"n", "error"} with its message.
    """

    def answer() -> str:
        try:
            told: dict[str, Any] = {"answer": answering()}
        except TokvizError as error:
            told = {"error": str(error)}
        return json.dumps({"n": n, **told}, separators=(",", ":"))  # an answer can have many megabytes

    said = await pool.do(visitor, answer)
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the browser has left meanwhile
        await websocket.send_text(said)


def cookie_key(websocket: WebSocket) -> str:
    """The key in the browser's cookie, whether the server has a visitor with it or not.

    Refusal if there is no cookie, or if the page is not one of this server's: a page of another site can open a socket
    here too, and the browser sends the cookie with it.
    """
    origin = websocket.headers.get("origin")
    if origin is None or urlsplit(origin).netloc.lower() != websocket.headers.get("host", "").lower():
        raise Refusal(REFUSED, "This socket is for pages of this server.")
    key = key_in(websocket.cookies)
    if key is None:
        raise Refusal(REFUSED, _NO_VISITOR)
    if VISITORS.has_started_over(key):
        raise Refusal(STARTED_OVER, _STARTED_OVER)
    return key


def visitor_key(websocket: WebSocket) -> str:
    """The visitor's key. Refusal if there is no such visitor, and as `cookie_key` refuses."""
    key = cookie_key(websocket)
    if VISITORS.find(key) is None:
        raise Refusal(REFUSED, _NO_VISITOR)
    return key


def visitor_with(key: str) -> Visitor:
    """The visitor with this key. Refusal if the server has forgotten them, after two hours in which nobody asked."""
    visitor = VISITORS.find(key)
    if visitor is None and VISITORS.has_started_over(key):
        raise Refusal(STARTED_OVER, _STARTED_OVER)
    if visitor is None:
        raise Refusal(REFUSED, "The server no longer knows this visitor. Load the page again.")
    return visitor


def read_message(message: str | None, limit: int) -> Any:
    """The JSON of a message. Refusal if it is not text, longer than `limit` characters, or not JSON."""
    if message is None:
        raise Refusal(UNREADABLE, "A message must be text.")
    if len(message) > limit:
        raise Refusal(TOO_LARGE, f"A message can have at most {limit:,} characters.")
    try:
        return json.loads(message)
    except (ValueError, RecursionError):
        raise Refusal(UNREADABLE, "A message must be JSON.") from None
