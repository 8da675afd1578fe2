"""Rarely trained tokens in a real browser: cards read by keyboard, a token that leads to its card, and the way back."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from tests.e2e.browser import Server, axe, fits, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tokviz.ui.vocabulary.odd_kinds import reference_odd_tokens


def test_odd_tokens_lead_to_their_biographies_and_to_the_list(browser: Browser, server: Server) -> None:
    with visiting(browser, server, color_scheme="dark", **PHONE) as page:
        page.goto("/vocabulary?v=1&part=odd&use=gpt2")
        expect(page.get_by_role("table", name="344 tokens are incomplete UTF-8").get_by_role("row")).to_have_count(3)
        settled(page)
        fits(page)
        axe(page)
        assert page.evaluate(SMALLER, LEAST) == []

        # a long token is cut, its whole is shown on focus, and Enter leads to its biography
        longest = page.get_by_role("table", name="The longest token has 128 bytes").get_by_role("button").first
        longest.focus()
        whole = page.locator(".whole:popover-open")
        expect(whole.locator(".chip")).to_have_text(re.compile("^(ÃÂ){32}$"))
        expect(longest).to_have_attribute("aria-description", re.compile("^128 bytes: C3\u00a083"))
        page.keyboard.press("Enter")
        one = page.get_by_role("radio", name="Tokens", exact=True)
        expect(one).to_be_checked()
        expect(page.get_by_text(f"id {reference_odd_tokens('gpt2').longest[0]:,}", exact=True)).to_be_visible()
        settled(page)
        axe(page)
        page.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Back to Rarely trained").click()

        unused = page.get_by_role("button", name=re.compile("Show all: .*tokens are never used in .*story"))
        unused.click()
        expect(page.get_by_text(re.compile("tokens are never used"))).to_be_visible()
        settled(page)
        page.get_by_role("button", name="Back to Rarely trained").click()
        expect(unused).to_be_visible()
        settled(page)
