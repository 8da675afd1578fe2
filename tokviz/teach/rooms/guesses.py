"""Counts wrong codes, so that who types some is slowed, and nobody beside."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from tokviz.base.errors import InputError

WITHIN_S = 60  # seconds in which wrong codes are counted
BY_STUDENT = 5  # wrong codes that one student may type in that time


class Guesses:
    """Keeps the wrong codes of the last minute. now: seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._latest: deque[tuple[float, str]] = deque()  # (when, student)

    def check(self, student: str) -> None:
        """Raise InputError if too many wrong codes came from this student."""
        oldest = self._now() - WITHIN_S
        while self._latest and self._latest[0][0] <= oldest:
            self._latest.popleft()
        if sum(one == student for _, one in self._latest) >= BY_STUDENT:
            raise InputError("There were too many wrong codes.", "Wait a minute, and then type the code again.")

    def wrong(self, student: str) -> None:
        """Count a wrong code."""
        self._latest.append((self._now(), student))
