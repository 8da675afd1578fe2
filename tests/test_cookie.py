"""The cookie: on every page served, on nothing else, new for a stranger, renewed for a visitor."""

from __future__ import annotations

from http.cookies import Morsel, SimpleCookie

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from tokviz.ui.server.cookie import COOKIE, COOKIE_S, key_in, new_key
from tokviz.ui.server.doors import Doors
from tokviz.ui.server.registry import VISITORS

KINDS = {"html": "text/html; charset=utf-8", "js": "text/javascript"}


def serve(kind: str) -> Response:
    """A page or a script."""
    return Response(b"", 200, {"cache-control": "immutable"}, media_type=KINDS[kind])


APP, BELOW = (
    Starlette(
        routes=[Route(f"{path}/static/{{kind}}", lambda request: serve(request.path_params["kind"]))],
        middleware=[Middleware(Doors, path=path)],
    )
    for path in ("", "/tools/tokviz")
)


def answer(kind: str = "html", *, scheme: str = "http", **asked: str) -> tuple[Morsel[str] | None, Headers]:
    """The visitor's cookie on an answer, if any, and its headers."""
    with TestClient(APP, base_url=f"{scheme}://127.0.0.1") as client:
        out = client.get(
            f"/static/{kind}", headers=[(name.encode(), value.encode()) for name, value in asked.items()]
        ).headers
    return SimpleCookie(out.get("set-cookie", "")).get(COOKIE), out  # type: ignore[return-value]


def test_a_stranger_gets_a_key_of_their_own() -> None:
    first, headers = answer()
    second, _ = answer()
    assert first and second and first.value != second.value
    assert key_in({COOKIE: first.value}) == first.value
    assert (first["path"], first["max-age"], first["samesite"]) == ("/", str(COOKIE_S), "Lax")
    assert COOKIE_S == 400 * 24 * 3600, "the most that browsers take: a page may stay open for days"
    assert first["httponly"] and not first["secure"] and not first["domain"]
    assert headers["cache-control"] == "private, no-cache"


def test_below_a_path_no_other_app_of_the_host_is_told_the_key() -> None:
    with TestClient(BELOW, base_url="http://127.0.0.1") as client:
        said = client.get("/tools/tokviz/static/html").headers["set-cookie"]
    assert SimpleCookie(said)[COOKIE]["path"] == "/tools/tokviz"


@pytest.mark.parametrize(("scheme", "asked"), [("https", {}), ("http", {"sec-fetch-dest": "iframe"}), ("http", {})])
def test_in_a_frame_it_is_kept_where_a_browser_takes_it(
    monkeypatch: pytest.MonkeyPatch, scheme: str, asked: dict[str, str]
) -> None:
    """Over http, a browser that has asked another machine would refuse it; such a browser names no destination."""
    monkeypatch.setenv("TOKVIZ_FRAMES", "https://course.example")
    said = answer(scheme=scheme, **asked)[1]["set-cookie"].partition("HttpOnly; ")[2]
    assert said == ("SameSite=None; Secure; Partitioned" if asked or scheme == "https" else "SameSite=Lax")


def test_a_visitor_keeps_the_key_and_it_is_renewed() -> None:
    key = new_key()
    cookie, _ = answer(cookie=f"a=1; {COOKIE}={key}; b=2")
    assert cookie and cookie.value == key and cookie["max-age"] == str(COOKIE_S)


@pytest.mark.parametrize("bad", ["", "short", "x" * 44, "ü" * 43, "a" * 42 + '"', "../" * 14 + "a"])
def test_a_key_we_cannot_have_made_is_replaced(bad: str) -> None:
    cookie, _ = answer(cookie=f"{COOKIE}={bad}")
    assert cookie and cookie.value != bad and key_in({COOKIE: cookie.value})


def test_after_starting_over_each_load_gets_another_key() -> None:
    old = new_key()
    VISITORS.start_over(old)
    cookie, _ = answer(cookie=f"{COOKIE}={old}")
    assert cookie and cookie.value != old and key_in({COOKIE: cookie.value})


def test_what_is_not_a_page_has_no_cookie() -> None:
    cookie, headers = answer("js")
    assert cookie is None and headers["cache-control"] == "immutable"


def test_over_https_the_cookie_is_secure() -> None:
    cookie, _ = answer(scheme="https")
    assert cookie and cookie["secure"]
