"""Links in a real browser: what it makes Python reads, and a page opens as it stood. The other ways in and out."""

from __future__ import annotations

import random
import re

from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import Server, axe, bare_page, fits, settled, visiting
from tests.e2e.typing import menu
from tests.strategies import SCRIPTS, SYMBOLS
from tokviz.offline.files import script
from tokviz.ui.frame.address import TEXT_BYTES, Link, decode, encode
from tokviz.ui.tokens.link import Pin, TokensLink

IMPORT = """async text => {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  window.links = await import(address);
}"""
QUERY = """([link, text, state]) => links.queryOf(link, new TextEncoder().encode(text), state)"""


def test_python_reads_the_links_that_the_browser_makes(browser: Browser) -> None:
    page = bare_page(browser)
    page.evaluate(IMPORT, script("tokenview/link.js"))
    begun = {"query": "v=1&use=gpt2,o200k_base", "sample": None, "limit": TEXT_BYTES}
    chance = random.Random("links")
    texts = ["", "é" * (TEXT_BYTES // 2)] + ["".join(chance.choices(SCRIPTS + SYMBOLS, k=20)) for _ in range(20)]
    for text in texts:
        state = {"specials": "refuse", "view": "ids", "size": 400, "pin": "1.7"}
        query = page.evaluate(QUERY, [begun, text, state])
        said = Link(TokensLink("ids", 400, Pin(1, 7)), text, ("gpt2", "o200k_base"), "refuse")
        assert decode(query, TokensLink) == (said, [])
    nothing = {"specials": "text", "view": None, "size": None, "pin": None}
    assert page.evaluate(QUERY, [begun, "x" * (TEXT_BYTES + 1), nothing]) == f"{begun['query']}&specials=text"
    assert decode(page.evaluate(QUERY, [begun | {"sample": "story"}, "…", nothing]), TokensLink)[0].text is not None
    page.context.close()


def test_a_link_opens_the_page_as_it_stood(page: Page) -> None:
    link = Link(TokensLink(size=700, pinned=Pin(1, 7)), "lower, lowest", ("gpt2", "o200k_base"))
    page.goto(f"/?{encode(link)}&specials=never")
    settled(page)
    expect(page).to_have_url(re.compile("/$"))
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value("lower, lowest")
    expect(page.get_by_text("Special tokens cannot be read as “never”.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Vocabulary size")).to_have_value("700")
    expect(page.get_by_label("Text as tokens of o200k_base").locator(".t.pinned")).to_have_count(1)
    expect(page.get_by_label("Text as tokens of GPT-2").locator(".t.pinned")).to_have_count(0)
    page.get_by_role("textbox", name="Text", exact=True).fill("typed after it")
    expect(page.get_by_label("Text as tokens of GPT-2").locator(".t").last).to_have_text(" it")
    page.go_back()
    settled(page)
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value("typed after it")


def test_ids_and_a_conversation_leave_the_workbench_alone(browser: Browser, server: Server) -> None:
    with visiting(browser, server, viewport={"width": 390, "height": 900}) as page:
        page.goto("/")
        area = settled(page).get_by_role("textbox", name="Text", exact=True)
        area.evaluate("area => area.mine = true")
        menu(page, "Text", "From ids to text")
        field = settled(page).get_by_label("Ids", exact=True)
        field.fill("4103 99 222\n24912")
        field.press("Control+Enter")
        ids = settled(page).get_by_label("Text as tokens of o200k_base").nth(1)
        expect(ids.locator(".t")).to_have_count(4)
        page.get_by_role("button", name="Show this text above").click()
        settled(page)
        expect(area).to_have_value("🦀hello")
        menu(page, "Text", "A conversation")
        talk = settled(page).get_by_label("Text as tokens of GPT-4o, GPT-4o mini")
        expect(talk.locator(".sp")).to_have_count(14)
        assert area.evaluate("area => area.mine"), "it is the same element still"
        fits(page)
        axe(page)
