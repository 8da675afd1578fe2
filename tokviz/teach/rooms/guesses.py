"""Counts wrong codes, so that no room can be found by trying codes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from tokviz.base.errors import InputError

WITHIN_S = 60  # seconds in which wrong codes are counted
BY_STUDENT = 5  # wrong codes that one student may type in that time
BY_ADDRESS = 60  # wrong codes from one machine in that time; a whole class may share its address
WHOLE_SERVER = 600  # wrong codes from all machines


class Guesses:
    """Keeps the wrong codes of the last minute. now: seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._latest: deque[tuple[float, str, str]] = deque()  # (when, student, address)

    def check(self, student: str, address: str) -> None:
        """Raise InputError if too many wrong codes came from this student or this address."""
        oldest = self._now() - WITHIN_S
        while self._latest and self._latest[0][0] <= oldest:
            self._latest.popleft()
        by_student = sum(one == student for _, one, _ in self._latest)
        by_address = sum(bool(one) and one == address for _, _, one in self._latest)
        if by_student >= BY_STUDENT or by_address >= BY_ADDRESS or len(self._latest) >= WHOLE_SERVER:
            raise InputError("There were too many wrong codes.", "Wait a minute, and then type the code again.")

    def wrong(self, student: str, address: str) -> None:
        """Count a wrong code."""
        self._latest.append((self._now(), student, address))
