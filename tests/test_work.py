"""Work in a thread of its own: in turns with others', given up when asked, and a fault stays with its own work."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from unittest.mock import Mock

import pytest

import tokviz
from tests.test_visitors_memory import prose
from tests.waiting import PATIENCE_S, others_at_work
from tokviz.base.errors import InputError, SettingError
from tokviz.training.train import train_steps
from tokviz.ui.frame.training import TrainingWork
from tokviz.ui.server import limits, work
from tokviz.ui.server.line import LINE
from tokviz.ui.server.registry import MB, Visitors
from tokviz.ui.server.visitor import Visitor


@dataclass(eq=False)
class Walk(work.Work):
    """Takes a step whenever `go` lets it, until it is told to stop; hands over how far it came."""

    under_way: threading.Event = field(default_factory=threading.Event)
    go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(1_000_000))
    fault: Exception | None = None

    def slices(self) -> Generator[None]:
        while not self.stop.is_set():
            self.so_far += 1
            self.under_way.set()
            if self.fault:
                raise self.fault
            yield
            while not self.stop.is_set() and not self.go.acquire(timeout=0.01):
                pass

    def finish(self, visitor: Visitor) -> None:
        visitor.text = f"{self.so_far} steps"

    @property
    def doing(self) -> str:
        return "Walking"


def begun(visitor: Visitor, place: str = "a") -> Walk:
    """A walk that has its turn."""
    walk = Walk(place=place)
    work.start(visitor, walk)
    assert walk.under_way.wait(PATIENCE_S)
    return walk


def test_work_that_cannot_begin_or_end_well_leaves_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Visitor(), Visitor()
    with monkeypatch.context() as no_threads:
        no_threads.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
        never = Walk(place="a")
        work.start(first, never)
    assert never.over and "Try again in a minute" in str(never.error) and len(LINE) == 0
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    stuck = begun(first)
    stuck.let_go = Mock(side_effect=AttributeError)  # type: ignore[method-assign]
    stuck.cancel()
    assert stuck.done.wait(PATIENCE_S)
    begun(second).cancel()


def test_one_at_a_time_and_one_that_waits_can_be_given_up() -> None:
    first, second = Visitor(), Visitor()
    ahead, behind = begun(first), Walk(place="a")
    text = second.text
    work.start(second, behind)
    assert (behind.before, ahead.before) == (1, 0)
    work.cancel(second, "a")
    assert behind.done.wait(PATIENCE_S)
    assert behind.begun is None and second.text == text, "nothing was done"
    assert not ahead.over
    work.cancel(first, "a")
    assert ahead.done.wait(PATIENCE_S)
    assert first.text == f"{ahead.so_far} steps"
    assert ahead.ended_badly
    assert len(LINE) == 0


def test_long_work_lets_others_go_on_and_can_be_cancelled_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    long, short = Visitor(), Visitor()
    ahead = begun(long)
    monkeypatch.setattr(limits, "TURN_SECONDS", 1e-9)
    between = begun(short)
    assert ahead.so_far and not ahead.over
    monkeypatch.setattr(limits, "TURN_SECONDS", 1_000)
    (has_turn, one), (waits, other) = sorted([(long, ahead), (short, between)], key=lambda row: row[1].before)
    steps = other.so_far
    assert (one.before, other.before) == (0, 1)
    work.cancel(waits, "a")
    assert other.done.wait(PATIENCE_S)
    assert waits.text == f"{steps} steps", "it kept what it had"
    assert not one.over
    work.cancel(has_turn, "a")
    assert one.done.wait(PATIENCE_S)


def test_a_place_has_one_work_and_forgets_it_when_asked() -> None:
    me = Visitor()
    one, other, elsewhere = Walk(place="a"), Walk(place="a"), Walk(place="b")
    work.start(me, one)
    work.start(me, other)
    work.start(me, elsewhere)
    assert one.done.wait(PATIENCE_S)
    assert work.of(me, "a") is other
    work.forget(me, "a")
    assert other.done.wait(PATIENCE_S)
    assert work.of(me, "a") is None
    assert work.of(me, "b") is elsewhere
    work.cancel(me, "b")
    assert elsewhere.done.wait(PATIENCE_S)


def test_what_goes_wrong_in_the_thread_is_kept_and_the_next_has_its_turn() -> None:
    me = Visitor()
    said, ours = Walk(place="a", fault=InputError("Not this. Take another.")), Walk(place="b", fault=KeyError("x"))
    for one in (said, ours):
        work.start(me, one)
        assert one.done.wait(PATIENCE_S)
        assert one.ended_badly
    assert str(said.error) == "Not this. Take another."
    assert not said.failed
    assert ours.failed
    assert ours.error is None
    assert len(LINE) == 0


@pytest.mark.parametrize("waits", [False, True])
def test_nobody_comes_back_for_what_a_visitor_left_behind(waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "LOOKS_S", 0.01)
    me, left = Visitor(), Walk(place="a")
    with others_at_work(waits):
        work.start(me, left)
        assert waits or left.under_way.wait(PATIENCE_S)
        del me
        gc.collect()
        assert left.done.wait(PATIENCE_S)
    assert not left.stop.is_set()
    assert len(LINE) == 0


def test_what_the_line_refuses_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "JOBS_A_VISITOR", 2)
    me = Visitor()
    with others_at_work():
        for place in "ab":
            work.start(me, Walk(place=place))
        before = dict(me.works)
        with pytest.raises(SettingError, match="You have 2 pieces of work under way"):
            work.start(me, Walk(place="c"))
        assert me.works == before and not any(one.stop.is_set() for one in before.values())
        work.start(me, Walk(place="b"))
        assert before["b"].done.wait(PATIENCE_S), "in the same place it is another's instead"
        monkeypatch.setattr(limits, "JOBS", 3)
        with pytest.raises(SettingError, match="All visitors together have 3 pieces"):
            work.start(Visitor(), Walk(place="a"))
        for place in "ab":
            work.cancel(me, place)
    assert all(one.done.wait(PATIENCE_S) for one in me.works.values())


def test_what_waiting_work_reads_counts_and_there_must_be_room_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    people = Visitors(limit=100 * MB, limit_each=12 * MB)
    monkeypatch.setattr(work, "VISITORS", people)
    me = people.of("me")
    empty = me.n_bytes

    def training(place: str, text: tokviz.Text) -> TrainingWork:
        return TrainingWork("mine", text.name, train_steps(text, 300), place=place, reads=[text])

    corpora = [tokviz.read_text(prose(5_000_000, n).encode(), f"{n}.txt") for n in range(3)]
    me.corpus = corpora[:1]
    kept = me.n_bytes
    with others_at_work():
        work.start(me, training("a", corpora[0]))
        assert me.n_bytes == kept, "the visitor has this corpus anyway"
        me.corpus = []
        assert me.n_bytes == kept, "the work still needs it"
        work.start(me, training("b", corpora[1]))
        assert me.n_bytes - empty > 9 * MB
        with pytest.raises(SettingError, match="You can keep 12 MB on this server"):
            work.start(me, training("c", corpora[2]))
        people.keep_limits(me)
        monkeypatch.setattr(people, "limit", 14 * MB)
        with pytest.raises(SettingError, match="others who are here use it"):
            work.start(people.of("other"), training("a", corpora[1]))
        assert people.of("other").works == {}
        for place in "ab":
            work.cancel(me, place)
        assert all(one.done.wait(PATIENCE_S) for one in me.works.values())
    assert me.n_bytes == empty and not me.trained
