"""The very first start: a fresh server without compiled code, a browser that opens the page, and keys typed at once.

Prints how long the server took to answer, the time from the first request to the first tokens, and from each key to the
painted tokens, until all kernels are compiled.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.benchmarks.figures import load, report
from tests.e2e.browser import Server, launch, new_context, serving
from tests.e2e.typing import area

STARTS = 3
LEAST_S, QUIET_S = 10, 8  # keys are typed for so long, and until no code was compiled for so long
KEY_EACH_S = 0.4

# From the last key to the frame after the one in which its answer was drawn, whichever socket brings it.
_ANSWERS = """
window.answers = 0;
window.WebSocket = class extends WebSocket {
  constructor(...address) {
    super(...address);
    if (String(address[0]).endsWith("/tokviz/live")) this.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") requestAnimationFrame(() => requestAnimationFrame(() => {
        window.took = performance.now() - window.begun;
        window.answers++;
      }));
    });
  }
};
addEventListener("keydown", event => { window.begun = event.timeStamp }, true);
"""


def one(server: Server, code: Path) -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        context = new_context(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
        context.add_init_script(_ANSWERS)
        page, chance = context.new_page(), random.Random(1)
        begun = time.perf_counter()
        page.goto("/")
        page.locator(".t").first.wait_for(timeout=180_000)
        print(f"  first tokens {time.perf_counter() - begun:.1f} s after the first request, {load()}", flush=True)
        area(page).focus()
        times: list[float] = []
        begun = since = time.perf_counter()
        compiled = 0
        while time.perf_counter() - since < QUIET_S or time.perf_counter() - begun < LEAST_S:
            before = page.evaluate("answers")
            page.keyboard.press(chance.choice("etaoin "))
            page.wait_for_function(f"() => answers > {before}", timeout=180_000)
            times.append(page.evaluate("took"))
            page.wait_for_timeout(1000 * KEY_EACH_S)
            if (now := len([*code.rglob("*.nbi")])) != compiled:
                compiled, since = now, time.perf_counter()
        report(f"{len(times)} keys, while {compiled} kernels were compiled", times)
        print("  the first keys:", ", ".join(f"{took:.0f}" for took in times[:12]), "ms", flush=True)
        browser.close()


def main() -> None:
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory() as code:
            begun = time.perf_counter()
            with serving(NUMBA_CACHE_DIR=code) as server:
                print(f"  the server answers after {time.perf_counter() - begun:.1f} s")
                one(server, Path(code))
