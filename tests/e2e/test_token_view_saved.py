"""What is copied and saved from a token view: ids, CSV, JSON, a page, pictures."""

from __future__ import annotations

import base64
import csv
import io
import json
import struct
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import axe, eventually, new_context
from tests.e2e.sheet import CL100K, LONG, NAME, TEXT, THEMES, sheet, show, take, told
from tests.e2e.typing import panel, spans_of
from tokviz.offline.data import view_data

SPANS = """() => [...document.querySelectorAll("[data-start]")].map(t =>
  [Number(t.dataset.start), Number(t.dataset.end)])"""


def saved(page: Page, entry: str, folder: Path) -> Path:
    with page.expect_download() as download:
        take(page, entry)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_of_a_part_it_says_that_it_is_one(tokens: Page, tmp_path: Path) -> None:
    whole = CL100K.explain(LONG)
    part = whole.part(0, 1_000)
    tokens.evaluate("data => { show(data) }", view_data(whole, name=NAME, series=NAME, most=1_000))
    take(tokens, "Copy ids")
    expect(panel(tokens, NAME).get_by_text(f"{len(part)} ids of the part in view copied.")).to_be_attached()
    svg = ElementTree.parse(saved(tokens, "SVG", tmp_path)).getroot()
    caption = " ".join(text.text or "" for text in svg.findall("{http://www.w3.org/2000/svg}text"))
    assert f"Here: bytes 0 to {len(part.data):,}." in caption


def test_a_picture_that_cannot_be_made_is_said_to_be_so(browser: Browser) -> None:
    page = sheet(browser)
    page.evaluate("() => { HTMLCanvasElement.prototype.toBlob = done => done(null) }")
    show(page, CL100K.explain(TEXT))
    take(page, "PNG")
    expect(panel(page, NAME).get_by_text("This browser could not do that.")).to_be_visible()
    page.context.close()


def test_csv_holds_every_token_and_no_cell_that_a_spreadsheet_would_run(tokens: Page, tmp_path: Path) -> None:
    raw = saved(tokens, "CSV", tmp_path).read_bytes()
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
        for name in ("number", "id", "characters", "start", "merge", "times"):
            assert cells[name] == ("" if row[name] is None else str(row[name]))


def test_json_holds_the_text_and_its_tokens(tokens: Page, tmp_path: Path) -> None:
    read = json.loads(saved(tokens, "JSON", tmp_path).read_text("utf-8"))
    assert (read["tokenizer"], read["vocabulary_size"], read["text"]) == (NAME, None, TEXT)
    assert [token["id"] for token in read["tokens"]] == CL100K.encode_ordinary(TEXT)
    assert [(token["start"], token["end"]) for token in read["tokens"]] == spans_of(CL100K, TEXT)
    assert [token["merge"] for token in read["tokens"]] == [row["merge"] for row in told(TEXT)]


@pytest.mark.parametrize("theme", THEMES)
def test_a_saved_page_opens_alone_with_the_true_text(browser: Browser, tmp_path: Path, theme: str) -> None:
    page = sheet(browser, theme)
    show(page, CL100K.explain(TEXT))
    html, svg = (saved(page, kind, tmp_path) for kind in ("HTML", "SVG"))
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.context.close()
    asked: list[str] = []
    alone = new_context(browser, offline=True)
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
    eventually(
        lambda: page.evaluate("window.copied"), TEXT.removesuffix("\n")
    )  # a browser leaves out a newline at the end
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
    svg = ElementTree.parse(saved(page, "SVG", tmp_path)).getroot()
    drawn = len(svg.findall(".//*[@data-start]"))
    said = f"first {drawn:,} of {count:,} tokens."
    assert 1_000 < drawn < count
    assert [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")][-1] == f"The {said}"
    expect(panel(page, NAME).get_by_text(said)).to_be_visible()
    png = saved(page, "PNG", tmp_path).read_bytes()
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
    page.context.close()
