"""Who and what each socket refuses: the code with which it closes, and the reason that it gives."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.class_clients import start_server
from tests.socket_messages import GOOD, SOCKETS, Message, scope_of, talk
from tokviz.ui.server import limits
from tokviz.ui.server.connection import MESSAGE_BYTES, REFUSED, STARTED_OVER, TOO_LARGE, UNKNOWN, UNREADABLE
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.registry import VISITORS, mark

HELLO = {"view": "v1", "keys": ["gpt2"], "specials": "text", "length": None, "sum": None}
PATCH = {"v": 1, "from": 0, "to": 0, "insert": "x"}
STUDENT = {"role": "student"}
VOTE = {"vote": 0, "question": 1, "round": 1, "n": 1}


@pytest.fixture(autouse=True)
def _server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_server(tmp_path, monkeypatch)


@pytest.fixture
def key() -> str:
    key = new_key()
    VISITORS.of(key)
    return key


def closed(room: str, key: str, *said: Any, **headers: str | None) -> tuple[int, str] | None:
    """With what the server closes this conversation; None if it does not."""
    sent: list[Message] = [one if isinstance(one, str | bytes) else json.dumps(one) for one in said]
    return asyncio.run(talk(scope_of(room, key, **headers), sent)).closed


@pytest.mark.parametrize("room", SOCKETS)
@pytest.mark.parametrize("cookie", ["", f"{COOKIE}=guess", f"{COOKIE}={new_key()}"], ids=["none", "guess", "of nobody"])
def test_who_has_no_page_here_is_refused(room: str, cookie: str, key: str) -> None:
    before, told = VISITORS.counted(), closed(room, key, GOOD[room][0], cookie=cookie)
    if room == "class" and len(cookie) > 20:
        assert told is None, "a class goes on where the server has started again, and knows no visitor"
    else:
        assert told == (REFUSED, UNKNOWN)
    assert VISITORS.counted() == before


@pytest.mark.parametrize(
    ("room", "messages", "code", "says"),
    [
        *((room, [b"bytes"], UNREADABLE, "text") for room in SOCKETS),
        *((room, ["not json"], UNREADABLE, "JSON") for room in SOCKETS),
        *((room, ["[" * 900], UNREADABLE, "JSON") for room in SOCKETS),
        *((room, [one], UNREADABLE, "") for room in SOCKETS for one in ("", "[]", '{"v": NaN}', '{"n": 1e999}')),
        *((room, ["x" * (MESSAGE_BYTES + 1)], TOO_LARGE, "characters") for room in SOCKETS),
        ("class", [STUDENT, {"join": "A" * 20_000}], TOO_LARGE, "characters"),
        ("live", [HELLO | {"keys": [1]}], UNREADABLE, "not a greeting"),
        ("live", [HELLO | {"keys": ["gpt2"] * 9}], UNREADABLE, "not a greeting"),
        ("live", [HELLO | {"specials": "none"}], UNREADABLE, "not a greeting"),
        ("live", [HELLO | {"keys": ["mine7"]}], REFUSED, "no longer"),
        ("live", [PATCH], UNREADABLE, "first message"),
        ("live", [HELLO, PATCH | {"to": 5}], UNREADABLE, "no units"),
        ("live", [HELLO, PATCH | {"from": 10**300, "to": 10**300}], UNREADABLE, "no units 1000"),
        ("live", [HELLO, PATCH | {"from": "0"}], UNREADABLE, "not a greeting"),
        ("live", [HELLO, PATCH | {"insert": "x" * (limits.TEXT_UNITS + 1)}], TOO_LARGE, "text"),
        ("ask", [{"n": 1}], UNREADABLE, "not one of the questions"),
        ("ask", [{"n": 1, "ask": "replay.nothing"}], UNREADABLE, "not one of the questions"),
        ("ask", [{"n": 1, "ask": ["replay.why"]}], UNREADABLE, "not one of the questions"),
        ("ask", [{"n": "1", "ask": "tokens.choices"}], UNREADABLE, "not one of the questions"),
        ("ask", [GOOD["ask"][0] | {"step": "1"}], UNREADABLE, "not one of the questions"),
        ("ask", [{"n": 1, "ask": "replay.why"}], UNREADABLE, "not one of the questions"),
        ("class", [{"role": "admin"}], UNREADABLE, "the role"),
        ("class", [{"join": "ABCD"}], UNREADABLE, "the role"),
        ("class", [STUDENT, VOTE | {"n": -1}], UNREADABLE, ""),
        ("class", [STUDENT, VOTE | {"n": 2**60}], UNREADABLE, ""),
        ("class", [STUDENT, {"join": 5}], UNREADABLE, ""),
    ],
    ids=lambda it: str(it)[:40],
)
def test_what_is_too_large_or_not_of_its_form_is_refused(
    room: str, messages: list[Any], code: int, says: str, key: str
) -> None:
    told = closed(room, key, *messages)
    assert told and told[0] == code and says in told[1]


@pytest.mark.parametrize("room", SOCKETS)
def test_a_page_from_before_starting_over_is_told_so(room: str, key: str) -> None:
    VISITORS.start_over(key)
    told = closed(room, key, *GOOD[room][:1])
    assert told and told[0] == STARTED_OVER


def test_a_text_area_from_before_starting_over_brings_no_text_back(key: str) -> None:
    VISITORS.start_over(key)
    VISITORS.of(new := VISITORS.current(key)).text = "new"
    told = closed("live", new, HELLO | {"view": mark(key) + "old"}, PATCH)
    assert told and told[0] == STARTED_OVER and VISITORS.of(new).text == "new"
