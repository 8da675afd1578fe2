"""Packages of others in a process of their own: `python -m tests.benchmarks foreign`.

First what typing under a peer costs more than with the package in this process. Then three visitors type under each of
the greedy files of tests/greedy_files.py while another one types without a peer. Bars: a key under a peer costs at most
20 ms more; the other visitor waits at most 100 ms longer; the server's own memory grows by less than 100 MB; who opened
the file reads why it was stopped; SIGTERM ends the server within 10 s while it computes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable

from websockets.asyncio.client import ClientConnection

from tests.benchmarks.corpora import english_and_code
from tests.benchmarks.figures import load, report
from tests.benchmarks.whole_class import share_of
from tests.e2e.browser import Server, serving
from tests.greedy_files import GREEDY
from tests.load.live import for_so_long, parts_of, type_on_tokens
from tests.load.page import opened
from tests.load.person import Heard, Person
from tests.load.watching import memory, wait_until_idle
from tests.peers_cases import file_of
from tokviz.formats import open_files
from tokviz.formats.peer_packages import opened as opened_here
from tokviz.tokenizer.live_text import LiveText
from tokviz.ui.server import peer_process

KEYS = {500: 100, 5_000: 50, 50_000: 10}  # characters of the text -> how many
KEY_MS, WAIT_MS, MEMORY_MB, END_S = 20, 100, 100, 10  # the bars
ATTACKERS, SECONDS = 3, 30.0
ANSWERED_S = 60  # in which an attacker has to be told, however busy the machine is
KINDS = ("WordPiece", "Unigram", "byte-level BPE")


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks foreign")
    asked.add_argument("--seconds", type=float, default=SECONDS)
    asked.add_argument("--files", nargs="*", default=[*GREEDY], choices=GREEDY)
    said = asked.parse_args()
    bars = typing_costs()
    for what in said.files:
        bars |= {f"{what}: {bar}": holds for bar, holds in attacked(what, said.seconds).items()}
    for bar, holds in bars.items():
        print(f"  {'holds ' if holds else 'MISSED'}  {bar}")
    sys.exit(0 if all(bars.values()) else 1)


def typing_costs() -> dict[str, bool]:
    """Time keys under peers, here and in the other process in turn."""
    begun = time.perf_counter()
    peer_process.opened("WordPiece", "a.txt", b"[UNK]\na")
    print(f"the process answers for the first time after {1000 * (time.perf_counter() - begun):.0f} ms, {load()}")
    bars = {}
    for kind in KINDS:
        for size, keys in KEYS.items():
            times: list[list[float]] = [[], []]
            files = dict([file_of(kind)])
            texts = [LiveText([open_files(files, reader=one)]) for one in (opened_here, peer_process.opened)]
            for text in texts:
                text.start_with(english_and_code(size))
            chance = random.Random(size)
            for _ in range(keys):
                at = chance.randint(0, size)
                for text, took in zip(texts, times, strict=True):
                    begun = time.perf_counter()
                    text.patch(at, at, "e")
                    took.append(1000 * (time.perf_counter() - begun))
            print(f"{keys} keys under {kind}, {size:,} characters")
            for where, took in zip(("here", "in the process"), times, strict=True):
                report(where, took)
            cost = share_of(times[1], 0.5) - share_of(times[0], 0.5)
            bars[f"a key under {kind} in {size:,} characters costs {cost:.1f} ms more"] = cost < KEY_MS
    return bars


def attacked(what: str, seconds: float) -> dict[str, bool]:
    with serving(TOKVIZ_SHARED="1") as server:
        bars = asyncio.run(_attacked(server, what, seconds))
        begun = time.perf_counter()
        server.process.terminate()
        try:
            server.process.wait(2 * END_S)
        except subprocess.TimeoutExpired:
            print("  the server does not end")
        took = time.perf_counter() - begun
        print(f"  SIGTERM ends the server after {took:.1f} s")
        return bars | {f"SIGTERM ends the server within {END_S} s": took < END_S}


async def _attacked(server: Server, what: str, seconds: float) -> dict[str, bool]:
    """Type alone, then beside the attackers. At the end they compute."""
    wait_until_idle(server)
    alone, beside = Heard(), Heard()
    await _typing(server, alone, seconds)
    attackers = [Person(server.url, 500 + n, Heard(), "127.0.0.2") for n in range(ATTACKERS)]
    keys = [await open_greedy(person, what) for person in attackers]
    before, most, told = memory(server), 0, set[str]()
    print(f"{ATTACKERS} visitors with a file that {what}, {seconds:.0f} seconds, {load()}")
    attacks = [
        asyncio.create_task(attack(person, key, what, told)) for person, key in zip(attackers, keys, strict=True)
    ]

    async def look() -> None:
        nonlocal most
        while True:
            most = max(most, memory(server))
            await asyncio.sleep(0.05)

    looking = asyncio.create_task(look())
    await _typing(server, beside, max(seconds, 15))
    for _ in range(ANSWERED_S):
        if told:
            break
        await asyncio.sleep(1)
    looking.cancel()
    for task in attacks:
        task.cancel()
    others = [asyncio.create_task(attack(person, key, what, told)) for person, key in zip(attackers, keys, strict=True)]
    await asyncio.sleep(1)
    for task in others:
        task.cancel()
    bars = {}
    for name in ("a key on Tokens", "a run of /compare", "the smallest request"):
        for heard, when in ((alone, "alone"), (beside, "beside them")):
            report(f"{name}, {when}", heard.times[name])
        share = 0.5 if name.startswith("a run of") else 0.95  # there are only a few runs
        more = share_of(beside.times[name], share) - share_of(alone.times[name], share)
        bars[f"{name} takes {more:.0f} ms more (p{100 * share:.0f})"] = more < WAIT_MS
    grown = (most - before) / 1e6
    print(f"  memory of the server: {before / 1e6:.0f} MB before, {grown:+.0f} MB at most")
    print("  told:", "; ".join(sorted(told)))
    return bars | {
        f"the server's memory grew by {grown:.0f} MB": grown < MEMORY_MB,
        "the opener reads why": any("and was stopped" in words for words in told),
        "no error of the other visitor": not (alone.errors or beside.errors),
    }


async def _typing(server: Server, heard: Heard, seconds: float) -> None:
    person, going = Person(server.url, 1, heard), for_so_long(seconds)
    await person.arrive()
    await asyncio.gather(
        type_on_tokens(person, f"{person.mark} {english_and_code(500)}", going), _asking(person, going)
    )


async def _asking(person: Person, going: Callable[[], bool]) -> None:
    """Ask for the smallest thing ten times a second, and draw a page each second."""
    async with opened(person, "compare") as page:
        while going():
            begun = time.perf_counter()
            await person.request("GET", "/_stcore/health")
            person.heard.time("the smallest request", 1000 * (time.perf_counter() - begun))
            await asyncio.sleep(0.1)
            if len(person.heard.times["the smallest request"]) % 10 == 0:
                await page.run()


async def open_greedy(person: Person, what: str) -> str:
    """Open the file in the library, and have a harmless text on Tokens. Returns the key of its tokenizer."""
    await person.arrive()
    async with opened(person, "library") as page:
        uploader = next(page.drawn("file_uploader"))
        await page.upload(uploader.label, "greedy.json", GREEDY[what][0])
        await page.press("**Add it**")
    async with opened(person, "") as page, person.socket("/tokviz/live") as socket:
        bench = await page.until(lambda: page.component("tokens.workbench"), "the workbench")
        await _greet(person, socket, bench["view"], "gpt2")
        await socket.send(json.dumps({"v": 1, "from": 0, "to": 0, "insert": "b"}))
        await person.hear(socket)
        return str(next(block["key"] for block in bench["blocks"] if block["name"] == "greedy"))


async def _greet(person: Person, socket: ClientConnection, view: str, *keys: str) -> None:
    hello = {"view": view, "keys": keys, "specials": "text", "length": None, "sum": None}
    await socket.send(json.dumps(hello))
    await person.hear(socket)


async def attack(person: Person, key: str, what: str, told: set[str]) -> None:
    """Type the text under the tokenizer, take it back, and so on: each time a longer one, which was not stopped yet."""
    async with opened(person, "") as page, person.socket("/tokviz/live") as socket:
        bench = await page.until(lambda: page.component("tokens.workbench"), "the workbench")
        await _greet(person, socket, bench["view"], key, "gpt2")
        v = 0
        while True:
            text = GREEDY[what][1] + "a" * v
            for patch in ({"from": 0, "to": 0, "insert": text}, {"from": 0, "to": len(text), "insert": ""}):
                v += 1
                await socket.send(json.dumps({"v": v, **patch}))
                header, _ = parts_of(await person.hear(socket))
                told.update(part["error"] for part in header["parts"] if part["error"])


if __name__ == "__main__":
    main()
