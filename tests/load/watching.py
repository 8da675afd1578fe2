"""What a server uses while clients are there, and how long the smallest request waits."""

from __future__ import annotations

import asyncio
import time

from tests.benchmarks.figures import cpu_seconds
from tests.benchmarks.memory import memory as of_process
from tests.e2e.browser import Server
from tests.load.person import Heard, Person

LOOK_S, ASK_S = 30.0, 0.1
IDLE_S, IDLE_SHARE, START_S = 3, 0.1, 90  # seconds, the share of a core, and the seconds that a start may take
FLAT = 1.1  # times the memory after the first time


def memory(server: Server) -> int:
    """The resident memory of the server, in bytes; from /proc, so on Linux alone."""
    return of_process("VmRSS", server.process.pid)


def most_memory(server: Server) -> int:
    """The most resident memory that the server had so far, in bytes."""
    return of_process("VmHWM", server.process.pid)


def wait_until_idle(server: Server) -> None:
    """Wait until the server has done all that it does at its start: until it has used little for three seconds."""
    quiet, used, end = 0, cpu_seconds(server), time.perf_counter() + START_S
    while quiet < IDLE_S and time.perf_counter() < end:
        time.sleep(1)
        before, used = used, cpu_seconds(server)
        quiet = quiet + 1 if used - before < IDLE_SHARE else 0


class Watch:
    """Looks at the server every 30 seconds, and asks it the smallest thing ten times a second.

    looks: (seconds since the beginning, MB of memory, percent of a core since the last look). rests: MB of memory each
    time after all had left.
    """

    def __init__(self, server: Server, heard: Heard) -> None:
        self.server, self.heard = server, heard
        self.looks: list[tuple[float, float, float]] = []
        self.rests: list[float] = []
        self.begun = self._last = time.perf_counter()
        self._cpu = cpu_seconds(server)

    def look(self) -> None:
        """Note what it uses now."""
        now, cpu = time.perf_counter(), cpu_seconds(self.server)
        share = 100 * (cpu - self._cpu) / max(now - self._last, 0.01)
        self.looks.append((now - self.begun, memory(self.server) / 1e6, share))
        self._last, self._cpu = now, cpu

    def rested(self) -> None:
        """Note what it uses now that all have left."""
        self.look()
        self.rests.append(self.looks[-1][1])

    @property
    def is_flat(self) -> bool:
        """Whether it kept no more memory when the same people had come and left again."""
        return self.rests[-1] < FLAT * self.rests[0]

    async def watch(self) -> None:
        """Look until cancelled."""
        self.look()
        while True:
            await asyncio.sleep(LOOK_S)
            self.look()

    async def ask(self) -> None:
        """Ask until cancelled, and note how long each answer took, and how late this process itself was."""
        someone = Person(self.server.url, 999, self.heard)
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(ASK_S)
            self.heard.time("this process was late by", 1000 * (time.perf_counter() - begun - ASK_S))
            begun = time.perf_counter()
            await someone.request("GET", "/_stcore/health")
            self.heard.time("the smallest request", 1000 * (time.perf_counter() - begun))
