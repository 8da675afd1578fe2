"""Selecting all of a long text of many lines on the Tokens page, and deleting it, beside a bare text area."""

from __future__ import annotations

import time

from playwright.sync_api import ElementHandle, Page, sync_playwright

from tests.benchmarks.figures import load, report
from tests.benchmarks.typing import bare
from tests.e2e.browser import bare_page, launch, serving
from tests.e2e.typing import answered, area, choose, opened, replace

LINE = "the cat sat on the mat, it was\n"
TIMES = 5
_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def pressed(page: Page, key: str) -> float:
    """Press the key. Returns ms until the second frame after it."""
    begun = time.perf_counter()
    page.keyboard.press(key)
    page.evaluate(_FRAMES)
    return 1000 * (time.perf_counter() - begun)


def both(page: Page, there: ElementHandle) -> tuple[float, float]:
    page.bring_to_front()
    there.evaluate("area => { area.focus(); area.setSelectionRange(0, 0); }")
    page.evaluate(_FRAMES)
    return pressed(page, "Control+a"), pressed(page, "Delete")


def main() -> None:
    with sync_playwright() as playwright, serving() as server:
        browser = launch(playwright)
        page = bare_page(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
        opened(page)
        choose(page, ["cl100k_base"])
        for size in (200_000, 956_000):
            text = (LINE * (size // len(LINE) + 1))[:size]
            replace(page, text)
            ours, theirs = [], []
            for _ in range(TIMES):
                replace(page, text)
                answered(page, 500)
                ours.append(both(page, area(page).element_handle()))
                other, there = bare(browser, text, area(page).element_handle())
                theirs.append(both(other, there))
                other.close()
            print(f"{size:,} characters in {text.count(chr(10)):,} lines, {load()}")
            for name, taken in (("bare text area", theirs), ("workbench", ours)):
                report(f"{name}, select all", [selected for selected, _ in taken])
                report(f"{name}, delete", [deleted for _, deleted in taken])
        browser.close()
