"""What the sockets of a class share: who is connected, who has to be told of a change, and when rooms are written."""

from __future__ import annotations

import logging
import random
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tokviz.base.once import Once
from tokviz.catalog.saved import folder
from tokviz.teach.rooms.clock import NOW
from tokviz.teach.rooms.register import RoomLimits, Rooms
from tokviz.teach.rooms.room import Room
from tokviz.ui.server import limits

_log = logging.getLogger(__name__)

WRITE_AFTER_S = 0.5  # from a change to the disk, so that many votes are written at once


class Client(Protocol):
    """A connection as the hub knows it. me: the opaque key of the teacher or student."""

    me: str
    is_student: bool

    def wake(self) -> None:
        """Its state may have changed. Can be called from any thread."""


LIMITS = RoomLimits(limits.ROOMS, limits.ROOMS_A_VISITOR, limits.ROOMS_AN_ADDRESS, limits.STUDENTS)


class Hub:
    """The rooms of this server and the connections to them.

    folder, now, draw: as of `Rooms`. write_after: in seconds.
    """

    def __init__(
        self,
        folder: Path | None,
        now: Callable[[], float] = NOW,
        draw: random.Random | None = None,
        write_after: float = WRITE_AFTER_S,
    ) -> None:
        self.rooms = Rooms(folder, now, draw, self._changed, LIMITS, self.has)
        self._write_after = write_after
        self._lock = threading.Lock()  # nothing of the rooms is asked for under it
        self._clients: dict[str, weakref.WeakSet[Client]] = {}
        self._changes = threading.Event()  # that are not on the disk yet
        self._disk = threading.Lock()  # who waits for it writes all that changes until then
        if folder is not None:
            threading.Thread(target=self._keep_writing, name="rooms", daemon=True).start()

    def come(self, client: Client) -> None:
        """A connection has said who it is."""
        with self._lock:
            self._clients.setdefault(client.me, weakref.WeakSet()).add(client)

    def go(self, client: Client) -> None:
        """A connection is closed."""
        with self._lock:
            there = self._clients.get(client.me)
            if there is not None:
                there.discard(client)
                if not there:
                    del self._clients[client.me]

    def has(self, student: str) -> bool:
        """Whether this student is connected."""
        with self._lock:
            return any(one.is_student for one in self._clients.get(student, ()))

    def here(self, room: Room) -> int:
        """How many of the room's students are connected."""
        return sum(self.has(student) for student, _ in room.seats())

    def tell(self, *keys: str) -> None:
        """Wake the connections of these teachers and students."""
        with self._lock:
            woken = [client for key in keys for client in self._clients.get(key, ())]
        for client in woken:
            client.wake()

    def _changed(self, room: Room, student: str | None) -> None:
        """Tell those whom a change concerns: everybody in the room, or this student and the teacher. Write it soon."""
        self.tell(room.teacher, *(room.students if student is None else [student]))
        self.write_soon()

    def write_soon(self) -> None:
        """Have the rooms that changed written, after a short time in which more may change."""
        self._changes.set()

    def _keep_writing(self) -> None:
        while self._changes.wait():
            time.sleep(self._write_after)
            try:
                self.write()
            except Exception:  # later changes have to be written all the same
                _log.exception("rooms were not written")

    def write(self) -> None:
        """Write the rooms that changed, now. Teachers are told whether their rooms are on the disk."""
        with self._disk:
            self._changes.clear()
            told = self.rooms.write()
        self.tell(*(room.teacher for room in told))


_HUBS: Once[Path, Hub] = Once(Hub)


def hub() -> Hub:
    """The hub of this server. Its rooms are written beside the saved tokenizers."""
    return _HUBS(folder() / "rooms")
