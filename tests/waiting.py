"""How long a test waits. A slow machine alone must never fail one, so it is long; a test that passes waits for less."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from streamlit.testing.v1 import AppTest

from tokviz.ui.server.line import LINE

PATIENCE_S = 120


def run_until(app: AppTest, is_done: Callable[[AppTest], bool]) -> AppTest:
    """Run the page again and again until this holds of it."""
    end = time.monotonic() + PATIENCE_S
    while not is_done(app):
        if time.monotonic() > end:
            raise TimeoutError(f"The page did not come to that in {PATIENCE_S} seconds.")
        time.sleep(0.02)
        app.run()
    return app


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until this holds."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"It did not come to that in {PATIENCE_S} seconds.")
        time.sleep(0.005)


@dataclass(eq=False)
class Held:
    """A piece of work that has its turn until `end` is set. under_way: set when its turn has come."""

    whose: str
    large: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    under_way: threading.Event = field(default_factory=threading.Event)
    end: threading.Event = field(default_factory=threading.Event)

    def go_on(self) -> bool:
        self.under_way.set()
        return self.end.wait(PATIENCE_S)


@contextmanager
def others_at_work(pieces: int = 1) -> Iterator[list[Held]]:
    """One piece of work of each of so many other visitors, so nobody else has a turn. Yields the pieces."""
    held = [Held(f"visitor {n}") for n in range(pieces)]
    for one in held:
        LINE.join(one)
    try:
        yield held
    finally:
        for one in held:
            one.end.set()
        eventually(lambda: not {*held} & {*LINE._there})
