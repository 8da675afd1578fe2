"""The threads of the sockets: in fair turns, and the event loop waits for none of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient, WebSocketTestSession

import tokviz
from tokviz.split import cutting
from tokviz.tokenizer import live_text
from tokviz.training import live as livetraining
from tokviz.ui.learn import questions as learn
from tokviz.ui.replay import questions as _replay  # noqa: F401 (asked below)
from tokviz.ui.server.ask import ask_socket
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.pool import Pool
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.tokenview import socket as live
from tokviz.ui.tokenview.socket import live_socket
from tokviz.ui.train.socket import train_socket
from tokviz.ui.vocabulary import questions as _vocabulary  # noqa: F401 (asked below)

# -- turns --


class Gate:
    """Work that begins, and goes on only when it may."""

    def __init__(self) -> None:
        self.begun, self.may = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        assert self.may.wait(20)
        return "done"


def test_visitors_take_turns() -> None:
    pool, gate, order = Pool("test", at_once=1, each=1), Gate(), list[str]()
    pool.submit("a", gate)
    asked = [pool.submit(who, lambda name=f"{who}{i}": order.append(name)) for who in "aabc" for i in range(2)]
    gate.may.set()
    for future in asked:
        future.result(20)
    assert order == ["a0", "b0", "c0", "a1", "b1", "c1", "a0", "a1"]


def test_a_visitor_has_only_so_many_threads() -> None:
    pool, slow, waits = Pool("test", at_once=3, each=2), [Gate(), Gate()], Gate()
    mine = [pool.submit("a", work) for work in (*slow, waits)]
    assert all(work.begun.wait(20) for work in slow)
    assert pool.submit("b", lambda: "quick").result(20) == "quick"
    assert not waits.begun.is_set()
    slow[1].may.set()
    assert waits.begun.wait(20)
    for work in (*slow, waits):
        work.may.set()
    assert [future.result(20) for future in mine] == ["done"] * 3


def test_what_is_cancelled_before_its_turn_is_not_done_and_faults_reach_who_asked() -> None:
    pool, gate, done = Pool("test", at_once=1, each=1), Gate(), list[str]()
    first = pool.submit("a", gate)
    gone: Future[None] = pool.submit("a", lambda: done.append("gone"))
    fault: Future[float] = pool.submit("b", lambda: 1 / 0)
    last: Future[None] = pool.submit("b", lambda: done.append("last"))
    gone.cancel()
    gate.may.set()
    last.result(20)
    assert first.result(20) == "done" and done == ["last"]
    with pytest.raises(ZeroDivisionError):
        fault.result(20)
    with pytest.raises(CancelledError):
        gone.result(20)


# -- the event loop --

OWN = r"(?:a|aa)+$|[\s\S]"
SOCKETS = {
    "live": live_socket,
    "train": train_socket,
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
WRITTEN = {"view": "w", "settings": SETTINGS, "length": 0, "sum": 1}
TYPED = {"v": 1, "from": 0, "to": 0, "insert": "aa!"}
STEP = "bytes-1"
TOKEN = {"of": "mine1", "id": 97, "pinned": False}


@pytest.mark.parametrize(
    ("slow", "room", "messages"),
    [
        ((cutting, "cut_data"), "live", [greeting("mine1"), TYPED]),
        ((cutting, "cut_data"), "live", [greeting("mine1")]),
        ((live_text.LiveText, "edit"), "live", [greeting("gpt2"), TYPED | {"insert": "a" * (live.SHORT + 1)}]),
        ((live_text.LiveText, "encode"), "live", [greeting("gpt2"), TYPED | {"insert": "a" * (live.AT_ONCE + 1)}]),
        ((live, "at_hand"), "live", [greeting("gpt2")]),
        ((livetraining, "train_steps"), "train", [WRITTEN, TYPED]),
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
    gate = Gate()

    def slowly(really: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            if not gate.begun.is_set():
                gate()
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
        assert gate.begun.wait(20)
        typing.send_json(TYPED | {"insert": "typed"})
        assert b'"v":1' in typing.receive_bytes()
        gate.may.set()
        assert waiting.receive()["type"] == "websocket.send"
