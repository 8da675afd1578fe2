"""People who write a corpus on Train, asking for its training with each key."""

from __future__ import annotations

import random
import time

from tests.load.live import KEYS_A_SECOND, Going, Keys, in_spells
from tests.load.page import opened
from tests.load.person import Person, Wrong
from tokviz.training.train import train
from tokviz.ui.train.questions import training_data

SETTINGS = {"pattern": "gpt2", "custom": "", "vocab_size": 512, "special": "", "tie": "first", "min_count": 1}
CHECKED_EACH = 10  # one of this number of answers is compared with the library's


async def write(person: Person, text: str, going: Going) -> None:
    """Write on the Train page for as long as this goes on."""
    chance = random.Random(person.number)
    async with opened(person, "train") as page:
        await page.set("button_group", "train.way", string_array_value=["Write"])
        area = page.component("train.write")
        if area is None or "view" not in area:
            raise Wrong("Train shows no corpus to write.")
        async with person.socket("/tokviz/ask") as socket:
            keys, n = Keys(text, chance), 0

            async def key() -> None:
                nonlocal n
                n += 1
                keys.press()
                asked = {"view": area["view"], "text": keys.text, "settings": SETTINGS, "step": None}
                begun = time.perf_counter()
                told = await person.ask(socket, n=n, ask="train.written", **asked)
                person.heard.time("a key in a corpus", 1000 * (time.perf_counter() - begun))
                if n % CHECKED_EACH == 0:
                    right = training_data(train(keys.text, 512, pattern="gpt2"))
                    if {name: told["answer"][name] for name in right} != right:
                        raise Wrong("The training of a written corpus is not the library's.")
                    person.heard.checked += 1

            await in_spells(person, key, going, 10, 0, KEYS_A_SECOND, chance)
