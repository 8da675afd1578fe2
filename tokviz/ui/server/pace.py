"""How fast the messages of a visitor and of their address are read, so that nobody fills the event loop.

All sockets ask before they look into a message: those of tokviz, and that of Streamlit's pages.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from starlette.types import Scope

from tokviz.ui.server import limits
from tokviz.ui.server.cookie import who

BURST_S = 5.0  # of messages at the usual rate, which are read at once
REMEMBERED = 10_000  # of visitors and addresses, those who connected last
AS_ONE = 20_000  # characters of a message, or bytes, that count as another one


class Pace:
    """The pace of one visitor, or of one address, for all their connections together. rate: messages a second. now: in
    seconds.

    What has not come for a while may come at once later, up to what comes in `burst_s` seconds.

    >>> pace = Pace(rate=2, now=lambda: 0.0)
    >>> [pace.wait(1) for _ in range(12)]
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0]
    """

    def __init__(self, rate: float, burst_s: float = BURST_S, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._most, self._now = rate, rate * burst_s, now
        self._left, self._then = self._most, now()

    def wait(self, n: float) -> float:
        """In how many seconds something that counts as n messages is to be read."""
        then, self._then = self._then, self._now()
        self._left = min(self._most, self._left + (self._then - then) * self._rate) - n
        return max(0.0, -self._left / self._rate)


_PACES: dict[str, Pace] = {}


def _pace_of(whose: str, rate: float, burst_s: float) -> Pace:
    """The pace of this visitor or address: who connects again begins with no new burst."""
    pace = _PACES[whose] = _PACES.pop(whose) if whose in _PACES else Pace(rate, burst_s)
    while len(_PACES) > REMEMBERED:
        del _PACES[next(iter(_PACES))]
    return pace


class Paces:
    """What holds a connection back: the pace of its visitor, and that of its address, which many visitors may share.

    each: as how many messages each one counts. A visitor without a cookie is known by nothing but the connection.
    """

    def __init__(self, scope: Scope, each: int = 1) -> None:
        key, address = who(scope)
        rate = limits.MESSAGES_A_SECOND
        self._each = each
        self._paces = (
            _pace_of(f"visitor {key}", rate, BURST_S) if key else Pace(rate, BURST_S),
            # The whole burst of one visitor after the other would fill the event loop too.
            _pace_of(f"address {address}", limits.MESSAGES_A_SECOND_AN_ADDRESS, 1.0),
        )

    async def wait(self, message: str | bytes) -> None:
        """Wait until this message is to be read. Meanwhile nothing more is read from the network."""
        n = self._each + len(message) // AS_ONE
        await asyncio.sleep(max([pace.wait(n) for pace in self._paces]))  # others go on, even if it is for no time
