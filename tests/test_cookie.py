"""The cookie: on every page served, on nothing else, new for a stranger, renewed for a visitor."""

from __future__ import annotations

from collections.abc import Coroutine
from http.cookies import Morsel, SimpleCookie
from typing import Any

import pytest

from tokviz.ui.server.cookie import COOKIE, COOKIE_S, VisitorCookie, key_in, new_key

PAGE = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-cache")]


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    """To its end, in one go: nothing in it waits, and an event loop may be running here for the browser."""
    with pytest.raises(StopIteration):
        coroutine.send(None)


def answer(
    *, headers: Any = PAGE, status: int = 200, scheme: str = "http", current: Any = None, **asked: str
) -> tuple[Morsel[str] | None, dict[str, str]]:
    """What the layer makes of an answer: the visitor's cookie on it, if any, and its headers."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"<p>"})

    async def send(message: Any) -> None:
        sent.append(message)

    request = [(name.encode(), value.encode()) for name, value in asked.items()]
    layer = VisitorCookie(app, current) if current else VisitorCookie(app)
    run(layer({"type": "http", "scheme": scheme, "headers": request}, None, send))  # type: ignore[arg-type]
    assert sent[1]["body"] == b"<p>"
    out = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return SimpleCookie(out.get("set-cookie", "")).get(COOKIE), out


def test_a_stranger_gets_a_key_of_their_own() -> None:
    first, headers = answer()
    second, _ = answer()
    assert first and second and first.value != second.value
    assert key_in({COOKIE: first.value}) == first.value
    assert (first["path"], first["max-age"], first["samesite"]) == ("/", str(COOKIE_S), "Lax")
    assert first["httponly"] and not first["secure"] and not first["domain"]
    assert headers["cache-control"] == "private, no-cache"


def test_a_visitor_keeps_the_key_and_it_is_renewed() -> None:
    key = new_key()
    cookie, _ = answer(cookie=f"a=1; {COOKIE}={key}; b=2")
    assert cookie and cookie.value == key and cookie["max-age"] == str(COOKIE_S)


@pytest.mark.right
def test_the_key_does_not_lapse_while_a_page_is_open() -> None:
    """Only the load of a page renews it. After a day a connection that broke came back as a stranger's."""
    cookie, _ = answer()
    assert cookie and int(cookie["max-age"]) == 400 * 24 * 3600, "the most that browsers take"


def test_a_page_that_has_not_changed_renews_it_too() -> None:
    key = new_key()
    cookie, _ = answer(status=304, headers=[], cookie=f"{COOKIE}={key}", accept="text/html,*/*")
    assert cookie and cookie.value == key
    assert answer(status=304, headers=[], accept="image/*")[0] is None


@pytest.mark.parametrize("bad", ["", "short", "x" * 44, "ü" * 43, "a" * 42 + '"', "../" * 14 + "a"])
def test_a_key_we_cannot_have_made_is_replaced(bad: str) -> None:
    cookie, _ = answer(cookie=f"{COOKIE}={bad}")
    assert cookie and cookie.value != bad and key_in({COOKIE: cookie.value})


def test_a_key_that_moved_is_followed() -> None:
    old, new = new_key(), new_key()
    cookie, _ = answer(cookie=f"{COOKIE}={old}", current={old: new}.__getitem__)
    assert cookie and cookie.value == new


def test_what_is_not_a_page_has_no_cookie() -> None:
    cookie, headers = answer(headers=[(b"content-type", b"text/javascript"), (b"cache-control", b"immutable")])
    assert cookie is None and headers["cache-control"] == "immutable"


def test_over_https_the_cookie_is_secure() -> None:
    cookie, _ = answer(scheme="https")
    assert cookie and cookie["secure"]


def test_a_socket_goes_through_untouched() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope, receive, send))

    scope: dict[str, Any] = {"type": "websocket"}
    run(VisitorCookie(app)(scope, answer, answer))  # type: ignore[arg-type]
    assert seen == [(scope, answer, answer)]
