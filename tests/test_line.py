"""The line of the server: whose work runs next, how much of it may wait, and how a piece hands its turn over."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Semaphore
from typing import Any

import pytest

from tests.test_visitors import Clock, clock
from tests.waiting import PATIENCE_S, Held, eventually
from tokviz.base.errors import SettingError
from tokviz.ui.server import limits
from tokviz.ui.server.line import BESIDE, LONG_S, PAGES_BESIDE, PAGES_LATE, Line, _beside, drawing, resting

__all__ = ["clock"]


@pytest.fixture
def line(clock: Clock) -> Line:
    return Line(1, 9, clock)


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
    log.clear()
    run(line, [Walk("long", log, clock, 7, 1.0), *(Walk(name, log, clock) for name in "xyz")])
    assert log == ["long"] * 2 + ["x", "y", "z"] + ["long"] * 5, "and where nobody waits, it goes on"


def test_a_cancelled_piece_does_not_wait_for_another_turn(line: Line, clock: Clock) -> None:
    """It would say “Cancelling” until all others had had theirs, and keep what it holds so long."""
    log = list[str]()
    long = Walk("long", log, clock, 4, 100.0)
    long.each = long.stop.set
    run(line, [long, Walk("other", log, clock)])
    assert log == ["long"] * 4 + ["other"]


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_no_more_run_at_once_than_the_line_has_threads(at_once: int) -> None:
    line = Line(at_once, 9)
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
        with line.resting(rests):
            assert other.wait(PATIENCE_S)

    rests = Walk("rests", log, clock, each=rest)
    run(line, [rests, Walk("other", log, clock, each=other.set)])
    assert log == ["rests", "other"]
    with resting():
        pass  # a thread without a piece only waits


def test_only_so_many_pieces_that_wait_let_others_run(line: Line) -> None:
    """Each keeps a thread. A hundred that waited for a package of others would leave none to answer keys."""
    end, begun = threading.Event(), list[Walk]()

    def rest(walk: Walk) -> None:
        begun.append(walk)
        with line.resting(walk):
            assert end.wait(PATIENCE_S)

    walks = [Walk(f"{n}", [], Clock()) for n in range(9)]
    for walk in walks:
        walk.each = partial(rest, walk)
        line.join(walk)
    eventually(lambda: len(begun) == BESIDE // 2 + 1)
    assert line.before(walks[BESIDE // 2 + 1]) == 1
    end.set()
    eventually(lambda: len(line) == 0)


# -- what is called in a thread --


def test_visitors_whose_calls_wait_take_turns() -> None:
    order, gate = list[str](), Held("a")

    async def ask() -> None:
        line = Line(1, 1)
        line.join(gate)
        names = ("a1", "a2", "b1", "b2", "c1")
        calls = [asyncio.ensure_future(line.do(name[0], partial(order.append, name))) for name in names]
        await asyncio.sleep(0)
        gate.end.set()
        await asyncio.gather(*calls)

    asyncio.run(ask())
    assert order == ["b1", "c1", "a1", "b2", "a2"], "who had a turn is behind all others"


def test_what_is_cancelled_is_not_done_or_counts_until_it_ends_and_faults_reach_who_asked() -> None:
    slow, done = Held("a"), list[str]()

    async def ask() -> None:
        line = Line(2, 1)

        async def call(who: str, function: Callable[[], Any]) -> asyncio.Task[Any]:
            task = asyncio.ensure_future(line.do(who, function))
            await asyncio.sleep(0)
            return task

        first, gone, last = [await call("a", one) for one in (slow.go_on, partial(done.append, "gone"), lambda: 1 / 0)]
        assert await asyncio.to_thread(slow.under_way.wait, PATIENCE_S)
        first.cancel()
        gone.cancel()
        assert await line.do("b", lambda: "quick") == "quick"
        eventually(lambda: len(line) == 2)  # one visitor has one thread, also after who asked has left
        slow.end.set()
        with pytest.raises(ZeroDivisionError):
            await last

    asyncio.run(ask())
    assert not done


# -- pages --


def test_a_page_waits_for_the_one_that_is_drawn_or_only_so_long() -> None:
    drawn, own = list[str](), Semaphore()

    def begun(name: str, own: Semaphore, patience_s: float = PATIENCE_S) -> threading.Thread:
        def draw() -> None:
            with drawing(own, patience_s):
                drawn.append(name)

        thread = threading.Thread(target=draw)
        thread.start()
        return thread

    with drawing(own):
        other = begun("other", Semaphore())
        with resting():
            other.join(PATIENCE_S)
        assert drawn == ["other"], "while a page only waits, others are drawn"
        later, same = begun("later", Semaphore()), begun("same visitor", own, 0.0)
        begun("beside", Semaphore(), 0.01).join(PATIENCE_S)
        assert drawn == ["other", "beside"], "who has waited for long, and whose other page is not drawn"
    for page in (later, same):
        page.join(PATIENCE_S)
    assert sorted(drawn[2:]) == ["later", "same visitor"]
    with pytest.raises(ValueError, match="broken"), drawing(own):
        raise ValueError("broken")
    begun("next", own).join(PATIENCE_S)
    assert drawn[-1] == "next", "a page that failed gave its turn back"


@pytest.mark.parametrize(("long_s", "at_once"), [(LONG_S, 1 + PAGES_BESIDE), (0.0, 1 + PAGES_BESIDE + PAGES_LATE)])
def test_only_so_many_pages_are_drawn_beside_each_other(
    long_s: float, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 200 that hostile visitors load at once, each took its turn of Python from what answers a key. long_s: for so
    long all have waited."""
    monkeypatch.setattr("tokviz.ui.server.line.LONG_S", long_s)
    may, begun = threading.Event(), list[threading.Thread]()

    def draw() -> None:
        with drawing(Semaphore(), 0.0):
            begun.append(threading.current_thread())
            may.wait(PATIENCE_S)

    threads = [threading.Thread(target=draw) for _ in range(20)]
    for thread in threads:
        thread.start()
    eventually(lambda: len(begun) == at_once)
    assert _beside._value == 0 and len(begun) == at_once
    may.set()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(begun) == 20
