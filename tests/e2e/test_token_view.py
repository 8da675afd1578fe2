"""The token view: its table, and that what it shows can be told apart."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import tokviz
from tests.benchmarks.typing import NODES
from tests.colours import VISIONS, contrast, distance
from tests.e2e.browser import axe, eventually
from tests.e2e.sheet import CL100K, LONG, NAME, TEXT, THEMES, pasted, sheet, show, table, told, turn
from tests.e2e.typing import panel, view
from tokviz.tokenizer.encoding import SPLIT, WHOLE, Encoding
from tokviz.tokenizer.hues import palette

ROWS = """table => [...table.querySelectorAll(".room .row")].map(row =>
  [...row.querySelectorAll("[role=gridcell]")].map((cell, i) => i === 2 ? cell.getAttribute("aria-label")
                                                                        : cell.textContent))"""
# How many rows the table has, how many of them are in sight, and where the first of these starts.
ROWS_IN_SIGHT = """table => {
  const rows = [...table.querySelectorAll(".room .row")], box = table.getBoundingClientRect();
  const inSight = rows.map(row => [row, row.getBoundingClientRect()])
    .filter(([, { top, bottom }]) => top < box.bottom && bottom > box.top + 40);
  return [rows.length, inSight.length, Number(inSight[0]?.[0].children[5].textContent.replaceAll(",", ""))];
}"""
IN_SIGHT = """box => {
  const { top, bottom } = box.getBoundingClientRect();
  const places = [...box.querySelectorAll(".t")].map(token => token.getBoundingClientRect());
  return places.filter(at => at.bottom > top && at.top < bottom).length;
}"""


def as_cells(row: dict[str, Any]) -> list[str]:
    amounts = ("–" if row[name] is None else f"{row[name]:,}" for name in ("characters", "start", "merge", "times"))
    return [f"{row['number']:,}", f"{row['id']:,}", row["bytes"].hex(" ").upper(), *amounts]


def shown(page: Page) -> list[list[str]]:
    """The rows of the table that are there, without the token itself."""
    return [[*row[:2], *row[3:]] for row in table(page).evaluate(ROWS)]


def test_rows_of_the_table_are_pythons_sorted_by_any_column(tokens: Page) -> None:
    turn(tokens, "Table")
    expect(view(tokens, NAME)).to_be_hidden()
    table(tokens).evaluate("table => { table.style.maxHeight = 'none' }")  # all rows in sight
    rows = told(TEXT)
    expect(table(tokens).locator(".room .row")).to_have_count(len(rows))
    eventually(lambda: shown(tokens), [as_cells(row) for row in rows])
    keys: dict[str, Callable[[dict[str, Any]], Any]] = {
        "No.": lambda row: row["number"],
        "Id": lambda row: row["id"],
        "Token": lambda row: row["bytes"],
        "Bytes": lambda row: len(row["bytes"]),
        "Characters": lambda row: row["characters"],
        "Start": lambda row: row["start"],
        "Merge": lambda row: float("inf") if row["merge"] is None else row["merge"],
        "Times here": lambda row: row["times"],
    }
    for name, key in keys.items():
        title = tokens.get_by_role("columnheader", name=name)
        for way, descending in (("ascending", False), ("descending", True)):
            if (name, way) != ("No.", "ascending"):  # so it stands at first
                title.get_by_role("button").click()
            expect(title).to_have_attribute("aria-sort", way)
            expected = sorted(rows, key=key, reverse=descending)
            if descending:  # equal ones still in the order of the text
                expected = sorted(sorted(rows, key=lambda row: row["number"]), key=key, reverse=True)
            eventually(lambda: shown(tokens), [as_cells(row) for row in expected])
    expect(tokens.locator('[aria-sort="ascending"], [aria-sort="descending"]')).to_have_count(1)


def test_a_hundred_thousand_tokens_are_few_nodes_and_all_of_the_text(browser: Browser) -> None:
    page = sheet(browser)
    show(page, CL100K.explain(LONG))
    rows = told(LONG)
    assert len(rows) > 100_000
    expect(panel(page, NAME)).to_contain_text(f"{len(rows):,} tokens")
    view(page, NAME).evaluate("box => { box.scrollTop = box.scrollHeight / 2 }")
    eventually(lambda: view(page, NAME).evaluate(IN_SIGHT), lambda tokens: tokens > 20)
    eventually(lambda: page.evaluate(NODES), lambda nodes: nodes <= 5_000)
    view(page, NAME).locator("[tabindex='0']").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("ControlOrMeta+c")
    eventually(lambda: pasted(page), LONG)
    turn(page, "Table")
    table(page).focus()
    page.keyboard.press("End")
    eventually(lambda: shown(page), lambda found: found == [as_cells(row) for row in rows[-len(found) :]])
    eventually(lambda: page.evaluate(NODES), lambda nodes: nodes <= 5_000)
    for _ in range(2):
        page.get_by_role("columnheader", name="Times here").get_by_role("button").click()
    rows.sort(key=lambda row: -row["times"])
    eventually(lambda: shown(page), lambda found: found and found == [as_cells(row) for row in rows[: len(found)]])
    page.context.close()


def test_more_rows_than_a_browser_can_place(browser: Browser) -> None:
    page = sheet(browser)
    show(page, CL100K.truncated(256).explain("ab" * 200_000))
    turn(page, "Table")
    rows = table(page).locator(".room .row")
    table(page).focus()
    page.keyboard.press("End")
    expect(rows.last.locator("[role=gridcell]").first).to_have_text("400,000")
    page.keyboard.press("ArrowUp")
    active = table(page).locator(".at")
    expect(active.locator("[role=gridcell]").first).to_have_text("399,999")
    table(page).evaluate("table => { table.scrollTop = table.scrollHeight / 2 }")
    there, seen, _ = eventually(
        lambda: table(page).evaluate(ROWS_IN_SIGHT), lambda found: abs(found[2] - 200_000) < 1_000
    )
    assert there < 40
    assert seen > 8
    page.context.close()


UNSEEN = {
    "\u00a0": "U+00A0 no-break space",
    "\u200b": "U+200B zero width space",
    "👨": "part of 👨 U+1F468",
    "\t": "U+0009 tab",
    "   ": "U+0020 space, 3 times",
    "\u202e": "part of U+202E right-to-left override",
    "\x01": "U+0001 control character",
}


def test_what_cannot_be_seen_is_named_by_pointer_and_by_key(tokens: Page) -> None:
    for text, words in UNSEEN.items():
        show(tokens, CL100K.explain(f"{text}\nend"))
        token = view(tokens, NAME).locator(".t").first
        token.hover()
        expect(panel(tokens, NAME)).to_contain_text(words)
        tokens.mouse.move(0, 0)
        expect(panel(tokens, NAME)).not_to_contain_text(words)
        token.focus()
        expect(panel(tokens, NAME)).to_contain_text(words)
        tokens.get_by_label("Paste here").focus()


MARKS = "ที่ น้ำ กัน ກັນ ນ້ຳ שָׁלוֹם مُحَمَّد e\u0301 नमस्ते x\u20dd 1\ufe0f\u20e3 が"
# The tokens that begin with a mark: their text, and how many letters wide they are.
BEGIN_WITH_MARK = r"""box => [...box.querySelectorAll(".t")]
  .filter(token => /^[\p{Mn}\p{Me}\u0e33\u0eb3]/u.test(token.textContent) && !token.querySelector(".nm"))
  .map(token => [token.textContent, token.getBoundingClientRect().width / parseFloat(getComputedStyle(token).fontSize)])
