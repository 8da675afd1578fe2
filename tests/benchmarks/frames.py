"""How smoothly Replay plays and scrubs, and how soon it says why, in a real Chromium, on the real page.

5,000 merges over a window of 2,000 bytes of a 1 MB corpus, and 32,000 over 4,000 bytes of one of 10 MB.
"""

from __future__ import annotations

import statistics

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.corpora import build
from tests.e2e.browser import launch, serving, settled, visiting

CASES = ((1, 5_000, 2_000), (10, 32_000, 4_000))  # MB of the corpus, merges, bytes of the window

FRAMES = """(seconds) => new Promise(resolve => {
  const times = []; let last = performance.now(); const end = last + 1000 * seconds;
  const frame = now => {
    times.push(now - last); last = now;
    now < end ? requestAnimationFrame(frame) : resolve(times);
  };
  requestAnimationFrame(frame); })"""

# The scrubber, drawn once from end to end at an even pace, or thrown anywhere in each frame.
SCRUB = """(range, anywhere) => new Promise(resolve => {
  const times = []; let last = performance.now(); const begun = last;
  const frame = now => {
    times.push(now - last); last = now;
    const share = (now - begun) / 4000;
    if (share >= 1) return resolve(times);
    range.value = Math.round((anywhere ? Math.random() : share) * range.max);
    range.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame); })"""

# From the key to the table of candidates.
WHY = """async (root) => {
  const times = [], player = root.querySelector(".player");
  for (let i = 0; i < 20; i++) {
    const begun = performance.now();
    player.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    const answered = () => root.querySelector(".why:not(.waits)")?.dataset.answered;
    while (answered() !== root.dataset.step) await new Promise(requestAnimationFrame);
    times.push(performance.now() - begun);
    await new Promise(done => setTimeout(done, 300));
  }
  return times; }"""


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


def measure(page: Page, megabytes: int, merges: int, window: int) -> None:
    train(page, build("mixed", megabytes * 1_000_000), 256 + merges)
    root, player = page.locator("[data-step]"), page.locator(".player")
    page.locator(".done", has_text=f"of {merges:,}").wait_for()
    page.get_by_role("combobox", name="Length").select_option(str(window))
    page.locator(".caption").first.get_by_text("Bytes 0 to").wait_for()
    page.wait_for_timeout(500)
    for mode in ("Those in sight", "Every merge"):
        for speed in (60, 250):
            page.get_by_role("button", name="Speed and more").click()
            page.get_by_role("menuitemradio", name=mode).click()
            page.get_by_role("menuitemradio", name=str(speed), exact=True).click()
            page.keyboard.press("Escape")
            player.focus()
            page.keyboard.press("Home")
            page.keyboard.press("Space")
            report(f"play, {mode.lower()}, {speed} a second", page.evaluate(FRAMES, 4))
            page.keyboard.press("Space")
    for anywhere in (False, True):
        times = page.locator(".player input[type=range]").evaluate(SCRUB, anywhere)
        report("scrub, " + ("anywhere in each frame" if anywhere else "from end to end in 4 s"), times)
    player.focus()
    page.keyboard.press("Home")
    begun = page.evaluate("performance.now()")
    for _ in range(100):
        page.keyboard.press("ArrowRight")
    taken = page.evaluate("performance.now()") - begun
    print(f"  100 key presses: step {root.get_attribute('data-step')}, {taken:.0f} ms")
    page.emulate_media(reduced_motion="reduce")  # so that a step is not waited for
    for where in ("Home", "End"):
        page.keyboard.press(where)
        if where == "End":
            page.keyboard.press("PageUp")
        page.wait_for_timeout(600)
        times = sorted(root.evaluate(WHY))
        print(
            f"  key to candidates, near the {'beginning' if where == 'Home' else 'end'}: "
            f"median {statistics.median(times):.0f} ms, slowest {times[-1]:.0f} ms"
        )


def main() -> None:
    with sync_playwright() as playwright, serving() as server:
        browser = launch(playwright)
        for case in CASES:
            print("  {} MB, {:,} merges, {:,} bytes in the window".format(*case), flush=True)
            with visiting(browser, server) as page:
                measure(page, *case)
        browser.close()
