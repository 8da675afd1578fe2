"""The tab Waste of Compare in a real browser, on a phone: a file, and a rewrite that is chosen by key and saved."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser, expect

import tokviz
from tests.e2e.browser import Server, axe, eventually, fits, settled, visiting
from tests.e2e.test_measures import heading, open_tab, opened
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tokviz.rewrites import measured, rewritten

HOSTILE = "<img src=x onerror=alert(1)> **b** नमस्ते 😀"
TEXT = json.dumps([{"id": n, "who": HOSTILE, "at": f"2024-05-{n:02}"} for n in range(10, 20)], indent=4)


def test_the_waste_of_a_file_is_seen_and_a_rewrite_taken(browser: Browser, server: Server, tmp_path: Path) -> None:
    found = measured(TEXT, tokviz.reference("gpt2"))
    with visiting(browser, server, **PHONE) as page:
        opened(page, "Files")
        page.locator('input[type="file"]').set_input_files(
            {"name": "<b>rows</b>.json", "mimeType": "application/json", "buffer": TEXT.encode()}
        )
        expect(heading(page, "Figures of all files")).to_be_visible()
        open_tab(page, "Waste")
        page.get_by_role("combobox", name="Text or file").click()
        page.get_by_role("option", name="<b>rows</b>.json").click()
        expect(heading(page, "fewer tokens, and nothing is lost")).to_be_visible()
        expect(page.get_by_text("of each group in <b>rows</b>.json above")).to_be_visible()
        saving = page.get_by_role("list", name="Rewrites that save tokens")
        expect(saving.get_by_role("button")).to_have_count(len(found.saving))
        fits(page)
        axe(settled(page))
        assert page.evaluate(SMALLER, LEAST) == []

        # by keyboard; the focus stays where it was
        row = saving.get_by_role("button", name="YAML for JSON")
        row.press("Enter")
        expect(row).to_have_attribute("aria-pressed", "true")
        expect(row).to_be_focused()
        expect(heading(page, "YAML for JSON")).to_be_visible()
        page.emulate_media(color_scheme="dark")
        eventually(lambda: page.locator(".rewrites").get_attribute("data-theme"), "dark")
        axe(settled(page))
        with page.expect_download() as handed:
            page.get_by_role("button", name="Download the rewritten text").click()
        handed.value.save_as(tmp_path / "rows.yaml")
        assert (tmp_path / "rows.yaml").read_text("utf-8") == rewritten(TEXT, "yaml")
        assert handed.value.suggested_filename.endswith("-rewritten.yaml")
