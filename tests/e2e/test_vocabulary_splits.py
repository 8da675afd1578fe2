"""Split patterns in a real browser: an own pattern by keyboard, a hostile text; it fits a phone, in both themes."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import Browser, expect

from tests.e2e.browser import DESKTOP, Server, axe, fits, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER

HOSTILE = "<img src=x onerror=alert(1)> **b** शबकة 👩‍👩‍👧 1234567\n\n  a " + "x" * 300
PATTERN = r"<b>[\w ]+</b>|(?<=\s)\s|[\s\S]"


def test_split_patterns_are_compared_and_explained(browser: Browser, server: Server) -> None:
    with visiting(browser, server, color_scheme="dark", **PHONE) as page:
        page.goto("/vocabulary?v=1&part=splits")
        settled(page)
        expect(page.get_by_role("heading", name="o200k_base makes 66 tokens of this text")).to_be_visible()
        expect(page.get_by_role("table", name="Clauses of gpt2").locator("tbody tr")).to_have_count(7)

        # by keyboard: another pattern is explained, and an own one is typed and mended
        page.get_by_role("radio", name="gpt2").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(page.get_by_role("table", name="Clauses of cl100k")).to_be_visible()
        own = settled(page).get_by_label("A split pattern of your own")
        own.focus()
        page.keyboard.type("(a")
        page.keyboard.press("Enter")
        expect(page.locator(".note")).to_contain_text("missing ) at position 2")
        expect(own).to_have_value("(a")
        axe(settled(page))
        assert page.evaluate(SMALLER, LEAST) == []
        own.fill(PATTERN)
        page.keyboard.press("Enter")
        page.get_by_role("radio", name="your own").click()
        expect(page.get_by_role("table", name="Clauses of your own").locator("tbody tr")).to_have_count(3)

        # opened again, wide and light, with a text that means harm; and narrow again
        settled(page).set_viewport_size(DESKTOP)
        page.emulate_media(color_scheme="light")
        page.goto(f"/vocabulary?v=1&part=splits&text={quote(HOSTILE)}")
        expect(own).to_have_value(PATTERN)
        expect(page.get_by_role("table", name="Clauses of your own")).to_contain_text("<b>")
        axe(settled(page))
        page.set_viewport_size({"width": 390, "height": 844})
        fits(settled(page))
