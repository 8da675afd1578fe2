"""Writing a corpus on the Train page, which is trained anew at each key: from the key to the painted ladder, beside the
same key in a bare text area, in turn in one browser. Also thirty people who write at once, over their sockets alone.
"""

from __future__ import annotations

import random

from playwright.sync_api import Browser, ElementHandle, Page, expect, sync_playwright

from tests.benchmarks.clients import clients
from tests.benchmarks.corpora import english_and_code
from tests.benchmarks.figures import load, report
from tests.benchmarks.typing import SAMPLES, bare, press
from tests.e2e.browser import Server, bare_page, launch, serving, settled
from tests.e2e.typing import HOLD_SOCKETS

KEYS = 200
SIZES = ((120, 24), (2_000, 1_000), (5_000, 1_000), (18_000, 1_000))  # characters, merges asked for


def written(browser: Browser, server: Server, text: str, merges: int) -> tuple[Page, ElementHandle]:
    """The Train page with this corpus in its text area, trained with so many merges."""
    page = bare_page(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
    page.add_init_script(HOLD_SOCKETS.replace("/tokviz/live", "/tokviz/train"))
    page.goto("/train")
    settled(page)
    page.get_by_role("radio", name="Write").click()
    area = page.get_by_role("textbox", name="Your text")
    area.fill(text)
    page.get_by_text("More settings").click()
    for name, value in (("Vocabulary size", 256 + merges), ("Stop when a pair occurs less often than", 1)):
        page.get_by_label(name).fill(f"{value}")
        page.keyboard.press("Enter")
        settled(page)
    expect(page.get_by_text(f"of {len(text.encode()):,} bytes", exact=True)).to_be_visible()
    there = area.element_handle()
    there.evaluate(SAMPLES, True)
    there.focus()
    return page, there


def keys(browser: Browser, server: Server, size: int, merges: int) -> None:
    """The time from a key to the painted ladder, and to the painted letter in a bare text area of the same size."""
    chance, text = random.Random(size), english_and_code(size)
    ours = written(browser, server, text, merges)
    theirs = bare(browser, text, ours[1])
    pairs = [(press(*ours, chance), press(*theirs, chance)) for _ in range(KEYS)]
    print(f"{size:,} characters, {merges:,} merges, {load()}")
    report("bare text area", [bare for _, bare in pairs])
    report("written corpus", [ladder for ladder, _ in pairs])
    report("difference", [ladder - bare for ladder, bare in pairs])
    ours[0].context.close()
    theirs[0].close()


def main() -> None:
    with sync_playwright() as playwright, serving() as server:
        browser = launch(playwright)
        for size, merges in SIZES:
            keys(browser, server, size, merges)
        clients(server, "train")
        browser.close()
