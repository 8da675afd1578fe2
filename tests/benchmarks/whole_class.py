"""A whole class at once: `python -m tests.benchmarks class --clients 30 --minutes 10`.

Real clients of the running app (their sockets and pages, without a browser around them) train a megabyte each, type,
step through merges, compare, and write. Each compares what comes with what the library says, in this process, and
looks in every message for what belongs to another one. The clients run on this machine too, so they take a share of its
cores from the server: the last lines say how much.

Bars: no error, nothing of another visitor's, a key answered in 60 ms (p95), and less than 2.5 GB of memory.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import time

from tests.benchmarks.figures import cpu_seconds, load
from tests.e2e.browser import Server, serving
from tests.load.group import Group
from tests.load.live import for_so_long
from tests.load.person import Heard
from tests.load.watching import Watch, most_memory, wait_until_idle

TRACEBACK = "Traceback (most recent call last)"
TYPING_MS, MEMORY_MB = 60, 2_500  # the bars


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks class")
    asked.add_argument("--clients", type=int, default=30)
    asked.add_argument("--minutes", type=float, default=10)
    asked.add_argument("--browsers", type=int, default=2)
    asked.add_argument("--after", type=float, default=2, help="minutes for which the server is watched afterwards")
    asked.add_argument("--times", type=int, default=1, help="how often; from 2 on, memory has to be flat")
    said = asked.parse_args()
    with serving(TOKVIZ_SHARED="1") as server:
        heard, watch = asyncio.run(
            run(server, said.clients, 60 * said.minutes, 60 * said.after, said.browsers, said.times)
        )
        missed = tell(server, heard, watch)
    sys.exit(1 if missed else 0)


async def run(
    server: Server, clients: int, seconds: float, after: float, browsers: int, times: int
) -> tuple[Heard, Watch]:
    """Let so many clients use the server for so long, and watch it for `after` more seconds; so many times."""
    heard = Heard()
    group = Group(server.url, clients, heard)
    group.prepare()
    wait_until_idle(server)
    print(f"{clients} clients for {seconds / 60:g} minutes, {load()}", flush=True)
    watch, begun, used = Watch(server, heard), cpu_seconds(server), time.process_time()
    watching = [asyncio.create_task(watch.watch()), asyncio.create_task(watch.ask())]
    took = 0.0
    for turn in range(times):
        since = time.perf_counter()
        await group.use(for_so_long(seconds), seconds / 10 if turn == 0 else 1, browsers)
        took += time.perf_counter() - since
        watch.look()
        await asyncio.sleep(after)
        watch.rested()
    watching[1].cancel()
    heard.done["percent of a core, the server"] = round(100 * (cpu_seconds(server) - begun) / took)
    heard.done["percent of a core, the clients"] = round(100 * (time.process_time() - used) / took)
    watching[0].cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*watching)
    return heard, watch


def tell(server: Server, heard: Heard, watch: Watch) -> list[str]:
    """Print what was measured; the bars that were missed."""
    print(f"  {'':42} {'times':>7} {'p50':>8} {'p95':>8} {'p99':>8} {'most':>8}  ms")
    for what, times in sorted(heard.times.items()):
        p50, p95, p99 = (share_of(times, share) for share in (0.5, 0.95, 0.99))
        print(f"  {what:42} {len(times):7,} {p50:8.1f} {p95:8.1f} {p99:8.1f} {max(times):8.1f}")
    for what, many in sorted(heard.done.items()):
        print(f"  {what:42} {many:7,}")
    print(f"  {'answers compared with the library':42} {heard.checked:7,}")
    print("  memory, and share of a core since the look before:")
    for seconds, megabytes, share in watch.looks:
        print(f"    {seconds:6.0f} s {megabytes:8,.0f} MB {share:6.0f} %")
    print(f"    most memory {most_memory(server) / 1e6:,.0f} MB")
    for kind, found in (
        ("pages said to their visitors", heard.said),
        ("errors", heard.errors),
        ("seen of others", heard.crossings),
    ):
        print(f"  {kind}: {sum(found.values())}")
        for words, many in sorted(found.items(), key=lambda one: -one[1])[:20]:
            print(f"    {many} times: {words[:200]}")
    said = server.log.read_text(errors="replace")
    traces = said.count(TRACEBACK)
    keys = heard.times.get("a key on Tokens", [0.0])
    bars = {
        "no error": not heard.errors and not traces,
        "nothing of another visitor's": not heard.crossings,
        f"typing p95 under {TYPING_MS} ms": share_of(keys, 0.95) < TYPING_MS,
        f"memory flat after: {' MB, '.join(f'{rest:,.0f}' for rest in watch.rests)} MB": watch.is_flat,
        f"memory under {MEMORY_MB:,} MB": most_memory(server) < MEMORY_MB * 1e6,
    }
    print(f"  tracebacks in the server's log: {traces}{said.rpartition(TRACEBACK)[2][:1_500] if traces else ''}")
    for bar, holds in bars.items():
        print(f"  {'holds ' if holds else 'MISSED'}  {bar}")
    return [bar for bar, holds in bars.items() if not holds]


def share_of(times: list[float], share: float) -> float:
    """The time that this share of all times does not exceed."""
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


if __name__ == "__main__":
    main()
