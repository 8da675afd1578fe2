"""Training as you type in a real browser: marks, settings, steps by key, a reload, and the way on to Replay."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

import tokviz
from tests.e2e.browser import axe, eventually, fits, one_colour_each, settled
from tokviz.ui.frame.address import Link, decode
from tokviz.ui.train.link import TrainLink
from tokviz.ui.train.state import OPENS_WITH

HOSTILE = "<b onclick=alert(1)>नमस्ते 👨‍👩‍👧</b> "

KEEP_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...address) { super(...address); sockets.push(this); }
};
"""
WATCH_MARKS = """box => {
  window.marked = new Set();
  const look = () => box.querySelectorAll(".moved").forEach(mark => marked.add(mark.textContent));
  new MutationObserver(look).observe(box, { subtree: true, childList: true, characterData: true });
}"""


def typed(page: Page, label: str, text: str) -> None:
    page.get_by_label(label).fill(text)
    page.keyboard.press("Enter")
    settled(page)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()
    settled(page)


@pytest.mark.right
def test_a_corpus_is_trained_at_each_key(page: Page) -> None:
    page.add_init_script(KEEP_SOCKETS)
    page.goto("/train")
    settled(page)
    page.get_by_role("radio", name="Upload").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    ladder, area = page.get_by_role("listbox", name="Merges in order"), page.get_by_role("textbox", name="Your text")
    rows, marks = ladder.get_by_role("option"), page.locator(".room .moved:not(:empty)")
    headline, heading = page.locator(".headline"), page.locator(".made h2")

    def ladder_is(text: str, **settings: int | str) -> None:
        """The rows in sight are the first merges of a fresh training."""
        trained = tokviz.train(text, 256 + int(settings.get("merges", 24)), min_count=int(settings.get("least", 2)))
        counts = [f"{record.count:,}" for record in trained.merges][:10]
        eventually(lambda: ladder.locator(".row:not(.gone) .count").all_inner_texts()[:10], counts)
        made, asked = len(trained.merges), int(settings.get("merges", 24))
        ended = f" You asked for {256 + asked}: no other pair occurs " if made < asked else ""
        expect(headline).to_contain_text(f"{made:,} merges, {256 + made:,} tokens.{ended}")

    expect(area).to_have_value(OPENS_WITH)
    ladder_is(OPENS_WITH)
    expect(marks).to_have_count(0)

    one_colour_each(page.locator(".strip .t, .room .chip"))

    # a key is marked, and the marks go
    ladder.evaluate(WATCH_MARKS)
    area.press("ControlOrMeta+End")
    page.keyboard.type("the wind")
    ladder_is(OPENS_WITH + "the wind")
    expect(page.locator(".said")).to_contain_text("The last key: ")
    for _ in range(5):  # an answer that comes a second after the last key is not marked
        for whole in (OPENS_WITH, HOSTILE * 2):
            page.keyboard.press("ControlOrMeta+a")
            page.keyboard.insert_text(whole)
            ladder_is(whole)
        if marked := page.evaluate("marked.has('+ new') && marked.has('× gone')"):
            break
    assert marked
    expect(marks).to_have_count(0)
    expect(page.locator("[aria-live=polite]").filter(has_text="new")).to_have_count(1)
    ladder_is(HOSTILE * 2)
    expect(page.locator(".strip")).to_contain_text("<b onclick=alert(1)>नमस्ते")

    # nothing to merge
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    expect(page.get_by_text("No pair occurs twice yet. Write more.")).to_be_visible()
    expect(page.locator(".room .row")).to_have_count(0, timeout=500)  # at once, not once the marks go
    expect(page.get_by_role("button", name="Replay the merges")).to_be_disabled()
    text = "low lower lowest, new newer newest, wide wider widest " * 2
    page.keyboard.insert_text(text)

    # settings act the same way
    typed(page, "Vocabulary size", "268")
    ladder_is(text, merges=12)
    page.get_by_text("More settings").click()
    typed(page, "Stop when a pair occurs less often than", "3")
    ladder_is(text, merges=12, least=3)
    choose(page, "Split pattern", "custom")
    expect(page.get_by_text("The split pattern is empty.")).to_be_visible()
    typed(page, "Your split pattern", "(")
    expect(page.get_by_text("does not compile")).to_be_visible()
    typed(page, "Your split pattern", "")
    expect(page.get_by_text("The split pattern is empty.")).to_be_visible()
    choose(page, "Split pattern", "gpt2")
    expect(page.get_by_text("The split pattern is empty.")).to_be_hidden()

    # a row is chosen by key, and leads to the tokens
    ladder.focus()
    ladder.press("Home")
    expect(heading).to_contain_text("After merge 1:")
    for _ in range(3):
        ladder.press("ArrowDown")
    expect(heading).to_contain_text("After merge 4:")
    expect(rows.nth(3)).to_have_attribute("aria-selected", "true")
    at_four = tokviz.train(text, 268, min_count=3).window(0, 1000).at(4)
    spans = "tokens => tokens.map(({ start, end }) => [start, end])"
    assert page.locator(".strip .t").evaluate_all(spans) == [[token.start, token.end] for token in at_four.tokens()]
    ladder.press("Enter")
    expect(page.locator(".strip .t.born:focus")).to_be_visible()
    axe(page)

    # a cut connection loses nothing
    page.evaluate("sockets.findLast(({ url }) => url.endsWith('/tokviz/ask')).close()")
    area.press("ControlOrMeta+End")
    page.keyboard.type("and lowest")
    text += "and lowest"
    ladder_is(text, merges=12, least=3)

    # a link has everything, and a reload brings it back, also on a phone
    page.evaluate("navigator.clipboard.writeText = async text => { window.copied = text }")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Copy link").click()
    copied = page.wait_for_function("() => window.copied").json_value()
    link = TrainLink(writes=True, merges=12, pattern="gpt2", tie="first", least=3, step=4)
    assert decode(urlsplit(copied).query, TrainLink) == (Link(link, text=text), [])
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    settled(page)
    expect(area).to_have_value(text)
    expect(heading).to_contain_text("After merge 4:")
    page.get_by_role("button", name="268 tokens, gpt2, least count 3 change").click()
    expect(page.get_by_label("Vocabulary size")).to_have_value("268")
    fits(page)
    axe(page)

    # the tokenizer is kept, and its merges are played
    page.get_by_role("button", name="Keep as “Written 2").click()
    expect(page.get_by_text("on all pages")).to_be_visible()
    area.press("ControlOrMeta+Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Replay")
    merges = len(tokviz.train(text, 268, min_count=3).merges)
    expect(page.locator(".done")).to_contain_text(f"of {merges}")
