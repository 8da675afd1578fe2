"""What was computed for one visitor and may be needed again, such as the encoding of their text.

A cache belongs to one visitor. It is the first to go when memory is short, because nobody misses it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from tokviz.ui.server.sizes import size

ENTRIES = 96  # what was used least recently goes first

T = TypeVar("T")


class Cache:
    """Values by their keys. Two threads that ask at once may both make a value; the last one stays.

    >>> cache = Cache()
    >>> cache.get(("square", 3), lambda: 3 * 3), cache.get(("square", 3), lambda: 0 / 0)
    (9, 9)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()  # each with its bytes
        self.n_bytes = 0

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under this key; `make` computes it where it is not there. An error of `make` is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                found: T = self._values[key][0]
                return found
        made = make()
        n_bytes = size(made)
        with self._lock:
            self._drop(key)
            self._values[key] = made, n_bytes
            self.n_bytes += n_bytes
            while len(self._values) > ENTRIES:
                self._drop(next(iter(self._values)))
        return made

    def shrink(self, n_bytes: int) -> None:
        """Let go of what was used least recently, until at most so many bytes are left.

        >>> cache = Cache()
        >>> for n in range(3):
        ...     _ = cache.get(n, lambda: bytes(1_000))
        >>> cache.shrink(2_100)
        >>> 0 in cache, 1 in cache, cache.shrink(0), cache.n_bytes
        (False, True, None, 0)
        """
        with self._lock:
            while self._values and self.n_bytes > n_bytes:
                self._drop(next(iter(self._values)))

    def _drop(self, key: Hashable) -> None:
        _, n_bytes = self._values.pop(key, (None, 0))
        self.n_bytes -= n_bytes

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values
