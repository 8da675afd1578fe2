"""People who compare: runs of the Compare page, one for each click."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from tests.load.live import Going
from tests.load.page import Page, opened
from tests.load.person import Person, Wrong
from tokviz.catalog.references import reference
from tokviz.ui.kit.data import int32

TABS = ("Figures", "Vocabulary size", "Languages")
CLICKS = (2, 5)  # seconds from one click to the next, at least and at most


async def compare(person: Person, text: str, going: Going) -> None:
    """Give Compare a text, then turn from tab to tab, change the text, and change the tokenizers."""
    chance, n = random.Random(person.number), 0
    async with opened(person, "compare") as page:
        await page.set("expandable", "compare.edit", bool_value=True)
        while going():
            if n % 4 == 0:
                at = chance.randrange(len(text))
                text = f"{person.mark} {n} {text[at:]}{text[:at]}"[: len(text)]
                await page.set("text_area", "compare.text", string_value=text)
            elif n % 4 == 2:
                await choose(page, 2 + n % 8 // 4)
            else:
                await page.set("tab_container", "compare.tab", string_value=chance.choice(TABS))
            check(page, text)
            n += 1
            await asyncio.sleep(chance.uniform(*CLICKS))


async def choose(page: Page, many: int) -> None:
    """Choose the first so many tokenizers."""
    pills = page.widget("button_group", "compare.chosen")
    if pills is None:
        raise Wrong("Compare shows no tokenizers to choose.")
    await page.set("button_group", "compare.chosen", string_array_value=[one.content for one in pills.options][:many])


def check(page: Page, text: str) -> None:
    """The ruler shows this text, with the library's seams under each tokenizer."""
    said: dict[str, Any] | None = page.component("compare.ruler")
    if said is None:
        raise Wrong("Compare shows no ruler.")
    if said["text"] != text:
        raise Wrong("Compare shows another text.")
    for row in said["rows"]:
        if row["seams"] != int32(reference(row["key"]).explain(text).seams):
            raise Wrong(f"The ruler's seams under {row['key']} are not those of the library.")
    page.person.heard.checked += 1
