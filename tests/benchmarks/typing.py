"""Typing on the Tokens page: from the key to the painted tokens, beside the same key in a bare text area.

Both text areas take keys in turn in one browser, so what the machine does meanwhile falls on both. Also typing while
another visitor trains, a paste of a megabyte, alone and beside a training, scrolling it, hovering in it, and thirty
people typing at once over their sockets alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from playwright.sync_api import Browser, ElementHandle, Page, sync_playwright

import tokviz
from tests.benchmarks.clients import clients
from tests.benchmarks.corpora import english_and_code
from tests.benchmarks.figures import load, report
from tests.e2e.browser import Server, bare_page, launch, new_context, serving, settled
from tests.e2e.typing import answered, area, choose, faces, opened, replace, view

KEYS = 200
HELD_MS = 60  # of a key
OWN = "Story 1,024"  # the visitor's own tokenizer
TRAINING_BYTES, TRAINING_SIZE = 10_000_000, 32_768
KEYS_A_TRAINING = 4  # which is as long as a training takes: a second
PASTES = 5

BARE_STYLE = "box-sizing:border-box;padding:12px 14px;font:16px/1.6 monospace"

# One sample a key: from the key event to the frame after the one in which the answer was drawn.
SAMPLES = """(area, live) => {
  window.samples = [];
  let begun = 0;
  const painted = () => requestAnimationFrame(() => requestAnimationFrame(
    () => samples.push(performance.now() - begun)));
  area.addEventListener("keydown", event => { begun = event.timeStamp }, true);
  if (!live) area.addEventListener("input", painted);
  else sockets.at(-1).addEventListener("message", ({ data }) => { if (typeof data !== "string") painted(); });
}"""
# From the next input event on, when each answer was drawn.
_PASTED = """() => {
  window.came = [];
  addEventListener("input", ({ timeStamp }) => { window.pasted = timeStamp }, { capture: true, once: true });
  const socket = sockets.at(-1);
  if (!socket.noted) socket.addEventListener("message", ({ data }) => { if (typeof data !== "string")
    requestAnimationFrame(() => requestAnimationFrame(() => came.push(performance.now()))) });
  socket.noted = true;
}"""
_CARET = "(area, share) => { const at = Math.floor(share * area.value.length); area.setSelectionRange(at, at); }"
_FRAMES = """(box) => new Promise(resolve => {
  const times = []; let last = performance.now(), frames = 0;
  const frame = now => {
    times.push(now - last); last = now;
    box.scrollTop += frames++ % 30 ? 150 : box.scrollHeight / 20;
    frames < 400 ? requestAnimationFrame(frame) : resolve(times);
  };
  requestAnimationFrame(frame); })"""
_HOVER = """async (box, kind) => {
  const times = [], tokens = [...box.querySelectorAll(kind)].slice(0, 200);
  const frame = () => new Promise(done => requestAnimationFrame(done));
  for (const token of tokens) {
    await frame();
    const begun = performance.now();
    token.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    box.getBoundingClientRect();
    times.push(performance.now() - begun);
  }
  return times;
}"""


NODES = """() => { const count = root => [...root.querySelectorAll("*")].reduce(
  (sum, element) => sum + 1 + (element.shadowRoot ? count(element.shadowRoot) : 0), 0);
  return count(document); }"""


def press(page: Page, text: ElementHandle, chance: random.Random) -> float:
    """A key somewhere in the text, held for as long as a finger holds it. The frames that scroll the caret into view
    are over before it, as they are for people: nobody types within a tenth of a second of clicking elsewhere. What asks
    for the samples asks for frames too, and so comes after the key. The text area is at hand: to look it up by its
    label, Playwright reads the whole page, and what it leaves is collected as garbage during the key."""
    before = page.evaluate("samples.length")
    text.evaluate(_CARET, chance.random())
    page.wait_for_timeout(100 + 20 * chance.random())
    page.keyboard.press(chance.choice("etaoin "), delay=HELD_MS)
    page.wait_for_function(f"() => samples.length > {before}")
    return float(page.evaluate("samples.at(-1)"))


def bare(browser: Browser, text: str, like: ElementHandle) -> tuple[Page, ElementHandle]:
    """A text area as large as `like`, and nothing else."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    wide, high = like.evaluate("area => [area.offsetWidth, area.offsetHeight]")
    page.set_content(f'<textarea spellcheck=false style="width:{wide}px;height:{high}px;{BARE_STYLE}"></textarea>')
    there = page.locator("textarea").element_handle()
    there.evaluate("(area, text) => { area.value = text }", text)
    there.evaluate(SAMPLES, False)
    there.focus()
    return page, there


