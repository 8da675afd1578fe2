"""The doors of the server: what each request passes on its way in, and each answer on its way out."""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tokviz.ui.server.below import OURS, beside, within
from tokviz.ui.server.connection import REFUSED, TRY_LATER
from tokviz.ui.server.cookie import renewed, who
from tokviz.ui.server.gate import is_welcome, refused
from tokviz.ui.server.headers import headers, keep_in_frames
from tokviz.ui.server.pages import answered
from tokviz.ui.server.registry import OF_A_PAGE, VISITORS
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


class Doors:
    """ASGI middleware. home: the name of the page that is at `/`. pages: the addresses of the others.

    path: the one below which the app is served.
    """

    def __init__(self, app: ASGIApp, home: str = "", pages: Collection[str] = (), path: str = "") -> None:
        self.app, self.home, self.pages, self.path = app, home, pages, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, in place of the app if there is a reason."""
        asked, here = Headers(scope=scope), within(scope, self.path)
        instead = (
            beside(scope, self.path)
            if here is None
            else refused(here, asked)
            or no_room(here, asked)
            or await answered(here, asked, self.home, self.pages, self.path)
        )

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                sent.update(headers(scope, asked))
                if message["status"] == 200 and sent.get("content-type", "").startswith("text/html"):  # a page
                    sent.append("set-cookie", renewed(scope, VISITORS.current, self.path))
                    # A cache on the way must not hand one visitor's key to the next.
                    sent["cache-control"] = "private, no-cache"
                keep_in_frames(scope, asked, sent)
            await send(message)

        await (instead or self.app)(self._as_known(scope, here), receive, send_with_headers)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a socket, and count it, if it is not refused."""
        here = within(scope, self.path)
        if here is None or not is_welcome(here, Headers(scope=scope)):
            await send({"type": "websocket.close", "code": REFUSED, "reason": ""})
            return
        key, address = who(scope)
        enough = VISITORS.enough(key, address)
        if enough:
            await receive()
            await send({"type": "websocket.accept"})  # a browser hears no reason before that
            await send({"type": "websocket.close", "code": TRY_LATER, "reason": SAID[enough][2]})
            return
        with VISITORS.connected(key, address):
            await self.app(self._as_known(scope, here), receive, send)

    def _as_known(self, scope: Scope, here: Scope | None) -> Scope:
        """The request with the path that the app's routes have: ours without the one below which it is served."""
        return here if here and here["path"].startswith(OURS) else scope


def no_room(scope: Scope, asked: Headers) -> Response | None:
    """The page for a visitor for whom there is no room; None if there is some, or no page was asked for."""
    if scope["method"] != "GET" or "text/html" not in asked.get("accept", ""):
        return None
    key, address = who(scope)
    known = key is not None and VISITORS.find(key) is not None
    enough = VISITORS.enough(key, address, OF_A_PAGE, 0 if known else RESERVE)
    if not enough:
        return None
    status, title, way_out = SAID[enough]
    again = f"This page tries again every {AGAIN_S} seconds: you can leave it open. Open pages keep working."
    return page(status, title, way_out, again, again_s=AGAIN_S)
