"""The boundary ruler in a real browser: its ticks, its keys, the card, and panels that point together."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import tokviz
from tests.e2e.browser import Server, axe, eventually, fits, resting_box, settled, visiting
from tests.e2e.test_measures import open_tab
from tokviz import OPEN
from tokviz.catalog.samples import examples, sample
from tokviz.formats.tokviz import dump

HARD = (
    'In 2008 “don\'t” <b onclick="window.hit=1">naïve</b> नमस्ते 👩‍👩‍👧 日本語\n'
    "        return  שלום hello עולם 1234567, e\u0301 \x01\u200b<script>window.hit=1</script>\t.\n\n"
)
SPILT = """() => {
  const root = [...document.querySelectorAll("*")].find(e => e.shadowRoot?.querySelector(".boundaries")).shadowRoot;
  const all = [...root.querySelectorAll(".boundaries :is(button, p, h2, h3, .why .chip):not(.unseen)")];
  return all.filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML.slice(0, 80));
}"""
# How many pixels the first ticks of GPT-2 stand away from where their letters begin.
APART = """() => {
  const root = [...document.querySelectorAll("*")].find(e => e.shadowRoot?.querySelector(".ruler")).shadowRoot;
  const left = root.querySelector(".sheet").getBoundingClientRect().left;
  const ticks = root.querySelector('.lane[data-name="GPT-2"] .ticks');
  const at = ticks.dataset.at.split(" ").map(Number);
  const xs = [...ticks.getAttribute("d").matchAll(/M([-\\d.]+) /g)].map(m => Number(m[1]));
  const letter = root.querySelector(".text .g").firstChild, range = document.createRange();
  range.setStart(letter, 0);
  range.setEnd(letter, 1);
  const first = range.getBoundingClientRect();
  return at.slice(0, 3).map((byte, i) => Math.abs(xs[i] - 1 - (first.left - left + byte * first.width)));
}"""
NAMES = {"gpt2": "GPT-2", "cl100k_base": "cl100k_base", "o200k_base": "o200k_base"}


def encodings(text: str) -> dict[str, tokviz.Encoding]:
    return {name: tokviz.reference(key).explain(text) for key, name in NAMES.items()}


def on_compare(page: Page, text: str, query: str = "") -> Page:
    page.goto(f"/compare?tab=files&{query}")  # a tab that is drawn in no time, beneath the ruler
    settled(page)
    expect(
        page.locator('[data-testid="stButtonGroup"] [aria-pressed="true"]').first
    ).to_be_visible()  # before they are there, a click takes them away
    page.get_by_text("Edit text").click()
    settled(page)
    area = page.get_by_role("textbox", name="Text", exact=True)
    area.fill(text)
    area.press("Control+Enter")
    expect(page.locator(".text .g").first).to_contain_text(text[0])  # the sample begins with a "T"
    return settled(page)


def go_on(page: Page, key: str) -> None:
    """Press a key that leads to another disagreement."""
    before = place(page).inner_text()
    page.keyboard.press(key)
    expect(place(page)).not_to_have_text(before)


def place(page: Page) -> Locator:
    """Which disagreement is explained: "3 of 15"."""
    return page.locator(".why .place b")


@pytest.fixture(scope="module")
def hard(browser: Browser, server: Server) -> Iterator[Page]:
    with visiting(browser, server) as page:
        yield on_compare(page, HARD)


def drawn_ticks(page: Page, name: str) -> tuple[list[int], int]:
    """The bytes at which a row has ticks, in their order, and how many lines are drawn for them."""
    ticks = page.locator(f'.lane[data-name="{name}"] .ticks')
    rows = ticks.evaluate_all("all => all.map(t => [t.dataset.at, t.getAttribute('d')])")
    at = sorted(int(byte) for row, _ in rows for byte in row.split())
    return at, sum(lines.count("M") for _, lines in rows)


def test_the_ticks_are_the_boundaries(hard: Page) -> None:
    for name, encoding in encodings(HARD).items():
        at = np.flatnonzero(encoding.seams >= OPEN).tolist()
        eventually(partial(drawn_ticks, hard, name), (at, len(at)))


def test_a_tick_stands_where_its_letter_begins(hard: Page) -> None:
    """Measured afresh, letter by letter, on the plain words of the first row."""
    eventually(lambda: hard.evaluate(APART), lambda apart: max(apart) < 1.5)


def picks(page: Page) -> list[list[str]]:
    """The tokenizers that can be picked as A and as B in "Why does A split B's token?"."""
    found: list[list[str]] = page.locator(".picker").evaluate_all(
        "all => all.map(p => [...p.querySelectorAll('option, .mark + span')].map(o => o.textContent))"
    )
    return found


def overlapping(page: Page) -> int:
    """How many numbers stand over another one."""
    boxes = page.locator(".number rect").evaluate_all(
        "all => all.map(e => ['x', 'y', 'width'].map(name => Number(e.getAttribute(name))))"
    )
    pairs = combinations(boxes, 2)
    return sum(y == v and x < u + wide - 0.1 and u < x + width - 0.1 for (x, y, width), (u, v, wide) in pairs)


def marked(page: Page) -> tuple[int, int] | None:
    """From where to where tokens of GPT-2 are marked."""
    found = page.locator('section[aria-label="Tokens of GPT-2"] .t.found').evaluate_all(
        "all => all.map(t => [t.start, t.end])"
    )
    return (found[0][0], found[-1][1]) if found else None


def test_the_keyboard_alone_reaches_every_disagreement_and_every_pair(hard: Page) -> None:
    everything = tokviz.compare(HARD, map(tokviz.reference, NAMES))
    total = len(everything.regions)
    names = list(NAMES.values())
    expect(hard.locator(".number")).to_have_count(total)
    assert overlapping(hard) == 0
    expect(hard.get_by_role("heading", name=f"they disagree in {total} places")).to_be_visible()
    hard.locator(".ruler").focus()
    for number, (start, end) in enumerate(everything.regions, 1):
        expect(place(hard)).to_have_text(f"{number} of {total}")
        found = everything.differences(start, end)
        sides = [sorted({one.b for one in found}), sorted({one.a for one in found})]
        eventually(partial(picks, hard), [[names[i] for i in side] for side in sides])
        expect(hard.locator(".why .headline").first).to_be_visible()
        eventually(partial(marked, hard), (start, end))
        hard.keyboard.press("n" if number % 2 else "ArrowRight")
    expect(place(hard)).to_have_text(f"{total} of {total}")
    expect(hard.get_by_role("button", name="Next disagreement")).to_have_attribute("aria-disabled", "true")
    hard.keyboard.press("Shift+N")
    expect(place(hard)).to_have_text(f"{total - 1} of {total}")
    hard.get_by_role("heading", name="Compare", exact=True).click()
    hard.keyboard.press("Shift+N")  # also while nothing has the focus
    expect(place(hard)).to_have_text(f"{total - 2} of {total}")

    # another pair of a place, by the keys of a list; N is a letter there
    picker = hard.locator(".picker select")
    while not picker.count():
        go_on(hard, "ArrowLeft")
    before, number = picker.first.input_value(), place(hard).inner_text()
    picker.first.focus()
    hard.keyboard.press("n")
    hard.keyboard.press("ArrowDown")
    expect(picker.first).not_to_have_value(before)
    expect(picker.first).to_be_focused()
    expect(place(hard)).to_have_text(number)


def test_ruler_and_panels_point_together(hard: Page) -> None:
    token = hard.locator('section[aria-label="Tokens of cl100k_base"] .t').nth(1)
    settled(hard)
    token.hover()
    expect(hard.locator(".lit rect")).to_have_count(1)
    expect(hard.locator('section[aria-label="Tokens of o200k_base"] .t.hover')).to_have_count(1)
    hard.mouse.move(0, 0)
    expect(hard.locator(".lit rect")).to_have_count(0)
    hard.locator(".text .g").first.hover()
    expect(hard.locator(".panels .t.hover")).to_have_count(3)


def test_a_click_on_someones_ticks_puts_them_beside_ones_own(hard: Page) -> None:
    settled(hard)
    lane = resting_box(hard.locator('.lane[data-name="cl100k_base"] .base').first)
    word = resting_box(hard.locator(".text .g", has_text="2008").first)
    hard.mouse.click(word["x"] + word["width"] - 6, lane["y"] - 4)
    picked = hard.locator(".picker").first
    chosen = "picker => (picker.querySelector('option:checked') ?? picker).textContent"
    eventually(lambda: picked.evaluate(chosen), lambda name: "cl100k_base" in name)
    expect(hard.locator(".headline").first).to_contain_text("2008→ 2008")
    expect(hard.locator(".reasons").first).to_contain_text("cuts here, and no merge crosses a cut: │200│8")


def test_special_tokens_are_read_as_chosen_by_keys(hard: Page) -> None:
    as_special = hard.get_by_role("group", name="Special tokens").get_by_role("button", name="As special")
    area = hard.get_by_role("textbox", name="Text", exact=True)
    text = "one <|endoftext|><|fim_prefix|>two"
    area.fill(text)
    area.press("Control+Enter")
    settled(hard)
    expect(place(hard)).to_have_text(f"1 of {len(tokviz.compare(text, map(tokviz.reference, NAMES)).regions)}")
    as_special.focus()
    hard.keyboard.press("Enter")
    expect(hard.locator('section[aria-label="Tokens of GPT-2"] .t.sp')).to_have_count(1)
    expect(hard.locator('section[aria-label="Tokens of cl100k_base"] .t.sp')).to_have_count(2)
    expect(hard.locator(".lane .special")).to_have_count(4)
    expect(as_special).to_have_attribute("aria-pressed", "true")
    expect(as_special).to_be_focused()
    expect(hard.locator(".why .kind", has_text="special token")).to_be_visible()
    expect(hard.locator(".why .reasons")).to_contain_text("<|fim_prefix|> is a special token of cl100k_base")
    axe(hard)
    hard.get_by_role("button", name="As text").click()
    expect(hard.locator(".lane .special")).to_have_count(0)
    area.fill(HARD)
    area.press("Control+Enter")
    settled(hard)


def test_a_link_and_a_reload_lead_to_the_same_disagreement(hard: Page, browser: Browser, server: Server) -> None:
    hard.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hard.locator(".ruler").focus()
    go_on(hard, "n")
    picker = hard.locator(".picker select").last
    while not picker.count():
        go_on(hard, "n")
    before = picker.input_value()
    values: list[str] = picker.locator("option").evaluate_all("all => all.map(option => option.value)")
    picker.select_option(next(value for value in values if value != before))
    expect(picker).not_to_have_value(before)
    told = hard.locator(".difference").first.inner_text()
    number = place(hard).inner_text()
    assert not number.startswith("1 of ")
    hard.get_by_role("button", name="Copy link").click()
    expect(hard.get_by_text("Link copied.")).to_be_visible()
    link = hard.evaluate("navigator.clipboard.readText()")

    def is_the_same(page: Page) -> None:
        expect(place(page)).to_have_text(number)
        eventually(page.locator(".difference").first.inner_text, told)

    with visiting(browser, server) as other:
        other.goto(link)
        is_the_same(settled(other))
        expect(other).to_have_url(f"{server.url}/compare")
    settled(hard, 500)  # the server is told of the place a quarter of a second after the last move
    hard.reload()
    is_the_same(settled(hard))
    hard.get_by_text("Edit text").click()
    settled(hard)


def test_hostile_text_is_inert(hard: Page) -> None:
    assert hard.evaluate("window.hit") is None
    assert hard.locator(".boundaries :is(script, b[onclick])").count() == 0


def test_every_width_fits_with_the_figures_beneath_and_a_phone_in_the_dark_passes_axe(hard: Page) -> None:
    """At 1280 pixels and in the light, axe looks at the ruler above the figures in test_measures."""
    open_tab(hard, "Figures")
    looks: list[tuple[Literal["light", "dark"], int]] = [("light", 1280), ("dark", 390), ("dark", 1920)]
    for scheme, width in looks:
        hard.emulate_media(color_scheme=scheme)
        hard.set_viewport_size({"width": width, "height": 900})
        expect(hard.locator(".boundaries")).to_have_attribute("data-theme", scheme)
        expect(place(hard)).to_be_visible()
        fits(hard)
        if width == 390:
            axe(hard)
    open_tab(hard, "Files")


def test_going_on_crosses_the_edge_of_the_part_in_view(hard: Page) -> None:
    text = sample("story").text * 2
    regions = tokviz.compare(text, map(tokviz.reference, NAMES)).regions
    area = hard.get_by_role("textbox", name="Text", exact=True)
    area.fill(text)
    area.press("Control+Enter")
    in_view = hard.locator(".range")
    expect(in_view).to_contain_text(f"of {len(text.encode()):,}.")
    settled(hard)
    expect(place(hard)).to_have_text(f"1 of {len(regions):,}")
    first = in_view.inner_text()
    last = int(first.split(" to ")[2].split(" are")[0].replace(",", ""))
    hard.locator(".ruler").focus()
    for _ in range(last - 1):
        hard.keyboard.press("n")
    expect(place(hard)).to_have_text(f"{last} of {len(regions):,}")
    hard.keyboard.press("n")
    expect(place(hard)).to_have_text(f"{last + 1} of {len(regions):,}")
    expect(in_view).not_to_have_text(first)
    hard.keyboard.press("Shift+N")
    expect(place(hard)).to_have_text(f"{last} of {len(regions):,}")
    hard.get_by_label("Place in the text").press("End")
    expect(in_view).to_contain_text(f"to {len(text.encode()):,} of")


def test_a_text_is_emptied_typed_again_replaced_by_an_example_and_brought_back(hard: Page) -> None:
    """All in the same field. What the area opened with must not count: it would be another one, and close."""
    area = hard.get_by_role("textbox", name="Text", exact=True)
    for text, heading in (("", "Nothing to compare yet"), ("2008", "they disagree in 1 place")):
        area.fill(text)
        area.press("Control+Enter")
        expect(hard.get_by_role("heading", level=2).first).to_contain_text(heading)
    expect(area).to_have_value("2008")
    hard.get_by_role("button", name="Numbers", exact=True).click()
    (numbers,) = [one.text for one in examples() if one.title == "Numbers"]
    expect(area).to_have_value(numbers)
    expect(hard.get_by_role("button", name="Numbers", exact=True)).to_have_attribute("aria-pressed", "true")
    hard.get_by_role("button", name="Back to your text").click()
    expect(area).to_have_value("2008")


def test_a_stretch_without_a_shared_boundary_is_drawn_part_by_part(browser: Browser, server: Server) -> None:
    """Tokens of 2, 4, 8, ... up to 16,384 bytes of "é": only the longest one's edges are shared."""
    pairs = [(0xC3, 0xA9), *((256 + rank, 256 + rank) for rank in range(13))]
    doubling = tokviz.Tokenizer("doubling, " * 8, pairs, pattern="none")
    doubling.save(server.saved / "doubling.json")
    text = "x" + "é" * 10_000
    with visiting(browser, server) as page:
        on_compare(page, text, f"use=gpt2,{hashlib.sha256(dump(doubling)).hexdigest()}")
        drawn = page.locator(".part")
        expect(drawn).to_contain_text("Bytes 0 to 7,999 are drawn. The next boundary that all share is at byte 16,385.")
        seen: list[int] = []
        for further, end in ((True, "7,999"), (True, "15,999"), (False, "16,385")):
            expect(drawn).to_contain_text(f"to {end} are drawn.")
            ticks = page.locator('.lane[data-name="GPT-2"] .ticks').evaluate_all("all => all.map(t => t.dataset.at)")
            seen += [int(byte) for row in ticks for byte in row.split()]
            assert page.locator(".text .by").count() == 0, "no character is cut"
            button = page.get_by_role("button", name="Further bytes")
            expect(button).to_have_attribute("aria-disabled", str(not further).lower())
            button.focus()
            page.keyboard.press("Enter")
        seams = tokviz.reference("gpt2").explain(text).seams[:16_385]
        assert seen == np.flatnonzero(seams >= OPEN).tolist()
        page.get_by_role("button", name="Earlier bytes").click()
        expect(drawn).to_contain_text("Bytes 7,999 to 15,999 are drawn.")
        page.set_viewport_size({"width": 390, "height": 900})
        axe(page)
        eventually(lambda: page.evaluate(SPILT), [])  # a long name wraps or ends in three dots


@pytest.mark.right
def test_of_two_quick_presses_the_second_counts_and_no_table_is_saved_with_formulas(page: Page) -> None:
    page.goto("/compare")
    settled(page)
    both = page.get_by_role("button", name=re.compile("^(Code|Numbers)$"))
    both.evaluate_all("buttons => buttons.forEach(button => button.click())")  # before the answer to the first
    expect(page.get_by_role("button", name="Numbers", exact=True)).to_have_attribute("aria-pressed", "true")
    table = page.locator('[data-testid="stDataFrame"]:visible').first
    table.hover()
    expect(table.get_by_label("Search")).to_be_visible()
    expect(table.get_by_label("Download as CSV")).to_be_hidden()
