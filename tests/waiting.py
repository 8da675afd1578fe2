"""How long a test waits. A slow machine alone must never fail one, so it is long; a test that passes waits for less."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from streamlit.testing.v1 import AppTest

from tokviz.ui.server.line import LINE, Turn

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


@contextmanager
def others_at_work(pieces: int = 1) -> Iterator[list[Turn]]:
    """One piece of work of each of so many other visitors, so nobody else has a turn. Yields their turns."""
    turns = [LINE.join(f"visitor {n}") for n in range(pieces)]
    try:
        yield turns
    finally:
        for turn in turns:
            LINE.end(turn)
