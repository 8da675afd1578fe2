"""Answers what a browser asks for first: the page, Streamlit's scripts and styles, and addresses that are no page.

All pages are Streamlit's one, and in it is what Streamlit's scripts do not bring:

- The script `watch.js`. They say nothing of use when one of them was not loaded, and when the server is gone they cover
  the page with a dialog.
- The style `frame/page.css`. Streamlit would send it again with each run. It is in the body, after Streamlit's own.
- Links to what each component needs, so that it is there when Streamlit asks for it.
"""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Scope
from streamlit import file_util

from tokviz.base.errors import SettingError
from tokviz.ui.kit import served
from tokviz.ui.server.cookie import who
from tokviz.ui.server.machine import address_for_others
from tokviz.ui.server.registry import mark

NOWHERE = "nowhere"  # the address of the page that says so; its query has the path that was asked for
PATH_LENGTH = 200  # characters of a path that are said
STARTED = secrets.token_hex(8)  # names this run of the server, which a page in a browser may outlive
_OF_THE_SERVER = ("_stcore", "tokviz", "media", "component", "app", "static")  # where an address begins that is no page
_FILES = (".css", ".gif", ".html", ".ico", ".js", ".json", ".map", ".png", ".svg", ".txt", ".webmanifest", ".woff2")
_NEVER_KEPT = {"cache-control": "no-store"}
_STREAMLITS = Path(file_util.get_static_dir())


async def answered(scope: Scope, asked: Headers, home: str, pages: Collection[str], below: str) -> Response | None:
    """The answer to a request for a page, or for one of Streamlit's scripts; None if the app answers.

    home: the name of the page that is at `/`. pages: the addresses of the others. below: the path before all of them.
    """
    if scope["method"] != "GET":
        return None
    if scope["path"] in _scripts():
        return await run_in_threadpool(_packed, scope["path"]) if "gzip" in asked.get("accept-encoding", "") else None
    path = scope["path"].strip("/")
    if "text/html" not in asked.get("accept", "") or path.partition("/")[0] in _OF_THE_SERVER or path.endswith(_FILES):
        return None
    if path in ("", NOWHERE, *pages):
        return HTMLResponse(whole_page()) if scope["path"] == f"/{path}" else None
    query = scope["query_string"].decode("latin-1")
    to = f"/?{query}" if path == home else f"/{NOWHERE}?path={quote(path[:PATH_LENGTH])}"
    return RedirectResponse(below + to.removesuffix("?"))


@lru_cache(1)
def whole_page() -> str:
    """Streamlit's page with ours in it. SettingError if there is no place for it."""
    links = "".join(f'<link rel="modulepreload" href="./{served.address(place)}">' for place in served.OF_ALL)
    style = f'<link rel="stylesheet" href="./{served.address("frame/page.css")}">'
    whole = (_STREAMLITS / "index.html").read_text("utf-8")
    for tag, ours in (("<head>", f'<script src="./tokviz/watch.js"></script>{links}'), ("<body>", style)):
        if tag not in whole:
            raise SettingError(f"Streamlit {st.__version__} has no {tag} in its page.", "Install Streamlit 1.67.")
        whole = whole.replace(tag, tag + ours, 1)
    return whole


@lru_cache(1)
def _scripts() -> dict[str, Path]:
    """Streamlit's scripts and styles, by their paths. It sends them as they are, 3 MB for a first visit."""
    found = (path for path in _STREAMLITS.glob("static/**/*") if path.suffix in (".js", ".css"))
    return {f"/{path.relative_to(_STREAMLITS).as_posix()}": path for path in found}


@lru_cache(None)
def _packed(path: str) -> Response:
    """Compress a script, for the first who asks. Their names have a sum of what is in them, so it stays the same."""
    file = _scripts()[path]
    data = gzip.compress(file.read_bytes(), 6, mtime=0)
    return Response(data, media_type=served.KINDS[file.suffix], headers={**served.KEPT, "content-encoding": "gzip"})


def _watch(request: Request) -> Response:
    script = Path(__file__).with_name("watch.js").read_text("utf-8")
    key, _ = who(request.scope)
    said = {"started": STARTED, "visitor": mark(key or ""), "address": address_for_others(request.url.hostname or "")}
    for name, words in said.items():
        script = script.replace(f"{{{name}}}", words)
    return Response(script, media_type="text/javascript", headers=_NEVER_KEPT)


def _started(_: Request) -> Response:
    return Response(STARTED, media_type="text/plain", headers=_NEVER_KEPT)


ROUTES = [Route("/tokviz/watch.js", _watch), Route("/tokviz/started", _started)]
