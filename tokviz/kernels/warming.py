"""Compiling ahead of need. The first call of a kernel compiles it; all kernels together take some seconds. From then on
the code is on disk, and a new process only reads it."""

from __future__ import annotations

import threading
from collections.abc import Callable

begun = threading.Event()  # set once `warm` was called
ready = threading.Event()  # set once all kernels that its rehearsal calls are compiled


def warm(rehearsal: Callable[[], object]) -> threading.Thread:
    """Run a rehearsal, which calls the kernels, in a thread. Sets `ready` when it ends, even if it raises."""

    def run() -> None:
        try:
            rehearsal()
        finally:
            ready.set()

    begun.set()
    thread = threading.Thread(target=run, name="kernels", daemon=True)
    thread.start()
    return thread
