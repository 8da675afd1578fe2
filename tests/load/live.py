"""People who type on Tokens, over its live socket, and who compare what comes with what the library says."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection

from tests.load.page import opened
from tests.load.person import Person, Wrong
from tokviz.catalog.references import reference

KEYS_A_SECOND = 3
CHECKED_EACH = 20  # one of this number of answers is compared with the library's: that costs as much as the answer

Going = Callable[[], bool]  # whether to go on


def for_so_long(seconds: float) -> Going:
    """What holds for so long from now on."""
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end


def parts_of(answer: bytes) -> tuple[dict[str, Any], np.ndarray[Any, np.dtype[np.int32]]]:
    """The header of a binary answer, and the integers after it."""
    length = int.from_bytes(answer[:4], "little")
    header: dict[str, Any] = json.loads(answer[4 : 4 + length])
    return header, np.frombuffer(answer, "<i4", offset=4 + length)


class Keys:
    """A text that keys are pressed in. Each is a patch, which `apply` has made already."""

    def __init__(self, text: str, chance: random.Random) -> None:
        self.text, self.chance = text, chance

    def press(self) -> tuple[int, int, str]:
        """Press a key somewhere: from, to, insert."""
        at = self.chance.randint(0, len(self.text))
        stop = at + 1 if self.chance.random() < 0.3 and at < len(self.text) else at
        insert = "" if stop > at else self.chance.choice("etaoiné \n")
        self.text = self.text[:at] + insert + self.text[stop:]
        return at, stop, insert


class LiveSocket:
    """The live socket of a text area: the text and its seams under each tokenizer, as the browser has them."""

    def __init__(self, person: Person, socket: ClientConnection, keys: list[str]) -> None:
        self.person, self.socket, self.keys = person, socket, keys
        self.seams = [np.empty(0, np.int32) for _ in keys]
        self.v = 0

    async def greet(self, view: str) -> None:
        """Say which text area this is."""
        hello = {"view": view, "keys": self.keys, "specials": "text", "length": None, "sum": None}
        await self.socket.send(json.dumps(hello))
        if not json.loads(await self.person.hear(self.socket)).get("hello"):
            raise Wrong("The live socket did not greet.")

    async def patch(self, start: int, stop: int, insert: str, length: int) -> None:
        """Send a patch and take its answer. length: of the text, as it has to be then."""
        self.v += 1
        await self.socket.send(json.dumps({"v": self.v, "from": start, "to": stop, "insert": insert}))
        header, seams = parts_of(await self.person.hear(self.socket))
        if (header["v"], header["length"]) != (self.v, length):
            raise Wrong("The answer to a key is about another text.")
        at = 0
        for side, part in enumerate(header["parts"]):
            if part["error"]:
                raise Wrong(f"A key ended in: {part['error']}")
            new = seams[at : at + part["count"]]
            at += part["count"]
            old = self.seams[side]
            self.seams[side] = np.concatenate([old[: part["start"]], new, old[part["stop"] :]])

    def check(self, text: str) -> None:
        """Compare the seams with the library's."""
        for key, seams in zip(self.keys, self.seams, strict=True):
            if not np.array_equal(seams, reference(key).explain(text).seams):
                raise Wrong(f"The seams under {key} are not those of the library.")
            self.person.heard.checked += 1


async def type_on_tokens(
    person: Person, text: str, going: Going, *, spell: float = 10, rest: float = 0, keys_a_second: float = KEYS_A_SECOND
) -> None:
    """Open Tokens and type for `spell` seconds, rest for `rest` seconds, and so on. text: has the person's mark."""
    chance = random.Random(person.number)
    async with opened(person, "") as page:
        bench = page.component("tokens.workbench")
        if bench is None:
            raise Wrong("Tokens shows no workbench.")
        keys = [block["key"] for block in bench["blocks"] if not block["kind"] and not block["key"].startswith("mine")]
        async with person.socket("/tokviz/live") as socket:
            typed, live = Keys(text, chance), LiveSocket(person, socket, keys)
            await live.greet(bench["view"])
            await live.patch(0, 0, text, len(text))
            live.check(text)
            await in_spells(person, lambda: one_key(person, typed, live), going, spell, rest, keys_a_second, chance)
            live.check(typed.text)
            if person.mark not in typed.text:  # keys may have cut it
                await live.patch(0, 0, person.mark, len(typed.text) + len(person.mark))


async def one_key(person: Person, typed: Keys, live: LiveSocket) -> None:
    """Press a key, and note how long its answer took."""
    start, stop, insert = typed.press()
    begun = time.perf_counter()
    await live.patch(start, stop, insert, len(typed.text))
    person.heard.time("a key on Tokens", 1000 * (time.perf_counter() - begun))
    if live.v % CHECKED_EACH == 0:
        live.check(typed.text)


async def in_spells(
    person: Person,
    key: Callable[[], Awaitable[None]],
    going: Going,
    spell: float,
    rest: float,
    keys_a_second: float,
    chance: random.Random,
) -> None:
    """Press keys at this pace for `spell` seconds, rest for `rest` seconds, and so on."""
    await asyncio.sleep(chance.uniform(0, 1))  # nobody begins with the others
    end = time.perf_counter() + spell
    while going():
        begun = time.perf_counter()
        if begun >= end and rest:
            await asyncio.sleep(rest)
            end = time.perf_counter() + spell
            continue
        await key()
        pause = (1 + chance.uniform(-0.3, 0.3)) / keys_a_second
        await asyncio.sleep(max(0, begun + pause - time.perf_counter()))
