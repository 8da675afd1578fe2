"""Real browsers among the clients: they type on Tokens, and note how long it takes until each key is painted."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
from collections.abc import AsyncIterator

from playwright.async_api import Browser, async_playwright

from tests.benchmarks.typing import SAMPLES
from tests.e2e.browser import LAUNCH, NAMES, USUAL_PLACES
from tests.e2e.typing import HOLD_SOCKETS
from tests.load.live import KEYS_A_SECOND, Going
from tests.load.person import PATIENCE_S, Heard, Wrong
from tokviz.catalog.references import reference

CHECKED_EACH = 20  # keys
# The tokens drawn under one tokenizer, [start, end] in bytes. The text is so short that all of them are drawn.
_DRAWN = """name => {
  const roots = [document], found = [];
  for (const root of roots) for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) roots.push(element.shadowRoot);
    if (element.getAttribute("aria-label") === `Text as tokens of ${name}`)
      for (const token of element.querySelectorAll(".t")) found.push([token.start, token.end]);
  }
  return found.sort((a, b) => a[0] - b[0]);
}"""
_CARET = "(area, at) => area.setSelectionRange(at, at)"
_SET = """(area, text) => { area.value = text; area.dispatchEvent(new InputEvent("input", { bubbles: true })); }"""


@contextlib.asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser, started as the tests start theirs."""
    there = [*filter(None, map(shutil.which, NAMES)), *USUAL_PLACES, None]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=there[0], args=LAUNCH)
        try:
            yield browser
        finally:
            await browser.close()


async def browse(browser: Browser, url: str, mark: str, heard: Heard, going: Going) -> None:
    """Type on Tokens with three keys a second. mark: of this visitor, in the text."""
    chance = random.Random(mark)
    text = " ".join(f"{mark} so it is, and {number} more words of it" for number in range(5))
    context = await browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
    context.set_default_timeout(1000 * PATIENCE_S)
    await context.add_init_script(HOLD_SOCKETS)
    page = await context.new_page()
    page.on("pageerror", lambda error: heard.error(f"browser: {error}"[:200]))
    await page.goto("/")
    area = await page.get_by_role("textbox", name="Text", exact=True).element_handle()
    if area is None:
        raise Wrong("The browser shows no text area.")
    await page.wait_for_function(
        "() => window.sockets?.at(-1)?.readyState === 1 && window.sockets.at(-1).unanswered === 0"
    )
    await area.evaluate(SAMPLES, True)
    await area.evaluate(_SET, text)
    await page.wait_for_function("() => samples.length > 0")
    await area.focus()
    keys = 0
    while going():
        before = await page.evaluate("samples.length")
        at, key = chance.randint(0, len(text)), chance.choice("etaoin ")
        await area.evaluate(_CARET, at)
        await asyncio.sleep(0.1)
        await page.keyboard.press(key, delay=60)
        text = text[:at] + key + text[at:]
        await page.wait_for_function(f"() => samples.length > {before}")
        heard.time("a key in a browser, until painted", await page.evaluate("samples.at(-1)"))
        keys += 1
        if keys % CHECKED_EACH == 0:
            if await area.evaluate("area => area.value") != text:
                raise Wrong("The text in the browser is not what was typed.")
            right = [[token.start, token.end] for token in reference("o200k_base").explain(text).tokens()]
            for _ in range(20):
                drawn = await page.evaluate(_DRAWN, "o200k_base")
                if drawn == right:
                    break
                await asyncio.sleep(0.1)
            else:
                raise Wrong("The tokens in the browser are not those of the library.")
            heard.checked += 1
        await asyncio.sleep(max(0, 1 / KEYS_A_SECOND - 0.2 + chance.uniform(-0.1, 0.1)))
    await context.close()
