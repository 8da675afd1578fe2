"""kit/kit.js and what it offers: a component is mounted, redrawn and closed, and keeps the focus and what is open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.browser import ROOT, bare_page, eventually
from tests.e2e.test_shared_js import IMPORT
from tokviz.offline.bundle import bundle

DATA = {"title": "Rows", "rows": ["a", "b", "c"], "size": 0}
MOUNT = """() => {
  window.heard = [];
  const place = document.body.appendChild(document.createElement("main"));
  const parentElement = place.attachShadow({ mode: "open" });
  const tell = (...what) => heard.push(what);
  window.write = value => {
    const input = parentElement.querySelector("input");
    input.value = value;
    input.dispatchEvent(new Event("input"));
  };
  window.show = data => { window.close = shared.default({
    data, parentElement, setTriggerValue: tell, setStateValue: (...what) => tell("kept", ...what) }) };
}"""


@pytest.fixture
def pieces(browser: Browser) -> Iterator[Page]:
    page = bare_page(browser)
    page.set_content("<body></body>")
    page.evaluate(IMPORT, bundle(Path(__file__).with_name("pieces.js")))
    page.evaluate(MOUNT)
    show(page)
    yield page
    page.context.close()


def show(page: Page, **data: Any) -> None:
    page.evaluate("data => show(data)", DATA | data)


def heard(page: Page) -> Any:
    return page.evaluate("heard")


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("list").get_by_role("button", name=name, exact=True)


def test_the_component_of_contributing_says_which_word_to_take_away(browser: Browser, tmp_path: Path) -> None:
    written = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("```js\n")[2].partition("```")[0]
    (tmp_path / "kit").symlink_to(ROOT / "tokviz" / "ui" / "kit")
    script = tmp_path / "words" / "word_list.js"
    script.parent.mkdir()
    script.write_text(written, "utf-8")
    page = bare_page(browser)
    page.set_content("<body></body>")
    page.evaluate(IMPORT, bundle(script))
    page.evaluate(MOUNT)
    show(page, words=["one", "<b>two"])
    expect(page.get_by_role("list", name="Words").get_by_role("listitem")).to_have_count(2)
    page.get_by_role("button", name="Take <b>two away").click()
    assert heard(page) == [["away", "<b>two"]]
    page.context.close()


def test_new_data_and_the_state_are_drawn_in_the_same_elements(pieces: Page) -> None:
    row(pieces, "b").click()
    expect(pieces.locator("p:not(.menu-said)")).to_have_text("b")
    pieces.evaluate("window.before = document.querySelector('main').shadowRoot.querySelector('ul')")
    show(pieces, title="Others", rows=["b", "d"])
    expect(pieces.get_by_role("heading")).to_have_text("Others")
    expect(pieces.get_by_role("listitem")).to_have_text(["b", "d"])
    expect(pieces.locator("p:not(.menu-said)")).to_contain_text("b")
    expect(pieces.locator(".pieces")).to_have_attribute("data-theme", "light")
    assert pieces.evaluate("before.isConnected")


def test_python_is_told_once_and_for_good(pieces: Page) -> None:
    pieces.get_by_label("Size").select_option("seven")
    pieces.evaluate("write('x'), write('xy'), write('xyz')")
    eventually(lambda: [what for what in heard(pieces) if len(what) > 1], [["size", 7], ["kept", "typed", "xyz"]])


def test_a_choice_shows_what_was_pressed(pieces: Page) -> None:
    pieces.get_by_role("button", name="Ids").click()
    expect(pieces.get_by_role("group", name="Face").locator("[aria-pressed=true]")).to_have_text("Ids")


def test_arrows_go_from_row_to_row(pieces: Page) -> None:
    row(pieces, "a").focus()
    for key, there in [("ArrowDown", "b"), ("End", "c"), ("ArrowDown", "c"), ("Home", "a"), ("Control+ArrowDown", "a")]:
        pieces.keyboard.press(key)
        expect(row(pieces, there)).to_be_focused()


def test_the_focus_goes_to_the_row_in_the_place_of_one_that_went(pieces: Page) -> None:
    """What goes loses the focus while something is drawn, and what hears of that draws again."""
    row(pieces, "b").focus()
    show(pieces, rows=["a", "c"])
    expect(row(pieces, "c")).to_be_focused()
    expect(pieces.locator("p:not(.menu-said)")).to_contain_text("left")
    show(pieces, rows=["c", "a"])
    expect(row(pieces, "c")).to_be_focused()
    show(pieces, rows=[])
    show(pieces, rows=["d"])
    expect(pieces.get_by_role("listitem")).to_have_text(["d"])


def test_an_open_menu_stays_open_when_all_is_drawn_again(pieces: Page) -> None:
    pieces.get_by_role("button", name="More").press("ArrowUp")
    expect(pieces.get_by_role("menuitem", name="Second")).to_be_focused()
    show(pieces, title="Others")
    expect(pieces.get_by_role("menuitem", name="Second")).to_be_focused()
    pieces.keyboard.press("f")
    pieces.keyboard.press("Enter")
    expect(pieces.get_by_role("button", name="More")).to_be_focused()
    expect(pieces.get_by_role("menu")).to_be_hidden()
    assert ["menu", 1] in heard(pieces)


def test_what_is_closed_is_gone_and_does_nothing_more(pieces: Page) -> None:
    pieces.evaluate("write('x'), close()")
    pieces.wait_for_timeout(100)
    expect(pieces.locator(".pieces")).to_have_count(0)
    assert heard(pieces) == ["ended"]
    show(pieces)
    expect(pieces.locator(".pieces")).to_have_count(1)
