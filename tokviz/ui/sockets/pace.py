"""How fast the messages of a visitor are read, so that nobody fills the event loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from weakref import WeakValueDictionary

from tokviz import limits

BURST_S = 5.0  # of messages at the usual rate, which are read at once
AS_ONE = 20_000  # characters of a message that count as another one


class Pace:
    """The pace of one visitor, for all their connections together. rate: messages a second. now: in seconds.

    What has not come for a while may come at once later, up to `BURST_S`.

    >>> pace = Pace(rate=2, now=lambda: 0.0)
    >>> [pace.wait("a message") for _ in range(12)]
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0]
    """

    def __init__(self, rate: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._now = rate, now
        self._left, self._then = rate * BURST_S, now()

    def wait(self, message: str) -> float:
        """In how many seconds this message is to be read."""
        then, self._then = self._then, self._now()
        self._left = min(self._rate * BURST_S, self._left + (self._then - then) * self._rate)
        self._left -= 1 + len(message) // AS_ONE
        return max(0.0, -self._left / self._rate)


_PACES: WeakValueDictionary[str, Pace] = WeakValueDictionary()


def pace_of(visitor: str) -> Pace:
    """The pace of the visitor with this key, kept for as long as one of their connections has it."""
    pace = _PACES.get(visitor)
    if pace is None:
        pace = _PACES[visitor] = Pace(limits.MESSAGES_A_SECOND)
    return pace
