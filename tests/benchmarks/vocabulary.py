"""The list of all tokens of o200k_base: how soon it is there, how soon a search shows its rows, and how it scrolls.

In a real Chromium, on the real page, of a visitor who was never here, on a server that has just prepared itself.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from playwright.sync_api import Browser, Page, sync_playwright

from tests.benchmarks.figures import load, report
from tests.benchmarks.typing import NODES
from tests.e2e.browser import Server, bare_page, launch, serving

OPENINGS = 8
PAUSE_MS = 400  # between two keys, so that a search ends before the next one begins
TYPED = {
    "Text": ("every", " the", "über", "xyzq", "日本"),
    "Bytes": ("20 65", "e2 80", "f09f"),
    "Id": ("1753", "100-200", "199999"),
    "Pattern": ("^ [A-Z]", r"\d{3}", "(a|e)+ing$"),
}

# From the key event to the frame after the one in which the rows of its answer were drawn; for a pattern also to those
# of the whole search, which the sentence above the rows shows.
WATCH = """(root) => {
  const field = root.querySelector("[role=searchbox]"), said = root.querySelector(".said");
  window.first = []; window.whole = [];
  let begun = 0, answers = 0;
  field.addEventListener("keydown", ({ timeStamp }) => { begun = timeStamp; answers = 0; }, true);
  new MutationObserver(() => {
    const n = answers++, over = !said.textContent.endsWith("goes on"), since = begun;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const took = performance.now() - since;
      if (!n) window.first.push(took);
      if (over) window.whole.push(took);
    }));
  }).observe(said, { childList: true });
}"""

# How the list is scrolled in each frame: some rows further, or to another place of its 200,000 rows.
SCROLL = """(box, jumps) => new Promise(resolve => {
  const times = []; let last = performance.now(), frames = 0;
  const frame = now => {
    times.push(now - last); last = now;
    box.scrollTop = jumps ? Math.random() * box.scrollHeight : box.scrollTop + 120;
    frames++ < 600 ? requestAnimationFrame(frame) : resolve(times.slice(1));
  };
  requestAnimationFrame(frame); })"""


def opening(browser: Browser, server: Server) -> None:
    """From the navigation to the first rows, in a browser that has Streamlit's scripts, and in one that has not."""
    cold, warm = [], []
    for _ in range(OPENINGS):
        page = bare_page(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
        for times in (cold, warm):
            page.context.clear_cookies()
            page.goto("/vocabulary", wait_until="commit")
            page.locator(".room .row:not(.waiting)").first.wait_for()
            times.append(float(page.evaluate("performance.now()")))
        page.context.close()
    print(f"from the navigation to the first rows, {load()}")
    report("a new visitor in a new browser", cold)
    report("a new visitor in a browser with the app's scripts", warm)


def searches(page: Page) -> None:
    """Each key of some searches."""
    root = page.locator(".vocabulary").first
    root.evaluate(WATCH)
    field = page.get_by_role("searchbox")
    for by, texts in TYPED.items():
        field.fill("")
        page.wait_for_timeout(PAUSE_MS)
        page.get_by_role("button", name=by, exact=True).click()
        page.wait_for_timeout(PAUSE_MS)
        page.evaluate("window.first = [], window.whole = []")
        for text in texts:
            for key in text:
                page.keyboard.type(key)
                page.wait_for_timeout(PAUSE_MS)
            for _ in text:
                page.keyboard.press("Backspace")
                page.wait_for_timeout(PAUSE_MS)
        first, whole = page.evaluate("[first, whole]")
        report(f"{by}: key to the first rows, {len(first)} keys", first)
        if by == "Pattern":
            report(f"{by}: key to the end of the search", whole)


def scrolling(page: Page) -> None:
    """Frames while o200k_base is scrolled, and how many elements the page has then."""
    box = page.get_by_role("listbox")
    for jumps in (False, True):
        times: Sequence[float] = box.evaluate(SCROLL, jumps)
        how = "anywhere in each frame" if jumps else "120 pixels in each frame"
        report(f"scroll, {how}, {1000 / statistics.mean(times):.1f} a second", times)
        print(f"  {page.evaluate(NODES):,} elements on the page")


def main() -> None:
    with sync_playwright() as playwright, serving() as server:
        browser = launch(playwright)
        first = bare_page(browser, base_url=server.url)
        first.goto("/vocabulary")
        first.locator(".room .row").first.wait_for()
        first.wait_for_timeout(15_000)  # the server prepares itself
        opening(browser, server)
        page = bare_page(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
        page.goto("/vocabulary")
        page.locator(".room .row:not(.waiting)").first.wait_for()
        page.wait_for_timeout(5_000)  # all merges are read once, for the families
        print(f"searches and scrolling, {load()}")
        searches(page)
        page.get_by_role("searchbox").fill("")
        page.wait_for_timeout(PAUSE_MS)
        scrolling(page)
        browser.close()
