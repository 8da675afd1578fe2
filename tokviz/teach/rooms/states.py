"""Decides what a teacher and a student are told of a room. The socket of the class says what each field means.

Before the reveal, nothing that a student is told depends on the votes of others or on the right answer, and the teacher
is told only how many have voted.
"""

from __future__ import annotations

from typing import Any

from tokviz.teach.questions import Question
from tokviz.teach.rooms.room import Room


def teacher_state(room: Room) -> dict[str, Any]:
    """Return the state of the room as its teacher sees it, without `here` and `step`, which the socket knows."""
    with room.lock:
        coming = room.phase in ("join", "ready")
        result = None if coming else room.result()
        return {
            "phase": room.phase,
            "can": room.can,
            "code": room.code,
            "joined": len(room.students),
            "voted": None if coming or not room.asked else len(room.asked[-1].rounds[-1]),
            "number": room.number,
            "of": room.n_questions,
            "plan": [
                {"number": len(room.asked) + i, "title": question.title, "lead": question.lead}
                for i, question in enumerate(room.plan, 1)
            ],
            "show_code": room.show_code,
            "follow": room.follow,
            "let_in": room.lets_in,
            "result": None if result is None else {**result, **room.votes()},
            "kept": room.kept,
            "why": room.over,
        }


def student_state(room: Room, student: str) -> dict[str, Any]:
    """Return the state of the room as this student sees it."""
    with room.lock:
        first, second = room.votes_of(student)
        return {
            "phase": _student_phase(room),
            "code": room.code,
            "number": len(room.asked),
            "of": room.n_questions,
            "mine": {"first": first, "second": second, "n": room.students.get(student, 0)},
            "step": room.shown_step,
            "result": room.result(),
            "why": room.over,
        }


def _student_phase(room: Room) -> str:
    if not room.asked and room.phase in ("join", "ready"):
        return "wait"
    if room.phase == "ready":  # the last result stays in view
        return room.told
    return room.phase


NO_ROOM = teacher_state(Room("", "", 0)) | {"phase": "none", "kept": True}
"""The state of a teacher without a room."""

NOT_IN_A_ROOM = student_state(Room("", "", 0), "") | {"phase": "code"}
"""The state of a student who is in no room."""


def question_for_teacher(room: Room) -> tuple[int, Question] | None:
    """Return the question in view of the teacher with its number, or None."""
    with room.lock:
        question = room.in_view
        return None if question is None else (room.number, question)


def question_for_student(room: Room) -> tuple[int, Question] | None:
    """Return the question in view of the students with its number, or None."""
    with room.lock:
        return (len(room.asked), room.asked[-1].question) if room.asked else None
