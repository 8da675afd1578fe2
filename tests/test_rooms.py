"""Rooms: a class that acts at random is tallied as a plain count does, and nobody learns of votes too soon."""

from __future__ import annotations

import json
import random
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tokviz.base.errors import InputError, SettingError
from tokviz.teach.questions import Question, own_question
from tokviz.teach.rooms.clock import steady
from tokviz.teach.rooms.guesses import BY_STUDENT, WITHIN_S
from tokviz.teach.rooms.kept import read_all
from tokviz.teach.rooms.register import ALPHABET, EMPTY_S, ENDED_KEPT_S, HOUR_S, LIMITS, RoomLimits, Rooms
from tokviz.teach.rooms.room import BY_NEED, OPEN_S, QUESTIONS_LIMIT, Room
from tokviz.teach.rooms.states import student_state, teacher_state

PUPILS = ["ann", "bob", "eve", "kim"]
ACTS = ["ask", "again", "reveal", "next"]
BEGAN = 1_000_000.0


def question(right: int | None = 0, n: int = 3) -> Question:
    return own_question("Which one?", [f"answer {i}" for i in range(n)], right)


@dataclass
class Clock:
    now: float = BEGAN

    def __call__(self) -> float:
        return self.now


@dataclass
class Plain:
    """A class as a plain list of what happened."""

    asked: list[tuple[Question, list[dict[str, int]]]] = field(default_factory=list)
    plan: list[Question] = field(default_factory=list)
    students: list[str] = field(default_factory=list)
    phase: str = "join"

    @property
    def number(self) -> int:
        return len(self.asked) + (bool(self.plan) if self.phase in ("join", "ready") else 0)


