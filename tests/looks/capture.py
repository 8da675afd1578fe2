"""Draws states: for each of their looks a picture (PNG) and the accessibility tree (text) of the page at rest."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.e2e.browser import Server, launch, serving, settled, visiting
from tests.looks.keep import keep_tokenizers
from tests.looks.state import HEIGHTS, State

FAILED = "failed.txt"
PATIENCE_S = 60  # for each thing that is waited for
MOST_PX = 6_000  # of a picture's height
STEADY = 12  # pictures, until two of them in a row are the same
PROCESSES = 2

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
# Texts that cannot be frozen, and what is drawn in their place. Whatever has the class or the test id that comes last
# is hidden: how far a piece of work is, and the QR code of a room.
TEXTS = {
    r"under a second|about \d+ s\b|about \d+ minutes": "under a second",  # how long a training takes here
    r"^\d+\s%( · about \d+ s left)?$": "50 %",
    r"\b(\d[\d,.]*|under 0.01) (ms|s)\b": "1 s",
}
HIDDEN = "[data-testid=stProgress], .qr"
REPLACE = """([texts, hidden]) => {
  const roots = [document.body];
  for (const root of roots) {
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
# Timers of the page stop, so that nothing asks the server anew how far its work is.
STOP_TIMERS = "() => { for (let id = setTimeout(() => {}, 1e9); id; id--) clearTimeout(id); }"
# How high the window must be so that nothing of the page is scrolled out of it.
WHOLE = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  return main ? Math.ceil(innerHeight + main.scrollHeight - main.clientHeight) : innerHeight;
}"""


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
    from tests.looks.states import STATES

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
        keep_tokenizers(server.saved)
        browser = launch(playwright)
        yield browser, server
        browser.close()


def draw(state: State, browser: Browser, server: Server, folder: Path) -> str:
    """Draw all looks of a state into a folder. Returns why it failed, "" if it did not."""
    for old in folder.glob(f"{state.name}@*"):
        old.unlink()
    try:
        with visiting(browser, server, reduced_motion="reduce", timezone_id="UTC") as page:
            page.set_default_timeout(1000 * PATIENCE_S)
            page.add_init_script(FROZEN)
            page.goto(state.address)
            settled(page)
            state.act(page)
            settled(page)
            if state.works:
                page.evaluate(STOP_TIMERS)
            for name, width, theme in state.looks():
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                _fit(page, width, state.whole)
                (folder / f"{name}.png").write_bytes(_steady(page))
                (folder / f"{name}.txt").write_text(page.locator("body").aria_snapshot(), "utf-8")
    except (Exception, pytest.fail.Exception) as fault:  # written down, and the next state is drawn
        return " ".join(str(fault).split())[:300] or type(fault).__name__
    return ""


def _fit(page: Page, width: int, whole: bool) -> None:
    """Make the window as wide as this, and as high as the page."""
    page.mouse.move(0, 0)
    height = HEIGHTS[width]
    for _ in range(3 if whole else 1):
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        needed = min(page.evaluate(WHOLE), MOST_PX)
        if needed <= height or not whole:
            return
        height = needed


def _steady(page: Page) -> bytes:
    """A picture of the page, once two in a row are the same."""
    before = b""
    for _ in range(STEADY):
        page.evaluate(REPLACE, [list(TEXTS.items()), HIDDEN])
        picture = page.screenshot(animations="disabled", caret="hide")
        if picture == before:
            return picture
        before = picture
        page.wait_for_timeout(100)
    raise TimeoutError("The page does not come to rest.")
