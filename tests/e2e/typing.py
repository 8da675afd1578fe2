"""What the tests and the benchmark of typing share: the page's sockets in hand, and tokens read off the page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser import eventually, settled
from tokviz.base.text import clean
from tokviz.catalog.references import reference
from tokviz.tokenizer.tokenizer import Tokenizer

TITLES = {"gpt2": "GPT-2", "cl100k_base": "cl100k_base", "o200k_base": "o200k_base"}
MODELS = {"cl100k_base": "GPT-4", "o200k_base": "GPT-4o"}  # by which people know these tokenizers
LINES = "naïve café\n\n  indented(नमस्ते)\n🎉 👩‍👩‍👧 // path\n/slash\n\tTab it's 1,234,567\n日本語 العربية\n"

# Keeps hold of the live sockets that the page opens, and counts the messages on their way.
HOLD_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...address) {
    super(...address);
    if (!String(address[0]).endsWith("/tokviz/live")) return;
    window.sockets.push(this);
    this.unanswered = 0;
    this.addEventListener("message", () => this.unanswered--);
  }
  send(message) {
    if (this.unanswered !== undefined) this.unanswered++;
    super.send(message);
  }
};
"""
# In time and in frames: a slow machine draws few of them in that time.
_QUIET = """ms => {
  const socket = window.sockets.at(-1);
  if (socket?.readyState !== 1 || socket.unanswered !== 0) delete window.quiet;
  else window.quiet ??= { since: performance.now(), frames: 0 };
  return window.quiet && ++window.quiet.frames > ms / 20 && performance.now() - window.quiet.since >= ms;
}"""
# All token spans of a view, scrolled through from its top to its end: [start, end] in bytes, in order.
_SPANS = """async view => {
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const spans = new Map(), before = view.scrollTop;
  for (let top = 0; ; top += 200) {
    view.scrollTop = top;
    await frame(); await frame();
    for (const span of view.querySelectorAll(".t")) spans.set(span.start, span.end);
    if (top > view.scrollHeight) break;
  }
  view.scrollTop = before;
  return [...spans].sort((a, b) => a[0] - b[0]);
}"""


def area(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Text", exact=True)


def view(page: Page, name: str) -> Locator:
    return page.get_by_label(f"Text as tokens of {name}")


def panel(page: Page, name: str) -> Locator:
    """The view and the figures of one tokenizer."""
    return page.get_by_role("region", name=f"Tokens of {name}", exact=True)


def head(page: Page, title: str) -> Locator:
    """The head of a model or tokenizer: its choice, its count, its price."""
    return page.locator(".model-head").filter(has=page.get_by_role("button", name=f"Tokenizer: {title}", exact=True))


def menu(page: Page, name: str, entry: str, role: Any = "menuitem") -> None:
    """Choose an entry of a menu of Tokens: Text, View or Share."""
    button = page.locator(f".menu-button[title={name}]")
    if button.get_attribute("aria-expanded") != "true":
        button.click()
    page.get_by_role(role, name=entry).first.click()


def shows(page: Page, entry: str, *, on: bool) -> None:
    """Tick, or do not tick, an entry of View."""
    page.locator(".menu-button[title=View]").click()
    tick = page.get_by_role("menuitemcheckbox", name=entry)
    if (tick.get_attribute("aria-checked") == "true") != on:
        tick.click()
    if tick.is_visible():  # Find takes the focus, and so closes the menu
        page.keyboard.press("Escape")
    expect(page.get_by_role("menu", name="View")).to_be_hidden()


def faces(page: Page, face: str) -> None:
    """Show each token as Text, Ids, Bytes or in a Table."""
    menu(page, "View", face, "menuitemradio")
    page.keyboard.press("Escape")


def opened(page: Page, address: str = "/") -> Page:
    """The Tokens page with its sockets in hand, when the live one is open."""
    page.add_init_script(HOLD_SOCKETS)
    page.goto(address)
    settled(page)
    answered(page)
    return page


def answered(page: Page, rest_ms: int = 100) -> None:
    """Wait until the live socket is open and has had no question without an answer for a while."""
    page.evaluate("delete window.quiet")
    page.wait_for_function(_QUIET, arg=rest_ms)


def chosen(page: Page) -> list[str]:
    """The titles of the heads."""
    names = page.locator(".model-head .choose").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    return [name.removeprefix("Tokenizer: ") for name in names]


def pick(page: Page, opener: Locator, name: str) -> None:
    """Choose the first that is found by a name."""
    opener.click()
    expect(page.get_by_role("option").first).to_be_visible()
    page.get_by_role("combobox", name="Model or tokenizer").fill(name)
    page.get_by_role("combobox", name="Model or tokenizer").press("Enter")
    expect(page.get_by_role("listbox", name="Models and tokenizers")).to_have_count(0)
    settled(page)


def choose(page: Page, titles: Sequence[str]) -> None:
    """Show these tokenizers, each named as in the heads or as the tokenizer of a model there, and no others."""
    wanted = [MODELS.get(title, title) for title in titles]
    expect(page.locator(".model-head").first).to_be_visible()
    for title in wanted:
        if title not in chosen(page):
            pick(page, page.get_by_role("button", name="Add a tokenizer"), title)
    for title in chosen(page):
        if title not in wanted:
            page.get_by_role("button", name=f"Take {title} away").click()
            settled(page)
    eventually(lambda: sorted(chosen(page)), sorted(wanted))
    answered(page)


def replace(page: Page, text: str) -> None:
    """Put a text in the text area, as one edit."""
    area(page).evaluate(
        """(area, text) => { area.value = text; area.dispatchEvent(new InputEvent("input", { bubbles: true })); }""",
        text,
    )
    answered(page)


def spans(page: Page, name: str) -> list[tuple[int, int]]:
    """The tokens that are drawn now; `eventually` waits for those that are to come."""
    found: list[list[int]] = view(page, name).evaluate(_SPANS)
    return [(start, end) for start, end in found]


def token_from(view: Locator, start: int) -> Locator:
    """The token of a view that starts at this byte, once it is drawn."""
    tokens = view.locator(".t")
    find = "(all, start) => all.findIndex(token => token.start === start)"
    return tokens.nth(eventually(lambda: tokens.evaluate_all(find, start), lambda place: place >= 0))


def spans_of(tokenizer: Tokenizer, text: str) -> list[tuple[int, int]]:
    return [(token.start, token.end) for token in tokenizer.explain(clean(text)).tokens()]


def right(page: Page, text: str, *names: str) -> None:
    """The page shows this text, under these tokenizers as Python encodes it."""
    eventually(lambda: area(page).input_value(), text)
    for name in names:
        eventually(partial(spans, page, TITLES[name]), spans_of(reference(name), text))
