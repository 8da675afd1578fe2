"""Tells rooms the time: seconds since 1970 as the clock of the machine was set at the start, and steady from then on.

Rooms outlive a restart, so their times are times of day. But no room may end because the clock of the machine is set
right while the class is on.
"""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]


def steady(time_of_day: Clock = time.time, ticks: Clock = time.monotonic) -> Clock:
    """Start a clock. time_of_day: seconds since 1970. ticks: seconds by a clock that is never set.

    >>> set_back = iter([1_000_000.0, 996_400.0])
    >>> ticks = iter([10.0, 15.0])
    >>> steady(set_back.__next__, ticks.__next__)()
    1000005.0
    """
    began = time_of_day() - ticks()
    return lambda: began + ticks()


NOW = steady()
