"""Connections are counted, and no page is served to somebody for whom there is no room left."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tokviz.ui.server.connection import TRY_LATER
from tokviz.ui.server.connections import CONNECTIONS, OF_A_PAGE
from tokviz.ui.server.cookie import who
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.words import page

RESERVE = 0.1  # of all connections: these are for the pages that are open already
AGAIN_S = 20  # after which a page that found no room tries again, in seconds

# Who has enough connections -> the status and the title of the page that says so, and the way out, as a socket says it.
SAID = {
    "visitor": (429, "You have many tabs of tokviz open", "You have too many tabs of tokviz open. Close some."),
    "address": (
        429,
        "Your network has many tabs of tokviz open",
        "The network that you are in has too many tabs of tokviz open. Close some, or try again later.",
    ),
    "server": (503, "The server is full", "The server is full. Try again later."),
}


class CountedSockets:
    """ASGI middleware that counts the sockets, and refuses those that are too many."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        key, address = who(scope)
        if scope["type"] == "http":
            asks_for_page = scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
            full = no_room(key, address) if asks_for_page else None
            await (full or self.app)(scope, receive, send)
            return
        enough = CONNECTIONS.enough(key, address)
        if enough:
            await receive()
            await send({"type": "websocket.accept"})  # a browser hears no reason before that
            await send({"type": "websocket.close", "code": TRY_LATER, "reason": SAID[enough][2]})
            return
        try:
            with CONNECTIONS.open(key, address):
                await self.app(scope, receive, send)
        finally:
            if key:
                VISITORS.find(key)  # they were here until now


def no_room(key: str | None, address: str) -> Response | None:
    """The page for a visitor for whom there is no room; None if there is some."""
    known = key is not None and VISITORS.find(key) is not None
    enough = CONNECTIONS.enough(key, address, OF_A_PAGE, 0 if known else RESERVE)
    if not enough and (known or not VISITORS.full):
        return None
    status, title, way_out = SAID[enough or "server"]
    again = f"This page tries again every {AGAIN_S} seconds, so you can leave it open. Who has tokviz open can go on."
    return page(status, title, way_out, again, again_s=AGAIN_S)
