"""People who write a corpus on Train, over its socket: it is trained anew with each key."""

from __future__ import annotations

import json
import random
import time

from tests.load.live import KEYS_A_SECOND, Going, Keys, in_spells, parts_of
from tests.load.page import opened
from tests.load.person import Person, Wrong
from tokviz.training.train import train

SETTINGS = {"pattern": "gpt2", "custom": "", "vocab_size": 512, "special": "", "tie": "first", "min_count": 1}


async def write(person: Person, text: str, going: Going) -> None:
    """Write on the Train page for as long as this goes on."""
    chance = random.Random(person.number)
    async with opened(person, "train") as page:
        await page.set("button_group", "train.way", string_array_value=["Write"])
        area = page.component("train.write")
        if area is None or "view" not in area:
            raise Wrong("Train shows no corpus to write.")
        async with person.socket("/tokviz/train") as socket:
            hello = {"view": area["view"], "settings": SETTINGS, "length": 0, "sum": 1}
            await socket.send(json.dumps(hello))
            if json.loads(await person.hear(socket)) != {"hello": True, "same": False}:
                raise Wrong("The server has a text that nobody wrote.")
            keys, v = Keys("", chance), 0

            async def patch(start: int, stop: int, insert: str) -> None:
                nonlocal v
                v += 1
                begun = time.perf_counter()
                await socket.send(json.dumps({"v": v, "from": start, "to": stop, "insert": insert}))
                header, numbers = parts_of(await person.hear(socket))
                person.heard.time("a key in a corpus", 1000 * (time.perf_counter() - begun))
                if (header["v"], header["length"]) != (v, len(keys.text)):
                    raise Wrong("The answer to a key is about another corpus.")
                if v % 10 == 1:
                    check(header, numbers[: 7 * header["rows"]].reshape(-1, 7).tolist())

            def check(header: dict[str, object], rows: list[list[int]]) -> None:
                right = train(keys.text, SETTINGS["vocab_size"], pattern="gpt2")
                record = right.merges
                said = (header["bytes"], header["merges"], header["stopped"])
                if said != (right.n_bytes, len(record), right.stopped):
                    raise Wrong("The figures of a written corpus are not the library's.")
                for rank, _, *figures in rows:
                    one = record[rank]
                    if figures != [one.left, one.right, one.count, one.replaced, one.tied]:
                        raise Wrong("A merge of a written corpus is not the library's.")
                person.heard.checked += 1

            async def key() -> None:
                await patch(*keys.press())

            keys.text = text
            await patch(0, 0, text)
            await in_spells(person, key, going, 10, 0, KEYS_A_SECOND, chance)
