"""One hostile visitor, and then one with many cookies, do all at once that the server has limits for, while another
visitor types: `python -m tests.benchmarks hostile-visitor`.

They come from another address of this machine than the visitor who types. Bars: the smallest request of another
visitor never waits longer than 500 ms, the server has less than 2 GB of memory, and its log grows by less than 100 kB.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys

from tests.benchmarks.figures import load
from tests.benchmarks.whole_class import TRACEBACK, share_of
from tests.e2e.browser import Server, serving
from tests.load.group import again_and_again, text_of
from tests.load.hostile import WAYS, attack
from tests.load.live import for_so_long, type_on_tokens
from tests.load.person import Heard, Person
from tests.load.watching import Watch, most_memory, wait_until_idle

SPAWN = multiprocessing.get_context("spawn")
WAIT_MS, MEMORY_MB, LOG_KB = 500, 2_000, 100  # the bars


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks hostile-visitor")
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--cookies", type=int, default=20, help="of the one who has many")
    asked.add_argument("--ways", nargs="*", default=[*WAYS], choices=WAYS)
    said = asked.parse_args()
    missed: list[str] = []
    for visitors in (1, said.cookies):
        with serving(TOKVIZ_SHARED="1") as server:
            missed += asyncio.run(attacked(server, visitors, said.seconds, said.ways))
    sys.exit(1 if missed else 0)


async def attacked(server: Server, visitors: int, seconds: float, ways: list[str]) -> list[str]:
    """Type alone, then beside an attacker with so many cookies; print both. The bars that were missed."""
    alone, beside = Heard(), Heard()
    wait_until_idle(server)
    await typing(server, alone, seconds / 4)
    print(f"one hostile person with {visitors} cookies, {seconds:.0f} seconds, {load()}", flush=True)
    watch, told = Watch(server, beside), SPAWN.Queue()
    attacker = SPAWN.Process(target=attack, args=(server.url, visitors, seconds, ways, told), daemon=True)
    attacker.start()
    asking = asyncio.create_task(watch.ask())
    await typing(server, beside, seconds)
    asking.cancel()
    did, heard_by_attacker = await asyncio.to_thread(told.get, True, 120)
    watch.look()
    for what, heard in (("alone", alone), ("beside the attack", beside)):
        for name, times in sorted(heard.times.items()):
            p50, p95 = share_of(times, 0.5), share_of(times, 0.95)
            print(
                f"  {name:30} {what:20} p50 {p50:8.1f} ms, p95 {p95:8.1f}, most {max(times):8.1f}, {len(times)} times"
            )
    print(f"  most memory {most_memory(server) / 1e6:,.0f} MB, now {watch.looks[-1][1]:,.0f} MB")
    print("  what the attacker did, so often:", ", ".join(f"{what} {n}" for what, n in sorted(did.items())))
    print("  what the attacker was told:")
    for words, many in sorted(heard_by_attacker.items(), key=lambda one: -one[1])[:25]:
        print(f"    {many} times: {words}")
    for words, many in beside.errors.items():
        print(f"  error of the other visitor, {many} times: {words}")
    log = server.log.read_text(errors="replace")
    traces = log.count(TRACEBACK)
    print(f"  tracebacks in the server's log: {traces}{log.rpartition(TRACEBACK)[2][:1_500] if traces else ''}")
    waited = max(beside.times.get("the smallest request", [1e6]))
    bars = {
        f"no smallest request waited {WAIT_MS} ms": waited < WAIT_MS,
        f"the log has less than {LOG_KB} kB, now {len(log) / 1e3:,.0f}": len(log) < LOG_KB * 1e3,
        f"memory under {MEMORY_MB:,} MB": most_memory(server) < MEMORY_MB * 1e6,
        "no error of the other visitor, no traceback": not (beside.errors or beside.crossings or traces),
    }
    for bar, holds in bars.items():
        print(f"  {'holds ' if holds else 'MISSED'}  {bar}")
    return [bar for bar, holds in bars.items() if not holds]


async def typing(server: Server, heard: Heard, seconds: float) -> None:
    """Another visitor types for so long."""
    going, person = for_so_long(seconds), Person(server.url, 1, heard)
    await person.arrive()
    await again_and_again(person, "type", lambda: type_on_tokens(person, text_of(person), going), going)


if __name__ == "__main__":
    main()
