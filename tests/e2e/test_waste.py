"""The tab Waste of Compare in a real browser, on a phone: it opens, and a rewrite is chosen by key and saved."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, expect

import tokviz
from tests.e2e.browser import Server, axe, eventually, fits, settled, visiting
from tests.e2e.test_measures import heading, open_tab
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tokviz.rewrites import measured, rewritten

WHO = "<img src=x onerror=alert(1)> **b** नमस्ते 😀"
TEXT = json.dumps([{"id": n, "who": WHO, "at": f"2024-05-{n:02}"} for n in range(10, 14)], indent=4)


def test_waste_is_seen_and_a_rewrite_taken(browser: Browser, server: Server, tmp_path: Path) -> None:
    saving = measured(TEXT, tokviz.reference("gpt2")).saving
    with visiting(browser, server, **PHONE) as page:
        page.goto(f"/compare?{urlencode({'v': 1, 'use': 'gpt2', 'text': TEXT})}")
        expect(page.get_by_role("tab", name="Cost", exact=True)).to_be_visible()
        open_tab(page, "Waste")
        expect(heading(page, "fewer tokens, and nothing is lost")).to_be_visible()
        rows = page.get_by_role("list", name="Rewrites that save tokens").get_by_role("button")
        expect(rows).to_have_count(len(saving))
        fits(page)
        axe(settled(page))
        assert page.evaluate(SMALLER, LEAST) == []

        # by keyboard; the focus stays where it was
        row = rows.filter(has_text="YAML for JSON")
        row.press("Enter")
        expect(row).to_have_attribute("aria-pressed", "true")
        expect(row).to_be_focused()
        expect(heading(page, "YAML for JSON")).to_be_visible()
        page.emulate_media(color_scheme="dark")
        eventually(lambda: page.locator(".rewrites").get_attribute("data-theme"), "dark")
        axe(settled(page))
        with page.expect_download() as handed:
            page.get_by_role("button", name="Download the rewritten text").click()
        handed.value.save_as(tmp_path / "text.yaml")
        assert (tmp_path / "text.yaml").read_text("utf-8") == rewritten(TEXT, "yaml")
        assert handed.value.suggested_filename == "text-rewritten.yaml"
