"""Addresses that are no page: where each leads, and what is passed on."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from tokviz.base.errors import SettingError
from tokviz.ui.server import pages
from tokviz.ui.server.doors import Doors

CLIENT = TestClient(
    Starlette(
        routes=[Route("/{path:path}", lambda _: PlainTextResponse("passed on"))],
        middleware=[Middleware(Doors, home="tokens", pages=["train"])],
    ),
    follow_redirects=False,
)


@pytest.mark.parametrize(
    ("asked", "leads_to"),
    [
        ("/", None),
        ("/?v=1&text=a", None),
        ("/train?v=1", None),
        ("/train/", None),
        ("/nowhere?path=x", None),
        ("/_stcore/health", None),
        ("/tokviz/started", None),
        ("/media/abc", None),
        ("/static/js/index.js", None),
        ("/favicon.png", None),
        ("/robots.txt", None),
        ("/learn.", "/nowhere?path=learn."),
        ("/gpt-3.5", "/nowhere?path=gpt-3.5"),
        ("/tokens", "/"),
        ("/tokens/?v=1&text=a%20b", "/?v=1&text=a%20b"),
        ("/token?v=1", "/nowhere?path=token"),
        ("/train/more", "/nowhere?path=train/more"),
        ("//other/site", "/nowhere?path=other/site"),
        ("/%C3%A4%26b%0Ac", "/nowhere?path=%C3%A4%26b%0Ac"),
        (f"/{'x' * 1000}", f"/nowhere?path={'x' * 200}"),
    ],
)
def test_an_address_leads_to_its_page_or_to_one_that_says_there_is_none(asked: str, leads_to: str | None) -> None:
    answer = CLIENT.get(f"http://127.0.0.1{asked}", headers={"accept": "text/html,*/*"})
    assert answer.headers.get("location") == leads_to
    assert (answer.text == "passed on" or "watch.js" in answer.text) == (leads_to is None)


def test_what_a_script_asks_for_is_passed_on() -> None:
    assert CLIENT.get("http://127.0.0.1/train/_stcore/health", headers={"accept": "*/*"}).text == "passed on"


@pytest.mark.parametrize("tag", ["<head>", "<body>"])
def test_a_page_of_streamlit_without_a_place_for_ours_is_refused(
    tag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_STREAMLITS", tmp_path)
    Path(tmp_path, "index.html").write_text("<head><body>".replace(tag, ""), "utf-8")
    with pytest.raises(SettingError, match=f"has no {tag} in its page"):
        pages.whole_page.__wrapped__()
