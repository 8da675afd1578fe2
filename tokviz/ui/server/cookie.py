"""The visitor's cookie: one unguessable key by which a browser finds its own work again.

Python on a page cannot set a cookie; the server can, when it answers with the page. So a layer of plain ASGI around the
whole app adds the cookie to every page it serves, and a reload, a second tab and a dropped connection find the same
key in `st.context.cookies`. `registry.py` finds the visitor by the key.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    key = key_in(cookie_parser(Headers(scope=scope).get("cookie", "")))
    return key, scope["client"][0] if scope.get("client") else ""


class VisitorCookie:
    """ASGI middleware that sets the cookie on each page it serves, and so renews it at each load.

    `current` maps the key of a request to the one that the browser shall have, which is another after starting over.
    """

    def __init__(self, app: ASGIApp, current: Callable[[str], str] = lambda key: key) -> None:
        self.app = app
        self.current = current

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Headers(scope=scope)

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(request, message):
                old = key_in(cookie_parser(request.get("cookie", "")))
                key = self.current(old) if old else new_key()
                headers = MutableHeaders(scope=message)
                headers.append("set-cookie", _header(key, secure=scope["scheme"] == "https"))
                # A cache on the way must not hand one visitor's key to the next.
                headers["cache-control"] = "private, no-cache"
            await send(message)

        await self.app(scope, receive, send_with_cookie)


def _is_page(request: Headers, answer: Message) -> bool:
    """Whether the answer is a page, or a 304 for a page, which also counts as a load."""
    if answer["status"] == 304:
        return "text/html" in request.get("accept", "")
    return Headers(raw=answer.get("headers", [])).get("content-type", "").startswith("text/html")


def _header(key: str, secure: bool) -> str:
    # Lax and not Strict: a link to tokviz on another site must not look like a new visitor and lose everything.
    return f"{COOKIE}={key}; Max-Age={COOKIE_S}; Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if secure else "")
