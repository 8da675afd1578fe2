"""How much memory a process takes, in bytes."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path


def memory(field: str, process: int | None = None) -> int:
    """What Linux tells of a process, this one if none is named: VmRSS is its memory now, VmHWM the most so far."""
    lines = Path("/proc", str(process or os.getpid()), "status").read_text().splitlines()
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0)


def peak_memory() -> int:
    """The most memory that this process took so far.

    What getrusage tells is never less than what the process took that started this one, so it is only asked where
    there is no /proc.
    """
    try:
        return memory("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
