"""The token view: its table, what is copied and saved from it, and that what it shows can be told apart.

The view stands alone on a page of the tests here: it needs no server, only the data that Python sends.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import struct
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import tokviz
from tests.colours import VISIONS, contrast, distance
from tests.e2e.browser import axe
from tests.e2e.typing import panel, spans_of, view
from tokviz.encoding import Encoding
from tokviz.ui.components import palette, script, source, stylesheet
from tokviz.ui.components.token_view import PANEL, STYLE, Totals, view_data

NAME = "cl100k_base"
CL100K = tokviz.reference(NAME)
TEXT = (
    "The newest, the newest:\n\n    नमस्ते 👨‍👩‍👧 مرحبا بالعالم\n"
    '<b onclick=alert(1)>=1+1</b><script>alert(2)</script> &amp; "q"\n-@=\ttab\u00a0x\u200d\u202ey\u001b\n'
)
LONG = "".join(f"{i} seams, {i * 7919} bytes; merge {i * 31}\n" for i in range(7_000))
ROWS = """table => [...table.querySelectorAll(".table-body .row")].map(row =>
  [...row.querySelectorAll("[role=gridcell]")].map((cell, i) => i === 2 ? cell.getAttribute("aria-label")
                                                                        : cell.textContent))"""
NODES = """() => { const count = root => { let n = 0;
    for (const node of root.querySelectorAll("*")) n += 1 + (node.shadowRoot ? count(node.shadowRoot) : 0);
    return n; };
  return count(document); }"""
SPANS = """() => [...document.querySelectorAll("[data-start]")].map(t =>
  [Number(t.dataset.start), Number(t.dataset.end)])"""


ADDRESS = "http://classroom.test/"  # no secure context, so copying takes the longer way
SHEET = """<!doctype html><html lang="en"><title>Tokens</title>
<main id="place"></main><textarea aria-label="Paste here"></textarea>"""
MOUNT = """async ([script, style]) => {
  const root = place.attachShadow({ mode: "open" });
  root.appendChild(document.createElement("style")).textContent = style;
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: component } = await import(address);
  window.show = data => component({ data, parentElement: root, setTriggerValue: () => {} });
}"""
THEMES = {"light": ("#ffffff", "#16181d"), "dark": ("#14161a", "#eceef2")}


def sheet(browser: Browser, theme: str = "light") -> Page:
    """A page with a token view to come: show(page, encoding) puts it up."""
    page = browser.new_page(viewport={"width": 900, "height": 800})
    page.route(ADDRESS, lambda route: route.fulfill(body=SHEET, content_type="text/html; charset=utf-8"))
    page.goto(ADDRESS)
    background, ink = THEMES[theme]
    page.evaluate(
        """([background, ink]) => { document.body.style = `background: ${background}; color: ${ink};
          --st-background-color: ${background}; --st-text-color: ${ink}` }""",
        [background, ink],
    )
    page.evaluate(MOUNT, [script(*PANEL, source("token_view", "component.js")), stylesheet(STYLE)])
    return page


def show(page: Page, encoding: Encoding) -> None:
    page.evaluate("data => { show(data) }", view_data(encoding, name=NAME, series=NAME))


@pytest.fixture(scope="module")
def one(browser: Browser) -> Iterator[Page]:
    page = sheet(browser)
    yield page
    page.close()


@pytest.fixture
def tokens(one: Page) -> Page:
    """The view of TEXT, as text."""
    show(one, CL100K.explain(TEXT))
    turn(one, "Text")
    one.mouse.move(0, 0)
    return one


def turn(page: Page, face: str, name: str = NAME) -> None:
    """Show the tokens as Text, Ids, Bytes or in a Table."""
    panel(page, name).get_by_role("group", name="Show").get_by_role("button", name=face).click()


def table(page: Page, name: str = NAME) -> Locator:
    return page.get_by_role("grid", name=f"Table of the tokens of {name}")


def take(page: Page, entry: str) -> None:
    panel(page, NAME).get_by_role("button", name="Copy or save").click()
    page.get_by_role("menuitem", name=entry).click()


def saved(page: Page, entry: str, folder: Path) -> Path:
    with page.expect_download() as download:
        take(page, entry)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def pasted(page: Page) -> str:
    """What is on the clipboard."""
    page.evaluate("addEventListener('paste', event => window.came = event.clipboardData.getData('text/plain'), true)")
    page.get_by_label("Paste here").press("ControlOrMeta+v")
    came: str = page.evaluate("window.came")
    return came


def told(text: str) -> list[dict[str, Any]]:
    """What Python says of each token of the text."""
    found = CL100K.explain(text).tokens()
    data = text.encode()
    often = Counter(token.id for token in found)
    return [
        {
            "number": i + 1,
            "id": token.id,
            "bytes": data[token.start : token.end],
            "characters": sum(byte & 0xC0 != 0x80 for byte in data[token.start : token.end]),
            "start": token.start,
            "rank": token.rank,
            "times": often[token.id],
        }
        for i, token in enumerate(found)
    ]


def as_cells(row: dict[str, Any]) -> list[str]:
    amounts = ("–" if row[name] is None else f"{row[name]:,}" for name in ("characters", "start", "rank", "times"))
    return [f"{row['number']:,}", f"{row['id']:,}", row["bytes"].hex(" ").upper(), *amounts]


def without_token(rows: list[list[str]]) -> list[list[str]]:
    return [[*row[:2], *row[3:]] for row in rows]


def test_rows_of_the_table_are_pythons_sorted_by_any_column(tokens: Page) -> None:
    turn(tokens, "Table")
    expect(view(tokens, NAME)).to_be_hidden()
    table(tokens).evaluate("table => { table.style.maxHeight = 'none' }")  # all rows in sight
    rows = told(TEXT)
    expect(table(tokens).locator(".table-body .row")).to_have_count(len(rows))
    assert without_token(table(tokens).evaluate(ROWS)) == [as_cells(row) for row in rows]
    keys: dict[str, Callable[[dict[str, Any]], Any]] = {
        "No.": lambda row: row["number"],
        "Id": lambda row: row["id"],
        "Token": lambda row: row["bytes"],
        "Bytes": lambda row: len(row["bytes"]),
        "Characters": lambda row: row["characters"],
        "Start": lambda row: row["start"],
        "Rank": lambda row: float("inf") if row["rank"] is None else row["rank"],
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
            assert without_token(table(tokens).evaluate(ROWS)) == [as_cells(row) for row in expected], (name, way)
    expect(tokens.locator('[aria-sort="ascending"], [aria-sort="descending"]')).to_have_count(1)


def test_a_hundred_thousand_tokens_are_few_nodes_and_all_of_the_text(browser: Browser) -> None:
    page = sheet(browser)
    show(page, CL100K.explain(LONG))
    rows = told(LONG)
    assert len(rows) > 100_000
    expect(panel(page, NAME)).to_contain_text(f"{len(rows):,} tokens")
    view(page, NAME).evaluate("box => { box.scrollTop = box.scrollHeight / 2 }")
    page.wait_for_timeout(300)
    assert page.evaluate(NODES) <= 5_000
    view(page, NAME).locator("[tabindex='0']").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("ControlOrMeta+c")
    assert pasted(page) == LONG
    turn(page, "Table")
    table(page).focus()
    page.keyboard.press("End")
    shown = without_token(table(page).evaluate(ROWS))
    assert shown == [as_cells(row) for row in rows[-len(shown) :]]
    assert page.evaluate(NODES) <= 5_000
    for _ in range(2):
        page.get_by_role("columnheader", name="Times here").get_by_role("button").click()
    rows.sort(key=lambda row: -row["times"])
    shown = without_token(table(page).evaluate(ROWS))
    assert shown == [as_cells(row) for row in rows[: len(shown)]]
    page.close()


def test_more_rows_than_a_browser_can_place(browser: Browser) -> None:
    page = sheet(browser)
    show(page, CL100K.truncated(256).explain("ab" * 200_000))
    turn(page, "Table")
    rows = table(page).locator(".table-body .row")
    table(page).focus()
    page.keyboard.press("End")
    expect(rows.last.locator("[role=gridcell]").first).to_have_text("400,000")
    page.keyboard.press("ArrowUp")
    active = table(page).locator(".active")
    expect(active.locator("[role=gridcell]").first).to_have_text("399,999")
    table(page).evaluate("table => { table.scrollTop = table.scrollHeight / 2 }")
    page.wait_for_timeout(100)
    there, seen, first = table(page).evaluate(
        """table => {
          const rows = [...table.querySelectorAll(".table-body .row")], box = table.getBoundingClientRect();
          const inSight = rows.map(row => [row, row.getBoundingClientRect()])
            .filter(([, { top, bottom }]) => top < box.bottom && bottom > box.top + 40);
          return [rows.length, inSight.length, Number(inSight[0][0].dataset.start)];
        }"""
    )
    assert there < 40
    assert seen > 8
    assert abs(first - 200_000) < 1_000
    page.close()


def test_ids_are_copied_as_python_has_them(tokens: Page) -> None:
    ids = CL100K.encode_ordinary(TEXT)
    take(tokens, "Copy ids")
    expect(panel(tokens, NAME).get_by_text(f"{len(ids)} ids copied.")).to_be_visible()
    assert [int(word) for word in pasted(tokens).split(" ")] == ids
    take(tokens, "Copy as a Python list")
    assert json.loads(pasted(tokens)) == ids


def test_of_a_part_it_says_that_it_is_one(tokens: Page, tmp_path: Path) -> None:
    whole = CL100K.explain(LONG)
    part = whole.part(0, 1_000)
    totals = Totals(len(whole), len(LONG), len(LONG))
    tokens.evaluate("data => { show(data) }", view_data(part, name=NAME, series=NAME, totals=totals))
    take(tokens, "Copy ids")
    expect(panel(tokens, NAME).get_by_text(f"{len(part)} ids of the part in view copied.")).to_be_visible()
    svg = ElementTree.parse(saved(tokens, "Save SVG", tmp_path)).getroot()
    caption = " ".join(text.text or "" for text in svg.findall("{http://www.w3.org/2000/svg}text"))
    assert f"Here: bytes 0 to {len(part.data):,}." in caption


def test_a_picture_that_cannot_be_made_is_said_to_be_so(browser: Browser) -> None:
    page = sheet(browser)
    page.evaluate("() => { HTMLCanvasElement.prototype.toBlob = done => done(null) }")
    show(page, CL100K.explain(TEXT))
    take(page, "Save PNG")
    expect(panel(page, NAME).get_by_text("This browser could not do that.")).to_be_visible()
    page.close()


def test_the_menu_by_keyboard(tokens: Page) -> None:
    button = panel(tokens, NAME).get_by_role("button", name="Copy or save")
    button.focus()
    tokens.keyboard.press("ArrowDown")
    expect(tokens.get_by_role("menuitem", name="Copy ids")).to_be_focused()
    tokens.keyboard.press("ArrowUp")
    expect(tokens.get_by_role("menuitem", name="Save PNG")).to_be_focused()
    tokens.keyboard.press("c")
    expect(tokens.get_by_role("menuitem", name="Copy ids")).to_be_focused()
    tokens.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(tokens.get_by_role("menu")).to_be_hidden()


def test_csv_holds_every_token_and_no_cell_that_a_spreadsheet_would_run(tokens: Page, tmp_path: Path) -> None:
    raw = saved(tokens, "Save CSV", tmp_path).read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    content = raw.decode("utf-8-sig")
    assert content.endswith("\r\n")
    assert content.count("\n") == content.count("\r\n")
    read = list(csv.DictReader(io.StringIO(content, newline="")))
    rows = told(TEXT)
    assert len(read) == len(rows)
    for cells, row in zip(read, rows, strict=True):
        assert not any(str(cell).startswith(tuple("=+-@\t\r")) for cell in cells.values())
        assert all(unicodedata.category(char) not in ("Cc", "Cf") for char in cells["text"])
        if cells["text"]:
            assert json.loads(cells["text"]).encode() == row["bytes"]
        else:
            assert "\ufffd" in row["bytes"].decode(errors="replace")
        assert bytes.fromhex(cells["bytes"]) == row["bytes"]
        for name in ("number", "id", "characters", "start", "rank", "times"):
            assert cells[name] == ("" if row[name] is None else str(row[name]))


def test_json_holds_the_text_and_its_tokens(tokens: Page, tmp_path: Path) -> None:
    read = json.loads(saved(tokens, "Save JSON", tmp_path).read_text("utf-8"))
    assert (read["tokenizer"], read["vocabulary_size"], read["text"]) == (NAME, None, TEXT)
    assert [token["id"] for token in read["tokens"]] == CL100K.encode_ordinary(TEXT)
    assert [(token["start"], token["end"]) for token in read["tokens"]] == spans_of(CL100K, TEXT)
    assert [token["rank"] for token in read["tokens"]] == [row["rank"] for row in told(TEXT)]


@pytest.mark.parametrize("theme", THEMES)
def test_a_saved_page_opens_alone_with_the_true_text(browser: Browser, tmp_path: Path, theme: str) -> None:
    page = sheet(browser, theme)
    show(page, CL100K.explain(TEXT))
    html, svg = (saved(page, f"Save {kind}", tmp_path) for kind in ("HTML", "SVG"))
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.close()
    asked: list[str] = []
    alone = browser.new_context(offline=True)
    page = alone.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append("a dialog"))
    page.goto(html.as_uri())
    assert [tuple(span) for span in page.evaluate(SPANS)] == spans_of(CL100K, TEXT)
    assert page.evaluate("document.scripts.length + document.querySelectorAll('[onclick]').length") == 0
    assert page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor") == paper
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.view'))")
    page.evaluate("addEventListener('copy', () => window.copied = getSelection().toString())")
    page.keyboard.press("ControlOrMeta+c")
    assert page.evaluate("window.copied") == TEXT.removesuffix("\n")  # a browser leaves out a newline at the end
    axe(page)

    page.goto(svg.as_uri())
    assert [tuple(span) for span in page.evaluate(SPANS)] == spans_of(CL100K, TEXT)
    assert asked == [html.as_uri(), svg.as_uri()]
    alone.close()
    root = ElementTree.parse(svg).getroot()
    assert {element.tag.split("}")[1] for element in root.iter()} <= {"svg", "title", "rect", "g", "text", "line"}
    data = TEXT.encode()
    for group in root.iterfind(".//*[@data-start]"):
        written = [text.text or "" for text in group if text.tag.endswith("text") and "aria-hidden" not in text.attrib]
        bare = "".join(written).replace("\u200d", "").replace("◌", "")
        piece = data[int(group.attrib["data-start"]) : int(group.attrib["data-end"])]
        visible = "".join(char for char in piece.decode(errors="ignore") if char == " " or char.isprintable())
        assert bare == visible.replace("\u200d", "")


def test_a_picture_has_twice_the_size_and_says_what_it_leaves_out(browser: Browser, tmp_path: Path) -> None:
    page = sheet(browser)
    show(page, CL100K.explain(LONG[:9_000]))
    count = len(CL100K.encode_ordinary(LONG[:9_000]))
    svg = ElementTree.parse(saved(page, "Save SVG", tmp_path)).getroot()
    drawn = len(svg.findall(".//*[@data-start]"))
    said = f"first {drawn:,} of {count:,} tokens."
    assert 1_000 < drawn < count
    assert [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")][-1] == f"The {said}"
    expect(panel(page, NAME).get_by_text(said)).to_be_visible()
    png = saved(page, "Save PNG", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", png[16:24])
    assert (width, height) == (2 * int(svg.attrib["width"]), 2 * int(svg.attrib["height"]))
    colours = page.evaluate(
        """async base64 => {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
          const pen = new OffscreenCanvas(image.width, 600).getContext("2d");
          pen.drawImage(image, 0, 0);
          return new Set(new Uint32Array(pen.getImageData(0, 0, image.width, 600).data.buffer)).size;
        }""",
        base64.b64encode(png).decode(),
    )
    assert colours > 20  # not an empty sheet
    page.close()


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


FROM_EDGE = """line => { const { right, width } = getComputedStyle(line, "::before");
  return line.clientWidth - parseFloat(right) - parseFloat(width) }"""


@pytest.mark.parametrize("width", [900, 390])
def test_a_line_of_five_digits_has_all_of_them(browser: Browser, width: int) -> None:
    page = sheet(browser)
    page.set_viewport_size({"width": width, "height": 800})
    show(page, CL100K.explain("a\nb\n" * 6_000))
    view(page, NAME).evaluate("box => { box.scrollTop = box.scrollHeight }")
    last = view(page, NAME).locator(".line[data-n='12000']")
    expect(last).to_be_visible()
    assert last.evaluate(FROM_EDGE) >= -8, "a block shows no more of what sticks out"
    page.close()


def test_a_special_token_is_a_pill_wherever_it_is_named(tokens: Page) -> None:
    show(tokens, CL100K.explain("a<|endoftext|>", allowed_special="all"))
    special = view(tokens, NAME).locator(".sp")
    special.hover()
    named = panel(tokens, NAME).locator(".named .chip")
    expect(named).to_have_text("<|endoftext|>")
    expect(named).to_have_css("background-color", special.evaluate("token => getComputedStyle(token).backgroundColor"))
    tokens.mouse.move(0, 0)
    turn(tokens, "Table")
    rows = table(tokens).locator(".table-body .chip")
    expect(rows.nth(1)).to_have_css("border-radius", "999px")
    expect(rows.nth(0)).not_to_have_css("border-radius", "999px")


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
    panel(page, NAME).get_by_role("button", name="Copy or save").click()
    axe(page)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.close()
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
