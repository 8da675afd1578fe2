"""How smoothly Replay plays: 1,000 merges over a window of 2,000 bytes, in a real Chromium, on the real page."""

from __future__ import annotations

import statistics

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.corpora import english_and_code
from tests.e2e.browser import launch, serving, settled, visiting

FRAMES = """(seconds) => new Promise(resolve => {
  const times = []; let last = performance.now(); const end = last + 1000 * seconds;
  const frame = now => {
    times.push(now - last); last = now;
    now < end ? requestAnimationFrame(frame) : resolve(times);
  };
  requestAnimationFrame(frame); })"""


def report(what: str, times: list[float]) -> None:
    times = sorted(times[1:])
    print(
        f"  {what:44} {1000 * len(times) / sum(times):5.1f} frames a second, median {statistics.median(times):.1f} ms, "
        f"p95 {times[int(0.95 * len(times))]:.1f} ms, {len(times)} frames"
    )


def train(page: Page, text: str, vocab_size: int) -> None:
    page.goto("/train")
    settled(page)
    page.locator('input[type="file"]').first.set_input_files(
        {"name": "manual.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    page.get_by_text("manual.txt").last.wait_for()
    page.get_by_label("Vocabulary size").fill(str(vocab_size))
    page.get_by_label("Vocabulary size").press("Enter")
    settled(page)
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Replay the merges").wait_for(timeout=120_000)
    page.get_by_role("button", name="Replay the merges").click()


def main() -> None:
    with sync_playwright() as playwright, serving() as server:
        browser = launch(playwright)
        with visiting(browser, server) as page:
            train(page, english_and_code(1_000_000), 1256)
            root, player = page.locator("[data-step]"), page.locator(".player")
            root.wait_for()
            for speed in (60, 250):
                page.get_by_role("button", name=str(speed), exact=True).click()
                player.focus()
                page.keyboard.press("Home")
                page.keyboard.press("Space")
                report(f"play, {speed} merges a second", page.evaluate(FRAMES, min(8, 1000 / speed)))
                print(f"  at its end: step {root.get_attribute('data-step')}")
                page.keyboard.press("End")
            page.keyboard.press("Home")
            begun = page.evaluate("performance.now()")
            for _ in range(40):
                page.keyboard.press("ArrowRight")
            taken = page.evaluate("performance.now()") - begun
            print(f"  40 key presses: step {root.get_attribute('data-step')}, {taken:.0f} ms")
        browser.close()
