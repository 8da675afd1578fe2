"""Whole files on Compare: from the drop of 10 MB to its figures under four tokenizers, and to why two of them differ.

Then the same again and again while another visitor types on the Tokens page: each key is timed to its painted tokens,
and told apart by what the server did for the file meanwhile.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tests.benchmarks.corpora import build, english_and_code
from tests.benchmarks.figures import cpu_seconds, load, report
from tests.benchmarks.typing import OWN, begin, live, press
from tests.e2e.browser import Server, bare_page, launch, serving, settled

SIZE = 10_000_000  # bytes
DROPS, KEYS = 5, 100
FOUR = [OWN, "GPT-2", "cl100k_base", "o200k_base"]
COUNTED, BESIDE, REST = "while it is counted", "while it is sent, drawn, looked into", "at rest"


def figures(page: Page) -> Locator:
    return page.get_by_role("slider", name="Place in the file")


def reasons(page: Page) -> Locator:
    return page.get_by_role("heading", name="because")


def compare(browser: Browser, server: Server) -> Page:
    """The Files tab of a visitor who has four tokenizers there."""
    page = bare_page(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
    begin(page, FOUR)
    page.goto("/compare")
    page.get_by_role("tab", name="Files", exact=True).click()
    settled(page)
    return page


def drop(page: Page, path: Path) -> None:
    page.locator('input[type="file"]').last.set_input_files(path)


def put_away(page: Page) -> None:
    page.get_by_role("button", name="Remove the files").click()
    figures(page).wait_for(state="detached")
    settled(page)


def alone(server: Server, page: Page, path: Path) -> None:
    to_figures, to_reasons, used = [], [], []
    for _ in range(DROPS):
        begun, before = time.perf_counter(), cpu_seconds(server)
        drop(page, path)
        figures(page).wait_for(timeout=60_000)
        to_figures.append(time.perf_counter() - begun)
        used.append(cpu_seconds(server) - before)
        reasons(page).wait_for(timeout=60_000)
        to_reasons.append(time.perf_counter() - begun)
        settled(page)
        put_away(page)
    print(f"{path.stat().st_size:,} bytes dropped, {len(FOUR)} tokenizers, {load()}")
    for what, times in (("figures and map", to_figures), ("why a pair differs", to_reasons)):
        print(f"  to {what:45} median {statistics.median(times):6.2f} s, most {max(times):6.2f}")
    print(f"  the server's processor time to the figures       median {statistics.median(used):6.2f} s", flush=True)


def beside(browser: Browser, server: Server, page: Page, path: Path) -> None:
    chance = random.Random(0)
    typist = live(browser, server, english_and_code(5_000), ["cl100k_base"])
    times: dict[str, list[float]] = {REST: [press(*typist, chance) for _ in range(KEYS)], COUNTED: [], BESIDE: []}
    while len(times[COUNTED]) < KEYS:
        drop(page, path)
        while not reasons(page).count():
            before = page.get_by_role("button", name="Cancel").count()
            took = press(*typist, chance)
            after = page.get_by_role("button", name="Cancel").count()
            times[COUNTED if before and after else BESIDE].append(took)
        put_away(page)
    print(f"keys to painted tokens in 5,000 characters while another visitor's file goes through, {load()}")
    for what, found in times.items():
        report(f"{what}, {len(found)} keys", found)
    report("all but at rest", times[COUNTED] + times[BESIDE])
    typist[0].close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, serving() as server:
        path = Path(folder, "mixed.txt")
        path.write_text(build("mixed", SIZE), encoding="utf-8", newline="")
        browser = launch(playwright)
        page = compare(browser, server)
        alone(server, page, path)
        beside(browser, server, page, path)
        browser.close()
