"""Leads an address that is no page to a page of ours. Streamlit would draw the first page, and a dialog over it."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

NOWHERE = "nowhere"  # the address of the page that says so; its query has the path that was asked for
PATH_LENGTH = 200  # characters of a path that are said
_OF_THE_SERVER = ("_stcore", "tokviz", "media", "component", "app", "static")  # where an address begins that is no page
_FILES = (".css", ".gif", ".html", ".ico", ".js", ".json", ".map", ".png", ".svg", ".txt", ".webmanifest", ".woff2")


class Places:
    """ASGI middleware that knows the addresses of the pages. What ends as a file does is passed on."""

    def __init__(self, app: ASGIApp, home: str, pages: Collection[str]) -> None:
        """home: the name of the page that is at `/`. pages: the addresses of the others."""
        self.app, self.home, self.pages = app, home, {"", NOWHERE, *pages}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].strip("/")
        of_server = path.partition("/")[0] in _OF_THE_SERVER
        is_read = "text/html" in Headers(scope=scope).get("accept", "")
        if path in self.pages or of_server or path.endswith(_FILES) or not is_read:
            await self.app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        to = f"/?{query}" if path == self.home else f"/{NOWHERE}?path={quote(path[:PATH_LENGTH])}"
        await RedirectResponse(to.removesuffix("?"))(scope, receive, send)
