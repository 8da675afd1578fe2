"""Make a thing once for each key, even when several threads ask for it at the same time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")


class Once(Generic[Key, Made]):
    """Calls `make(key)` when a key is first asked for, and gives the same object from then on.

    Threads that ask while it is being made wait for it, so nobody gets a half-made object and nobody makes a second
    one. `make` may ask for another key. What it raises goes to the caller, and the next call tries again.

    >>> squares = Once(lambda n: [n * n])
    >>> squares.ready(3), squares(3), squares.ready(3), squares(3) is squares(3)
    (False, [9], True, True)
    """

    def __init__(self, make: Callable[[Key], Made]) -> None:
        self._make = make
        self._made: dict[Key, Made] = {}
        self._lock = RLock()

    def __call__(self, key: Key) -> Made:
        if key not in self._made:
            with self._lock:
                if key not in self._made:
                    self._made[key] = self._make(key)
        return self._made[key]

    def ready(self, key: Key) -> bool:
        """Whether the thing for this key is made already."""
        return key in self._made
