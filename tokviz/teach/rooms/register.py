"""Keeps the rooms of a server: opens them, finds them by code, ends them, and brings them back after a restart."""

from __future__ import annotations

import hashlib
import random
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tokviz.base.errors import InputError, SettingError
from tokviz.base.wording import count_of
from tokviz.teach.rooms.clock import NOW
from tokviz.teach.rooms.guesses import Guesses
from tokviz.teach.rooms.kept import delete, read_all, write_room
from tokviz.teach.rooms.room import BY_NEED, BY_TIME, Listener, Room

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without O, 0, I and 1, which look alike
CODE_LENGTH = 4
HOUR_S = 60 * 60  # for which it is counted how many rooms a teacher opens
EMPTY_S = 10 * 60  # after which a room that nobody uses ends, where another is needed
ENDED_KEPT_S = 10 * 60  # how long an ended room can still say why it ended, in seconds
FORM = "A code has four letters or digits; it has no O, 0, I or 1."


def opaque(key: str) -> str:
    """Name a teacher or student by a hash of the visitor's key, which cannot be turned back.

    >>> opaque("a key"), len(opaque("a key"))
    ('475ae7bf1d7a198c417736899f85bcea', 32)
    """
    return hashlib.sha256(f"tokviz room {key}".encode()).hexdigest()[:32]


class RoomLimits(NamedTuple):
    """Says how much of the rooms each may have.

    rooms: int, open ones on the server, and as many that have ended.
    a_teacher: int, that one teacher may open in an hour.
    an_address: int, open at the same time; a whole school may share one address.
    students: int, in a room.
    """

    rooms: int = 50
    a_teacher: int = 5
    an_address: int = 20
    students: int = 300


LIMITS = RoomLimits()


class Rooms:
    """Keeps the rooms of a server. Its methods can be called from several threads.

    folder: where rooms are kept for a restart, None for nowhere.
    now: seconds since 1970. draw: the source of codes. limits: of the server.
    listener: of all rooms, see `Room`. here: whether a student is connected. They are called under the lock of the
        room, so they must be quick.
    """

    def __init__(
        self,
        folder: Path | None = None,
        now: Callable[[], float] = NOW,
        draw: random.Random | None = None,
        listener: Listener | None = None,
        limits: RoomLimits = LIMITS,
        here: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.folder, self.limits = folder, limits
        self.now = now
        self._draw = draw or random.SystemRandom()
        self._listener, self._here = listener, here
        self._guesses = Guesses(now)
        self._opened: deque[tuple[float, str]] = deque()  # (when, teacher), those of the last hour
        self._lock = threading.RLock()
        self._writing = threading.Lock()
        self._written: dict[str, int] = {}  # code -> the version of the room that is on the disk
        self._rooms: dict[str, Room] = {}
        self._where: dict[str, str] = {}  # student -> code of the room joined last
        if folder is not None:
            for room in read_all(folder, now()):
                self._rooms[room.code] = room
                room.listener, room.most_students = listener, limits.students
                self._written[room.code] = room.version
                self._where |= dict.fromkeys(room.students, room.code)

    # -- the teacher --

    def open(self, teacher: str, address: str = "") -> Room:
        """Return the teacher's room, a new one if none is open. address: of their machine.

        SettingError if the server has too many rooms, or if this teacher or this address has opened too many.
        """
        with self._lock:
            self.close_old()
            room = self.of_teacher(teacher)
            if room and room.phase != "ended":
                return room
            if room:
                self._forget(room)
            self._free(lambda _: True, self.limits.rooms)
            ended = [room for room in self._rooms.values() if room.phase == "ended"]
            if len(self._rooms) - len(ended) >= self.limits.rooms:
                raise SettingError(
                    f"This server has {count_of(self.limits.rooms, 'open room')}, which is its limit.",
                    "Try again when one has ended.",
                )
            if len(ended) >= self.limits.rooms:
                self._forget(ended[0])
            self._check_share(teacher, address)
            code = self._new_code()
            room = self._rooms[code] = Room(code, teacher, self.now())
            room.address, room.most_students = address, self.limits.students
            room.listener, room.kept = self._listener, self.folder is not None
            if self._listener:
                self._listener(room, None)
            return room

    def _check_share(self, teacher: str, address: str) -> None:
        """Check that one person does not use up the rooms of the server, neither with one cookie nor with many."""
        while self._opened and self._opened[0][0] <= self.now() - HOUR_S:
            self._opened.popleft()
        if sum(one == teacher for _, one in self._opened) >= self.limits.a_teacher:
            raise SettingError(
                f"You have opened {self.limits.a_teacher:,} rooms in the last hour, and can open no more.",
                "Wait some minutes, and do not close your next room between two questions.",
            )
        self._free(lambda room: room.address == address, self.limits.an_address)
        if sum(room.address == address for room in self._open()) >= self.limits.an_address:
            raise SettingError(
                f"{self.limits.an_address:,} rooms are open from the network that you are in, and there can be no "
                "more.",
                "Try again when one has ended.",
            )
        self._opened.append((self.now(), teacher))

    def _free(self, among: Callable[[Room], bool], most: int) -> None:
        """If so many rooms of these are open, end those that are empty: opened a while ago, and nobody answered or is
        there. Nobody can keep others out with rooms that are not used."""
        rooms = [room for room in self._open() if among(room)]
        for room in rooms if len(rooms) >= most else ():
            if self.now() >= room.began + EMPTY_S and not any(n or self._here(one) for one, n in room.seats()):
                room.end(self.now(), BY_NEED)

    def _open(self) -> list[Room]:
        return [room for room in self._rooms.values() if room.phase != "ended"]

    def _new_code(self) -> str:
        while True:
            code = "".join(self._draw.choice(ALPHABET) for _ in range(CODE_LENGTH))
            if code not in self._rooms:
                return code

    def of_teacher(self, teacher: str) -> Room | None:
        """Find the room that this teacher opened last; it may have ended."""
        with self._lock:
            self.close_old()
            return next((room for room in self._rooms.values() if room.teacher == teacher), None)

    @property
    def n_open(self) -> int:
        """How many rooms are open."""
        with self._lock:
            self.close_old()
            return len(self._open())

    # -- the students --

    def join(self, student: str, code: str) -> Room:
        """Bring a student into the room with this code, out of any other.

        Raises InputError if no open room has the code, or after too many wrong codes; SettingError if the room is full.
        """
        code = code.strip().upper()
        if len(code) != CODE_LENGTH or not set(code) <= set(ALPHABET):
            raise InputError("This is not the code of a room.", FORM)
        with self._lock:
            self.close_old()
            self._guesses.check(student)
            room = self._rooms.get(code)
            if room is None or room.phase == "ended":
                self._guesses.wrong(student)
                raise InputError(f"No room has the code {code}.", FORM)
            if (gone := room.join(student, self._here)) is not None:
                self._where.pop(gone, None)
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
        """Find the room that this student joined last; it may have ended."""
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

        A room that cannot be written stays open, and its `kept` says so. Returns the rooms whose `kept` has changed.
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
