"""The Train page's socket: what is written is trained, told, kept for the visitor, and made a tokenizer of theirs."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

import tokviz
from tests.bounded import bounded
from tests.ladder import Ladder
from tokviz import kernels
from tokviz.catalog.samples import sample
from tokviz.ui.server import limits
from tokviz.ui.server.connection import STARTED_OVER
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.registry import VISITORS, _mark
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.train import socket as module
from tokviz.ui.train.socket import MESSAGE_LIMIT, SETTING_LIMIT, train_socket
from tokviz.ui.train.state import OPENS_WITH, TrainState, Written

SETTINGS = {"pattern": "gpt2", "custom": "", "vocab_size": 280, "special": "", "tie": "first", "min_count": 2}


def sum_of(text: str) -> dict[str, int]:
    units = text.encode("utf-16-le")
    return {"length": len(units) // 2, "sum": zlib.crc32(units)}


HELLO = {"view": "v1", "settings": SETTINGS, **sum_of(OPENS_WITH)}
NEW = HELLO | {"length": 3}  # the browser has another text


@pytest.fixture
def key() -> str:
    kernels.wait(60)
    key = new_key()
    VISITORS.of(key)
    return key


@pytest.fixture
def me(key: str) -> Visitor:
    return VISITORS.of(key)


@pytest.fixture
def connect(key: str) -> Iterator[Callable[[], WebSocketTestSession]]:
    app = Starlette(routes=[WebSocketRoute("/train", train_socket)])
    with TestClient(app, cookies={COOKIE: key}) as client:
        yield lambda: client.websocket_connect("/train", headers={"origin": "http://testserver"})


def written(me: Visitor) -> Written:
    return me.state(TrainState).written


def patch(socket: WebSocketTestSession, v: int, start: int, stop: int, insert: str) -> bytes:
    socket.send_json({"v": v, "from": start, "to": stop, "insert": insert})
    return socket.receive_bytes()


def test_what_is_written_is_trained_and_kept_for_the_visitor(
    connect: Callable[[], WebSocketTestSession], me: Visitor
) -> None:
    shown = Ladder()
    with connect() as socket:
        socket.send_json(HELLO)
        assert socket.receive_json() == {"hello": True, "same": True}
        assert shown.apply(socket.receive_bytes())["v"] == 0
        shown.equals(tokviz.train(OPENS_WITH, 280, min_count=2))
        assert shown.header["new"] == len(shown.rows) > 10
        assert shown.apply(patch(socket, 1, len(OPENS_WITH), len(OPENS_WITH), "lowest"))["v"] == 1
        text = f"{OPENS_WITH}lowest"
        shown.equals(tokviz.train(text, 280, min_count=2))
        assert shown.header["edit"] == [len(OPENS_WITH), 0, 6]
        socket.send_json({"v": 2, "settings": SETTINGS | {"special": "low\n\nslow", "tie": "hf", "vocab_size": 262}})
        shown.apply(socket.receive_bytes())
        fresh = tokviz.train(text, 262, min_count=2, special_tokens=["low", "slow"], tie="hf")
        shown.equals(fresh)
        socket.send_json({"step": 3})
        socket.send_json({"v": 3, "from": 0, "to": 0, "insert": "x"})
        shown.apply(socket.receive_bytes())
    assert (written(me).text, written(me).has_text("v1"), written(me).step) == (f"x{text}", True, 3)
    assert written(me).settings.special == ""  # these the page keeps, and not a browser that may be late
    with connect() as socket:  # a reload: the server has all of it
        socket.send_json(HELLO | sum_of(f"x{text}"))
        assert socket.receive_json()["same"]
        assert Ladder().apply(socket.receive_bytes())["bytes"] == len(text) + 1


def test_a_browser_with_another_text_sends_its_own(connect: Callable[[], WebSocketTestSession], me: Visitor) -> None:
    shown = Ladder()
    with connect() as socket:
        socket.send_json(NEW)
        assert socket.receive_json() == {"hello": True, "same": False}
        assert written(me).text == OPENS_WITH
        shown.apply(patch(socket, 1, 0, 0, "half \ud83c"))
        shown.apply(patch(socket, 2, 6, 6, "\udf89"))
        shown.equals(tokviz.train("half 🎉", 280, min_count=2))
        long = sample("story").text[:15_000]
        shown.apply(patch(socket, 3, 0, 7, long))  # in a thread
        shown.equals(tokviz.train(long, 280, min_count=2))
        shown.apply(patch(socket, 4, 0, 15_000, ""))
        shown.equals(tokviz.train("", 280, min_count=2))
        assert shown.header["stopped"] == "no_pairs"
    assert written(me).text == ""


def test_a_corpus_of_a_lesson_is_not_kept(connect: Callable[[], WebSocketTestSession], me: Visitor) -> None:
    with connect() as socket:
        socket.send_json(HELLO | {"view": "", **sum_of("")})
        assert socket.receive_json() == {"hello": True, "same": False}
        assert Ladder().apply(patch(socket, 1, 0, 0, "hello hello"))["merges"] == 4
        socket.send_json({"step": 2})
        socket.send_json({"keep": 1, "replay": True})
        assert socket.receive_json()["name"] == "Written 260"
    assert (written(me).text, written(me).step) == (OPENS_WITH, None)
    assert me.trained[0].tokenizer.vocab_size == 260


def test_one_training_is_under_way_and_the_last_change_is_answered(
    connect: Callable[[], WebSocketTestSession],
) -> None:
    shown, text = Ladder(), sample("story").text[:15_000]
    with connect() as socket:
        socket.send_json(NEW)
        socket.receive_json()
        socket.send_json({"v": 1, "from": 0, "to": 0, "insert": text})
        for v in range(2, 40):
            socket.send_json({"v": v, "from": v, "to": v, "insert": "ab "})
            text = f"{text[:v]}ab {text[v:]}"
        answers = [shown.apply(socket.receive_bytes())["v"]]
        while answers[-1] < 39:
            answers.append(shown.apply(socket.receive_bytes())["v"])
        assert answers == sorted(answers)
        shown.equals(tokviz.train(text, 280, min_count=2))


WRONG = [
    ({"pattern": "custom", "custom": "(a"}, "does not compile"),
    ({"pattern": "custom", "custom": ""}, "is empty"),
    ({"pattern": "custom", "custom": r"\w+"}, "does not cover"),
    ({"special": "a\na"}, "named twice"),
    ({"special": "a" * 3_000}, "the limit"),
    ({"vocab_size": 255}, "out of range"),
    ({"vocab_size": 10**9}, "out of range"),
    ({"min_count": 0}, "least pair count"),
]


def test_a_wrong_setting_is_told_and_the_text_stays(connect: Callable[[], WebSocketTestSession], me: Visitor) -> None:
    shown = Ladder()
    with connect() as socket:
        socket.send_json(HELLO)
        socket.receive_json()
        shown.apply(socket.receive_bytes())
        for v, (wrong, said) in enumerate(WRONG):
            socket.send_json({"v": v, "settings": SETTINGS | wrong})
            told = shown.apply(socket.receive_bytes())
            assert said in told["error"] and (told["v"], told["length"]) == (v, len(written(me).text))
            assert shown.apply(patch(socket, 100 + v, 0, 0, "a"))["error"]
            socket.send_json({"keep": v, "replay": False})
            assert said in socket.receive_json()["error"]
        socket.send_json({"v": 200, "settings": SETTINGS})
        shown.apply(socket.receive_bytes())
        shown.equals(tokviz.train("a" * len(WRONG) + OPENS_WITH, 280, min_count=2))
    assert written(me).text == "a" * len(WRONG) + OPENS_WITH


def test_a_pattern_that_runs_away_is_told_and_others_need_not_wait(
    connect: Callable[[], WebSocketTestSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner in ("tokviz.ui.train.written", "tokviz.ui.train.socket"):
        monkeypatch.setattr(f"{owner}.OWN_PATTERN_S", 0.5)
    bounded(monkeypatch, match_seconds=0.7)
    slow, shown = SETTINGS | {"pattern": "custom", "custom": r"(?:a+)+$|[\s\S]"}, Ladder()
    with connect() as socket, connect() as other:
        for one in (socket, other):
            one.send_json(NEW)
            one.receive_json()
        shown.apply(patch(socket, 1, 0, 0, "a" * 60_000 + "!"))
        socket.send_json({"v": 2, "settings": slow})
        assert Ladder().apply(patch(other, 1, 0, 0, "still quick quick"))["merges"] == 5
        assert "more than a second" in shown.apply(socket.receive_bytes())["error"]
        assert shown.apply(patch(socket, 3, 1, 60_001, ""))["bytes"] == 1
        shown.equals(tokviz.train("a", 280, min_count=2, pattern=slow["custom"]))


@pytest.mark.right
def test_what_is_kept_is_named_by_the_size_that_it_has(
    connect: Callable[[], WebSocketTestSession], me: Visitor
) -> None:
    with connect() as socket:
        socket.send_json(NEW)
        socket.receive_json()
        answer = Ladder()
        answer.apply(patch(socket, 1, 0, 0, "strawberry strawberry raspberry blueberry berry"))
        assert (answer.header["stopped"], answer.header["merges"]) == ("min_count", 9)
        socket.send_json({"keep": 1, "replay": False})
        assert socket.receive_json()["name"] == "Written 265"
    (mine,) = me.trained
    assert (mine.tokenizer.vocab_size, mine.name, mine.tokenizer.name) == (265, "Written 265", "Written 265")


def test_a_training_is_kept_as_a_tokenizer_once(connect: Callable[[], WebSocketTestSession], me: Visitor) -> None:
    with connect() as socket:
        socket.send_json(HELLO)
        socket.receive_json()
        socket.receive_bytes()

        def keep(n: int, replay: bool) -> dict[str, Any]:
            socket.send_json({"keep": n, "replay": replay})
            return socket.receive_json()

        first = keep(1, False)
        (mine,) = me.trained
        assert first == {"keep": 1, "key": mine.key, "name": "Written 275"}
        assert mine.training is not None and mine.corpus_name == "Written corpus"
        assert mine.tokenizer.merges == tokviz.train(OPENS_WITH, 280, min_count=2).tokenizer.merges
        me.plays = "gpt2"
        assert keep(2, True) == first | {"keep": 2}
        assert me.trained == [mine] and me.plays == mine.key
        for n in range(4):
            patch(socket, n, 0, 0, "low ")
            assert keep(3, False)["name"] == f"Written 275 ({n + 2})"
        patch(socket, 9, 0, 0, "low ")
        assert "Remove one" in keep(4, True)["error"]
        me.drop(mine.key)
        assert keep(5, True)["key"] == me.plays != mine.key
        patch(socket, 10, 0, len(written(me).text), "")
        assert keep(6, True)["error"] == "There is no merge to keep yet. Write on."


def test_a_tab_keeps_what_it_shows(connect: Callable[[], WebSocketTestSession], me: Visitor) -> None:
    with connect() as socket, connect() as other:
        for view, tab in (("v1", socket), ("v2", other)):
            tab.send_json(HELLO | {"view": view})
            tab.receive_json()
            tab.receive_bytes()
        patch(other, 1, 0, len(OPENS_WITH), "from the other tab")
        socket.send_json({"keep": 1, "replay": False})
        socket.receive_json()
    assert me.trained[0].tokenizer.merges == tokviz.train(OPENS_WITH, 280, min_count=2).tokenizer.merges
    assert written(me).text == "from the other tab"


@pytest.mark.right
def test_what_is_written_over_a_corpus_from_another_tab_can_be_taken_back(
    connect: Callable[[], WebSocketTestSession], me: Visitor
) -> None:
    with connect() as socket, connect() as other:
        for view, tab in (("v1", socket), ("v2", other)):
            tab.send_json(HELLO | {"view": view})
            tab.receive_json()
            tab.receive_bytes()
        patch(other, 1, 0, 0, "long ")
        patch(other, 2, 5, 5, "and longer ")
        assert written(me).own_texts == [], "what one sees, one may write over"
        patch(socket, 1, 0, 0, "x")
    assert (written(me).text, written(me).own_texts) == (f"x{OPENS_WITH}", [f"long and longer {OPENS_WITH}"])
    written(me).back()
    assert written(me).text == f"long and longer {OPENS_WITH}"


GOOD = json.dumps(HELLO)


@pytest.mark.parametrize(
    ("messages", "code", "said"),
    [
        (["x" * (MESSAGE_LIMIT + 1)], 1009, "characters"),
        (["not json"], 1007, "JSON"),
        (["[]"], 1007, "not a greeting"),
        ([json.dumps(HELLO | {"settings": SETTINGS | {"pattern": "gpt3"}})], 1007, "settings"),
        ([json.dumps(HELLO | {"settings": SETTINGS | {"tie": "last"}})], 1007, "settings"),
        ([json.dumps(HELLO | {"settings": SETTINGS | {"vocab_size": 2**70}})], 1007, "settings"),
        ([json.dumps(HELLO | {"settings": SETTINGS | {"special": "x" * (SETTING_LIMIT + 1)}})], 1009, "setting"),
        ([json.dumps(HELLO | {"length": 2**40})], 1007, "not a greeting"),
        ([json.dumps({"step": 1})], 1007, "first message"),
        ([GOOD, GOOD], 1007, "first message"),
        ([GOOD, json.dumps({"v": 1, "from": 3, "to": 2, "insert": ""})], 1007, "no units"),
        ([GOOD, json.dumps({"v": 1, "from": 0, "to": 900, "insert": ""})], 1007, "no units"),
        ([GOOD, json.dumps({"v": 1, "from": 0, "to": 0, "insert": "x" * limits.WRITTEN_UNITS})], 1009, "longer"),
        ([GOOD, json.dumps({"keep": 1})], 1007, "not a greeting"),
    ],
)
def test_what_is_too_large_or_not_of_its_form_is_refused(
    connect: Callable[[], WebSocketTestSession], messages: list[str], code: int, said: str
) -> None:
    with connect() as socket:
        for message in messages:
            socket.send_text(message)
        while (told := socket.receive())["type"] != "websocket.close":
            pass
    assert told["code"] == code and said in told["reason"]


def test_a_page_from_before_starting_over_cannot_bring_its_text_back(
    connect: Callable[[], WebSocketTestSession], key: str, me: Visitor
) -> None:
    with connect() as socket:
        socket.send_json(NEW | {"view": _mark(key) + "old"})
        socket.receive_json()
        patch(socket, 1, 0, 0, "mine")
        VISITORS.start_over(key)
        socket.send_json({"v": 2, "from": 0, "to": 0, "insert": "my old secret"})
        with pytest.raises(WebSocketDisconnect) as refused:
            socket.receive_bytes()
    assert refused.value.code == STARTED_OVER
    assert written(VISITORS.of(key)).text == OPENS_WITH


def test_settings_have_the_fields_of_the_page(me: Visitor) -> None:
    assert SETTINGS.keys() == asdict(written(me).settings).keys() - {"sample"}
    assert asdict(written(me).settings) == SETTINGS | {"sample": None}
    assert module.LIVE_LIMIT < limits.WRITTEN_UNITS
