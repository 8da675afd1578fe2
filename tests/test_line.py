"""The line of the server: whose work runs next, how much of it may wait, and how a piece hands its turn over."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence

import pytest

from tests.test_visitors import Clock, clock
from tokviz.base.errors import SettingError
from tokviz.ui.server import limits
from tokviz.ui.server.line import Line, Turn

__all__ = ["clock"]


@pytest.fixture
def line(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Line:
    monkeypatch.setattr(limits, "JOBS_AT_ONCE", 1)
    return Line(clock)


def running(turns: Sequence[Turn]) -> list[Turn]:
    return [turn for turn in turns if turn.come.is_set() and not turn.given_up]


def test_visitors_have_turns_one_after_the_other(line: Line) -> None:
    turns = {name: line.join(name[0]) for name in ("a1", "a2", "a3", "b1", "c1", "b2")}
    order, left = [], dict(turns)
    while left:
        waits = {line.before(turn): name for name, turn in left.items()}
        assert sorted(waits) == [*range(len(left))], "each knows its place"
        [now] = [name for name in left if left[name].come.is_set()]
        order.append(now)
        assert now == waits[0]
        line.end(left.pop(now))
    assert order == ["a1", "b1", "c1", "a2", "b2", "a3"]
    assert len(line) == 0


def test_thirty_small_pieces_go_between_two_turns_of_a_long_one(line: Line, clock: Clock) -> None:
    long = line.join("long")
    clock.s += 100
    line.give_way(long)
    assert long.come.is_set(), "nobody else waits, so it goes on"
    small = [line.join(n) for n in range(30)]
    line.give_way(long)
    assert not long.come.is_set() and line.before(long) == 30
    for n, turn in enumerate(small):
        clock.s += 0.1
        assert running([*small[n:], long]) == [turn]
        line.give_way(turn)
        assert turn.come.is_set(), "its turn is not over"
        line.end(turn)
    assert running([long]) == [long]
    late = line.join("late")
    line.give_way(long)
    assert long.come.is_set() and line.before(late) == 1, "its new turn has just begun"


def test_a_cancelled_piece_does_not_wait_for_another_turn(line: Line, clock: Clock) -> None:
    """It would say “Cancelling” until all others had had theirs, and keep what it holds so long."""
    long, other = line.join("long"), line.join("other")
    clock.s += 100
    line.give_up(long)
    line.give_way(long)
    assert long.come.is_set() and not other.come.is_set()
    line.end(long)
    assert other.come.is_set()


def test_whatever_comes_each_visitor_gets_the_same_share(line: Line, clock: Clock) -> None:
    """Visitors with one to three endless pieces each; all have about as many turns."""
    chance = random.Random(17)
    turns = [line.join(name) for name in "abcde" for _ in range(chance.randint(1, 3))]
    had: Counter[object] = Counter()
    for _ in range(100):
        [now] = running(turns)
        had[now.whose] += 1
        clock.s += limits.TURN_SECONDS
        line.give_way(now)
    assert set(had.values()) == {20}


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_no_more_run_at_once_than_the_operator_says(
    line: Line, clock: Clock, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "JOBS_AT_ONCE", at_once)
    monkeypatch.setattr(limits, "JOBS_A_VISITOR", 100)
    chance = random.Random(at_once)
    turns: list[Turn] = []
    for n in itertools.count():
        done = n > 300
        if not done and len(turns) < 12 and chance.random() < 0.5:
            turns.append(line.join(chance.choice("abcdefgh")))
        elif turns:
            one = chance.choice(turns)
            clock.s += chance.choice([0.1, limits.TURN_SECONDS])
            if chance.random() < 0.5:
                if one.come.is_set():
                    line.give_way(one)
            else:
                line.give_up(one)
                line.end(one)
                turns.remove(one)
        assert len(running(turns)) == min(at_once, len(turns))
        assert len(line) == len(turns)
        if done and not turns:
            break


def test_the_line_is_bounded(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "JOBS_A_VISITOR", 2)
    monkeypatch.setattr(limits, "JOBS", 5)
    first, second = line.join("a"), line.join("a")
    with pytest.raises(SettingError, match="You have 2 pieces of work under way, and one visitor can have no more"):
        line.join("a")
    third = line.join("a", instead_of=second)
    line.give_up(second)
    line.end(second)
    for whose in "bcd":
        line.join(whose)
    with pytest.raises(SettingError, match="All visitors together have 5 pieces of work under way"):
        line.join("e")
    line.give_up(first)
    assert not third.come.is_set(), "the first still uses the machine until its slice ends"
    line.join("e")
    line.end(first)
    assert len(line) == 5


def test_of_the_large_pieces_one_is_under_way_at_a_time(line: Line, clock: Clock) -> None:
    """What has begun keeps its tables, so two large ones would take twice the memory."""
    a, b, small = line.join("a", large=True), line.join("b", large=True), line.join("c")
    clock.s += 10
    line.give_way(a)
    assert running([a, b, small]) == [small]
    line.end(small)
    assert running([a, b]) == [a], "b is before it, but must not begin yet"
    clock.s += 10
    line.give_way(a)
    assert running([a, b]) == [a], "nobody who waits can run"
    line.give_up(a)
    line.end(a)
    assert running([a, b]) == [b]
