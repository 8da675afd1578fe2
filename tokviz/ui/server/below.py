"""The path below which the app is served, such as `/tools/tokviz`, on a server that has more than tokviz on it."""

from __future__ import annotations

import re

import streamlit as st
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from tokviz.base.errors import SettingError
from tokviz.ui.server.words import page

_PATH = re.compile(r"(/[A-Za-z0-9._~@-]+)*")
OURS = ("/tokviz/", "/app/static/")  # where our own routes begin; all others are Streamlit's
_DO_NOT_CUT = "A proxy in front of tokviz must pass each path on unchanged, with its beginning."


def base_path() -> str:
    """The setting `server.baseUrlPath` with a slash before it and none after it; "" if there is none.

    SettingError if it has what no address has.
    """
    said = str(st.get_option("server.baseUrlPath") or "").strip("/")
    path = f"/{said}" if said else ""
    if not _PATH.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise SettingError(
            f"server.baseUrlPath is {said!r}, which is no path.",
            "Write it as tools/tokviz, in letters, digits and -._~@.",
        )
    return path


def within(scope: Scope, path: str) -> Scope | None:
    """The same request without the path, as the app knows it; None if it asks for what is not below the path.

    >>> within({"path": "/tools/tokviz/train"}, "/tools/tokviz"), within({"path": "/tools"}, "/tools/tokviz")
    ({'path': '/train'}, None)
    """
    return {**scope, "path": scope["path"].removeprefix(path)} if scope["path"].startswith(f"{path}/") else None


def beside(scope: Scope, path: str) -> Response:
    """The answer to a request for what is not below the path: where the app is."""
    if scope["path"] != path:
        return page(404, f"tokviz is at {path}/", _DO_NOT_CUT)
    query = scope["query_string"].decode("latin-1")  # a page names its scripts relative to itself, and needs the slash
    return RedirectResponse(f"{path}/?{query}".removesuffix("?"))
