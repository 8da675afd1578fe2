"""The visitor's cookie: one unguessable key by which a browser finds its own work again.

Python on a page cannot set a cookie; the server can, when it answers with the page. So doors.py adds it to every
page, and a reload, a second tab and a dropped connection find the same key in `st.context.cookies`. `registry.py`
finds the visitor by the key.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping

from starlette.requests import HTTPConnection
from starlette.types import Scope

COOKIE = "tokviz"
# How long a browser keeps the key. That of a page which stays open must not end, and no browser keeps one for longer.
COOKIE_S = 400 * 24 * 60 * 60

_KEY = re.compile(r"[A-Za-z0-9_-]{43}")


def new_key() -> str:
    """A key nobody can guess: 256 random bits in 43 characters."""
    return secrets.token_urlsafe(32)


def key_in(cookies: Mapping[str, object]) -> str | None:
    """The visitor's key among a request's cookies; None if there is none, or if it has another form than ours.

    >>> key_in({"tokviz": "k" * 43, "other": "1"})
    'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk'
    >>> key_in({"tokviz": "guess"}) is None
    True
    """
    key = cookies.get(COOKIE)
    return key if isinstance(key, str) and _KEY.fullmatch(key) else None


def who(scope: Scope) -> tuple[str | None, str]:
    """Whose a request is: the visitor's key, None without a cookie, and the address of their machine."""
    asked = HTTPConnection(scope)
    return key_in(asked.cookies), asked.client.host if asked.client else ""


def renewed(scope: Scope, current: Callable[[str], str] = lambda key: key, path: str = "") -> str:
    """The header that sets the cookie on a page: so each load renews it.

    current: maps the key of a request to the one that the browser shall have, which is another after starting over.
    path: the one below which the app is served: no other app of the same host is told the key.
    """
    old, _ = who(scope)
    key = current(old) if old else new_key()
    secure = "; Secure" if scope["scheme"] == "https" else ""
    # Lax and not Strict: a link to tokviz on another site must not look like a new visitor and lose everything.
    return f"{COOKIE}={key}; Max-Age={COOKIE_S}; Path={path or '/'}; HttpOnly; SameSite=Lax{secure}"
