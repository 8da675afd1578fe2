"""Makes a thing once for each key, even when several threads ask for it at the same time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")
Given = ParamSpec("Given")


class Once(Generic[Key, Made]):
    """Calls `make(key)` when a key is first asked for, and gives the same object from then on.

    Threads that ask while it is being made wait for it, so none gets a half-made object, and none makes a second one.
    `make` may ask for another key. What it raises goes to the caller, and the next call tries again.
    limit: how many things are kept, if not all; the oldest goes.

    >>> squares = Once(lambda n: [n * n])
    >>> squares.ready(3), squares(3), squares.ready(3), squares(3) is squares(3)
    (False, [9], True, True)
    """

    def __init__(self, make: Callable[[Key], Made], limit: int | None = None) -> None:
        self._make = make
        self._limit = limit
        self._made: dict[Key, Made] = {}
        self._lock = RLock()

    def __call__(self, key: Key) -> Made:
        try:
            return self._made[key]
        except KeyError:
            pass
        with self._lock:
            if key not in self._made:
                self._made[key] = self._make(key)
            made = self._made[key]
            if self._limit and len(self._made) > self._limit:
                del self._made[next(iter(self._made))]
        return made

    def ready(self, key: Key) -> bool:
        """Say whether the thing for this key is made already."""
        return key in self._made


def once_each(limit: int) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Decorate a function, so that it runs once for the same arguments, as `Once` does, and keeps `limit` results.

    `functools.lru_cache` calls it again in each thread that asks before the first has an answer. When a class opens the
    same step of a lesson, all of its threads ask at the same time.

    >>> @once_each(2)
    ... def square(n: int) -> int:
    ...     print("computed")
    ...     return n * n
    >>> square(3), square(3)
    computed
    (9, 9)
    """

    def decorated(make: Callable[Given, Made]) -> Callable[Given, Made]:
        def unpacked(key: Any) -> Made:
            args, named = key
            return make(*args, **dict(named))

        once: Once[Any, Made] = Once(unpacked, limit)

        @wraps(make)
        def call(*args: Given.args, **named: Given.kwargs) -> Made:
            return once((args, tuple(sorted(named.items()))))

        return call

    return decorated
