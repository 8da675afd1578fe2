"""Compiles the kernels ahead of need.

All kernels together take many seconds to compile, once: the code is then on disk, and a new process only reads it. A
server does not let its visitors wait for that. A second process compiles, so that the server's own keeps the
interpreter's lock for its pages. Until the kernels are there, `tokviz.kernels.plain` encodes and counts chunks, and
`tokviz.training.plain` trains.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tokviz.kernels.base import code_is_kept, wake_compiler

begun = threading.Event()  # set once `warm` was called
encoding = threading.Event()  # set once the first stage is over: splitting and encoding
ready = threading.Event()  # set once all stages are over

PLAIN_BYTES = 200_000  # of a corpus that plain Python counts in a moment

_here = threading.local()


def plain_serves() -> bool:
    """Say whether plain Python has to encode, because this call would wait for the compiler."""
    return begun.is_set() and not encoding.is_set() and not hasattr(_here, "compiles")


def trainer_compiles() -> bool:
    """Say whether the kernels that count and train are still being compiled, so that calling one would wait."""
    return begun.is_set() and not ready.is_set() and not hasattr(_here, "compiles")


def wait(seconds: float) -> bool:
    """Wait until all kernels are compiled, but not longer than this. Returns whether they are, or `warm` never ran."""
    return not begun.is_set() or ready.wait(seconds)


def warm(stages: Sequence[Callable[[], object]], ahead: str) -> threading.Thread:
    """Run the stages in a thread. Each calls kernels, which are compiled then; the first calls those that encode.

    ahead: a module that runs the same stages and prints a line after each. It runs first, in a process of its own, if
    there is no compiled code on disk. `encoding` and `ready` are set even if a stage raises.
    """

    def run() -> None:
        _here.compiles = True
        try:
            wake_compiler()
            for stage, _ in zip(stages, _compiled_ahead(ahead, len(stages)), strict=True):
                stage()
                encoding.set()
        finally:
            encoding.set()
            ready.set()

    begun.set()
    thread = threading.Thread(target=run, name="kernels", daemon=True)
    thread.start()
    return thread


def _compiled_ahead(module: str, stages: int) -> Iterator[None]:
    """Yield once for each stage: when its code is on disk, or will not be because the other process has failed."""
    if code_is_kept() is not False:
        yield from [None] * stages
        return
    command = [sys.executable, "-m", module]
    found_in = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])])
    with subprocess.Popen(  # noqa: S603 (this interpreter, and a module of ours)
        command,
        env=os.environ | {"PYTHONPATH": found_in},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as other:
        for _ in range(stages):
            if other.stdout:
                other.stdout.readline()
            yield
