"""What the tests and the benchmark of typing share: the page's sockets in hand, and tokens read off the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser import eventually, settled
from tokviz.base.text import clean
from tokviz.catalog.references import reference
from tokviz.tokenizer.tokenizer import Tokenizer

TITLES = {"gpt2": "GPT-2", "cl100k_base": "cl100k_base", "o200k_base": "o200k_base"}
LINES = "naïve café\n\n  indented(नमस्ते)\n🎉 👩‍👩‍👧 // path\n/slash\n\tTab it's 1,234,567\n日本語 العربية\n"

# Keeps hold of the live sockets that the page opens, and counts the messages on their way; but for those of the card,
# of which some get no answer and some two.
HOLD_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...address) {
    super(...address);
    if (!String(address[0]).endsWith("/tokviz/live")) return;
    window.sockets.push(this);
    this.unanswered = 0;
    this.addEventListener("message", ({ data }) => this.unanswered -= !this.isOfTheCard(data));
  }
  send(message) {
    if (this.unanswered !== undefined) this.unanswered += !this.isOfTheCard(message);
    super.send(message);
  }
  isOfTheCard(message) {
    return typeof message === "string" && message.startsWith('{"look"');
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
    return page.get_by_label("Text", exact=True)


def view(page: Page, name: str) -> Locator:
    return page.get_by_label(f"Text as tokens of {name}")


def panel(page: Page, name: str) -> Locator:
    """Figures, view and status line of one tokenizer."""
    return page.get_by_role("region", name=f"Tokens of {name}")


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


def choose(page: Page, titles: Sequence[str]) -> None:
    """Show the tokenizers that are found by these names, and no others: own ones first, then in the order of TITLES."""
    known, heads = [*TITLES.values()], page.get_by_role("button", name="Tokenizer: ")
    expect(heads).not_to_have_count(0)
    for i, title in enumerate(sorted(titles, key=lambda title: known.index(title) if title in known else -1)):
        pick(page, heads.nth(i) if i < heads.count() else page.get_by_role("button", name="Add a tokenizer"), title)
    while heads.count() > len(titles):
        page.get_by_role("button", name=re.compile("^Take .* away$")).last.click()
        settled(page)
    expect(page.locator(".read section.panel")).to_have_count(len(titles))
    answered(page)


def pick(page: Page, opener: Locator, name: str) -> None:
    """Choose the first that is found by a name."""
    opener.click()
    expect(page.get_by_role("option").first).to_be_visible()
    page.get_by_role("combobox", name="Model or tokenizer").fill(name)
    page.get_by_role("combobox", name="Model or tokenizer").press("Enter")
    expect(page.get_by_role("listbox", name="Models and tokenizers")).to_have_count(0)
    settled(page)


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
