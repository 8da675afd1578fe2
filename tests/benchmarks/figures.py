"""What all measurements print: times, the load of the machine, what a server has used."""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from pathlib import Path

from tests.e2e.browser import Server


def report(what: str, times: Sequence[float]) -> None:
    ordered = sorted(times)
    p95 = ordered[int(0.95 * len(ordered))]
    middle = statistics.median(ordered)
    print(f"  {what:48} median {middle:6.1f} ms, p95 {p95:6.1f}, most {ordered[-1]:6.1f}", flush=True)


def load() -> str:
    return f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def cpu_seconds(server: Server) -> float:
    """What the server has used; from /proc, so on Linux alone."""
    user, system = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
