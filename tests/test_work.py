"""Work in turns with others', given up when asked; a fault stays with its own work, and only what is needed is kept."""

from __future__ import annotations

import gc
import threading
from dataclasses import dataclass, field

import pytest

import tokviz
from tests.test_visitors_memory import prose
from tests.waiting import PATIENCE_S, Held, eventually, others_at_work
from tokviz.base.errors import InputError, SettingError
from tokviz.training.train import train_steps
from tokviz.ui.frame.training import told
from tokviz.ui.server import work
from tokviz.ui.server.line import LINE
from tokviz.ui.server.registry import MB, Visitors
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.work import Cancelled, Progress, Steps, Work


@dataclass(eq=False)
class Walk:
    """Takes a step whenever `go` lets it, until it is cancelled; the result is how far it came."""

    under_way: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)
    came: int = 0
    fault: Exception | None = None

    def steps(self) -> Steps[str]:
        try:
            while not self.go.is_set():
                self.came += 1
                self.under_way.set()
                if self.fault:
                    raise self.fault
                yield Progress("Walking", self.came, 10**9)
                self.go.wait(0.001)
        except Cancelled:
            pass
        return f"{self.came} steps"


def walking(place: str = "a", walk: Walk | None = None) -> Work[str]:
    return Work(place, None, (walk or Walk()).steps(), type_text, needs_kernels=False)


def type_text(visitor: Visitor, text: str) -> None:
    visitor.text = text


def begun(visitor: Visitor, walk: Walk, place: str = "a") -> Work[str]:
    """A walk that has its turn."""
    one = walking(place, walk)
    work.start(visitor, one)
    assert walk.under_way.wait(PATIENCE_S)
    return one


def test_the_result_is_handed_over_once_and_what_was_cancelled_keeps_it() -> None:
    me, walk = Visitor(), Walk()
    one = begun(me, walk)
    walk.go.set()
    assert one.done.wait(PATIENCE_S) and me.text == f"{walk.came} steps" and one.result is None
    walk = Walk()
    one = begun(me, walk)
    one.cancel()
    assert one.done.wait(PATIENCE_S) and one.ended_badly
    assert me.text != one.result == f"{walk.came} steps"
    one.hand_over(me)
    assert me.text == f"{walk.came} steps" and one.result is None


def test_a_place_has_one_work_and_forgets_it_when_asked() -> None:
    me = Visitor()
    one, other, elsewhere = walking(), walking(), walking("b")
    for each in (one, other, elsewhere):
        work.start(me, each)
    assert one.done.wait(PATIENCE_S)
    assert work.of(me, "a") is other
    work.forget(me, "a")
    assert other.done.wait(PATIENCE_S)
    assert work.of(me, "a") is None
    assert work.of(me, "b") is elsewhere
    work.cancel(me, "b")
    assert elsewhere.done.wait(PATIENCE_S)


def test_what_goes_wrong_is_kept_and_the_next_has_its_turn() -> None:
    me = Visitor()
    said = walking("a", Walk(fault=InputError("Not this. Take another.")))
    ours = walking("b", Walk(fault=KeyError("x")))
    for one in (said, ours):
        work.start(me, one)
        assert one.done.wait(PATIENCE_S)
        assert one.ended_badly
    assert str(said.error) == "Not this. Take another."
    assert not said.failed
    assert ours.failed
    assert ours.error is None
    eventually(lambda: len(LINE) == 0)


def test_where_there_is_no_room_for_the_result_it_waits() -> None:
    me, walk = Visitor(), Walk()

    def take(visitor: Visitor, text: str) -> None:
        if visitor.text != "room":
            raise SettingError("There is no room.", "Make some.")

    one = Work("a", None, walk.steps(), take, needs_kernels=False)
    work.start(me, one)
    walk.go.set()
    assert one.done.wait(PATIENCE_S) and str(one.error) == "There is no room. Make some." and one.result
    me.text = "room"
    one.hand_over(me)
    assert one.result is None


@pytest.mark.parametrize("waits", [False, True])
def test_nobody_comes_back_for_what_a_visitor_left_behind(waits: bool) -> None:
    me, walk = Visitor(), Walk()
    left = walking("a", walk)
    with others_at_work(waits):
        work.start(me, left)
        assert waits or walk.under_way.wait(PATIENCE_S)
        del me
        gc.collect()
    assert left.done.wait(PATIENCE_S) and not left.stop.is_set() and left.result is None
    eventually(lambda: len(LINE) == 0)


def test_how_long_the_rest_takes_is_said_of_what_it_does_now(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 2.0, 10.0, 10.5, 11.0])
    one: Work[None] = Work("a", None, iter([Progress("one", 1, 5), Progress("two", 0, 8), Progress("two", 2, 8)]))  # type: ignore[arg-type]
    monkeypatch.setattr(work.time, "monotonic", lambda: next(times))
    one.whose = lambda: Visitor()  # type: ignore[assignment]
    one.needs_kernels = False
    one.go_on()
    assert one.seconds_left == 8.0 and one.progress.share == 0.2
    one.go_on()
    assert one.seconds_left is None
    one.go_on()
    assert one.seconds_left == 3.0


def test_what_waiting_work_reads_counts_and_there_must_be_room_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    people = Visitors(limit=100 * MB, limit_each=12 * MB)
    monkeypatch.setattr(work, "VISITORS", people)
    me = people.of("me")
    empty = me.n_bytes

    def training(place: str, text: tokviz.Text) -> Work[tokviz.Training]:
        return Work(place, None, told(train_steps(text, 300)), reads=[text])

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


def test_work_that_reads_much_waits_for_others_that_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "SMALL", 1_000)
    monkeypatch.setattr(LINE, "at_once", 2)
    me, held = Visitor(), Held("another", large=True)
    LINE.join(held)
    waits = Work("a", None, Walk().steps(), reads=["x" * 2_000], needs_kernels=False)
    work.start(me, waits)
    with others_at_work():
        assert waits.begun is None and waits.before
    waits.cancel()
    held.end.set()
    assert waits.done.wait(PATIENCE_S)
