"""Rooms on the disk, so that they come back after a restart: one file a room, written whole or not at all.

A file has what its room has: questions, votes, and the hashed keys of teacher and students. It is deleted when the room
ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tokviz.base.errors import TokvizError
from tokviz.base.files import sweep, write
from tokviz.teach.questions import from_json, to_json
from tokviz.teach.rooms.room import OPEN_S, Asked, Room

VERSION = 1
SUFFIX = ".room.json"
FILE_LIMIT = 20_000_000  # bytes; a larger file is not one of ours
DAMAGED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError, RecursionError)
_ROUNDS = {"join": (0,), "ready": (1, 2), "ask": (1,), "again": (2,), "reveal": (1,), "second": (2,)}  # of votes so far


def room_to_json(room: Room) -> dict[str, Any]:
    """All of a room as values for JSON. They are copies: the room may change while they are written."""
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


def room_from_json(data: Mapping[str, Any]) -> Room:
    """The room again. Raises one of DAMAGED if the data is damaged."""
    if data["tokviz_room"] != VERSION or data["phase"] not in _ROUNDS:
        raise ValueError("This is not a room that this version can read.")
    room = Room(str(data["code"]), str(data["teacher"]), float(data["began"]))
    room.phase = data["phase"]
    room.asked = [
        Asked(
            from_json(said["question"]),
            [{str(student): int(vote) for student, vote in votes.items()} for votes in said["rounds"]],
        )
        for said in data["asked"]
    ]
    room.plan = [from_json(said) for said in data["plan"]]
    room.students = {str(student): int(n) for student, n in data["students"].items()}
    room.show_code, room.step, room.follow = bool(data["show_code"]), str(data["step"]), bool(data["follow"])
    room.lets_in = bool(data.get("let_in", True))
    for asked in room.asked:
        fits = all(0 <= vote < len(asked.question.options) for votes in asked.rounds for vote in votes.values())
        if not fits or len(asked.rounds) not in (1, 2):
            raise ValueError("The votes do not fit the question.")
    rounds = len(room.asked[-1].rounds) if room.asked else 0
    if rounds not in _ROUNDS[room.phase] or (room.phase == "ready" and not room.plan):
        raise ValueError("The phase does not fit the questions.")
    return room


def write_room(folder: Path, room: Room) -> tuple[int, bool]:
    """Write a room; (the version that was written, whether it could be written)."""
    with room.lock:
        version, data = room.version, room_to_json(room)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / f"{room.code}{SUFFIX}", json.dumps(data, separators=(",", ":")).encode())
    except (TokvizError, OSError):
        return version, False
    return version, True


def read_all(folder: Path, now: float) -> Iterator[Room]:
    """The rooms of a folder that are still open. Files of rooms that are over are deleted, damaged ones left out."""
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
    try:
        (folder / f"{code}{SUFFIX}").unlink(missing_ok=True)
    except OSError:
        return
