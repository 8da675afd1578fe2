"""Work in a thread of its own: one of a kind at a time, given up when asked, and a fault stays with its own work."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from tests.waiting import PATIENCE_S
from tokviz.errors import InputError
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.work import work


@dataclass(eq=False)
class Walk(work.Work):
    """Goes on until it is told to stop; hands over how far it came."""

    turn: ClassVar[threading.Lock] = threading.Lock()
    under_way: threading.Event = field(default_factory=threading.Event)
    fault: Exception | None = None

    def slices(self) -> Iterator[None]:
        while not self.stop.is_set():
            self.so_far += 1
            self.under_way.set()
            if self.fault:
                raise self.fault
            yield
            self.stop.wait(0.01)

    def finish(self, visitor: Visitor) -> None:
        visitor.text = f"{self.so_far} steps"

    @property
    def doing(self) -> str:
        return "Walking"


def test_one_of_a_kind_at_a_time_and_one_that_waits_can_be_given_up() -> None:
    first, second = Visitor(), Visitor()
    ahead, behind = Walk(place="a"), Walk(place="a")
    work.start(first, ahead)
    assert ahead.under_way.wait(PATIENCE_S)
    work.start(second, behind)
    assert not behind.under_way.wait(3 * work.LOOKS_S)
    assert behind.begun is None
    work.cancel(second, "a")
    assert behind.done.wait(PATIENCE_S)
    assert not ahead.done.is_set()
    assert second.text == "0 steps"
    work.cancel(first, "a")
    assert ahead.done.wait(PATIENCE_S)
    assert first.text == f"{ahead.so_far} steps"
    assert ahead.ended_badly


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
    assert not Walk.turn.locked()


def test_nobody_comes_back_for_what_a_visitor_left_behind() -> None:
    me = Visitor()
    left = Walk(place="a")
    work.start(me, left)
    assert left.under_way.wait(PATIENCE_S)
    del me
    gc.collect()
    assert left.done.wait(PATIENCE_S)
    assert not left.stop.is_set()
