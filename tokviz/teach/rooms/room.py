"""Runs one room: its questions, its phases, and the votes.

    join -> ask -> (again ->) reveal or second -> ready -> ask -> ...

A student votes in the phase `ask`, and once more in `again`, which comes before the reveal. A vote can be changed until
its round is over. A second vote does not overwrite the first: both are counted at the reveal. There are no names here:
a teacher or a student is an opaque key.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tokviz.base.errors import InputError, SettingError
from tokviz.teach.questions import Question

RoomPhase = Literal["join", "ready", "ask", "again", "reveal", "second", "ended"]
Act = Literal["ask", "again", "reveal", "next"]

OPEN_S = 2 * 60 * 60  # how long a room is open, in seconds
QUESTIONS_LIMIT = 60  # in a room

BY_TEACHER = "The teacher ended the room."
BY_NEED = "Nobody used the room for ten minutes, and another class needed the place."
BY_TIME = "The room was open for two hours, and is closed now."


@dataclass(eq=False)
class Asked:
    """Holds a question that was asked. rounds: the votes (student -> index of the option) of one or two rounds."""

    question: Question
    rounds: list[dict[str, int]] = field(default_factory=lambda: [{}])

    def tally(self, round: int) -> list[int] | None:
        """Count the votes for each option in round 0 or 1; None if there was no such round."""
        if round >= len(self.rounds):
            return None
        votes = [*self.rounds[round].values()]
        return [votes.count(i) for i in range(len(self.question.options))]

    def gain(self) -> str:
        """Say how many were right; "" if no option is right.

        >>> from tokviz.teach.questions import own_question
        >>> asked = Asked(own_question("Is a token a word?", ["Yes", "No"], right=1), [{"a": 0, "b": 1}])
        >>> asked.gain()
        'Right: 1 of 2.'
        >>> asked.rounds.append({"a": 1, "b": 1})
        >>> asked.gain()
        'Right: 1 of 2 first, 2 of 2 then.'
        """
        if self.question.right is None:
            return ""
        right = [sum(vote == self.question.right for vote in votes.values()) for votes in self.rounds]
        shares = [f"{n} of {len(votes)}" for n, votes in zip(right, self.rounds, strict=True)]
        return f"Right: {shares[0]}." if len(shares) == 1 else f"Right: {shares[0]} first, {shares[1]} then."


Listener = Callable[["Room", str | None], None]


class Room:
    """Runs a room. Its methods can be called from several threads.

    code, teacher: four characters, and the teacher's key.
    began, ends: in seconds since 1970.
    asked, plan: the questions that were asked, the last one in view of the students, and those to come.
    students: in the order in which they joined, each with the number of the last vote that arrived.
    over: why the room ended, "" while it is open.
    step: the lesson step where the teacher is, "" for none. follow: whether students see that step too.
    lets_in, most_students: whether new students can join, and how many.
    address: of the machine from which the room was opened, "" if it is not known.
    kept: whether the room is kept on the disk, as far as is known.
    version: changes with the room.
    listener: called after each change with the room and, if it concerns only one student and the teacher, the student.
    """

    def __init__(self, code: str, teacher: str, began: float) -> None:
        self.code, self.teacher = code, teacher
        self.began, self.ends = began, began + OPEN_S
        self.phase: RoomPhase = "join"
        self.asked: list[Asked] = []
        self.plan: list[Question] = []
        self.students: dict[str, int] = {}
        self.over = ""
        self.show_code = False
        self.step, self.follow = "", False
        self.lets_in, self.address, self.most_students = True, "", 300
        self.kept = False
        self.version = 0
        self.lock = threading.RLock()
        self.listener: Listener | None = None

    # -- what is in view --

    @property
    def number(self) -> int:
        """The number of the question in view of the teacher, from 1; 0 for none."""
        with self.lock:
            return len(self.asked) + (self.phase in ("join", "ready") and bool(self.plan))

    @property
    def n_questions(self) -> int:
        """How many questions there are, asked and to come."""
        return len(self.asked) + len(self.plan)

    @property
    def in_view(self) -> Question | None:
        """The question in view of the teacher."""
        with self.lock:
            if self.phase in ("join", "ready"):
                return self.plan[0] if self.plan else None
            return self.asked[-1].question if self.asked else None

    @property
    def can(self) -> list[Act]:
        """What the teacher can do, the first is what comes next."""
        with self.lock:
            match self.phase:
                case "ask":
                    return ["reveal", "again"]
                case "again":
                    return ["reveal"]
                case "join" | "ready" if self.plan:
                    return ["ask"]
                case "reveal" | "second" if self.plan:
                    return ["next"]
            return []

    @property
    def is_open(self) -> bool:
        """Whether students can vote now."""
        return self.phase in ("ask", "again")

    @property
    def told(self) -> RoomPhase:
        """The phase in which the result of the last question is shown."""
        return "second" if len(self.asked[-1].rounds) == 2 else "reveal"

    @property
    def shown_step(self) -> str:
        """The lesson step that students see, "" for none. While they can vote, they see the question alone."""
        with self.lock:
            return self.step if self.follow and not self.is_open and self.phase != "ended" else ""

    # -- the teacher --

    def add(self, question: Question) -> None:
        """Put a question at the end of the plan. SettingError if the room has too many."""
        with self.lock:
            self._check_open()
            if self.n_questions >= QUESTIONS_LIMIT:
                raise SettingError(f"A room can have {QUESTIONS_LIMIT:,} questions.", "Open another room.")
            self.plan.append(question)
            self._changed()

    def drop(self, number: int) -> None:
        """Take a question that was not asked yet out of the plan. InputError if there is none with this number."""
        with self.lock:
            self._check_open()
            place = number - len(self.asked) - 1
            if not 0 <= place < len(self.plan):
                raise InputError(f"There is no question {number:,} to come.", "Choose one that was not asked yet.")
            del self.plan[place]
            if self.phase == "ready" and not self.plan:
                self.phase = self.told
            self._changed()

    def do(self, act: Act, number: int) -> bool:
        """Press one of the four buttons. number: of the question that was in view when it was pressed.

        False, and nothing changes, if the button is off by now or another question is in view: a double or late press.
        """
        with self.lock:
            if act not in self.can or number != self.number:
                return False
            if act == "ask":
                self.asked.append(Asked(self.plan.pop(0)))
                self.phase = "ask"
            elif act == "again":
                self.asked[-1].rounds.append({})
                self.phase = "again"
            elif act == "reveal":
                self.phase = self.told
            else:
                self.phase = "ready"
            self._changed()
            return True

    def stand_at(self, step: str) -> None:
        """Follow the teacher to this step of a lesson. A room that has ended stays as it is."""
        with self.lock:
            if self.phase != "ended" and step != self.step:
                self.step = step
                self._changed()

    def let_follow(self, follow: bool) -> None:
        """Show the students the step of the teacher, or no longer."""
        with self.lock:
            self._check_open()
            self.follow = follow
            self._changed()

    def let_in(self, newcomers: bool) -> None:
        """Let new students join, or no longer. Those who are in the room stay."""
        with self.lock:
            self._check_open()
            self.lets_in = newcomers
            self._changed()

    def show(self, code: bool) -> None:
        """Show the code large, or no longer."""
        with self.lock:
            self._check_open()
            self.show_code = code
            self._changed()

    def end(self, now: float, why: str = BY_TEACHER) -> None:
        """End the room. now: in seconds since 1970."""
        with self.lock:
            if self.phase != "ended":
                self.phase, self.over, self.ends = "ended", why, min(now, self.ends)
                self._changed()

    # -- the students --

    def join(self, student: str, here: Callable[[str], bool] = lambda _: True) -> str | None:
        """Let a student in; a second time changes nothing. SettingError if the room has ended or lets no one in.

        here: whether a student is connected. In a full room, somebody who never answered gives their seat to the new
        one: who is not connected, else who came first. Returns who that is, None if nobody.
        """
        with self.lock:
            self._check_open()
            if student in self.students:
                return None
            if not self.lets_in:
                raise SettingError("The teacher lets no one else into this room.", "Ask the teacher.")
            gone = None
            if len(self.students) >= self.most_students:
                silent = [one for one, n in self.students.items() if not n]
                if not silent:
                    full = f"This room is full: it has {self.most_students:,} students."
                    raise SettingError(full, "Ask the teacher.")
                gone = next((one for one in silent if not here(one)), silent[0])
                self.leave(gone)
            self.students[student] = 0
            self._changed(student)
            return gone

    def seats(self) -> list[tuple[str, int]]:
        """Return the students, each with the number of the last vote that arrived."""
        with self.lock:
            return [*self.students.items()]

    def leave(self, student: str) -> None:
        """Take a student out, together with their vote in the round that is open."""
        with self.lock:
            if self.students.pop(student, None) is not None:
                if self.is_open:
                    self.asked[-1].rounds[-1].pop(student, None)
                self._changed(student)

    def vote(self, student: str, option: int, *, number: int, round: int, n: int) -> bool:
        """Vote, or change a vote. number, round (1 or 2): what the vote is for. n: the number of the vote.

        False, and nothing changes, if a vote with this n or a later one has arrived already. InputError if the vote is
        for another question or round than the one that is open, or for an option that is not there.
        """
        with self.lock:
            if student not in self.students:
                raise InputError("You are not in this room.", "Join it with its code.")
            if n <= self.students[student]:
                return False
            if not self.is_open or number != len(self.asked) or round != len(self.asked[-1].rounds):
                raise InputError("This vote came too late: the vote on this question is over.")
            if not 0 <= option < len(self.asked[-1].question.options):
                raise InputError("There is no such answer.", "Choose one of those on the page.")
            self.students[student] = n
            self.asked[-1].rounds[-1][student] = option
            self._changed(student)
            return True

    def votes_of(self, student: str) -> list[int | None]:
        """Return the student's first and second vote on the question that was asked last; None for no vote."""
        with self.lock:
            rounds: Sequence[dict[str, int]] = self.asked[-1].rounds if self.asked else ()
            return [rounds[i].get(student) if i < len(rounds) else None for i in range(2)]

    def _changed(self, student: str | None = None) -> None:
        self.version += 1
        if self.listener:
            self.listener(self, student)

    def _check_open(self) -> None:
        if self.phase == "ended":
            raise SettingError("This room has ended.", "Open another one.")

    # -- the result --

    def result(self) -> dict[str, Any] | None:
        """Return what everybody may know of the question that was asked last; None before its reveal."""
        with self.lock:
            if not self.asked or self.is_open or self.phase == "ended":
                return None
            return self.asked[-1].question.as_told()

    def votes(self) -> dict[str, Any]:
        """Return the votes on it, for the teacher after the reveal: {"first", "second", "voted", "gain"}."""
        with self.lock:
            asked = self.asked[-1]
            voted = [len(votes) for votes in asked.rounds]
            return {
                "first": asked.tally(0),
                "second": asked.tally(1),
                "voted": [voted[0], voted[1] if len(voted) == 2 else None],
                "gain": asked.gain(),
            }
