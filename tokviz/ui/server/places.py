"""Leads an address that is no page to a page of ours. Streamlit would draw the first page, and a dialog over it."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

NOWHERE = "nowhere"  # the address of the page that says so; its query has the path that was asked for
PATH_LENGTH = 200  # characters of a path that are said
_OF_THE_SERVER = ("_stcore", "tokviz", "media", "component", "app", "static")  # where an address begins that is no page
_FILES = (".css", ".gif", ".html", ".ico", ".js", ".json", ".map", ".png", ".svg", ".txt", ".webmanifest", ".woff2")


def elsewhere(scope: Scope, asked: Headers, home: str, pages: Collection[str], below: str) -> Response | None:
    """The answer that leads a browser to a page; None if the app has one here. What ends as a file does is the app's.

    home: the name of the page that is at `/`. pages: the addresses of the others. below: the path before all of them.
    """
    path = scope["path"].strip("/")
    is_ours = path in ("", NOWHERE, *pages) or path.partition("/")[0] in _OF_THE_SERVER or path.endswith(_FILES)
    if is_ours or "text/html" not in asked.get("accept", ""):
        return None
    query = scope["query_string"].decode("latin-1")
    to = f"/?{query}" if path == home else f"/{NOWHERE}?path={quote(path[:PATH_LENGTH])}"
    return RedirectResponse(below + to.removesuffix("?"))
