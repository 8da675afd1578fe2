"""Keeps rooms on the disk, so that they come back after a restart: one file a room, written whole or not at all.

A file has what its room has: questions, votes, hashed keys of teacher and students. It is deleted when the room ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from tokviz.base.errors import TokvizError
from tokviz.base.files import sweep, write
from tokviz.base.typed import JsonCount, read
from tokviz.teach.questions import from_json, to_json
from tokviz.teach.rooms.room import OPEN_S, Asked, Room, RoomPhase

VERSION: Literal[1] = 1
SUFFIX = ".room.json"
FILE_LIMIT = 20_000_000  # bytes; a larger file is not one of ours
DAMAGED = (ValueError, OverflowError, MemoryError, RecursionError)
_ROUNDS = {"join": (0,), "ready": (1, 2), "ask": (1,), "again": (2,), "reveal": (1,), "second": (2,)}  # of votes so far


def room_to_json(room: Room) -> dict[str, Any]:
    """Turn all of a room into values for JSON. They are copies: the room may change while they are written."""
    with room.lock:
        return {
            "tokviz_room": VERSION,
            "code": room.code,
            "teacher": room.teacher,
            "began": room.began,
            "phase": room.phase,
            "asked": [
                {"question": to_json(asked.question), "rounds": [{**votes} for votes in asked.rounds]}
                for asked in room.asked
            ],
            "plan": [to_json(question) for question in room.plan],
            "students": {**room.students},
            "show_code": room.show_code,
            "step": room.step,
            "follow": room.follow,
            "let_in": room.lets_in,
        }


class _Asked(NamedTuple):
    question: dict[str, Any]
    rounds: Annotated[list[dict[str, JsonCount]], range(1, 3)]


class _Room(NamedTuple):
    """Describes the values that `room_to_json` gives."""

    tokviz_room: Literal[1]
    code: str
    teacher: str
    began: float
    phase: RoomPhase
    asked: list[_Asked]
    plan: list[dict[str, Any]]
    students: dict[str, JsonCount]
    show_code: bool
    step: str
    follow: bool
    let_in: bool = True


def room_from_json(data: Any) -> Room:
    """Make the room again. Raises one of DAMAGED if the data is damaged."""
    said: _Room = read(data, _Room)
    room = Room(said.code, said.teacher, float(said.began))
    room.phase, room.students = said.phase, said.students
    room.asked = [Asked(from_json(asked.question), asked.rounds) for asked in said.asked]
    room.plan = [*map(from_json, said.plan)]
    room.show_code, room.step, room.follow, room.lets_in = said.show_code, said.step, said.follow, said.let_in
    for asked in room.asked:
        if any(vote >= len(asked.question.options) for votes in asked.rounds for vote in votes.values()):
            raise ValueError("The votes do not fit the question.")
    rounds = len(room.asked[-1].rounds) if room.asked else 0
    if rounds not in _ROUNDS.get(room.phase, ()) or (room.phase == "ready" and not room.plan):
        raise ValueError("The phase does not fit the questions.")
    return room


def write_room(folder: Path, room: Room) -> tuple[int, bool]:
    """Write a room; return (the version that was written, whether it could be written)."""
    with room.lock:
        version, data = room.version, room_to_json(room)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / f"{room.code}{SUFFIX}", json.dumps(data, separators=(",", ":")).encode())
    except (TokvizError, OSError):
        return version, False
    return version, True


def read_all(folder: Path, now: float) -> Iterator[Room]:
    """Yield the rooms of a folder that are still open. Delete the files of those that are over; skip damaged ones."""
    sweep(folder)
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            if not path.is_file() or path.stat().st_size > FILE_LIMIT:  # to open a pipe would wait
                continue
            room = room_from_json(json.loads(path.read_bytes()))
        except (OSError, *DAMAGED):
            continue
        if path.name != f"{room.code}{SUFFIX}":
            continue
        if now >= room.ends:
            delete(folder, room.code)
            continue
        if room.began > now:  # the clock was set back meanwhile
            room.began, room.ends = now, now + OPEN_S
        room.kept = True
        yield room


def delete(folder: Path, code: str) -> None:
    """Delete the file of a room, if it can be deleted."""
    with suppress(OSError):
        (folder / f"{code}{SUFFIX}").unlink(missing_ok=True)
