"""Compare above its tabs in a real browser: a live text, the ruler and its keys, reasons, boxes that go together."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import tokviz
from tests.e2e.browser import Server, axe, bare_page, eventually, fits, settled, visiting
from tests.e2e.test_shared_js import IMPORT
from tests.e2e.typing import HOLD_SOCKETS, answered, area, menu, pick, shows
from tokviz import OPEN
from tokviz.catalog.samples import examples, sample
from tokviz.comparison.comparison import Comparison
from tokviz.formats.tokviz import dump
from tokviz.offline.data import payload
from tokviz.offline.files import script
from tokviz.split.normalizing import Normalizer, Step

HARD = (
    'In 2008 “don\'t” <b onclick="window.hit=1">naïve</b> नमस्ते 👩‍👩‍👧 日本語\n'
    "        return  שלום hello עולם 1234567, e\u0301 \x01\u200b<script>window.hit=1</script>\t.\n\n"
)
# Where tokenizer j has its ticks, in bytes, and how many other marks are drawn: those of special tokens.
TICKS = """(pieces, j) => {
  const drawn = pieces.reduce((n, p) => n + getComputedStyle(p).backgroundImage.split("gradient").length - 1, 0);
  const starts = pieces.map(p => p.dataset.starts.split(" ").filter(Boolean));
  return [pieces.filter((_, i) => starts[i].includes(String(j))).map(p => p.start), drawn - starts.flat().length];
}"""
LEARNT = "ab ab AB aé " * 9
REGIONS = """([payloads, text]) => {
  const { read, textOf } = window.reading, { cutsOf, regionsOf } = window.shared;
  const { n } = textOf(text);
  return regionsOf(payloads.map(one => cutsOf(read(one), n)), n);
}"""
NAMES = {"gpt2": "GPT-2", "cl100k_base": "GPT-4", "o200k_base": "GPT-4o"}


def compared(text: str) -> Comparison:
    return tokviz.compare(text, map(tokviz.reference, NAMES))


def place(page: Page) -> Locator:
    """Which disagreement is explained: "3 of 15"."""
    return page.locator(".why .place b")


def go(page: Page, key: str) -> None:
    """Press a key that leads to another disagreement."""
    before = place(page).inner_text()
    page.keyboard.press(key)
    expect(place(page)).not_to_have_text(before)


def on_compare(page: Page, text: str, query: str = "") -> Page:
    page.add_init_script(HOLD_SOCKETS)
    page.goto(f"/compare?tab=files&{query}")  # a tab that is drawn in no time
    settled(page)
    area(page).fill(text)
    expect(page.locator(".ruler .piece").first).to_contain_text(text[0])
    answered(page)
    return settled(page)


@pytest.fixture(scope="module")
def hard(browser: Browser, server: Server) -> Iterator[Page]:
    with visiting(browser, server) as page:
        yield on_compare(page, HARD)


def test_the_browser_finds_the_regions_that_python_finds(browser: Browser) -> None:
    page = bare_page(browser)
    page.evaluate(IMPORT, script("tokenview/encoding.js"))
    page.evaluate("window.reading = window.shared")
    page.evaluate(IMPORT, script("compare/boundaries.js"))
    chance = random.Random("regions")
    lower = Normalizer((Step("lowercase"), Step("prepend", by="_")))
    for _ in range(60):
        text = "".join(chance.choices("ab AB\n\té日👩", k=chance.randrange(40)))
        sizes, patterns = chance.sample(range(256, 270), chance.randrange(1, 4)), ["none", "gpt2"]
        toks = [tokviz.train(LEARNT, size, pattern=chance.choice(patterns)).tokenizer for size in sizes]
        if chance.random() < 0.5:
            toks.append(tokviz.Tokenizer("lower", toks[0].merges, pattern="none", normalizer=lower))
        encodings = [tok.explain(text) for tok in toks]
        laid = Comparison(tuple(toks), tuple(one.over(text.encode()) for one in encodings))
        found = page.evaluate(REGIONS, [[payload(one) for one in encodings], text])
        assert found == [[start, end] for start, end in (laid.regions if len(toks) > 1 else [])], (text, toks)
    page.context.close()


def drawn_ticks(page: Page, name: str) -> tuple[list[int], int]:
    """The bytes at which a row has ticks, and how many marks of special tokens all rows have."""
    at, specials = page.locator(".ruler .piece").evaluate_all(TICKS, [*NAMES.values()].index(name))
    return at, specials


def marked(page: Page) -> tuple[int, int] | None:
    """From where to where tokens of GPT-2 are outlined."""
    here = page.get_by_label("Text as tokens of GPT-2").locator(".t.here")
    found = here.evaluate_all("all => all.map(t => [t.start, t.end])")
    return (found[0][0], found[-1][1]) if found else None


def test_the_ruler_follows_each_key_without_a_run_of_the_page(hard: Page) -> None:
    for name, encoding in zip(NAMES.values(), compared(HARD).encodings, strict=True):
        eventually(partial(drawn_ticks, hard, name), (np.flatnonzero(encoding.seams >= OPEN).tolist(), 0))
    assert hard.evaluate("window.hit") is None
    ruler = hard.locator(".ruler")
    written = ruler.locator(".piece").evaluate_all("all => all.map(piece => piece.textContent).join('')")
    assert written == HARD, "also where a character is cut, or read from right to left"
    assert ruler.locator(":is(script, b[onclick])").count() == 0
    assert ruler.evaluate("box => box.scrollWidth <= box.clientWidth"), "never sideways"

    hard.evaluate("""() => {
      const wait = window.setTimeout;
      window.timers = () => (window.setTimeout = wait);
      window.setTimeout = (act, ms, ...rest) => (ms === 800 ? 0 : wait(act, ms, ...rest)); // the figures follow later
      window.began = 0;
      const app = document.querySelector('[data-testid="stApp"]');
      const look = () => (window.began += app.dataset.testScriptState === "running");
      new MutationObserver(look).observe(app, {attributes: true});
    }""")
    typed = "2008"
    area(hard).fill("")
    expect(hard.get_by_role("heading", name="Nothing to compare yet")).to_be_visible()
    area(hard).fill(typed)
    eventually(partial(drawn_ticks, hard, "GPT-2"), ([0], 0))
    area(hard).fill("")
    area(hard).press_sequentially(typed)
    eventually(partial(drawn_ticks, hard, "GPT-2"), ([0], 0))
    expect(hard.get_by_role("heading", name="They disagree in 1 place")).to_be_visible()
    expect(hard.locator(".why h3")).to_contain_text("Why does GPT-4 cut 2008 in two?")
    assert hard.evaluate("window.began") == 0
    hard.evaluate("() => void window.timers()")
    area(hard).fill("a")
    expect(hard.get_by_role("heading", name="They cut this text alike.")).to_be_visible()
    expect(hard.locator(".why")).to_have_count(0)
    area(hard).fill(HARD)
    settled(hard)


def test_the_keyboard_alone_reaches_every_disagreement_and_every_question(hard: Page) -> None:
    everything = compared(HARD)
    total = len(everything.regions)
    expect(hard.get_by_role("heading", name=f"They disagree in {total} places")).to_be_visible()
    hard.locator(".ruler").focus()
    for _ in range(total):
        hard.keyboard.press("Shift+N")
    names = [*NAMES.values()]
    for number, (start, end) in enumerate(everything.regions, 1):
        expect(place(hard)).to_have_text(f"{number} of {total}")
        found = everything.differences(start, end)
        expect(hard.locator(".why h3").first).to_contain_text("Why does ")
        asked = hard.locator(".why h3").first.inner_text()
        others = {names[one.b] for one in found} - {name for name in names if asked.startswith(f"Why does {name} cut")}
        eventually(
            hard.locator(".asks button").all_inner_texts,
            lambda asks, others=others: all(any(name in ask for ask in asks) for name in others),
        )
        eventually(partial(marked, hard), (start, end))
        hard.keyboard.press("n" if number % 2 else "ArrowRight")
    expect(hard.get_by_role("button", name="Next disagreement")).to_have_attribute("aria-disabled", "true")
    go(hard, "Shift+N")
    hard.get_by_role("heading", name="Compare", exact=True).click()
    go(hard, "Shift+N")  # also while nothing has the focus
    asks = hard.locator(".asks button")
    while not asks.count():
        go(hard, "Shift+N")
    asked = hard.locator(".why h3").first.inner_text()
    asks.first.focus()
    hard.keyboard.press("Enter")
    expect(hard.locator(".why h3").first).not_to_have_text(asked)


def test_ruler_and_boxes_point_together_and_ticks_can_be_clicked(hard: Page) -> None:
    token = hard.get_by_label("Text as tokens of cl100k_base").locator(".t").nth(1)

    def lit() -> int:
        hard.mouse.move(0, 0)
        token.hover()
        return hard.locator(".ruler .lit").count()

    eventually(lit, 1)
    expect(hard.get_by_label("Text as tokens of o200k_base").locator(".t.hover")).to_have_count(1)
    hard.mouse.move(0, 0)
    expect(hard.locator(".ruler .lit")).to_have_count(0)
    hard.locator(".ruler .piece").first.hover()
    expect(hard.locator(".boxes .t.hover")).to_have_count(3)
    hard.locator(".ruler").focus()
    for _ in range(len(compared(HARD).regions)):
        hard.keyboard.press("Shift+N")
    there = hard.locator(".ruler .region", has_text="2008").bounding_box()
    assert there
    hard.mouse.click(there["x"] + there["width"] - 6, there["y"] + there["height"] - 8)  # on the lowest line
    expect(hard.locator(".why h3").first).to_contain_text("Why does GPT-4o cut  2008 in three?")


def test_text_view_and_share_are_those_of_tokens(hard: Page, browser: Browser, server: Server) -> None:
    hard.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = "one <|endoftext|><|fim_prefix|>two 2008"
    area(hard).fill(text)
    menu(hard, "Text", "Special tokens", "menuitemradio")
    hard.keyboard.press("Escape")
    eventually(partial(drawn_ticks, hard, "GPT-2"), lambda drawn: drawn[1] >= 4)
    answered(hard)
    hard.get_by_role("button", name="Ask about GPT-4o", exact=True).click()
    expect(hard.locator(".why")).to_contain_text("is a special token, which is taken out before any merge.")
    said = hard.locator(".why h3").first.inner_text()
    number = place(hard).inner_text()
    menu(hard, "Share", "Copy link to this text")
    expect(hard.get_by_text("Link copied.")).to_be_visible()
    link = hard.evaluate("navigator.clipboard.readText()")
    settled(hard)
    hard.reload()  # the place is kept
    expect(place(settled(hard))).to_have_text(number)
    with visiting(browser, server) as other:
        other.goto(link)
        expect(place(settled(other))).to_have_text(number)
        expect(other.locator(".why h3").first).to_have_text(said)
        expect(other).to_have_url(f"{server.url}/compare")
        other.get_by_role("tab", name="Figures").click()
        settled(other)
        menu(other, "Text", "Text", "menuitemradio")  # the figures follow
        n = len(tokviz.reference("gpt2").encode(text, disallowed_special=()))
        cell = other.get_by_role("table", name="Figures of the text").get_by_role("row", name="GPT-2").locator("td")
        expect(cell.filter(has_text=re.compile(rf"^\s*{n}\s*$"))).to_have_count(1)
    menu(hard, "Text", "Text", "menuitemradio")
    hard.keyboard.press("Escape")
    eventually(partial(drawn_ticks, hard, "GPT-2"), lambda drawn: drawn[1] == 0)
    shows(hard, "Figures under the tokens", on=False)
    expect(hard.locator(".figures").first).to_be_hidden()
    shows(hard, "Figures under the tokens", on=True)
    menu(hard, "Text", "Numbers", "menuitemradio")
    (numbers,) = [one.text for one in examples() if one.title == "Numbers"]
    expect(area(hard)).to_have_value(numbers)
    menu(hard, "Text", "Back to my text before")
    expect(area(hard)).to_have_value(text)


def test_tokenizers_are_chips_that_go_and_come(hard: Page) -> None:
    chips = hard.get_by_role("list", name="Tokenizers").get_by_role("listitem")
    hard.get_by_role("button", name="Take GPT-4 away").click()
    hard.get_by_role("button", name="Take GPT-4o away").click()
    expect(chips).to_have_count(1)
    expect(hard.get_by_role("heading", name="Add a second tokenizer that can cut this text.")).to_be_visible()
    expect(hard.get_by_role("button", name="Take GPT-2 away")).to_have_count(0)
    expect(hard.get_by_role("button", name="Add a tokenizer")).to_be_focused()
    hard.context.grant_permissions(["clipboard-read", "clipboard-write"])
    menu(hard, "Share", "Copy link to this text")  # the pair that was explained is no longer there
    expect(hard.get_by_text("Link copied.")).to_be_visible()
    for name in ("gpt-4", "gpt-5", "gpt-4o"):
        pick(hard, hard.get_by_role("button", name="Add a tokenizer"), name)
    expect(chips).to_have_count(4)
    expect(hard.locator(".boxes .column")).to_have_count(3)  # the two last have one tokenizer
    expect(hard.locator('.ruler .name[title="GPT-5 and GPT-4o"]').first).to_be_attached()
    hard.get_by_role("button", name="Take GPT-5 away").dblclick()  # once is enough
    expect(chips).to_have_count(3)
    expect(settled(hard).get_by_role("button", name="Take GPT-5 away")).to_have_count(0)


def test_it_fits_at_every_width_and_on_a_phone_shows_one_thing_at_a_time(browser: Browser, server: Server) -> None:
    for scheme, width in (("light", 1280), ("dark", 1920), ("dark", 390), ("light", 320)):
        with visiting(
            browser, server, viewport={"width": width, "height": 844}, color_scheme=scheme, has_touch=width < 400
        ) as page:
            on_compare(page, HARD)
            expect(page.locator(".why h3").first).to_be_visible()
            fits(page)
            axe(page)
            if width > 400:
                continue
            assert (page.locator(".text").first.bounding_box() or {"height": 0})["height"] <= 92
            rows = "box => box.clientHeight / parseFloat(getComputedStyle(box).lineHeight)"
            assert 2 <= page.locator(".ruler").evaluate(rows) < 2.2
            page.get_by_role("button", name="Next").tap()
            area(page).fill("In 2008")
            expect(page.get_by_role("button", name="Show the whole text")).to_be_hidden()
            area(page).fill(HARD)
            page.get_by_role("button", name="Show the whole text").tap()
            assert page.locator(".ruler").evaluate("box => box.clientHeight === box.scrollHeight")
            page.get_by_role("group", name="The text under").get_by_role("button", name="GPT-4o").tap()
            expect(page.locator(".boxes .column:visible")).to_have_count(1)
            page.get_by_role("button", name="Tokenizers: GPT-2, GPT-4 and GPT-4o").tap()
            page.get_by_role("option", name="GPT-4 cl100k_base").tap()
            expect(page.get_by_role("option", selected=True)).to_have_count(2)
            axe(page)
            page.get_by_role("button", name="Close ×").last.tap()
            expect(page.get_by_role("button", name="Tokenizers: GPT-2 and GPT-4o")).to_be_visible()
            fits(page)


def test_a_long_text_is_drawn_where_it_is_looked_at(hard: Page, server: Server) -> None:
    text = sample("story").text
    regions = compared(text).regions
    area(hard).fill(text)
    expect(hard.get_by_role("heading", name=f"They disagree in {len(regions):,} places")).to_be_visible()
    high = hard.locator(".boxes .view").evaluate_all("views => views.map(({ clientHeight }) => clientHeight)")
    assert min(high) > 500
    drawn = hard.locator(".ruler .block:not(.bare)")
    assert drawn.count() < hard.locator(".ruler .block").count() / 3
    hard.locator(".ruler").focus()
    hard.locator(".ruler").evaluate("box => box.scrollTop = box.scrollHeight")
    expect(hard.locator(".ruler .block").last.locator(".piece").first).to_be_attached()
    hard.keyboard.press("Shift+N")
    hard.keyboard.press("n")
    expect(place(hard)).to_have_text(f"2 of {len(regions):,}")
    band = hard.locator(".ruler .chosen").first
    box, inside = hard.locator(".ruler").bounding_box(), band.bounding_box()
    assert box and inside and box["y"] <= inside["y"] and inside["y"] + inside["height"] <= box["y"] + box["height"]


def test_a_place_without_a_shared_boundary_is_drawn_too(browser: Browser, server: Server) -> None:
    """Tokens of 2, 4, 8, ... up to 16,384 bytes of "é": only the longest one's edges are shared."""
    pairs = [(0xC3, 0xA9), *((256 + rank, 256 + rank) for rank in range(13))]
    doubling = tokviz.Tokenizer("doubling, " * 8, pairs, pattern="none")
    doubling.save(server.saved / "doubling.json")
    with visiting(browser, server) as page:
        on_compare(page, "x" + "é" * 10_000, f"use=gpt2,{hashlib.sha256(dump(doubling)).hexdigest()}")
        assert page.locator(".ruler .cut").count() == 0, "no character is cut"
        expect(page.locator(".why h3")).to_contain_text("in 8,192 pieces?")
        page.set_viewport_size({"width": 390, "height": 900})
        fits(page)
        axe(page)
