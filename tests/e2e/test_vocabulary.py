"""The list of all tokens of o200k_base in a real browser: searched, filtered, scrolled to its end, and kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from tests.benchmarks.typing import NODES
from tests.e2e.browser import Server, axe, bare_page, eventually, fits, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tests.e2e.test_shared_js import IMPORT
from tokviz.offline.files import script, stylesheet

MOST_NODES = 3_000
ALL = "199,998 tokens, 2 special"
HOSTILE = "<img src=x onerror=alert(1)>"


def row(page: Page, words: str) -> Locator:
    return page.get_by_role("option", name=re.compile(words))


def said(page: Page) -> Locator:
    return page.locator(".said")


def few_nodes(page: Page) -> None:
    assert page.evaluate(NODES) < MOST_NODES


def test_all_tokens_are_searched_filtered_scrolled_and_one_is_pinned(page: Page) -> None:
    page.goto("/vocabulary?v=1&use=o200k_base&sample=story")
    rows, field = page.get_by_role("listbox", name="Tokens"), page.get_by_role("searchbox")
    expect(said(page)).to_contain_text(ALL)
    expect(field).to_be_focused()
    expect(row(page, ", id 0, no merge, 1 byte, ")).to_be_visible()
    expect(page.get_by_role("complementary")).to_contain_text("id 0")
    settled(page)
    few_nodes(page)

    # keys alone: the search, a bar, the last row, the pin
    rows.focus()
    page.keyboard.press("/")
    expect(field).to_be_focused()
    page.keyboard.type("every")
    expect(said(page)).to_have_text("25 of 199,998 tokens hold “every” in any case")
    page.get_by_role("button", name="Charts").click()
    expect(page.get_by_role("button", name=re.compile("^6 bytes: 5 of "))).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name=re.compile("^6 bytes: 5 of ")).press("Enter")
    expect(said(page)).to_contain_text("5 of 199,998 tokens hold “every” in any case and pass the filters")
    expect(page.get_by_role("combobox", name="Length")).to_have_value("6")
    page.get_by_role("button", name="Latin: 5 of ").press("Enter")
    expect(page.get_by_role("combobox", name="Script")).to_have_value("Latin")
    page.get_by_role("button", name=re.compile("^6 bytes")).press("Enter")
    page.get_by_role("combobox", name="Script").select_option(label="Script: any")
    expect(said(page)).to_contain_text("25 of 199,998")
    field.fill("ever")
    field.fill("every")
    field.press("Enter")  # before the answer: the first token of the new list is meant
    expect(rows).to_be_focused()
    pinned = row(page, r"^space every, id 1,753, merge 1,498, 6 bytes, used 8 times$")
    expect(pinned).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("complementary")).to_contain_text("id 1,753")
    axe(settled(page))

    # what cannot be read is named, and the last list stays; Esc clears the search
    page.get_by_role("combobox", name="Search").select_option("by pattern")
    field.fill("(ever")
    expect(page.get_by_role("alert").filter(has_text="does not compile")).to_contain_text("at character 6: missing )")
    expect(pinned).to_be_visible()
    field.fill("^ ?every$")
    expect(said(page)).to_contain_text("2 of 199,998 tokens match the pattern")
    field.press("Escape")
    expect(said(page)).to_contain_text(ALL)
    page.get_by_role("combobox", name="Search").select_option("in the text")
    field.fill(HOSTILE)
    expect(page.get_by_text(f"No token holds “{HOSTILE}”. The search looks for letters")).to_be_visible()
    field.fill("")

    # 200,000 rows: the last one, and one in between by a throw of the scrollbar
    expect(said(page)).to_contain_text(ALL)
    rows.press("End")
    last = row(page, r"^<\|endofprompt\|>, id 200,018, no merge, 15 bytes, not used$")
    expect(last).to_be_visible()
    active = rows.get_attribute("aria-activedescendant")
    expect(last).to_have_id(str(active))
    assert (last.get_attribute("aria-posinset"), last.get_attribute("aria-setsize")) == ("200000", "200000")
    rows.press("PageUp")
    rows.evaluate("box => { box.scrollTop = (box.scrollHeight - box.clientHeight) / 2 }")
    expect(row(page, "id 100,0")).not_to_have_count(0)
    few_nodes(page)

    # the choice outlives a reload; the list opens at the pinned token
    page.get_by_role("combobox", name="Sort by").select_option(label="Most used first")
    expect(page.locator("[aria-posinset='1']")).to_have_attribute("aria-label", re.compile("used [0-9]{3} times"))
    settled(page)
    page.reload()
    expect(page.get_by_role("combobox", name="Sort by")).to_have_value("use down")
    expect(pinned).to_have_attribute("aria-selected", "true")
    middle = pinned.bounding_box()
    box = rows.bounding_box()
    assert middle and box and box["y"] < middle["y"] < box["y"] + box["height"]

    with page.expect_download() as download:
        field.fill("every")
        expect(said(page)).to_contain_text("25 of 199,998")
        page.get_by_role("button", name="Save CSV of all that is listed").click()
    assert len(Path(download.value.path()).read_text("utf-8").splitlines()) == 26

    # on a phone, in the dark
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE["viewport"])  # type: ignore[arg-type]
    page.get_by_role("button", name="Close").click()  # of the card, which is a sheet now
    expect(page.get_by_role("combobox", name="Kind")).to_have_count(0)
    page.get_by_role("button", name="Filters").click()
    expect(page.get_by_role("combobox", name="Kind")).to_be_visible()
    page.get_by_role("button", name="Charts").click()
    expect(page.get_by_role("button", name="Latin: 25 of ")).to_be_visible()
    fits(page)
    eventually(lambda: row(page, "id 1,753").evaluate("row => row.offsetHeight"), 44)
    assert page.locator(".rows .row").evaluate_all(IN_ONE_LINE)
    row(page, "id 5,519").click()
    expect(page.get_by_role("complementary")).to_contain_text("id 5,519")
    axe(settled(page))
    page.get_by_role("button", name="Close").click()
    expect(rows).to_be_focused()
    expect(rows).to_be_in_viewport(ratio=1)
    axe(settled(page))


HARM = quote(f"{HOSTILE} **b** शबكة 👩‍👩‍👧 1234567\n\n  a {'x' * 300}")
PARTS = {
    "odd": "344 tokens are incomplete UTF-8",
    "overlay": "of cl100k_base is also in o200k_base",
    "splits": "What each piece of a pattern does",
}


@pytest.mark.parametrize("part", PARTS)
def test_the_other_parts_fit_a_phone_in_the_dark(part: str, browser: Browser, server: Server) -> None:
    with visiting(browser, server, color_scheme="dark", **PHONE) as page:
        page.goto(f"/vocabulary?v=1&use=gpt2&part={part}&text={HARM}")
        expect(page.get_by_role("heading", name=re.compile(PARTS[part]))).to_be_visible()
        fits(settled(page))
        axe(page)
        assert page.evaluate(SMALLER, LEAST) == []


# Are all figures of each row in one line?
IN_ONE_LINE = """rows => rows.every((row) => {
  const cells = [...row.querySelectorAll(":scope > span, b")].map((cell) => cell.getBoundingClientRect());
  const middles = cells.filter(({ height }) => height).map(({ top, height }) => top + height / 2);
  return Math.max(...middles) - Math.min(...middles) < 5;
})"""
# As many rows as a vocabulary may have, as high as for a finger; none has arrived yet.
MANY_ROWS = """style => {
  document.head.appendChild(document.createElement("style")).textContent = style;
  Object.assign(document.body, { className: "tokviz" }).dataset.theme = "light";
  document.body.style.width = "400px"; // a phone: rows of 44 px
  const rows = new window.shared.TokenRows({ fetch: () => new Promise(() => {}), pin() {}, leave() {} });
  document.body.append(rows.root);
  rows.list({ listed: 262144, most: 1, rows: { ids: [] } }, null);
}"""
# The numbers of the first and the last row of which the box shows anything.
IN_SIGHT = """box => {
  const { top, bottom } = box.getBoundingClientRect();
  const shown = [...box.querySelectorAll(".row")].filter((row) => {
    const at = row.getBoundingClientRect();
    return at.bottom > top + 2 && at.top < bottom - 2;
  }).map(({ index }) => index);
  return [Math.min(...shown), Math.max(...shown)];
}"""


@pytest.mark.right
def test_a_list_is_no_higher_than_a_browser_lays_out(browser: Browser) -> None:
    """At three device pixels a px, Chromium lays out 11.2 million px."""
    page = bare_page(browser)
    page.evaluate(IMPORT, script("vocabulary/rows.js"))
    page.evaluate(MANY_ROWS, stylesheet("kit/rows.css", "vocabulary/token_list.css"))
    rows = page.get_by_role("listbox")
    assert rows.evaluate("box => box.scrollHeight") <= 8_000_000
    rows.press("End")
    eventually(lambda: rows.evaluate(IN_SIGHT)[1], 262_143)
    rows.press("PageUp")
    rows.press("PageUp")
    assert rows.evaluate("box => box.getAttribute('aria-activedescendant')").endswith("-262119")
    first, last = rows.evaluate(IN_SIGHT)
    assert first <= 262_119 <= last
    rows.evaluate("box => { box.scrollTop = (box.scrollHeight - box.clientHeight) / 2 }")
    eventually(lambda: rows.evaluate(IN_SIGHT), lambda shown: shown[0] <= 131_072 <= shown[1])
    rows.press("Home")
    eventually(lambda: rows.evaluate(IN_SIGHT)[0], 0)
    page.context.close()


@pytest.mark.parametrize("button", ["Save CSV of all that is listed", "Copy link to this list"])
def test_what_a_button_cannot_do_is_no_fault_of_the_search(page: Page, button: str) -> None:
    def refuse(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def hear(message: str | bytes) -> None:
            asked = json.loads(message)
            refused = json.dumps({"n": asked["n"], "error": "It cannot be done."})
            socket.send(refused) if asked["ask"] in ("vocabulary.csv", "vocabulary.link") else server.send(message)

        socket.on_message(hear)

    page.route_web_socket("**/tokviz/ask", refuse)
    page.goto("/vocabulary")
    expect(said(page)).to_contain_text(ALL)
    page.get_by_role("button", name=button).click()
    expect(page.locator(".status").filter(has_text="It cannot be done.")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_attribute("aria-invalid", "false")
