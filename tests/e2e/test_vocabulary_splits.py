"""Split rules in a real browser: own patterns by keyboard, hostile ones too; it fits a phone, in both themes."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import Browser, expect

from tests.e2e.browser import DESKTOP, Server, axe, fits, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER

HOSTILE = "<img src=x onerror=alert(1)> **b** शबकة 👩‍👩‍👧 1234567\n\n  a " + "x" * 300
PATTERN = r"<b>[\w ]+</b>|(?<=\s)\s|[\s\S]"
TOPS = "all => all.map(card => card.children[3].getBoundingClientRect().top)"


def test_split_patterns_are_compared_and_explained(browser: Browser, server: Server) -> None:
    with visiting(browser, server, color_scheme="dark", **PHONE) as page:
        page.goto("/vocabulary?v=1&part=splits")
        settled(page)
        expect(page.get_by_role("heading", name="Without a rule the corpus needs fewest tokens")).to_be_visible()
        clauses = page.get_by_role("list", name="Clauses of gpt2").locator(".piece")
        expect(clauses).to_have_count(7)
        expect(clauses.nth(1)).to_contain_text("597 chunks")

        # by keyboard: another pattern is explained, and an own one is added, mended and kept
        page.get_by_role("radio", name="gpt2").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(page.get_by_role("list", name="Clauses of cl100k")).to_be_visible()
        settled(page).get_by_role("button", name="Add a pattern of your own").focus()
        page.keyboard.press("Enter")
        own = page.get_by_label("Own pattern 1, a regular expression")
        own.focus()
        page.keyboard.type("(a")
        page.keyboard.press("Enter")
        expect(page.locator(".note")).to_contain_text("missing ) at position 2")
        expect(own).to_have_value("(a")
        axe(settled(page))
        assert page.evaluate(SMALLER, LEAST) == []
        own.fill(PATTERN)
        page.keyboard.press("Enter")
        cards = page.locator(".token-rows .card")
        expect(cards).to_have_count(5)
        expect(cards.last.get_by_role("heading", level=3)).to_have_text(PATTERN)

        # opened again, wide and light, with a text that means harm; and narrow again
        settled(page).set_viewport_size(DESKTOP)
        page.emulate_media(color_scheme="light")
        page.goto(f"/vocabulary?v=1&part=splits&text={quote(HOSTILE)}")
        expect(own).to_have_value(PATTERN)
        settled(page).get_by_label("Corpus").click()
        page.get_by_role("option", name="Corpus: Your text on Tokens").click()
        expect(page.locator(".token-rows")).to_contain_text("img")
        expect(cards).to_have_count(5)
        axe(settled(page))
        assert len(set(cards.evaluate_all(TOPS)[:4])) == 1  # their parts stand in line
        page.set_viewport_size({"width": 390, "height": 844})
        fits(settled(page))
