"""How much memory the server takes at rest, after one visitor has opened every page, and after thirty:
`python -m tests.benchmarks at-rest`.

Bars: 450 MB after one visitor, 1,200 MB after thirty.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

from tests.benchmarks.figures import load
from tests.e2e.browser import Server, serving
from tests.load.page import opened
from tests.load.person import Heard, Person
from tests.load.watching import memory, wait_until_idle
from tokviz.ui.frame.shell import PAGES

ONE_MB, THIRTY_MB = 450, 1_200  # the bars
PLACE = re.compile(r"[0-9a-f]+-[0-9a-f]+ (?:\S+ +){4}(.*)")


async def look_at_all(server: Server, people: int) -> None:
    """Let this number of people use the server at once: each opens all pages and leaves the last one open."""
    async with AsyncExitStack() as stack:

        async def look(number: int) -> None:
            person = Person(server.url, number, Heard())
            await person.arrive()
            page = await stack.enter_async_context(opened(person, ""))
            for path in PAGES[1:]:
                await page.go(path.path)

        await asyncio.gather(*map(look, range(people)))


def say(server: Server, when: str) -> float:
    """Print the memory now, in MB, and what most of it belongs to. Returns the MB."""
    parts: Counter[str] = Counter()
    name = ""
    for line in Path(f"/proc/{server.process.pid}/smaps").read_text().splitlines():
        if found := PLACE.fullmatch(line):
            library = re.search(r"site-packages/(\w+)", found[1])
            name = library[1] if library else found[1].rpartition("/")[2] or "taken while it runs"
        elif line.startswith("Rss:"):
            parts[name] += int(line.split()[1])
    most = ", ".join(f"{name} {size / 1000:.0f}" for name, size in parts.most_common(8))
    print(f"  {when}: {memory(server) / 1e6:.0f} MB, {load()}; {most}", flush=True)
    return memory(server) / 1e6


def main() -> None:
    with serving(TOKVIZ_SHARED="1") as server:
        wait_until_idle(server)
        say(server, "at rest")
        asyncio.run(look_at_all(server, 1))
        time.sleep(1)
        one = say(server, "after one visitor")
        asyncio.run(look_at_all(server, 30))
        time.sleep(1)
        thirty = say(server, "after thirty")
    sys.exit(one >= ONE_MB or thirty >= THIRTY_MB)


if __name__ == "__main__":
    main()
