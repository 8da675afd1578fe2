"""The blocks of tokviz/base/blocks.py as the browser draws them: every one, with ordinary, empty and hostile values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import tokviz
from tests.e2e.browser import axe, bare_page, eventually
from tests.e2e.test_shared_js import IMPORT
from tokviz.base import blocks as records
from tokviz.base.blocks import (
    Bar,
    Block,
    Button,
    Cell,
    Chip,
    Chips,
    Choice,
    Columns,
    Copy,
    Field,
    Fold,
    Group,
    Line,
    List,
    Mark,
    Merge,
    Note,
    Quiet,
    Series,
    Table,
    Tokens,
    Veiled,
    Visible,
)
from tokviz.base.sentences import Code, Strong
from tokviz.offline.data import data_of
from tokviz.offline.files import script, stylesheet
from tokviz.ui.kit.blocks import press_in
from tokviz.ui.tokenview.shown import STYLES

TEXTS = {
    "ordinary": "the cat",
    "empty": "",
    "markup": "<img src=x onerror='window.harm=1'><b>bold</b> {{x}} ${harm} &amp; <!--",
    "right to left": "\u202eשלום عليكم\u202c \u200b\x00\x1b",
    "emoji": "👩‍👩‍👧 👍🏽 e\u0301\u0301\u0301 \U000e0067",
    "long": "pneumono" * 500,
    "strange": "__proto__ constructor toString",
}
PAGE = """() => {
  const host = document.querySelector("main").appendChild(document.createElement("div"));
  const parentElement = host.attachShadow({ mode: "open" });
  window.told = [];
  window.reads = new Set();
  // What is read of each record, by its kind.
  const watched = data => Array.isArray(data) ? data.map(watched) : !data?.kind ? data : new Proxy(
    Object.fromEntries(Object.entries(data).map(([name, value]) => [name, watched(value)])),
    { get: (record, name) => (typeof name === "string" && reads.add(`${record.kind} ${name}`), record[name]) });
  window.show = (blocks, label = "") => shared.default({
    data: { label, blocks: watched(blocks), leads: false }, parentElement,
    setTriggerValue: (name, value) => told.push(...value), setStateValue() {} });
  window.style_ = css => {
    const style = document.createElement("style");
    style.textContent = css;
    parentElement.append(style);
  };
}"""


def cells(text: str, data: bytes) -> list[Cell]:
    """One of each kind."""
    ordinary: list[Cell] = [
        text,
        7,
        2.5,
        None,
        data,
        Strong(text),
        Code(text),
        Visible(text),
        Veiled(text),
        Quiet(text),
    ]
    ordinary += [*(Mark(tone, text) for tone in ("good", "bad", "warn")), Bar(0.3, text), Bar(1, 12)]
    ordinary += [Series("yours", text, text)]
    tokens = [
        Chip(data, text, 17, text),
        Chip(data, under=True),
        Merge(data, data),
        Merge(data, b"x", False, (1, 2), text),
    ]
    return [*ordinary, *tokens, ordinary, []]


def every_block(text: str) -> list[Block]:
    """One of each kind, and of each of its looks."""
    data = text.encode()
    some = cells(text, data)
    encoding = tokviz.reference("gpt2").explain(text)
    token = Button("token", 3, [data, Chip(data), Merge(data, data)])
    framed = [Line([text or "A title"], "title"), Line([text], "quiet"), Table([], [[token, some[:3]]])]
    options: Sequence[tuple[str, Cell]] = [("a", text or "A"), ("b", [Bar(0.5), text or "B"])]
    return [
        Field("text", text, titled=True, lines=3),
        Field("number", text, "Number", takes="number"),
        Field("slider", 0.5, "Slider", takes="slider", words=text),
        Choice("choice", options, "a", "Choice"),
        Choice("tabs", options, "a", "Tabs", [[Line([text])], [Button("inner", 1, "Inner " + text)]]),
        Button("again", 2, "Again " + text, "Again"),
        *(Line(some, tone) for tone in ("", "head", "quiet", "live", "text")),
        *(Line([text or "A title"], "title", level) for level in (2, 3, 4)),
        Table(["A", "B", "C"], [*zip(some, some[::-1], some[5:], strict=False), [None]], "Table", [0]),
        Table([], [[Quiet("Name"), text], ["b", None]]),
        Table(["A", "B"], [["A heading"], ["b", Button("in a row", 3, "In a row")]], wide=[1]),
        Copy("copied"),
        List(
            [*some[:-2], [Merge(data, data), Quiet(text)]],
            text,
            True,
            [1],
            foot=text,
            across=2,
            framed=True,
        ),
        List([], "None", none="None of " + text),
        Tokens(encoding, "Tokens of it", some, home=True, beside=True, under=some),
        Tokens(None, "No tokens"),
        Columns([some[:4], some[4:8]], ["a", "b", "c", "d"]),
        Chips(some, label="Cells", more=5),
        Chips(encoding, ids=True, label="Tokens"),
        Group([Group([*framed, Button("token", None, "Go")], 1), Group([Line([text])], 1)], 3, framed=True),
        *(Note(tone, text or "It happened.", text) for tone in ("info", "good", "warn", "bad")),
        Group([Line([text]), Table([], [[text, text]])]),
        Fold("More " + text, [Code(text)]),
        Bar(0.2, text),
        Code(text),
    ]


@pytest.fixture(scope="module")
def drawn(browser: Browser) -> Iterator[Page]:
    page = bare_page(browser)
    page.route(
        "https://tokviz.test/",
        lambda route: route.fulfill(
            body="<!doctype html><html lang=en><title>Blocks</title><body><main></main>",
            content_type="text/html",
        ),
    )
    page.goto("https://tokviz.test/")
    page.evaluate(IMPORT, script("tokenview/shown.js"))
    page.evaluate(PAGE)
    page.evaluate("css => style_(css)", stylesheet(*STYLES))
    yield page
    page.context.close()


def show(page: Page, *blocks: Block) -> None:
    page.evaluate("blocks => show(blocks)", data_of(blocks))


def kinds() -> dict[str, set[str]]:
    """The fields of each record."""
    found = [one for one in vars(records).values() if isinstance(one, type) and is_dataclass(one)]
    return {one.__name__.lower(): {field.name for field in fields(one)} for one in [*found, Strong]}


def test_the_browser_reads_each_field_of_each_record_and_no_other(drawn: Page) -> None:
    drawn.evaluate("reads.clear()")
    show(drawn, *every_block("the cat"))
    read: dict[str, set[str]] = {}
    for name in drawn.evaluate("[...reads]"):
        kind, _, field = name.partition(" ")
        if field not in ("kind", "0"):  # what it is, and whether it is a list
            read.setdefault(kind, set()).add(field)
    made = {"chip": {"size"}, "series": {"glyph"}}  # by data_of
    assert read == {kind: names | made.get(kind, set()) for kind, names in kinds().items()}


@pytest.mark.parametrize("name", TEXTS)
def test_each_block_shows_any_text_as_text(drawn: Page, name: str) -> None:
    text = TEXTS[name]
    for scheme, surface in (("light", "#ffffff"), ("dark", "#14161a")):
        drawn.evaluate(
            "colour => document.body.style = `background: ${colour}; --st-background-color: ${colour}`", surface
        )
        for width in (390, 1280):
            drawn.set_viewport_size({"width": width, "height": 900})
            show(drawn, *every_block(text))
            root = drawn.locator(".shown")
            expect(root).to_have_attribute("data-theme", scheme)
            assert drawn.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
            axe(drawn)
    assert root.locator("img, script, style, iframe").count() == 0 and drawn.evaluate("window.harm") is None
    note = root.get_by_role("alert").locator("b")
    assert note.text_content() == text or not text


def test_each_press_comes_back_as_what_the_block_offers(drawn: Page) -> None:
    blocks = every_block("the cat")
    show(drawn, *blocks)
    drawn.evaluate("told.length = 0")
    drawn.locator("textarea[name=text]").fill("typed")
    eventually(lambda: drawn.evaluate("told.length"), 1)
    drawn.locator("input[name=slider]").fill("0.9")
    eventually(lambda: drawn.evaluate("told.length"), 2)
    drawn.locator("input[name=number]").fill("7")
    drawn.get_by_role("group", name="Choice").get_by_role("button").nth(1).click()  # at once: what was typed is first
    drawn.get_by_role("button", name="In a row").click()
    drawn.get_by_role("group", name="Tabs").get_by_role("button").nth(1).click()
    drawn.get_by_role("button", name="Inner the cat").click()
    drawn.get_by_role("button", name="Again").click()
    drawn.locator(".framed th button").click()
    drawn.get_by_role("button", name="Go", exact=True).click()
    told = eventually(lambda: drawn.evaluate("told"), lambda told: len(told) == 9)
    assert [tuple(press_in(one, blocks) or ()) for one in told] == [
        ("text", "typed"),
        ("slider", 0.9),
        ("number", "7"),
        ("choice", "b"),
        ("in a row", 3),
        ("inner", 1),
        ("again", 2),
        ("token", 3),
        ("token", None),
    ]


def test_a_press_of_something_else_is_none(drawn: Page) -> None:
    blocks = every_block("the cat")
    wrong: list[Any] = [None, 7, {}, {"pressed": 7}, {"name": "again", "value": "x"}]
    wrong += [{"name": name, "value": "c"} for name in ("choice", "in a row", "nothing", "token", "slider")]
    wrong += [{"name": name, "value": None} for name in ("choice", "in a row", "text")]
    wrong += [{"name": "token", "value": id} for id in (999, True)]
    wrong += [{"name": "slider", "value": number} for number in (1e300, float("nan"), True)]
    wrong += [{"name": "text", "value": text} for text in ("\ud800", "x" * 200_000)]
    wrong += [{"name": "again", "value": [2]}]
    assert [press_in(one, blocks) for one in wrong] == [None] * len(wrong)


def test_a_fold_stays_open_and_what_is_typed_stays_whatever_comes(drawn: Page) -> None:
    show(drawn, Field("text", "old"), Fold("More", [Line(["one"])]))
    drawn.get_by_text("More").click()
    drawn.get_by_role("textbox").fill("new")
    show(drawn, Field("text", "old"), Fold("More", [Line(["two"])]))
    expect(drawn.get_by_text("two")).to_be_visible()
    expect(drawn.get_by_role("textbox")).to_have_value("new")


def test_a_token_that_is_cut_is_shown_whole(drawn: Page) -> None:
    show(drawn, Chips([Chip(b"whole" * 30)]))
    chip = drawn.locator(".chip").first
    expect(chip).to_have_attribute(
        "title",
        "150 bytes: "
        + "\u00a0".join(["77 68 6F 6C 65".replace(" ", "\u00a0")] * 12)
        + "\u00a077\u00a068\u00a06F\u00a06C …",
    )
    chip.hover()
    expect(drawn.get_by_role("tooltip")).to_have_text("whole" * 30)
    assert chip.get_attribute("title") is None, "the sheet says it"