def live(browser: Browser, server: Server, text: str, titles: Sequence[str]) -> tuple[Page, ElementHandle]:
    page = bare_page(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
    begin(page, titles)
    replace(page, text)
    there = area(page).element_handle()
    there.evaluate(SAMPLES, True)
    there.focus()
    return page, there


def begin(page: Page, titles: Sequence[str]) -> None:
    """The Tokens page with these tokenizers; the visitor's own is trained first, where it is one of them."""
    if OWN in titles:
        page.goto("/train")
        settled(page)
        page.get_by_role("radio", name="Sample", exact=True).click()
        settled(page)
        page.get_by_role("combobox", name="Text: a sample").click()
        page.get_by_role("option", name="story").click()
        settled(page)
        page.get_by_role("button", name="Train", exact=True).click()
        page.get_by_role("button", name="Replay the merges").wait_for(timeout=60_000)
    opened(page)
    choose(page, titles)


def keys(browser: Browser, server: Server, size: int, titles: Sequence[str], beside: Training | None = None) -> None:
    chance, text = random.Random(size), english_and_code(size)
    ours = live(browser, server, text, titles)
    theirs = bare(browser, text, ours[1])
    pairs = []
    for number in range(KEYS):
        if beside and number % KEYS_A_TRAINING == 0:
            beside.again()
        pairs.append((press(*ours, chance), press(*theirs, chance)))
    what = f", beside {beside.about}" if beside else ""
    print(f"{size:,} characters, {len(titles)} tokenizers{what}, {load()}")
    report("bare text area", [theirs for _, theirs in pairs])
    report("workbench", [ours for ours, _ in pairs])
    report("difference", [ours - theirs for ours, theirs in pairs])
    ours[0].close()
    theirs[0].close()


class Training:
    """Another visitor, who trains on ten megabytes, drops what came out, and trains again."""

    def __init__(self, browser: Browser, server: Server) -> None:
        self.page = bare_page(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
        self.begun = 0
        self.page.goto("/train")
        settled(self.page)
        text = "".join(english_and_code(TRAINING_BYTES // 4) for _ in range(4))
        corpus = {"name": "corpus.txt", "mimeType": "text/plain", "buffer": text.encode()}
        self.page.locator("input[type=file]").first.set_input_files(corpus)
        self.page.get_by_text("valid UTF-8").wait_for(timeout=60_000)
        self.page.get_by_label("Vocabulary size").fill(str(TRAINING_SIZE))
        self.page.keyboard.press("Enter")
        settled(self.page)

    def again(self) -> None:
        """Begin a training; it goes on while keys are pressed. The one before is over by then, and dropped."""
        if self.begun:
            remove = self.page.get_by_role("button", name="Remove", exact=True)
            remove.wait_for(timeout=60_000)
            remove.click()
            self.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
            settled(self.page)
        self.page.get_by_role("button", name="Train", exact=True).click(no_wait_after=True)
        self.begun += 1

    @property
    def about(self) -> str:
        return f"{self.begun} trainings on {TRAINING_BYTES:,} bytes"


def megabyte(browser: Browser, server: Server, titles: Sequence[str], beside: Training) -> None:
    """A megabyte pasted, in turn into the workbench, into a bare text area, and beside a training. From the input
    event, so without what Chromium does before it; the bare text area shows what it does after it."""
    context = new_context(
        browser,
        base_url=server.url,
        viewport={"width": 1280, "height": 800},
        permissions=["clipboard-read", "clipboard-write"],
    )
    page, text = context.new_page(), english_and_code(1_000_000)
    begin(page, titles)
    other = context.new_page()
    other.set_content(f'<textarea spellcheck=false style="width:600px;height:400px;{BARE_STYLE}"></textarea>')
    page.bring_to_front()
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    print(f"1,000,000 characters pasted, {len(titles)} tokenizers, {load()}")
    alone, bare_area, training = [], [], []
    for _ in range(PASTES):
        alone.append(paste(page, text))
        bare_area.append(paste_bare(other))
        page.bring_to_front()
        beside.again()
        training.append(paste(page, text))
    report("bare text area, to the frame", bare_area)
    report("first tokens", [first for first, _ in alone])
    report("all tokens and their count", [last for _, last in alone])
    report("first tokens, beside a training", [first for first, _ in training])
    report("all tokens and their count, beside a training", [last for _, last in training])
    box = view(page, titles[-1])
    box.scroll_into_view_if_needed()
    nodes = """box => { const all = document.createTreeWalker(box); let n = 0; while (all.nextNode()) n++;
      return [box.querySelectorAll('*').length, n] }"""
    report("frames while scrolling", box.evaluate(_FRAMES)[1:])
    page.wait_for_timeout(500)
    elements, every = box.evaluate(nodes)
    print(f"  in the view: {elements:,} elements, {every:,} nodes with texts")
    report("hover to highlight", box.evaluate(_HOVER, ".t"))
    context.close()


def paste(page: Page, text: str) -> tuple[float, float]:
    """ms from the input event to the first tokens, and to the frame after the one with all tokens and their count."""
    replace(page, "")
    area(page).focus()
    page.evaluate(_PASTED)
    page.keyboard.press("Control+v")
    page.wait_for_function("() => window.came.length", timeout=60_000)
    answered(page, 500)
    assert area(page).evaluate("area => area.value.length") == len(text)
    return tuple(page.evaluate("[came[0] - pasted, came.at(-1) - pasted]"))


def paste_bare(page: Page) -> float:
    """ms from the input event to the second frame, in a text area with nothing around it."""
    page.bring_to_front()
    page.locator("textarea").evaluate("area => { area.value = '' }")
    page.locator("textarea").focus()
    page.evaluate(
        """() => { window.took = null; addEventListener("input", event =>
          requestAnimationFrame(() => requestAnimationFrame(() => took = performance.now() - event.timeStamp)),
          { once: true }) }"""
    )
    page.keyboard.press("Control+v")
    page.wait_for_function("() => took", timeout=60_000)
    return float(page.evaluate("took"))


def hundred_thousand(browser: Browser, server: Server) -> None:
    page = bare_page(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
    opened(page)
    choose(page, ["cl100k_base"])
    text = english_and_code(425_000)
    replace(page, text)
    answered(page, 500)
    box = view(page, "cl100k_base")
    print(f"{len(tokviz.reference('cl100k_base').encode_ordinary(text)):,} tokens, {load()}")
    for share in (0, 0.5, 1):
        box.evaluate("(box, share) => { box.scrollTop = share * box.scrollHeight }", share)
        page.wait_for_timeout(400)
        print(f"  at {share:.0%}: {box.evaluate('box => box.querySelectorAll(`*`).length'):,} elements in the view")
    report("hover to highlight", box.evaluate(_HOVER, ".t"))
    faces(page, "Table")
    table = page.get_by_role("grid")
    report("hover to highlight, in the table", table.evaluate(_HOVER, ".room .row"))
    print(f"  {page.evaluate(NODES):,} elements on the whole page")
    page.close()


def main() -> None:
    with sync_playwright() as playwright, serving() as server:
        browser = launch(playwright)
        four = [OWN, "GPT-2", "cl100k_base", "o200k_base"]
        for size in (500, 5_000, 50_000):
            keys(browser, server, size, ["cl100k_base"])
        keys(browser, server, 5_000, four)
        training = Training(browser, server)
        keys(browser, server, 5_000, ["cl100k_base"], training)
        megabyte(browser, server, ["cl100k_base"], training)
        megabyte(browser, server, four, training)
        hundred_thousand(browser, server)
        clients(server, "live")
        browser.close()
