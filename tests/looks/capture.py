"""Draws states: for each of their looks a picture (PNG) and the accessibility tree (text) of the page at rest."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import time
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import tokviz
from tests.e2e.browser import Server, launch, serving, settled, visiting
from tests.looks.comparison import difference
from tests.looks.state import HEIGHTS, State
from tests.looks.states import DAMAGED, LONG_NAME, SHELLS, STATES
from tokviz.catalog.samples import sample

FAILED = "failed.txt"
PATIENCE_S = 60  # for each thing that is waited for
MOST_PX = 6_000  # of a picture's height
MOST_LOOKS = 40  # at a page, until it is at rest
PROCESSES = 2
SAVED_AT = 1_768_471_200  # seconds since 1970: 15 January 2026

# The browser's clock begins at the same moment in each page, and its random numbers are the same ones.
FROZEN = """
const Real = Date, begun = Real.now(), beginning = Real.UTC(2026, 0, 15, 10);
window.Date = class extends Real {
  constructor(...given) { given.length ? super(...given) : super(Date.now()); }
  static now() { return beginning + Real.now() - begun; }
};
let seed = 1;
Math.random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
"""
# What cannot be frozen: texts, and what is drawn in their place; codes of rooms; and what is hidden.
TEXTS = {
    r"^\d+\s% · about \d+ s left$": "50 %",  # how far a training is
    r"^(Training: merge) [\d,]+ of": "$1 1,000 of",
    r"under a second|about \d+ s\b|about \d+ minutes": "under a second",  # how long it takes here
    r"\d+\.\d+\.\d+\.\d+:\d+": "192.0.2.2:8501",  # where this machine is
    f"{date.today()}": "2026-01-15",
}
CODES = ".room-code, .head b.mono"
HIDDEN = "[data-testid=stProgress], .qr"
REPLACE = """([texts, codes, hidden]) => {
  const roots = [document.body];
  for (const root of roots) {
    for (const element of root.querySelectorAll(codes)) {
      element.textContent = "K7QF";
      if (element.ariaLabel) element.ariaLabel = "Room code K 7 Q F";
    }
    for (const element of root.querySelectorAll(hidden)) element.style.visibility = "hidden";
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      if (node.shadowRoot) roots.push(node.shadowRoot);
      if (node.nodeType !== Node.TEXT_NODE) continue;
      for (const [pattern, text] of texts) {
        const replaced = node.data.replace(new RegExp(pattern, "g"), text);
        if (replaced !== node.data) node.data = replaced;
      }
    }
  }
}"""
# Stops all timers of the page: by one of them it asks the server again and again how far its work is.
STOP_TIMERS = "() => { for (let id = setTimeout(() => {}, 1e9); id; id--) clearTimeout(id); }"
# How high the page is with all that it shows.
HEIGHT = """() => Math.ceil(document.querySelector('[data-testid="stMainBlockContainer"]')?.scrollHeight ?? 0)"""


def draw_all(states: Sequence[State], folder: Path) -> list[str]:
    """Draw states into a folder, in several processes. Returns which of them failed, and why."""
    folder.mkdir(parents=True, exist_ok=True)
    failed = folder / FAILED
    failed.unlink(missing_ok=True)
    spawning = multiprocessing.get_context("spawn")
    tasks = spawning.SimpleQueue()
    processes = [spawning.Process(target=_draw_some, args=(tasks, folder)) for _ in range(min(PROCESSES, len(states)))]
    for process in processes:
        process.start()
    for name in [*(state.name for state in states), *[""] * len(processes)]:
        tasks.put(name)
    for process in processes:
        process.join()
    lines = failed.read_text("utf-8").splitlines() if failed.exists() else []
    return sorted(lines) + ["A process ended early, and its states are not drawn."] * any(p.exitcode for p in processes)


def _draw_some(tasks: multiprocessing.SimpleQueue[str], folder: Path) -> None:
    expect.set_options(timeout=1000 * PATIENCE_S)
    with at_work() as (browser, server):
        for name in iter(tasks.get, ""):
            begun = time.monotonic()
            why = draw(STATES[name], browser, server, folder)
            print(f"{name}: {why or f'{time.monotonic() - begun:.1f} s'}", flush=True)
            if why:
                with (folder / FAILED).open("a", encoding="utf-8") as failed:
                    failed.write(f"{name}: {why}\n")


@contextlib.contextmanager
def at_work() -> Iterator[tuple[Browser, Server]]:
    """A browser, and a server with some saved tokenizers."""
    with serving(PYTHONHASHSEED="0", TZ="UTC") as server, sync_playwright() as playwright:
        _save_tokenizers(server.saved)
        browser = launch(playwright)
        yield browser, server
        browser.close()


def _save_tokenizers(folder: Path) -> None:
    """Save a small tokenizer, one with a long name, and a file that is damaged; all of them on the same day."""
    tok = tokviz.train(sample("tongue").text, 300, special_tokens=["<|end|>"], name=SHELLS).tokenizer
    for name in (SHELLS, LONG_NAME):
        tok.save(folder / f"{name}.json")
    (folder / f"{DAMAGED}.json").write_bytes(b'{"format": "tokviz"')
    for file in folder.iterdir():
        os.utime(file, (SAVED_AT, SAVED_AT))


def draw(state: State, browser: Browser, server: Server, folder: Path) -> str:
    """Draw all looks of a state into a folder. Returns why it failed, "" if it did not."""
    for old in folder.glob(f"{state.name}@*"):
        old.unlink()
    before = browser.contexts
    try:
        with visiting(browser, server, reduced_motion="reduce", timezone_id="UTC") as page:
            page.set_default_timeout(1000 * PATIENCE_S)
            page.add_init_script(FROZEN)
            page.goto(state.address)
            settled(page)
            for act in state.acts:
                act(page)
            if state.works:
                page.locator(state.works).wait_for()
                page.evaluate(STOP_TIMERS)
            settled(page)
            for name, width, theme in state.looks():
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                (folder / f"{name}.png").write_bytes(_steady(page, width, state.whole))
                (folder / f"{name}.txt").write_text(_tree(page, server.url), "utf-8")
    except (Exception, pytest.fail.Exception) as fault:  # written down, and the next state is drawn
        return " ".join(str(fault).split())[:300] or type(fault).__name__
    finally:
        windows = [window.context for free in server.windows.values() for window in free]
        for context in browser.contexts:  # of other visitors, and of a visit that failed
            if context not in before and context not in windows:
                context.close()
    return ""


def _tree(page: Page, url: str) -> str:
    """The accessibility tree of the page. Addresses in it have no server, and a log has not what it said last. The
    options of a list are sorted: where only those in sight are drawn, their order depends on how it was scrolled."""
    tree = re.sub(r"(?m)^(\s*- log): .*$", r"\1", page.locator("body").aria_snapshot().replace(url, "")) + "\n"
    return re.sub(r"(?m)(^\s*- option .*\n)+", lambda found: "".join(sorted(found[0].splitlines(keepends=True))), tree)


def _steady(page: Page, width: int, whole: bool) -> bytes:
    """A picture of the page in a window of this width, once two in a row are the same."""
    page.mouse.move(0, 0)
    page.get_by_text("being looked up").first.wait_for(state="hidden")
    before, least = b"", HEIGHTS[width]
    for _ in range(MOST_LOOKS):
        height = min(max(least, page.evaluate(HEIGHT)), MOST_PX) if whole else least
        if page.viewport_size != {"width": width, "height": height}:
            page.set_viewport_size({"width": width, "height": height})
            before = b""
        settled(page)
        page.evaluate(REPLACE, [list(TEXTS.items()), CODES, HIDDEN])
        picture = page.screenshot(animations="disabled", caret="hide")
        if before and not difference(before, picture):
            return picture
        before = picture
    raise TimeoutError("The page does not come to rest.")
