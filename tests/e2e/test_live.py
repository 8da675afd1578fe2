"""Typing in a real browser: tokens that follow, and that are those of the whole text encoded afresh."""

from __future__ import annotations

import random
import re
import time
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.benchmarks.corpora import english_and_code
from tests.e2e.browser import Server, bare_page, eventually, serving, settled, visiting
from tests.e2e.test_frame import whole_at
from tests.e2e.typing import (
    LINES,
    TITLES,
    answered,
    area,
    choose,
    head,
    opened,
    panel,
    replace,
    right,
    spans,
    spans_of,
    view,
)
from tokviz.catalog.references import reference
from tokviz.ui.frame.shell import PAGES

BITS = ["\n", " ", "/", "\t", "é", "🎉", "नमस्ते", "word", " the", "\n/x", "!\n", "123", "\u200d", "\ud83d", "\udc4d"]
# The ends of the tokens that are in sight when a view has been scrolled to a part of its height.
SCROLLED = """async (box, place) => {
  box.scrollTop = place * box.scrollHeight;
  for (let frames = 0; frames < 3; frames++) await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const { top, bottom } = box.getBoundingClientRect();
  return [...box.querySelectorAll(".t")].filter(token => {
    const at = token.getBoundingClientRect();
    return at.bottom > top && at.top < bottom;
  }).map(token => token.end);
}"""


