"""The line of the server: whose work runs next, how much of it may wait, and how a piece hands its turn over."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from unittest.mock import Mock

import pytest

from tests.test_visitors import Clock, clock
from tests.waiting import PATIENCE_S, Held, eventually
from tokviz.base.errors import SettingError
from tokviz.ui.server import limits
from tokviz.ui.server.line import Line

__all__ = ["clock"]


@pytest.fixture
def line(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Line:
    monkeypatch.setattr(limits, "JOBS_AT_ONCE", 1)
    return Line(clock)


@dataclass(eq=False)
class Walk:
    """A piece of some slices, each of some seconds. log: of all that ran. each: what else a slice does."""

    name: str
    log: list[str]
    clock: Clock
    slices: int = 1
    s: float = 0.1
    large: bool = False
    each: Callable[[], object] = lambda: None
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def whose(self) -> str:
        return self.name[0]

    def go_on(self) -> bool:
        self.log.append(self.name)
        self.clock.s += self.s
        self.slices -= 1
        self.each()
        return self.slices <= 0


def run(line: Line, walks: list[Walk]) -> None:
    """Run these pieces, which all waited before the first began."""
    gate = Held("gate")
    line.join(gate)
    for walk in walks:
        line.join(walk)
    assert sorted(map(line.before, walks)) == [*range(1, 1 + len(walks))], "each knows its place"
    gate.end.set()
    eventually(lambda: len(line) == 0)


def test_visitors_have_turns_one_after_the_other(line: Line, clock: Clock) -> None:
    log = list[str]()
    run(line, [Walk(name, log, clock) for name in ("a1", "a2", "a3", "b1", "c1", "b2")])
    assert log == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_thirty_small_pieces_go_between_two_turns_of_a_long_one(line: Line, clock: Clock) -> None:
    log = list[str]()
    small = [chr(200 + n) for n in range(30)]
    run(line, [Walk("long", log, clock, 7, 1.0), *(Walk(name, log, clock) for name in small)])
    assert log == ["long"] * 2 + small + ["long"] * 5, "and where nobody waits, it goes on"


def test_a_cancelled_piece_does_not_wait_for_another_turn(line: Line, clock: Clock) -> None:
    """It would say “Cancelling” until all others had had theirs, and keep what it holds so long."""
    log = list[str]()
    long = Walk("long", log, clock, 4, 100.0)
    long.each = long.stop.set
    run(line, [long, Walk("other", log, clock)])
    assert log == ["long"] * 4 + ["other"]


def test_whatever_comes_each_visitor_gets_the_same_share(line: Line, clock: Clock) -> None:
    """Visitors with one to three endless pieces each; all have about as many turns."""
    chance, log = random.Random(17), list[str]()
    walks = [
        Walk(name, log, clock, 1_000, limits.TURN_SECONDS) for name in "abcde" for _ in range(chance.randint(1, 3))
    ]

    def end_all() -> None:
        for walk in walks if len(log) == 100 else ():
            walk.slices = 0

    for walk in walks:
        walk.each, walk.slices = end_all, 1_000
    run(line, walks)
    assert set(Counter(log[:100]).values()) == {20}


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_no_more_run_at_once_than_the_operator_says(line: Line, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "JOBS_AT_ONCE", at_once)
    held = [Held(f"visitor {n}") for n in range(5)]
    for one in held:
        line.join(one)
    for n, one in enumerate(held):
        assert one.under_way.wait(PATIENCE_S)
        eventually(lambda n=n: sum(one.under_way.is_set() for one in held) == min(n + at_once, 5))
        one.end.set()
    eventually(lambda: len(line) == 0)


def test_the_line_is_bounded(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "JOBS_A_VISITOR", 2)
    monkeypatch.setattr(limits, "JOBS", 5)
    first, second, third, *others = [Held(whose) for whose in "aaabcd"]
    line.join(first)
    line.join(second)
    with pytest.raises(SettingError, match="You have 2 pieces of work under way, and one visitor can have no more"):
        line.join(Held("a"))
    line.join(third, instead_of=second)
    line.give_up(second)
    for one in others:
        line.join(one)
    with pytest.raises(SettingError, match="All visitors together have 5 pieces of work under way"):
        line.join(Held("e"))
    line.give_up(first)
    assert not third.under_way.is_set(), "the first still uses the machine until its slice ends"
    line.join(last := Held("e"))
    for one in (first, second, third, *others, last):
        one.end.set()
    eventually(lambda: len(line) == 0)


def test_of_the_large_pieces_one_is_under_way_at_a_time(line: Line, clock: Clock) -> None:
    """What has begun keeps its tables, so two large ones would take twice the memory."""
    log = list[str]()
    run(line, [*(Walk(name, log, clock, 3, 10.0, large=True) for name in "ab"), Walk("small", log, clock)])
    assert log == ["a", "small", "a", "a", "b", "b", "b"]


def test_a_piece_that_only_waits_lets_the_next_one_run(line: Line, clock: Clock) -> None:
    log, other = list[str](), threading.Event()

    def rest() -> None:
        with line.resting():
            assert other.wait(PATIENCE_S)

    run(line, [Walk("rests", log, clock, each=rest), Walk("other", log, clock, each=other.set)])
    assert log == ["rests", "other"]
    with line.resting():
        pass  # a thread without a piece only waits


def test_where_the_system_gives_no_thread_the_piece_is_refused(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as no_threads:
        no_threads.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
        with pytest.raises(SettingError, match="Try again in a minute"):
            line.join(Held("a"))
    assert len(line) == 0
    line.join(one := Held("a"))
    assert one.under_way.wait(PATIENCE_S)
    one.end.set()


# -- pages --


def test_a_page_waits_for_the_one_that_is_drawn_or_only_so_long() -> None:
    line, drawn = Line(patience_s=PATIENCE_S), list[str]()

    def draw(line: Line, name: str) -> None:
        with line.drawing():
            drawn.append(name)

    with line.drawing():
        other = threading.Thread(target=draw, args=(line, "other"))
        other.start()
        with line.resting():
            other.join()
        assert drawn == ["other"], "while a page only waits, others are drawn"
        later = threading.Thread(target=draw, args=(line, "later"))
        later.start()
        assert not line._page.acquire(blocking=False) and drawn == ["other"], "now it is this page's turn again"
    later.join(PATIENCE_S)
    assert drawn == ["other", "later"]
    with pytest.raises(ValueError, match="broken"), line.drawing():
        raise ValueError("broken")
    with line.resting():  # a callback waits before its page is drawn, and has no turn to give
        assert line._page.acquire(blocking=False), "a page that failed gave its turn back"
    hasty = Line(patience_s=0.01)
    with hasty.drawing():
        beside = threading.Thread(target=draw, args=(hasty, "beside"))
        beside.start()
        beside.join(PATIENCE_S)
        assert drawn[-1] == "beside"
