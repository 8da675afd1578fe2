"""The tab Waste of Compare in a real browser, on a phone: it opens, and another group is chosen by key."""

from __future__ import annotations

import json
from urllib.parse import urlencode

from playwright.sync_api import Browser, expect

from tests.e2e.browser import Server, axe, eventually, fits, settled, visiting
from tests.e2e.test_measures import at_rest, grid, heading, open_tab
from tests.e2e.test_phone import LEAST, PHONE, SMALLER

WHO = "<img src=x onerror=alert(1)> **b** नमस्ते 😀"
TEXT = json.dumps([{"id": n, "who": WHO, "at": f"2024-05-{n:02}"} for n in range(10, 14)], indent=4)


def test_waste_is_seen_and_another_group_chosen(browser: Browser, server: Server) -> None:
    with visiting(browser, server, **PHONE) as page:
        page.goto(f"/compare?{urlencode({'v': 1, 'use': 'gpt2', 'text': TEXT})}")
        expect(page.get_by_role("tab", name="Waste", exact=True)).to_be_visible()
        open_tab(page, "Waste")
        expect(heading(page, "more than at the text's average")).to_be_visible()
        first = heading(page, "what costs most").inner_text()
        fits(page)
        axe(settled(page))
        assert page.evaluate(SMALLER, LEAST) == []

        at_rest(grid(page)).focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        expect(heading(page, "what costs most")).not_to_have_text(first)
        page.emulate_media(color_scheme="dark")
        eventually(lambda: page.locator(".shown:has(.cards)").get_attribute("data-theme"), "dark")
        axe(settled(page))
