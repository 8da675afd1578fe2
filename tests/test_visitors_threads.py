"""Several threads at one visitor: a page of each tab, sockets and work under way.

A thread can be interrupted anywhere. So that each of these tests meets the bad moment, the object in question rests
between two steps, and the other threads run meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

import tokviz
from tests.waiting import PATIENCE_S, Held
from tokviz.offline.replay import Playing
from tokviz.ui.frame.training import told
from tokviz.ui.replay.questions import own_text
from tokviz.ui.replay.state import ReplayPlace, ReplayState
from tokviz.ui.server import registry, work
from tokviz.ui.server.registry import MB, Visitors
from tokviz.ui.server.visitor import Mine, PageState, Visitor
from tokviz.ui.train.corpus import Corpus
from tokviz.ui.train.page import training_work

REST_S = 0.02
T = TypeVar("T")


def at_once(*tasks: Callable[[], T]) -> list[T]:
    """Run each task in a thread of its own; what they return, or the first error."""
    begin = threading.Barrier(len(tasks), timeout=20)

    def run(task: Callable[[], T]) -> T:
        begin.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks, timeout=60))


# -- the text of Replay --


class SlowTokenizer(Held):
    """Explains a text only when it may."""

    def explain(self, text: str) -> tokviz.Encoding:
        assert self.go_on()
        return tokviz.reference("gpt2").explain(text)


def test_the_own_text_and_the_place_of_replay_are_both_kept() -> None:
    """The socket writes the text in a pool, while the page moves the player."""
    person, slow = Visitor(), SlowTokenizer("person")
    state = person.state(ReplayState)
    shown = Playing(None, slow, None, "")  # type: ignore[arg-type]
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(own_text, person, shown, "my own text")
        assert slow.under_way.wait(PATIENCE_S)
        state.place = ReplayPlace(step=7)
        slow.end.set()
        assert answer.result(20)
    assert (state.text, state.place.step) == ("my own text", 7)


# -- work --


class RestingVisitor(Visitor):
    """Rests after `works` was read, so that whoever reads it to change it may be too late."""

    @property
    def works(self) -> dict[str, Any]:
        found: dict[str, Any] = self.__dict__["works"]
        time.sleep(REST_S)
        return found

    @works.setter
    def works(self, works: dict[str, Any]) -> None:
        self.__dict__["works"] = works


class SlowlyAdding(Visitor):
    """Rests before a tokenizer is added."""

    def add(self, *args: Any, **options: Any) -> Mine:
        time.sleep(REST_S)
        return super().add(*args, **options)


def test_two_tabs_keep_one_training_once() -> None:
    person = SlowlyAdding()
    done = training_work(Corpus("corpus", "mine", []), told(iter(())))
    done.result = tokviz.train("aaabdaaabac", 259)
    at_once(*[lambda: done.hand_over(person)] * 2)
    assert len(person.trained) == 1 and done.result is None


def nothing() -> work.Steps[None]:
    yield work.Progress("Nothing")


def test_work_that_is_started_and_forgotten_at_once_is_not_lost() -> None:
    person = RestingVisitor()
    for place in ("old 1", "old 2"):
        work.start(person, work.Work(place, None, nothing()))
    new = [work.Work(f"new {n}", None, nothing()) for n in range(3)]
    at_once(
        *(lambda job=job: work.start(person, job) for job in new),
        *(lambda place=place: work.forget(person, place) for place in ("old 1", "old 2")),
    )
    assert person.works == {job.place: job for job in new}
    assert all(job.done.wait(20) for job in new)


# -- what a page keeps --


class RestingState(PageState):
    def __init__(self) -> None:
        time.sleep(REST_S)


def test_two_tabs_that_come_to_a_page_at_once_share_its_state() -> None:
    person = Visitor()
    one, other = at_once(lambda: person.state(RestingState), lambda: person.state(RestingState))
    assert one is other is person.state(RestingState)


# -- the visitors --


def test_two_tabs_that_open_at_once_are_one_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow_visitor() -> Visitor:
        time.sleep(REST_S)
        return Visitor()

    monkeypatch.setattr(registry, "Visitor", slow_visitor)
    people = Visitors(limit=MB, limit_each=MB)
    one, other = at_once(lambda: people.of("key"), lambda: people.of("key"))
    assert one is other is people.find("key") and people.counted() == (0, 1, 0)