class ClassAtRandom(RuleBasedStateMachine):
    """One room of a server with two, whose students vote in both; the other one has to stay as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock, self.plain = Clock(), Plain()
        self.rooms = Rooms(Path(self.folder.name), self.clock, random.Random(1))
        other = self.rooms.open("another teacher")
        other.add(question())
        self.rooms.join("zoe", other.code)
        other.do("ask", 1)
        other.vote("zoe", 2, number=1, round=1, n=1)
        self.other = json.dumps(teacher_state(other))
        self.code = self.rooms.open("teacher").code
        self.ns = dict.fromkeys(PUPILS, 0)
        for who in PUPILS[:2]:
            self.join(who)
        for right in (0, None):
            self.add(right, 3)

    def teardown(self) -> None:
        self.folder.cleanup()

    @property
    def room(self) -> Room:
        room = self.rooms.of_teacher("teacher")
        assert room is not None and room.code == self.code
        return room

    @precondition(lambda self: len(self.plain.asked) + len(self.plain.plan) < QUESTIONS_LIMIT)
    @rule(right=st.sampled_from([None, 0, 1]), n=st.integers(2, 6))
    def add(self, right: int | None, n: int) -> None:
        added = question(right, n)
        self.room.add(added)
        self.plain.plan.append(added)

    @precondition(lambda self: self.plain.plan)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        place = data.draw(st.integers(0, len(self.plain.plan) - 1))
        self.room.drop(len(self.plain.asked) + place + 1)
        del self.plain.plan[place]
        if self.plain.phase == "ready" and not self.plain.plan:
            self.plain.phase = "second" if len(self.plain.asked[-1][1]) == 2 else "reveal"

    @rule(act=st.sampled_from(ACTS), late=st.booleans())
    def press(self, act: Any, late: bool) -> None:
        plain = self.plain
        number = plain.number - late
        to = {
            ("join", "ask"): "ask",
            ("ready", "ask"): "ask",
            ("ask", "again"): "again",
            ("ask", "reveal"): "reveal",
            ("again", "reveal"): "second",
            ("reveal", "next"): "ready",
            ("second", "next"): "ready",
        }.get((plain.phase, act))
        works = to is not None and not late and (act not in ("ask", "next") or bool(plain.plan))
        assert self.room.do(act, number) == works
        if works:
            plain.phase = str(to)
            if act == "ask":
                plain.asked.append((plain.plan.pop(0), [{}]))
            if act == "again":
                plain.asked[-1][1].append({})

    @rule(who=st.sampled_from(PUPILS))
    def join(self, who: str) -> None:
        self.rooms.join(who, f" {self.code.lower()} ")
        if who not in self.plain.students:
            self.plain.students.append(who)
            self.ns[who] = 0

    @rule(who=st.sampled_from(PUPILS))
    def leave(self, who: str) -> None:
        self.rooms.leave(who)
        if who in self.plain.students:
            self.plain.students.remove(who)
            if self.plain.phase in ("ask", "again"):
                self.plain.asked[-1][1][-1].pop(who, None)

    @precondition(lambda self: self.plain.asked)
    @rule(who=st.sampled_from(PUPILS), option=st.integers(0, 3), late=st.sampled_from([0, 0, 0, 1]))
    def vote(self, who: str, option: int, late: int) -> None:
        """Vote, and send the vote and earlier ones again, as after a lost connection."""
        plain, n = self.plain, self.ns[who] + 1
        round = len(plain.asked[-1][1]) - late
        vote = {"number": len(plain.asked), "round": round, "n": n}
        counts = (
            who in plain.students
            and plain.phase in ("ask", "again")
            and not late
            and option < len(plain.asked[-1][0].options)
        )
        if not counts:
            with pytest.raises(InputError):
                self.room.vote(who, option, **vote)
            return
        assert self.room.vote(who, option, **vote)
        plain.asked[-1][1][-1][who] = option
        self.ns[who] = n
        for older in range(2):
            assert not self.room.vote(who, 1 - min(option, 1), **{**vote, "n": max(n - older, 1)})

    @rule(seconds=st.integers(1, 60))
    def wait(self, seconds: int) -> None:
        self.clock.now = min(self.clock.now + seconds, BEGAN + OPEN_S - 1)

    @rule()
    def restart(self) -> None:
        self.rooms.write()
        self.rooms = Rooms(Path(self.folder.name), self.clock, random.Random(2))
        assert self.room.kept

    @invariant()
    def the_teacher_sees_what_a_plain_count_gives(self) -> None:
        plain, state = self.plain, teacher_state(self.room)
        coming = plain.phase in ("join", "ready")
        assert state["phase"] == plain.phase
        assert state["joined"] == len(plain.students)
        assert (state["number"], state["of"]) == (plain.number, len(plain.asked) + len(plain.plan))
        assert state["voted"] == (None if coming else len(plain.asked[-1][1][-1]))
        if plain.phase not in ("reveal", "second"):
            assert state["result"] is None
            return
        asked, rounds = plain.asked[-1]
        tallies = [[list(votes.values()).count(i) for i in range(len(asked.options))] for votes in rounds]
        result = state["result"]
        assert [result["first"], result["second"]] == [*tallies, None][:2]
        assert result["right"] == asked.right
        if asked.right is not None:
            assert f"{tallies[-1][asked.right]} of {len(rounds[-1])}" in result["gain"]

    @invariant()
    def a_student_sees_their_own_votes_and_no_others(self) -> None:
        plain = self.plain
        for who in plain.students:
            state = student_state(self.room, who)
            rounds = plain.asked[-1][1] if plain.asked else []
            first, second = [votes.get(who) for votes in [*rounds, {}, {}][:2]]
            assert state["mine"] == {"first": first, "second": second, "n": self.ns[who]}
            assert (state["result"] is None) == (plain.phase in ("ask", "again") or not plain.asked)
            assert not {"first", "second", "voted", "gain"} & (state["result"] or {}).keys()

    @invariant()
    def the_other_room_stays_as_it_is(self) -> None:
        other = self.rooms.of_teacher("another teacher")
        assert other
        now = json.loads(json.dumps(teacher_state(other)))
        assert {**now, "kept": False} == {**json.loads(self.other), "kept": False}


ClassAtRandom.TestCase.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
TestClassAtRandom = ClassAtRandom.TestCase


@pytest.mark.long
class TestClassAtRandomForLong(ClassAtRandom.TestCase):
    settings = settings(max_examples=500, stateful_step_count=100, deadline=None, suppress_health_check=[*HealthCheck])


# -- codes, limits, the end --


def rooms_at(clock: Clock, folder: Path | None = None, limits: RoomLimits = LIMITS, **given: Any) -> Rooms:
    return Rooms(folder, clock, random.Random(3), limits=limits, **given)


def test_a_code_is_four_characters_that_look_different_and_no_two_rooms_share_one() -> None:
    clock = Clock()
    rooms = rooms_at(clock)
    codes = [rooms.open(f"teacher {i}", f"address {i // 9}").code for i in range(LIMITS.rooms)]
    assert len({*codes}) == LIMITS.rooms
    assert all(len(code) == 4 and {*code} <= {*ALPHABET} for code in codes)
    assert not {*"O0I1"} & {*ALPHABET}
    assert rooms.open("teacher 7").code == codes[7]
    with pytest.raises(SettingError, match="limit"):
        rooms.open("one too many")
    room = rooms.of_teacher("teacher 3")
    assert room
    room.end(clock())
    assert rooms.open("one too many").code not in codes


@pytest.mark.parametrize("code", ["", "AB", "ABCDE", "AB0D", "A CD", "ÄÖÜß", "<b>x", "A" * 5_000])
def test_what_is_no_code_says_what_codes_look_like(code: str) -> None:
    with pytest.raises(InputError, match="four letters or digits"):
        rooms_at(Clock()).join("ann", code)


def test_a_wrong_code_slows_who_typed_it_and_nobody_beside() -> None:
    """61 wrong codes from one address refused the right code to its whole network."""
    clock = Clock()
    rooms = rooms_at(clock)
    room = rooms.open("teacher")
    for eve in range(200):
        for _ in range(BY_STUDENT):
            with pytest.raises(InputError, match="No room has the code ZZZZ"):
                rooms.join(f"eve {eve}", "ZZZZ")
        with pytest.raises(InputError, match="Wait a minute"):
            rooms.join(f"eve {eve}", room.code)
    assert rooms.join("ann", room.code) is room
    clock.now += WITHIN_S
    assert rooms.join("eve 1", room.code) is room


def test_a_seat_that_never_answers_is_given_away_first() -> None:
    """299 false students filled a room in a second."""
    here = {"ann", "bob", "false 0"}
    rooms = rooms_at(Clock(), limits=LIMITS._replace(students=4), here=here.__contains__)
    room = rooms.open("teacher")
    room.add(question())
    for student in ("false 0", "ann", "false 1", "false 2"):
        rooms.join(student, room.code)
    room.do("ask", 1)
    room.vote("ann", 0, number=1, round=1, n=1)
    for student, left in (("bob", "false 1"), ("cid", "false 2"), ("dot", "cid"), ("eve", "dot")):
        assert rooms.join(student, room.code) is room and rooms.of_student(left) is None
    here |= {"eve"}
    rooms.join("fay", room.code)
    assert [*room.students] == ["ann", "bob", "eve", "fay"], "of those who are here, who came first"
    for n, student in enumerate(("bob", "eve", "fay"), 1):
        room.vote(student, 0, number=1, round=1, n=n)
    with pytest.raises(SettingError, match="full"):
        rooms.join("gil", room.code)


def test_rooms_that_nobody_uses_keep_no_class_out() -> None:
    """Twenty rooms shut every teacher of a network out for two hours."""
    clock, here = Clock(), {"ann"}
    rooms = rooms_at(clock, limits=LIMITS._replace(an_address=3), here=here.__contains__)
    used, voted, empty = (rooms.open(f"teacher {n}", "there") for n in range(3))
    rooms.join("ann", used.code)
    voted.add(question())
    rooms.join("bob", voted.code)
    voted.do("ask", 1)
    voted.vote("bob", 0, number=1, round=1, n=1)
    rooms.join("false", empty.code)
    with pytest.raises(SettingError, match="3 rooms are open from the network"):
        rooms.open("late", "there")
    clock.now += EMPTY_S
    assert empty.phase == "join", "as long as nobody needs its place"
    assert rooms.open("late", "there").phase == "join"
    assert (used.phase, voted.phase, empty.phase, empty.over) == ("join", "ask", "ended", BY_NEED)


def test_a_room_ends_by_its_teacher_or_after_two_hours_and_says_so() -> None:
    clock = Clock()
    rooms = rooms_at(clock)
    room = rooms.open("teacher")
    rooms.join("ann", room.code)
    clock.now += OPEN_S - 1
    assert room.phase == "join" and rooms.of_student("ann") is room
    clock.now += 1
    assert rooms.of_student("ann") is room
    state = student_state(room, "ann")
    assert (state["phase"], state["why"]) == ("ended", "The room was open for two hours, and is closed now.")
    with pytest.raises(InputError, match="No room"):
        rooms.join("bob", room.code)
    with pytest.raises(SettingError, match="has ended"):
        room.add(question())
    assert not room.do("ask", 1)
    clock.now += ENDED_KEPT_S
    assert rooms.of_student("ann") is None and rooms.of_teacher("teacher") is None
    again = rooms.open("teacher")
    again.end(clock())
    assert teacher_state(again)["why"] == "The teacher ended the room."
    assert rooms.open("teacher") is not again


def test_a_room_has_at_most_sixty_questions() -> None:
    room = rooms_at(Clock()).open("teacher")
    for _ in range(QUESTIONS_LIMIT):
        room.add(question())
    with pytest.raises(SettingError, match="60 questions"):
        room.add(question())


def test_a_student_is_in_one_room_at_a_time() -> None:
    rooms = rooms_at(Clock())
    first, second = rooms.open("one"), rooms.open("two")
    rooms.join("ann", first.code)
    rooms.join("ann", second.code)
    assert rooms.of_student("ann") is second
    assert not first.students and [*second.students] == ["ann"]


def test_what_one_student_does_concerns_nobody_but_the_teacher() -> None:
    heard: list[str | None] = []
    rooms = Rooms(None, Clock(), random.Random(3), lambda room, student: heard.append(student))
    room = rooms.open("teacher")
    room.add(question())
    rooms.join("ann", room.code)
    room.do("ask", 1)
    room.vote("ann", 0, number=1, round=1, n=1)
    rooms.leave("ann")
    assert heard == [None, None, "ann", None, "ann", "ann"]


def test_a_server_keeps_no_more_rooms_that_have_ended_than_may_be_open() -> None:
    clock = Clock()
    rooms = rooms_at(clock)
    for i in range(2 * LIMITS.rooms):
        rooms.open(f"teacher {i}", f"address {i // 9}").end(clock())
    assert rooms.of_teacher("teacher 0") is None
    assert sum(rooms.of_teacher(f"teacher {i}") is not None for i in range(2 * LIMITS.rooms)) == LIMITS.rooms


def test_nobody_uses_up_the_rooms_with_one_cookie_or_with_many() -> None:
    clock = Clock()
    rooms = rooms_at(clock, limits=LIMITS._replace(an_address=3))
    for _ in range(LIMITS.a_teacher):
        rooms.open("eager", "there").end(clock())
    with pytest.raises(SettingError, match="5 rooms in the last hour"):
        rooms.open("eager", "elsewhere")
    clock.now += HOUR_S
    rooms.open("eager", "there")
    for i in range(2):
        rooms.open(f"cookie {i}", "there")
    with pytest.raises(SettingError, match="3 rooms are open from the network"):
        rooms.open("cookie 3", "there")
    assert rooms.open("cookie 3", "elsewhere") and rooms.n_open == 4
    assert rooms.open("eager", "there").phase == "join", "one's own open room is always there"


def test_a_teacher_lets_nobody_else_in(tmp_path: Path) -> None:
    rooms = rooms_at(Clock(), tmp_path)
    room = rooms.open("teacher")
    rooms.join("ann", room.code)
    room.let_in(False)
    assert rooms.join("ann", room.code) is room, "who is in it stays"
    with pytest.raises(SettingError, match="no one else"):
        rooms.join("bob", room.code)
    rooms.write()
    again = rooms_at(Clock(), tmp_path).of_teacher("teacher")
    assert again and not again.lets_in and teacher_state(again)["let_in"] is False
    again.let_in(True)
    again.join("bob")


def test_setting_the_clock_of_the_machine_ends_no_room(tmp_path: Path) -> None:
    set_to, ticks = Clock(), Clock()
    now = steady(set_to, ticks)
    rooms = Rooms(tmp_path, now, random.Random(3))
    room = rooms.open("teacher")
    for jump in (-HOUR_S, 25 * HOUR_S):
        set_to.now += jump
        ticks.now += 60
        assert rooms.of_teacher("teacher") is room and room.phase == "join"
    ticks.now += OPEN_S
    assert rooms.n_open == 0, "it is still over after two hours"

    room = rooms.open("teacher")
    rooms.write()
    early = Clock()
    early.now = now() - HOUR_S
    [after] = read_all(tmp_path, early())
    assert after.ends == early() + OPEN_S, "after a restart with a clock that was set back, it is open for no longer"
