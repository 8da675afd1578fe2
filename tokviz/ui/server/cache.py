"""What was computed for one visitor and may be needed again, such as the encoding of their text.

A cache belongs to one visitor: it counts in what they weigh, and goes with them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

ENTRIES = 96  # what was used least recently goes first

T = TypeVar("T")


class Cache:
    """Values by their keys. Two threads that ask at once may both make a value; the last one stays.

    >>> cache = Cache()
    >>> cache.get(("square", 3), lambda: 3 * 3), cache.get(("square", 3), lambda: 0 / 0)
    (9, 9)
    """

    def __init__(self, entries: int = ENTRIES) -> None:
        self._most = entries
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under this key; `make` computes it where it is not there. An error of `make` is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                found: T = self._values[key]
                return found
        made = make()
        with self._lock:
            self._values[key] = made
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return made

    def drop_oldest(self) -> None:
        """Let go of the half that was used least recently, and of the last entry if there is no other."""
        with self._lock:
            for _ in range((len(self._values) + 1) // 2):
                self._values.popitem(last=False)

    def drop_about(self, *things: object) -> None:
        """Let go of all entries whose key contains one of these objects: such an entry would keep it in memory.

        >>> cache, text = Cache(), "a text"
        >>> cache.get(("length", (text, "another")), lambda: 13)
        13
        >>> cache.drop_about(text)
        >>> len(cache)
        0
        """
        with self._lock:
            for key in [key for key in self._values if any(_contains(key, thing) for thing in things)]:
                del self._values[key]

    def contents(self) -> list[Any]:
        """Keys and values, for weighing."""
        with self._lock:
            return [*self._values.keys(), *self._values.values()]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)


def _contains(key: object, thing: object) -> bool:
    """Whether the key is this very object, or a tuple with it somewhere inside."""
    return key is thing or (isinstance(key, tuple) and any(_contains(part, thing) for part in key))
