"""Files made to do harm, dropped on Library of a running server: what it says, its memory, how long others wait."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import sys
import time
from collections.abc import Awaitable, Callable
from statistics import median

import pytest

from tests.benchmarks.figures import load
from tests.e2e.browser import Server, serving
from tests.hostile.files import HOSTILE, Hostile, own_pattern
from tests.load.live import parts_of
from tests.load.page import Page, opened
from tests.load.person import Heard, Person, Wrong
from tests.load.watching import memory, wait_until_idle
from tokviz.formats import dump
from tokviz.formats import load as read_files

WAIT_MS = 500  # that another visitor may wait longer
SECONDS = 100  # of an attack, at most
KEY_S = 0.1  # from one key of the other visitor to the next

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory of another process")


async def drop(page: Page, files: dict[str, bytes]) -> None:
    """Drop these files on Library, one after the other, and add what they have."""
    for name, data in files.items():
        uploader = next(page.drawn("file_uploader"))
        await page.upload(uploader.label, name, data)
    for button in [*page.drawn("button")]:
        if button.label == "**Add it**" and not button.disabled:
            await page.press("**Add it**")


async def mine(page: Page) -> tuple[str, str]:
    """The view of Tokens, and the key of the visitor's own tokenizer; "" if there is none."""
    bench = await page.until(lambda: page.component("tokens.workbench"), "the workbench")
    return bench["view"], next((block["key"] for block in bench["blocks"] if block["key"].startswith("mine")), "")


def address_of(files: dict[str, bytes]) -> str:
    """What the address of the Library page says to show the tokenizer in these files."""
    (data,) = dump(read_files(files), "tokviz").values()
    return f"open={hashlib.sha256(data).hexdigest()}"


async def prove(person: Person, address: str) -> None:
    """Have the export of a tokenizer proved, on the page that Library has for it."""
    async with opened(person, "library") as page:
        page.query = address
        await page.run()
        await page.press("Prove it")

        def over() -> bool:
            button, said = page.widget("button", "Prove it"), page.component("library.evidence")
            return bool(button and not button.disabled and said and "not proved yet" not in json.dumps(said))

        await page.until(over, "the end of the proof")
        person.heard.say(json.dumps(page.component("library.evidence"))[:200])


async def type_under(person: Person, key: str, view: str, texts: Callable[[int], str | None]) -> None:
    """Type texts under this tokenizer, each in place of the one before. texts: of each turn; None is the end."""
    async with person.socket("/tokviz/live") as socket:
        await socket.send(json.dumps({"view": view, "keys": [key], "specials": "text", "length": None, "sum": None}))
        await person.hear(socket)
        v, last = 0, ""
        while (text := texts(v)) is not None:
            v, begun = v + 1, time.perf_counter()
            await socket.send(json.dumps({"v": v, "from": 0, "to": len(last), "insert": text}))
            header, _ = parts_of(await person.hear(socket))
            person.heard.time(f"a key under {key}", 1000 * (time.perf_counter() - begun))
            for part in header["parts"]:
                if part["error"]:
                    person.heard.say(part["error"])
            last = text
            await asyncio.sleep(KEY_S)


async def attack(person: Person, hostile: Hostile, files: dict[str, bytes], address: str) -> None:
    """Do to the server what this says."""
    await person.arrive()
    async with opened(person, "library") as page:
        await drop(page, files)
    async with opened(person, "") as page:
        view, key = await mine(page)
        person.heard.count("opened" if key else "not opened")
        if key and hostile.prove:
            await prove(person, address)
        if key and hostile.text:
            texts = ["b", hostile.text]
            await type_under(person, key, view, lambda n: texts[n] if n < len(texts) else None)
    for path in () if hostile.prove else ("vocabulary", "compare"):
        async with opened(person, path):
            pass


async def beside(server: Server, hostile: Hostile) -> tuple[Heard, Heard, Heard, float]:
    """What the attackers heard, another visitor alone and beside them, and how many MB the server's process grew."""
    heard, others, stopped = Heard(), Heard(), asyncio.Event()
    files = hostile.make()
    address = address_of(files) if hostile.prove else ""  # known before, so that this process is not late
    person = Person(server.url, 1, others)
    await person.arrive()
    async with opened(person, "library") as page:
        await drop(page, {"own.json": own_pattern()})
    await prove(person, address_of({"own.json": own_pattern()}))  # so that what is made once is there
    async with opened(person, "vocabulary"), opened(person, "") as page:
        view, own = await mine(page)

    async def again(what: str, do: Callable[[], Awaitable[object]], rest: float = KEY_S) -> None:
        while not stopped.is_set():
            begun = time.perf_counter()
            await do()
            others.time(what, 1000 * (time.perf_counter() - begun))
            await asyncio.sleep(rest)

    def text(n: int) -> str | None:
        return None if stopped.is_set() else f"so it goes {n % 10}"

    tasks: list[asyncio.Task[None]] = []
    async with opened(person, "compare") as page:
        tasks += [
            asyncio.create_task(again("the smallest request", lambda: person.request("GET", "/_stcore/health"))),
            asyncio.create_task(again("a page", page.run, 0.5)),
            *(asyncio.create_task(type_under(person, key, view, text)) for key in ("gpt2", own)),
        ]
        await asyncio.sleep(5)
        alone, others.times = Heard(times=others.times), {}
        before, most = memory(server), 0

        async def look() -> None:
            nonlocal most
            while not stopped.is_set():
                most = max(most, memory(server))
                await asyncio.sleep(0.02)

        tasks.append(asyncio.create_task(look()))
        attackers = [Person(server.url, 500 + n, heard, "127.0.0.2") for n in range(hostile.visitors)]
        attacks = [asyncio.create_task(attack(one, hostile, files, address)) for one in attackers]
        _, late = await asyncio.wait(attacks, timeout=SECONDS)
        for task in late:
            task.cancel()
            heard.count("not over")
        for task in attacks:
            with contextlib.suppress(asyncio.CancelledError):
                try:
                    await task
                except Wrong as wrong:
                    heard.error(str(wrong))
        await asyncio.sleep(1)
        stopped.set()
        await asyncio.gather(*tasks)
    return heard, alone, others, (most - before) / 1e6


@on_linux
@pytest.mark.long
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_harms_nobody(what: str) -> None:
    with serving(TOKVIZ_SHARED="0") as server:
        wait_until_idle(server)
        heard, alone, others, grown = asyncio.run(beside(server, HOSTILE[what]))
        log = server.log.read_text(errors="replace")
    print(f"\n== {what}: {grown:+.0f} MB, {load()}, {heard.done}", *heard.said, sep="\n  ")
    for name, times in others.times.items():
        print(f"  {name}: at most {max(alone.times[name]):.0f} ms alone, {max(times):.0f} ms beside them")
    waited = {
        name: share(times) - share(alone.times[name])
        for name, times in others.times.items()
        for share in [median if "page" in name or "run" in name else max]  # pages are drawn one after the other
    }
    assert any(HOSTILE[what].said in words for words in heard.said)
    assert not (heard.errors or others.errors) and "Traceback" not in log
    assert ("opened" in heard.done, "not over" in heard.done) == (HOSTILE[what].opens, False)
    assert grown < HOSTILE[what].megabytes and max(waited.values()) < WAIT_MS