@pytest.mark.parametrize(
    ("keys", "cuts"),
    [pytest.param(300, 0, marks=pytest.mark.long), pytest.param(300, 3, marks=pytest.mark.long), (50, 1)],
)
def test_keys_with_edits_in_the_middle_end_in_the_same_text_and_tokens(desk: Page, keys: int, cuts: int) -> None:
    choose(desk, list(TITLES.values()))
    chance, model, at = random.Random(cuts), LINES * 4, len(LINES * 4)
    cut_at = {keys * cut // (cuts + 1) for cut in range(1, cuts + 1)}
    replace(desk, model)
    area(desk).press("Control+End")
    sockets = desk.evaluate("sockets.length")
    for key in range(keys):
        time.sleep(chance.uniform(0, 0.04))
        if key in cut_at:  # with a patch on the way
            desk.wait_for_function("() => sockets.at(-1).readyState === 1")  # what is cut must be there
            desk.evaluate(
                "() => { const s = sockets.at(-1), send = s.send; s.send = m => { send.call(s, m); s.close() } }"
            )
        if chance.random() < 0.4:
            # not inside a cluster of characters, where Chromium moves the caret to its edge
            at = chance.choice([at for at in range(len(model)) if model[max(0, at - 1) : at + 1].isascii()])
            units = len(model[:at].encode("utf-16-le")) // 2
            area(desk).evaluate("(area, units) => area.setSelectionRange(units, units)", units)
        letter = chance.choice("etaoin srhl/\n1.")
        desk.keyboard.press("Enter" if letter == "\n" else letter)
        model = model[:at] + letter + model[at:]
        at += 1
    answered(desk)
    assert desk.evaluate("sockets.length") >= sockets + cuts
    assert area(desk).evaluate("area => area.selectionEnd") == len(model[:at].encode("utf-16-le")) // 2
    right(desk, model, *TITLES)
    desk.reload()
    settled(desk)
    answered(desk)
    right(desk, model, *TITLES)


@pytest.mark.parametrize("seeds", [range(1), pytest.param(range(1, 20), marks=pytest.mark.long)], ids=str)
def test_spans_tile_the_bytes_of_random_unicode(desk: Page, seeds: range) -> None:
    choose(desk, list(TITLES.values()))
    for seed in seeds:
        chance = random.Random(seed)
        text = "".join(chance.choices([*BITS, *LINES], k=chance.choice([5, 60, 900])))
        replace(desk, text)
        for edit in range(3):
            at = chance.randint(0, len(text))
            while "\udc00" <= text[at : at + 1] < "\ue000" and at:
                at -= 1
            text = text[:at] + chance.choice(BITS) + text[at + chance.choice([0, 0, 1, 30]) :]
            replace(desk, text)
            for name in TITLES:
                found = eventually(partial(spans, desk, TITLES[name]), spans_of(reference(name), text))
                ends = [end for _, end in found]
                assert [start for start, _ in found] == [0, *ends[:-1]][: len(found)], (name, edit)


def test_a_megabyte_is_pasted_and_scrolled(desk: Page) -> None:
    text = english_and_code(990_000)
    replace(desk, text)
    answered(desk, 500)
    foot = panel(desk, "o200k_base").locator(".foot")
    expect(foot).to_contain_text(f"{len(text.encode()):,} bytes")
    tokens = reference("o200k_base").explain(text)
    expect(head(desk, "GPT-4o")).to_contain_text(f"{len(tokens):,} tokens")
    box = view(desk, "o200k_base")
    eventually(
        lambda: box.evaluate("box => box.querySelectorAll('*').length"), lambda nodes: nodes < 6_000
    )  # a thousand blocks out of sight have two each
    ends = {int(end) for end in tokens.ends}
    reached = [0]
    for place in (0.3, 0.7, 1):
        seen = eventually(partial(box.evaluate, SCROLLED, place), lambda seen: len(seen) > 20)
        assert set(seen) <= ends
        assert min(seen) > reached[-1], "other tokens than before"
        reached.append(max(seen))
        eventually(lambda: box.evaluate("box => box.querySelectorAll('*').length"), lambda nodes: nodes < 6_000)
    area(desk).evaluate("area => area.setSelectionRange(area.value.length, area.value.length)")
    area(desk).press("x")
    answered(desk, 500)
    expect(foot).to_contain_text(f"{len(text.encode()) + 1:,} bytes")


def test_the_wheel_reaches_the_first_tokens_of_a_long_text_while_the_field_has_the_focus(desk: Page) -> None:
    area(desk).fill("one more line of many\n" * 60)
    box = view(desk, "o200k_base")
    eventually(lambda: box.evaluate("box => box.scrollTop > 500"), True)  # it follows the caret
    box.hover()
    desk.mouse.wheel(0, -10_000)
    eventually(lambda: box.evaluate("box => box.scrollTop"), 0)


def test_above_a_million_what_was_there_is_kept(desk: Page) -> None:
    replace(desk, "kept")
    area(desk).evaluate("area => { area.value = 'x'.repeat(1000001); area.dispatchEvent(new InputEvent('input')) }")
    expect(area(desk)).to_have_value("kept")
    too_long = desk.get_by_text("That is too long: 1,000,000 characters fit here. The text stays as it was.")
    expect(too_long).to_be_visible()
    replace(desk, "short again")
    expect(too_long).to_have_count(0)


def test_above_a_million_what_the_server_has_not_heard_is_kept_too(desk: Page) -> None:
    replace(desk, "heard")
    desk.evaluate("() => { const socket = sockets.at(-1); socket.send = () => {}; window.mute = socket; }")
    for text in ("heard and", "heard and typed"):
        area(desk).fill(text)
    area(desk).evaluate("area => { area.value += 'x'.repeat(1000000); area.dispatchEvent(new InputEvent('input')) }")
    expect(area(desk)).to_have_value("heard and typed")
    desk.evaluate("mute.close()")
    right(desk, "heard and typed", "o200k_base")


def test_in_two_tabs_the_last_writer_wins(desk: Page) -> None:
    replace(desk, "first tab")
    second = opened(desk.context.new_page())
    expect(area(second)).to_have_value("first tab")
    replace(second, "second tab")
    desk.bring_to_front()
    choose(desk, ["o200k_base", "GPT-2"])  # any rerun
    right(desk, "second tab", "o200k_base", "gpt2")
    second.close()


def test_composed_text_is_never_written_to(desk: Page) -> None:
    replace(desk, "日本")
    area(desk).evaluate("area => area.setSelectionRange(1, 1)")
    area(desk).focus()
    session = desk.context.new_cdp_session(desk)
    for text in ("ｋ", "か", "かn", "かん"):
        session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        expect(area(desk)).to_have_value(f"日{text}本")
        answered(desk, 30)
        assert area(desk).input_value() == f"日{text}本"
        assert area(desk).evaluate("area => area.selectionEnd") == 1 + len(text)
    session.send("Input.insertText", {"text": "漢"})
    expect(area(desk)).to_have_value("日漢本")
    answered(desk)
    right(desk, "日漢本", "o200k_base")
    assert area(desk).evaluate("area => area.selectionEnd") == 2


def test_without_a_live_socket_that_is_said_and_what_is_typed_stays(browser: Browser, server: Server) -> None:
    page = bare_page(browser, base_url=server.url)  # which may say in its console that there is no socket
    page.add_init_script(
        """window.WebSocket = class extends WebSocket {
          constructor(address, ...rest) {
            super(String(address).endsWith("/tokviz/live") ? address + "/nowhere" : address, ...rest);
          }
        };"""
    )
    page.goto("/")
    settled(page)
    expect(page.get_by_text("No live connection here.")).to_be_visible()
    area(page).fill("typed without a socket")
    page.get_by_role("link", name="Compare").click()
    settled(page)
    page.get_by_role("link", name="Tokens").click()
    settled(page)
    expect(area(page)).to_have_value("typed without a socket")
    page.context.close()


# Notes that a dialog was over the page.
NOTE_DIALOGS = """new MutationObserver(() => { window.covered ||= document.querySelector("[role=dialog]") !== null; })
    .observe(document, { childList: true, subtree: true })"""


@pytest.mark.right
def test_a_new_server_is_whole_at_once_and_one_that_starts_again_gets_the_text_from_the_page(browser: Browser) -> None:
    with serving() as first:
        with visiting(browser, first) as visit:
            whole_at(visit, PAGES[-1])
        # It may say in its console that the server is gone. Under this name Streamlit's dialog has other words.
        page = bare_page(browser, base_url=first.url.replace("127.0.0.1", "localhost"))
        page.add_init_script(NOTE_DIALOGS)
        opened(page)
        replace(page, "typed before the server fell")
        port = int(first.url.rsplit(":", 1)[1])
        first.stop()
        area(page).focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(" and after")
        expect(page.get_by_text("The server does not answer.")).to_be_visible()
        page.wait_for_function("() => covered")  # by Streamlit's, a few seconds after the server fell
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_text(re.compile("connection|not connected", re.IGNORECASE))).to_have_count(0)  # said once
        with serving(port=port):
            expect(page.get_by_text("Tokenizers and corpora that were not saved are gone")).to_be_visible()
            page.get_by_role("button", name="Close", exact=True).click()
            # not by counting messages: a question that was on its way when the server fell has no answer
            text = "typed before the server fell and after"
            tokens = len(reference("o200k_base").encode_ordinary(text))
            expect(view(page, "o200k_base").locator(".t")).to_have_count(tokens)
            expect(panel(page, "o200k_base")).to_contain_text("same ids as tiktoken")
            right(page, text, "o200k_base")
            page.reload()
            settled(page)
            right(page, text, "o200k_base")
            page.context.close()


