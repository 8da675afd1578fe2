"""The tabs of Compare in a real browser: folds, picks by mouse and by keys, a file and its map, on a phone too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.browser import Server, axe, eventually, fits, resting_box, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tokviz.catalog.references import reference
from tokviz.catalog.samples import sample

NAMES = {"gpt2": "GPT-2", "cl100k_base": "GPT-4", "o200k_base": "GPT-4o"}


def opened(page: Page, tab: str) -> Page:
    """Compare with this tab open; on a new server the first visit waits for the vocabularies."""
    if page.url.endswith("/compare"):
        open_tab(page, tab)
        return page
    page.goto("/compare")
    expect(page.get_by_role("tab", name="Files", exact=True)).to_be_visible()
    settled(page)
    open_tab(page, tab)
    return page


def open_tab(page: Page, name: str) -> None:
    tab = page.get_by_role("tab", name=name, exact=True)
    tab.click()
    expect(tab).to_have_attribute("aria-selected", "true")
    settled(page, 250)


def unfold(page: Page, title: str) -> None:
    page.locator("summary", has_text=title).press("Enter")
    settled(page, 250)


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", name=name)


@pytest.fixture(scope="module")
def compare(browser: Browser, server: Server) -> Iterator[Page]:
    """One visitor's Compare, for the tests that leave no more behind than an open tab and a pick in it."""
    with visiting(browser, server) as page:
        yield page


def test_a_pick_leads_to_the_tokens(compare: Page) -> None:
    opened(compare, "Figures")
    expect(heading(compare, "needs the fewest tokens")).to_be_visible()
    axe(compare)

    # a length, a cell, a language, in tables of buttons
    unfold(compare, "Lengths of tokens")
    compare.get_by_role("button", name="Tokens of 1 byte", exact=True).click()
    expect(heading(compare, "Tokens of 1 byte")).to_be_visible()
    open_tab(compare, "Files")
    unfold(compare, "Trained on, tested on")
    cell = compare.get_by_role("button", name="Languages under GPT-4o")
    cell.press("Enter")
    expect(heading(compare, "Languages under GPT-4o")).to_be_visible()
    expect(cell).to_be_focused()
    axe(compare)
    open_tab(compare, "Languages")
    compare.get_by_role("button", name="German").press("Enter")
    expect(heading(compare, "The sentences in German")).to_be_visible()
    axe(compare)

    open_tab(compare, "Vocabulary size")
    compare.get_by_role("button", name="512", exact=True).press("Enter")
    expect(heading(compare, "The text with a vocabulary of 512 tokens")).to_be_visible()
    text = sample("mixed").text
    for key, name in NAMES.items():
        tokens = len(reference(key).truncated(512).encode_ordinary(text))
        expect(compare.locator(f'[aria-label="Tokens of {name}"]').last.locator(".t")).to_have_count(tokens)


def test_a_file_is_counted_and_looked_into_by_keyboard(page: Page) -> None:
    opened(page, "Files")
    text = "An airliner.\n" + "The cat sat on the mat in 2008.\n" * 3_000 + "<b>٣</b> 猫 " * 2_000
    page.locator('input[type="file"]').set_input_files(
        {"name": "cats.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    place = page.get_by_role("slider", name="Place in the file")
    expect(place).to_be_visible()
    settled(page)
    expect(heading(page, "cats.txt takes")).to_be_visible()
    place.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    size = len(text.encode())
    said = re.compile(r"byte ([\d,]+) of")
    at = eventually(
        lambda: int(said.findall(str(place.get_attribute("aria-valuetext")))[0].replace(",", "")),
        lambda at: size - 2_000 < at < size - 1,
    )
    near = page.locator('[aria-label="Tokens of GPT-2"]').nth(1)
    expect(near).to_contain_text("<b>٣</b>")
    figures = page.get_by_role("table", name="Figures of all files")
    expect(figures).to_contain_text(f"{len(reference('gpt2').encode(text)):,}")
    expect(place).to_be_focused()  # the keys go on where they were
    expect(place).to_have_attribute("aria-valuetext", re.compile(f"^byte {at:,} of"))
    settled(page)
    place.click(position={"x": resting_box(place)["width"] / 4, "y": 5})
    expect(near).not_to_contain_text("<b>٣</b>")
    expect(near).to_contain_text("·the·mat".replace("·", " "))

    # why they differ: each reason leads to a token for which it holds
    expect(heading(page, "6,001 places, all of them because it has no such token")).to_be_visible()
    example = page.locator('[aria-label="Tokens of GPT-2"]').last.locator(".t").first
    expect(example).to_have_text(" airliner")
    settled(page)
    page.get_by_role("button", name="split pattern").press("Enter")
    expect(page.get_by_text("as in the token at byte 38")).to_be_visible()
    expect(example).to_have_text(" 2008")
    page.get_by_role("button", name="Show this place on the map").press("Enter")
    expect(place).to_have_attribute("aria-valuetext", re.compile("^byte 38 of"))
    axe(page)


WHO = "<img src=x onerror=alert(1)> **b** नमस्ते 😀"
ROWS = json.dumps([{"id": n, "who": WHO, "at": f"2024-05-{n:02}"} for n in range(10, 14)], indent=4)


def test_the_tabs_fit_a_phone_and_a_link_to_an_old_tab_opens_its_fold(browser: Browser, server: Server) -> None:
    with visiting(browser, server, **PHONE) as page:
        page.goto(f"/compare?{urlencode({'v': 1, 'use': 'gpt2,o200k_base', 'text': ROWS, 'tab': 'waste'})}")
        first = heading(page, "what costs most").inner_text()
        page.get_by_role("button", name="Words", exact=True).press("Enter")
        expect(heading(page, "Words: what costs most")).to_be_visible()
        assert first != "Words: what costs most"
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            expect(page.locator(f".shown[data-theme]:not([data-theme={scheme}])")).to_have_count(0)
            fits(page)
            axe(settled(page))
        assert page.evaluate(SMALLER, LEAST) == []
        unfold(page, "Lengths of tokens")
        unfold(page, "More figures")
        unfold(page, "What each figure is")
        unfold(page, "Price with each model")
        for tab in ("Figures", "Languages", "Vocabulary size"):
            open_tab(page, tab)
            fits(page)
