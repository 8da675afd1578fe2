"""Pages are drawn one after the other, so that what is typed meanwhile is answered quickly.

Python runs one thread at a time, so pages that are drawn beside each other are not done sooner. But whatever answers a
key has to get its turn from each of them, several times for one key.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_S = 1.0  # after that, a page is drawn beside the one that takes so long


class Turns:
    """Whose page is drawn: one at a time, and those who have waited for `patience_s` seconds."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._turn = threading.Semaphore()
        self._mine = threading.local()

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Draw a page in here. It begins when it is its turn."""
        self._take()
        try:
            yield
        finally:
            self._give()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Only wait in here, for whatever the page waits for: others are drawn meanwhile."""
        had = self._give()
        try:
            yield
        finally:
            if had:
                self._take()

    def _take(self) -> None:
        self._mine.turn = self._turn.acquire(timeout=self._patience_s)

    def _give(self) -> bool:
        """Whether this thread had the turn."""
        had = getattr(self._mine, "turn", False)
        self._mine.turn = False
        if had:
            self._turn.release()
        return had


TURNS = Turns()