PASTE = """(area, text) => {
  area.focus(); area.setSelectionRange(area.value.length, area.value.length);
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
}"""


def test_a_paste_keeps_its_carriage_returns_until_they_are_converted(desk: Page) -> None:
    replace(desk, "")
    area(desk).evaluate(PASTE, "a\r\nb\r\nc\r\n")
    text = "ab\r\nc\r\ne\r\nd"
    for keys, now in (
        (["d"], "a\r\nb\r\nc\r\nd"),
        (["ArrowUp", "Enter", "e"], "a\r\nb\r\nc\r\ne\r\nd"),
        (["ArrowUp", "ArrowUp", "Home", "Backspace"], text),
    ):
        for key in keys:
            desk.keyboard.press(key)
        answered(desk)
        eventually(lambda now=now: spans(desk, "o200k_base"), spans_of(reference("o200k_base"), now))
    for come_back in (desk.reload, desk.get_by_role("link", name="Compare").click):
        come_back()
        settled(desk)
        desk.get_by_role("link", name="Tokens").click()
        settled(desk)
        answered(desk)
        eventually(lambda: spans(desk, "o200k_base"), spans_of(reference("o200k_base"), text))
    expect(desk.get_by_text("This text has 3 carriage returns")).to_be_visible()
    desk.get_by_role("button", name="Convert line ends").click()
    answered(desk)
    right(desk, text.replace("\r", ""), "o200k_base")
    expect(desk.get_by_text("carriage return")).to_be_hidden()


# Elements of the page, and contents of folded ones, that the browser does not lay out.
SKIPPED = """() => {
  const roots = [document], skipped = [];
  for (const root of roots) for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) roots.push(element.shadowRoot);
    for (const part of [null, "::details-content"]) {
      const style = getComputedStyle(element, part);
      if (style.contentVisibility !== "visible" && style.display !== "none") skipped.push(element.className);
    }
  }
  return skipped;
}"""


@pytest.mark.right
def test_while_a_text_area_has_the_focus_nothing_skips_its_layout(desk: Page) -> None:
    """Else Chromium needs seconds to select thousands of lines."""
    replace(desk, "a line of the text\n" * 500)
    area(desk).focus()
    assert desk.evaluate(SKIPPED) == []
    blocks = view(desk, "o200k_base").locator(".block.bare").last
    high = blocks.evaluate("block => block.offsetHeight")
    area(desk).blur()
    assert desk.evaluate(SKIPPED), "the tokens are there for the browser to find and to read"
    assert blocks.evaluate("block => block.offsetHeight") == high
    desk.evaluate("document.body.append(document.createElement('textarea')); document.body.lastChild.focus()")
    assert desk.evaluate(SKIPPED) == [], "a text area of Streamlit's"
    desk.evaluate("document.body.lastChild.remove()")
