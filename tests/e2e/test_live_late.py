"""Typing on Tokens with a view out of sight: it is drawn a little later, and misses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import Server, eventually, visiting
from tests.e2e.typing import LINES, TITLES, answered, area, choose, opened, replace, right, shows, view
from tokviz.catalog.references import reference

TALL = "one two three\n" + LINES * 6
# Takes hold of what the page draws in the next frame and of what it draws after that, each until the test draws it.
HOLD_DRAWING = """
window.held = { frames: null, late: [], draw(which) { for (const act of this[which].splice(0)) act(); } };
const [later, nextFrame] = [window.setTimeout, window.requestAnimationFrame];
window.setTimeout = (act, ...more) => String(act).includes("drawLate") ? held.late.push(act) : later(act, ...more);
window.requestAnimationFrame = act =>
  held.frames && String(act).includes("drawFrame") ? held.frames.push(act) : nextFrame(act);
"""


@pytest.fixture(scope="module")
def held(browser: Browser, server: Server) -> Iterator[Page]:
    """The Tokens page of one visitor, under three tokenizers, with its drawing in hand."""
    with visiting(browser, server) as page:
        page.add_init_script(HOLD_DRAWING)
        choose(opened(page), ["GPT-2", "cl100k_base"])
        choose(page, [*TITLES.values()])  # so that o200k_base is the last, in a row of its own
        yield page


@pytest.fixture
def slow(held: Page) -> Page:
    """That page with a text of which the last view is far below."""
    replace(held, TALL)
    for name in TITLES.values():
        draw_late(held, "one", name)
    view(held, "GPT-2").locator(".t").first.click()  # the view of a pinned token never waits
    area(held).focus()
    held.keyboard.press("Control+Home")
    answered(held)
    return held


def key(page: Page, letter: str) -> None:
    """Type a letter in front of the text; the view out of sight is not drawn yet."""
    page.keyboard.type(letter)
    answered(page)
    page.wait_for_function("() => held.late.length > 0")


def draw(page: Page, which: str) -> None:
    page.evaluate("which => held.draw(which)", which)


def draw_late(page: Page, expected: str = "1", name: str = "o200k_base") -> None:
    """Draw the view out of sight, until its first token is as expected. While a frame is to come, it waits on."""
    first = view(page, name).locator(".t").first
    eventually(lambda: (draw(page, "late"), first.text_content())[1], expected)


def test_what_is_out_of_sight_is_drawn_later(slow: Page) -> None:
    last = view(slow, "o200k_base").locator(".t")
    expect(last.first).to_have_text("one")
    key(slow, "1")
    expect(view(slow, "GPT-2").locator(".t").first).to_have_text("1")
    expect(last.first).to_have_text("one")
    draw_late(slow)
    expect(view(slow, "o200k_base").locator(".caret")).to_have_text("1")
    right(slow, f"1{TALL}", *TITLES)

    # a token of a view that waits is pinned
    key(slow, "2")
    last.nth(2).dispatch_event("click")  # the card of another token may be over it
    draw_late(slow, "12")
    expect(view(slow, "o200k_base").locator(".pinned")).to_have_js_property("start", 5)
    card = slow.get_by_role("region", name="Pinned token")
    expect(card).to_contain_text(f"id {reference('o200k_base').encode(TALL)[1]:,}")
    expect(card).to_contain_text("token 3 of")


def test_the_size_is_moved_and_a_place_found_while_a_view_waits_to_be_drawn(slow: Page) -> None:
    hues = partial(
        view(slow, "o200k_base").evaluate, "box => [...box.querySelectorAll('.t')].map(token => token.className)"
    )
    key(slow, "1")
    shows(slow, "Vocabulary size", on=True)
    field = slow.get_by_label("Vocabulary size, as a number")
    field.fill("700")
    field.press("Enter")
    draw_late(slow)
    answered(slow)
    found = hues()
    slow.get_by_role("button", name="All merges").click()
    field.fill("700")
    field.press("Enter")
    eventually(hues, found)
    slow.get_by_role("button", name="All merges").click()

    shows(slow, "Find a token", on=True)
    find = slow.get_by_label("Find a token")
    find.fill("three")
    area(slow).focus()
    key(slow, "2")
    find.press("Enter")
    expect(slow.get_by_text("1 of 1 under GPT-2", exact=True)).to_be_visible()
    expect(view(slow, "o200k_base").locator(".now")).to_have_text("three")
    find.fill("")


def test_a_view_that_goes_out_of_sight_has_its_changes_in_their_order(slow: Page) -> None:
    key(slow, "1")
    slow.evaluate("held.frames = []")
    slow.keyboard.type("2")
    answered(slow)  # a change of the view in the middle, which is in sight, waits for the frame
    view(slow, "cl100k_base").evaluate("box => { box.style.marginTop = '3000px' }")
    out = "box => new Promise(done => new IntersectionObserver(at => done(at[0].isIntersecting)).observe(box))"
    eventually(lambda: view(slow, "cl100k_base").evaluate(out), False)
    slow.keyboard.type("3")
    answered(slow)
    draw(slow, "late")
    slow.evaluate("held.draw('frames'), held.frames = null, held.draw('late')")
    right(slow, f"123{TALL}", *TITLES)
