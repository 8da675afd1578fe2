"""People who compare: runs of the Compare page, one for each click."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from tests.load.live import Going
from tests.load.page import Page, opened
from tests.load.person import Person, Wrong
from tokviz.catalog.references import reference
from tokviz.offline.data import int32

MODELS = ("gpt2", "gpt-4", "gpt-4o")
TABS = ("Figures", "Vocabulary size", "Languages")
CLICKS = (2, 5)  # seconds from one click to the next, at least and at most


async def compare(person: Person, text: str, going: Going) -> None:
    """Give Compare a text, then turn from tab to tab, change the text, and change the tokenizers."""
    chance, n = random.Random(person.number), 0
    async with opened(person, "compare") as page:
        while going():
            if n % 4 == 0:
                at = chance.randrange(len(text))
                text = f"{person.mark} {n} {text[at:]}{text[:at]}"[: len(text)]
                await ask(page, what="typed", text=text)
            elif n % 4 == 2:
                await ask(page, what="chosen", name=",".join(MODELS[: 2 + n % 8 // 4]))
            else:
                await page.set("tab_container", "compare.tab", string_value=chance.choice(TABS))
            check(page, text)
            n += 1
            await asyncio.sleep(chance.uniform(*CLICKS))


async def ask(page: Page, **what: str) -> None:
    """Ask for something as the workbench does in a browser without a live socket."""
    await page.tell("compare.bench", "asked", what)


def check(page: Page, text: str) -> None:
    """The workbench has this text, with the library's seams under each tokenizer."""
    said: dict[str, Any] | None = page.component("compare.bench")
    if said is None:
        raise Wrong("Compare shows no workbench.")
    if said["text"] != text:
        raise Wrong("Compare shows another text.")
    for block in said["blocks"]:
        if block["seams"] != int32(reference(block["key"]).explain(text).seams):
            raise Wrong(f"The seams under {block['key']} are not those of the library.")
    page.person.heard.checked += 1
