"""The event loop waits for nothing that takes a visitor long, and so nobody else does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient, WebSocketTestSession
from streamlit import config
from streamlit.runtime.scriptrunner import ScriptRunner

import tokviz
from tests.waiting import PATIENCE_S, Held
from tokviz.split import cutting
from tokviz.tokenizer import live_text
from tokviz.ui import warm
from tokviz.ui.learn import questions as learn
from tokviz.ui.replay import questions as _replay  # noqa: F401 (asked below)
from tokviz.ui.server.ask import ask_socket
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.tokenview import socket as live
from tokviz.ui.tokenview.socket import live_socket
from tokviz.ui.train import questions as train
from tokviz.ui.vocabulary import questions as _vocabulary  # noqa: F401 (asked below)

OWN = r"(?:a|aa)+$|[\s\S]"
SOCKETS = {
    "live": live_socket,
    "ask": ask_socket,
}


@pytest.fixture
def clients() -> Iterator[tuple[TestClient, TestClient]]:
    """Two visitors of one server, which has one event loop."""
    app = Starlette(routes=[WebSocketRoute(f"/tokviz/{room}", socket) for room, socket in SOCKETS.items()])
    with TestClient(app) as one:
        other = TestClient(app)
        other.portal = one.portal
        for client in (one, other):
            client.cookies.set(COOKIE, new_key())
            VISITORS.of(client.cookies[COOKIE])
        yield one, other


def connect(client: TestClient, room: str) -> WebSocketTestSession:
    return client.websocket_connect(f"/tokviz/{room}", headers={"origin": "http://testserver"})


def greeting(key: str, **known: Any) -> dict[str, Any]:
    return {"view": "v", "keys": [key], "specials": "text", "length": None, "sum": None} | known


SETTINGS = {"pattern": "custom", "custom": OWN, "vocab_size": 300, "special": "", "tie": "first", "min_count": 1}
WRITTEN = {"view": "w", "settings": SETTINGS, "text": "aa!", "step": None}
TYPED = {"v": 1, "from": 0, "to": 0, "insert": "aa!"}
STEP = "bytes-1"
TOKEN = {"of": "mine1", "id": 97, "pinned": False}


@pytest.mark.parametrize(
    ("slow", "room", "messages"),
    [
        ((cutting, "cut_data"), "live", [greeting("mine1"), TYPED]),
        ((cutting, "cut_data"), "live", [greeting("mine1")]),
        ((live_text.LiveText, "patch"), "live", [greeting("gpt2"), TYPED | {"insert": "a" * (live.SHORT + 1)}]),
        ((live, "at_hand"), "live", [greeting("gpt2")]),
        ((train, "trained"), "ask", [{"n": 1, "ask": "train.written", **WRITTEN}]),
        ((cutting, "cut_data"), "ask", [{"n": 1, "ask": "replay.text", "of": "mine1", "text": "aa!"}]),
        ((cutting, "cut_data"), "ask", [{"n": 1, "ask": "vocabulary.card", **TOKEN}]),
        ((learn, "step_data"), "ask", [{"n": 1, "ask": "learn.show", "step": STEP}]),
        ((learn, "stand_at"), "ask", [{"n": 1, "ask": "learn.show", "step": STEP}]),
    ],
    ids=lambda it: it[1] if isinstance(it, tuple) else it if isinstance(it, str) else "",
)
def test_what_takes_one_visitor_long_keeps_no_other_waiting(
    slow: tuple[Any, str],
    room: str,
    messages: list[dict[str, Any]],
    clients: tuple[TestClient, TestClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = clients
    VISITORS.of(one.cookies[COOKIE]).add("own", tokviz.Tokenizer("own", [(97, 97)], pattern=OWN))
    gate = Held("one")

    def slowly(really: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            if not gate.under_way.is_set():
                assert gate.go_on()
            return really(*args, **named)

        return call

    *before, last = messages
    with connect(one, room) as waiting, connect(other, "live") as typing:
        typing.send_json(greeting("cl100k_base"))
        assert typing.receive_json()["hello"]
        for message in before:
            waiting.send_json(message)
            assert waiting.receive_json()["hello"]
        monkeypatch.setattr(*slow, slowly(getattr(*slow)))
        waiting.send_json(last)
        assert gate.under_way.wait(PATIENCE_S)
        typing.send_json(TYPED | {"insert": "typed"})
        assert b'"v":1' in typing.receive_bytes()
        gate.end.set()
        assert waiting.receive()["type"] == "websocket.send"


def test_the_event_loop_waits_for_no_run_of_a_page_to_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new thread has its first turn only after all others that want one."""
    run = Held("one")
    monkeypatch.setattr(ScriptRunner, "start", lambda _: run.go_on())
    warm._start_runs_beside()
    ScriptRunner.start(object())  # type: ignore[arg-type]
    assert run.under_way.wait(PATIENCE_S), "it has returned already"
    run.end.set()


def test_a_setting_is_read_while_a_thread_that_reads_one_has_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_config_lock", config._config_lock)  # put back at the end
    with ThreadPoolExecutor(1) as other, config._config_lock:
        warm._unlock_settings()
        assert other.submit(config.get_option, "server.port").result(20)


def test_a_streamlit_without_that_lock_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(config, "_config_lock")
    with pytest.raises(AttributeError, match="_config_lock"):
        warm._unlock_settings()
