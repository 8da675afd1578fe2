"""The rooms of a server: opened, found by code, ended, and brought back after a restart."""

from __future__ import annotations

import hashlib
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tokviz.errors import InputError, SettingError
from tokviz.rooms.guesses import Guesses
from tokviz.rooms.kept import delete, read_all, write_room
from tokviz.rooms.room import BY_TIME, Listener, Room

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without O, 0, I and 1, which look alike
CODE_LENGTH = 4
ROOMS_LIMIT = 50  # on a server: open ones, and as many that have ended
ENDED_KEPT_S = 10 * 60  # how long an ended room can still say why it ended, in seconds
FORM = "A code has four letters or digits; it has no O, 0, I or 1."


def opaque(key: str) -> str:
    """The name of a teacher or student here: a hash of the visitor's key, which cannot be turned back.

    >>> opaque("a key"), len(opaque("a key"))
    ('475ae7bf1d7a198c417736899f85bcea', 32)
    """
    return hashlib.sha256(f"tokviz room {key}".encode()).hexdigest()[:32]


class Rooms:
    """The rooms of a server. Its methods can be called from several threads.

    folder: where rooms are kept for a restart, None for nowhere. now: seconds since 1970. draw: the source of codes.
    listener: of all rooms, see `Room`. It is called under the lock of the room, so it must be quick.
    """

    def __init__(
        self,
        folder: Path | None = None,
        now: Callable[[], float] = time.time,
        draw: random.Random | None = None,
        listener: Listener | None = None,
    ) -> None:
        self.folder = folder
        self.now = now
        self._draw = draw or random.SystemRandom()
        self._listener = listener
        self._guesses = Guesses(now)
        self._lock = threading.RLock()
        self._writing = threading.Lock()
        self._written: dict[str, int] = {}  # code -> the version of the room that is on the disk
        self._rooms: dict[str, Room] = {}
        self._where: dict[str, str] = {}  # student -> code of the room joined last
        if folder is not None:
            for room in read_all(folder, now()):
                self._rooms[room.code] = room
                room.listener = listener
                self._written[room.code] = room.version
                self._where |= dict.fromkeys(room.students, room.code)

    # -- the teacher --

    def open(self, teacher: str) -> Room:
        """The teacher's room, a new one if none is open. SettingError if the server has too many rooms."""
        with self._lock:
            self.close_old()
            room = self.of_teacher(teacher)
            if room and room.phase != "ended":
                return room
            if room:
                self._forget(room)
            ended = [room for room in self._rooms.values() if room.phase == "ended"]
            if len(self._rooms) - len(ended) >= ROOMS_LIMIT:
                raise SettingError(
                    f"This server has {ROOMS_LIMIT:,} open rooms, which is its limit.", "Try again when one has ended."
                )
            if len(ended) >= ROOMS_LIMIT:
                self._forget(ended[0])
            code = self._new_code()
            room = self._rooms[code] = Room(code, teacher, self.now())
            room.listener, room.kept = self._listener, self.folder is not None
            if self._listener:
                self._listener(room, None)
            return room

    def _new_code(self) -> str:
        while True:
            code = "".join(self._draw.choice(ALPHABET) for _ in range(CODE_LENGTH))
            if code not in self._rooms:
                return code

    def of_teacher(self, teacher: str) -> Room | None:
        """The room that this teacher opened last; it may have ended."""
        with self._lock:
            self.close_old()
            return next((room for room in self._rooms.values() if room.teacher == teacher), None)

    # -- the students --

    def join(self, student: str, code: str, address: str = "") -> Room:
        """Bring a student into the room with this code, out of any other. address: of their machine, to slow guessing.

        Raises InputError if no open room has the code, or after too many wrong codes; SettingError if the room is full.
        """
        code = code.strip().upper()
        if len(code) != CODE_LENGTH or not set(code) <= set(ALPHABET):
            raise InputError("This is not the code of a room.", FORM)
        with self._lock:
            self.close_old()
            self._guesses.check(student, address)
            room = self._rooms.get(code)
            if room is None or room.phase == "ended":
                self._guesses.wrong(student, address)
                raise InputError(f"No room has the code {code}.", FORM)
            room.join(student)
            if self._where.get(student, code) != code:
                self.leave(student)
            self._where[student] = code
            return room

    def leave(self, student: str) -> None:
        """Take a student out of their room."""
        with self._lock:
            room = self.of_student(student)
            self._where.pop(student, None)
            if room:
                room.leave(student)

    def of_student(self, student: str) -> Room | None:
        """The room that this student joined last; it may have ended."""
        with self._lock:
            self.close_old()
            return self._rooms.get(self._where.get(student, ""))

    # -- the end --

    def close_old(self) -> None:
        """End the rooms that were open long enough, and forget those that ended some time ago."""
        with self._lock:
            now = self.now()
            for room in [*self._rooms.values()]:
                if now >= room.ends:
                    room.end(now, BY_TIME)
                if room.phase == "ended" and now >= room.ends + ENDED_KEPT_S:
                    self._forget(room)

    def _forget(self, room: Room) -> None:
        self._rooms.pop(room.code, None)
        self._where = {student: code for student, code in self._where.items() if code != room.code}

    # -- the disk --

    def write(self) -> list[Room]:
        """Write the rooms that have changed since they were written, and delete those that have ended.

        A room that cannot be written stays open, and its `kept` says so. Gives the rooms whose `kept` has changed.
        """
        folder, changed = self.folder, []
        if folder is None:
            return []
        with self._writing:
            with self._lock:
                rooms = {code: room for code, room in self._rooms.items() if room.phase != "ended"}
            for code in [code for code in self._written if code not in rooms]:
                delete(folder, code)
                del self._written[code]
            for code, room in rooms.items():
                if self._written.get(code) == room.version:
                    continue
                version, kept = write_room(folder, room)
                self._written[code] = version
                if room.kept != kept:
                    room.kept = kept
                    changed.append(room)
            return changed
