"""The door for questions: who is answered when, what a connection keeps, and what ends it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from anyio import ClosedResourceError, EndOfStream
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient, WebSocketTestSession

from tests.waiting import PATIENCE_S, eventually
from tokviz.base.errors import InputError
from tokviz.ui.server.ask import QUESTIONS, WAITING_LIMIT, Answer, ask_socket, question
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.line import Line
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor

MANY = Line(20, 20)


@dataclass
class Work:
    """What the questions of this test do: each waits for its name to be let go."""

    begun: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    may: dict[str, threading.Event] = field(default_factory=dict)

    def on(self, name: str) -> Answer:
        self.begun.append(name)
        assert self.may.setdefault(name, threading.Event()).wait(PATIENCE_S)
        self.done.append(name)
        return {"name": name}

    def let(self, *names: str) -> None:
        for name in names:
            self.may.setdefault(name, threading.Event()).set()


class Count(list[int]):
    """What a connection keeps in this test."""


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    work = Work()
    before = dict(QUESTIONS)

    @question("one.wait", MANY)
    @question("other.wait", MANY)
    @question("one.apart", MANY, apart=True)
    def wait(me: Visitor, name: str) -> Answer:
        return work.on(name)

    @question("one.count")
    def count(me: Visitor, kept: Count, more: int = 1) -> Answer:
        kept.append(more)
        return {"kept": [*kept]}

    @question("one.fail")
    def fail(me: Visitor, by: str) -> Answer:
        raise InputError("No.", "Ask again.") if by == "words" else ZeroDivisionError

    yield work
    work.let(*work.begun)
    QUESTIONS.clear()
    QUESTIONS.update(before)


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(
        Starlette(routes=[WebSocketRoute("/tokviz/ask", ask_socket)]), cookies={COOKIE: new_key()}
    ) as client:
        VISITORS.of(client.cookies[COOKIE])
        yield client


def connect(client: TestClient) -> WebSocketTestSession:
    return client.websocket_connect("/tokviz/ask", headers={"origin": "http://testserver"})


def ask(line: WebSocketTestSession, n: int, asked: str, /, **fields: Any) -> None:
    line.send_json({"n": n, "ask": asked, **fields})


def test_questions_of_a_page_are_answered_in_order_and_hold_up_no_other_page(client: TestClient, work: Work) -> None:
    with connect(client) as line:
        ask(line, 1, "one.wait", name="a")
        ask(line, 2, "one.wait", name="b")
        ask(line, 3, "other.wait", name="c")
        ask(line, 4, "one.apart", name="d")
        work.let("b", "c", "d")
        assert {line.receive_json()["n"] for _ in range(2)} == {3, 4}
        assert "b" not in work.begun
        work.let("a")
        assert [line.receive_json() for _ in range(2)] == [{"n": n, "answer": {"name": "ab"[n - 1]}} for n in (1, 2)]


def test_what_a_connection_keeps_is_its_own(client: TestClient, work: Work) -> None:
    with connect(client) as one, connect(client) as other:
        for line, more in ((one, 1), (other, 2), (one, 3)):
            ask(line, 1, "one.count", more=more)
            told = line.receive_json()["answer"]
        assert told == {"kept": [1, 3]}


def test_a_fault_is_told_in_words_and_the_next_question_is_answered(client: TestClient, work: Work) -> None:
    with connect(client) as line:
        ask(line, 1, "one.fail", by="words")
        ask(line, 2, "one.count")
        assert [line.receive_json() for _ in range(2)] == [
            {"n": 1, "error": "No. Ask again."},
            {"n": 2, "answer": {"kept": [1]}},
        ]


def test_what_was_asked_before_the_browser_left_is_done(client: TestClient, work: Work) -> None:
    with connect(client) as line:
        for n, name in enumerate("ab"):
            ask(line, n, "one.wait", name=name)
        eventually(lambda: work.begun == ["a"])
        line.close()
        work.let(*"ab")
        eventually(lambda: work.done == ["a", "b"])


def test_only_so_many_questions_wait_before_more_is_read(client: TestClient, work: Work) -> None:
    with connect(client) as line:
        for n in range(WAITING_LIMIT):
            ask(line, n, "one.wait", name="a")
        eventually(lambda: work.begun == ["a"])
        ask(line, 100, "one.count")
        ask(line, 101, "other.wait", name="b")
        work.let("b")
        assert work.begun == ["a"]
        work.let("a")
        said = [line.receive_json()["n"] for _ in range(WAITING_LIMIT + 2)]
        assert sorted(said) == [*range(WAITING_LIMIT), 100, 101]


def test_a_fault_of_ours_ends_the_connection(client: TestClient, work: Work) -> None:
    line = connect(client)
    line.__enter__()
    ask(line, 1, "one.fail", by="us")
    with pytest.raises((EndOfStream, ClosedResourceError)):  # so that leaving does not come before the fault
        line.receive()
    with pytest.raises(BaseExceptionGroup) as fault:
        line.__exit__(None, None, None)
    assert fault.group_contains(ZeroDivisionError)