"""


def test_a_mark_that_begins_a_token_stands_in_it_and_not_on_the_token_before(tokens: Page) -> None:
    show(tokens, CL100K.explain(MARKS))
    found = view(tokens, NAME).evaluate(BEGIN_WITH_MARK)
    assert {"ี", "้", "ั"} <= {text[0] for text, _ in found}, found
    assert all(width > 0.6 for _, width in found), found
    assert view(tokens, NAME).evaluate("box => box.textContent") == MARKS


# The tokens that reach beyond the view, of which nothing would be seen: a block clips them.
BEYOND = """box => { const { left, right } = box.getBoundingClientRect();
  return [...box.querySelectorAll(".t")].filter(token => [...token.getClientRects()].some(
    at => at.right > right + 2 || at.left < left)).map(token => token.start); }"""


@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
def test_no_chunk_is_wider_than_a_narrow_panel(tokens: Page, name: str) -> None:
    text = "ภาษาไทย ភាសាខ្មែរ မြန်မာဘာသာ བོད་སྐད 👨‍👩‍👧‍👦 𒀀𒀁𒀂𒀃𒀄 ქართული" + "_" * 60
    show(tokens, tokviz.reference(name).explain(text))
    for width in (300, 358):  # four panels beside each other on Compare, and a phone
        tokens.set_viewport_size({"width": width, "height": 800})
        for face in ("Text", "Ids", "Bytes"):
            turn(tokens, face)
            eventually(lambda: view(tokens, NAME).evaluate(BEYOND), [])
    tokens.set_viewport_size({"width": 900, "height": 800})


def test_a_special_token_is_a_pill_wherever_it_is_named(tokens: Page) -> None:
    show(tokens, CL100K.explain("a<|endoftext|>", allowed_special="all"))
    special = view(tokens, NAME).locator(".sp")
    special.hover()
    named = panel(tokens, NAME).locator(".named .chip")
    expect(named).to_have_text("<|endoftext|>")
    expect(named).to_have_css("background-color", special.evaluate("token => getComputedStyle(token).backgroundColor"))
    tokens.mouse.move(0, 0)
    turn(tokens, "Table")
    rows = table(tokens).locator(".room .chip")
    expect(rows.nth(1)).to_have_css("border-radius", "999px")
    expect(rows.nth(0)).not_to_have_css("border-radius", "999px")


def test_a_token_that_no_merge_made_is_named_as_what_it_is(tokens: Page) -> None:
    """A look-up that is a whole chunk, a letter of another model, a space that no token covers, and a special token."""
    seams = np.array([SPLIT, WHOLE, SPLIT, SPLIT, SPLIT, WHOLE, WHOLE], np.int32)
    whole = {0: 300, 2: 301, 3: None, 4: 302}
    show(tokens, Encoding(b"abx <e>", seams, whole=whole, special_ids=frozenset({302})))
    drawn = view(tokens, NAME).locator(".t")
    expect(view(tokens, NAME).locator(".sp")).to_have_count(1)
    unmade = "no pair of tokens makes this one"
    for i, origin in enumerate([unmade, unmade, "no token covers these bytes", "special token"]):
        drawn.nth(i).hover()
        expect(panel(tokens, NAME).locator(".more")).to_contain_text(origin)


COLOURS = """box => [...box.querySelectorAll(".line")].map(line => [...line.querySelectorAll(".t")].map(token => {
  const style = getComputedStyle(token), edge = /rgb\\([^)]*\\)/.exec(style.boxShadow);
  return { back: style.backgroundColor, ink: style.color, edge: edge && edge[0], special: token.matches(".sp"),
           marks: [...token.querySelectorAll(".w")].map(mark => getComputedStyle(mark, "::before").color) };
}))"""


@pytest.mark.parametrize("theme", THEMES)
def test_drawn_tokens_can_be_read_and_told_apart(browser: Browser, theme: str) -> None:
    page = sheet(browser, theme)
    show(page, CL100K.explain("<|endoftext|>" + LONG[:1_500], allowed_special="all"))
    lines = view(page, NAME).evaluate(COLOURS)
    shape = page.locator(".sp").evaluate(
        "token => [getComputedStyle(token).borderRadius, getComputedStyle(token, '::before').content]"
    )
    axe(page)
    turn(page, "Table")
    panel(page, NAME).get_by_role("button", name="Share", exact=True).click()
    axe(page)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.context.close()
    special, *drawn = [token for line in lines for token in line]
    assert special["special"]
    assert shape == ["999px", '"◆ " / ""']
    assert len({token["back"] for token in drawn}) == 7
    for token in drawn:
        assert not token["special"]
        assert contrast(token["ink"], token["back"]) >= 7
        assert min(contrast(token["edge"], other) for other in (token["back"], paper)) >= 3
        assert all(contrast(mark, token["back"]) >= 3 for mark in token["marks"])
    assert contrast(special["ink"], special["back"]) >= 7
    floor = palette()["ciede2000_floor"]
    for vision in VISIONS:
        assert all(distance(special["back"], back, vision) >= 2 * floor for back in {token["back"] for token in drawn})
        for line in lines:
            for left, right in pairwise(line):
                assert distance(left["back"], right["back"], vision) >= floor
