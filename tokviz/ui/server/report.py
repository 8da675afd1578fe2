"""A line in the log that says how much the server has to do, at most once a minute and only if that has changed.

It has numbers and nothing else: no text, no name and no key of a visitor.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tokviz.base.wording import count_of
from tokviz.ui.server import limits
from tokviz.ui.server.hub import hub
from tokviz.ui.server.line import LINE
from tokviz.ui.server.registry import VISITORS

EVERY_S = 60.0

_log = logging.getLogger("tokviz.server")


@contextmanager
def reporting(every_s: float = EVERY_S) -> Iterator[None]:
    """Write the line every so many seconds."""
    over = threading.Event()

    def report() -> None:
        told = ""
        while not over.wait(every_s):
            if told != (told := figures()):
                _log.info("%s%s", told, memory())

    threading.Thread(target=report, name="report", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def figures() -> str:
    """What there is now: visitors, what is kept for them, work, connections and rooms."""
    here, away, kept = VISITORS.counted()
    return ", ".join(
        [
            f"{count_of(here, 'visitor')} here and {away:,} away",
            f"{kept // limits.MB:,} MB kept for them",
            f"{count_of(len(LINE), 'piece')} of work",
            count_of(VISITORS.sockets, "connection"),
            count_of(hub().rooms.n_open, "open room"),
        ]
    )


def memory() -> str:
    """The memory of the whole process, where the system tells it, in words to be added; else ""."""
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return f", {pages * os.sysconf('SC_PAGE_SIZE') // limits.MB:,} MB in all"
    return ""
