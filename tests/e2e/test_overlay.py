"""Two vocabularies laid over each other in a real browser: by keyboard alone, on a phone, in both themes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import axe, fits, settled
from tokviz.catalog.references import reference
from tokviz.comparison.shared_tokens import shared_tokens


def test_two_vocabularies_are_laid_over_each_other_by_keyboard(page: Page) -> None:
    two = shared_tokens(reference("gpt2"), reference("cl100k_base"))
    page.goto("/vocabulary?v=1&part=overlay&use=gpt2,cl100k_base")
    numbers = [
        page.get_by_role("button", name=re.compile(f"^{len(ids):,} ")) for ids in (two.only_a, two.in_a, two.only_b)
    ]
    said = page.locator(".said")
    expect(said).to_contain_text(f"{len(two.only_a):,} of 50,257 tokens are not in cl100k_base")
    axe(settled(page))

    # a number lists its tokens, also after the filter was removed
    numbers[2].focus()
    page.keyboard.press("Enter")
    expect(said).to_contain_text(f"{len(two.only_b):,} of 100,261 tokens are not in GPT-2")
    page.get_by_role("button", name=re.compile("^Only tokens that are not in GPT-2")).press("Enter")
    expect(said).to_contain_text("100,261 tokens; ")
    numbers[2].press("Enter")
    expect(said).to_contain_text("are not in GPT-2")
    page.keyboard.press("Shift+Tab")
    expect(numbers[1]).to_be_focused()
    page.keyboard.press("Enter")
    expect(said).to_contain_text(f"{len(two.in_a):,} of 50,257 tokens are also in cl100k_base")

    # a token is pinned where it is, and stays after a reload
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    fits(settled(page))
    axe(page)
    boxes = [number.bounding_box() for number in numbers]
    assert all(box and box["height"] >= 44 for box in boxes)
    row = page.get_by_role("option", name=re.compile(", id 2, "))
    row.click()
    expect(row).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("complementary")).to_contain_text("id 2")
    settled(page).reload()
    expect(said).to_contain_text("are also in cl100k_base")
    expect(row).to_have_attribute("aria-selected", "true")


@pytest.mark.right
def test_a_number_brings_its_list_into_view_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/vocabulary?v=1&part=overlay&use=gpt2,cl100k_base")
    first = page.locator(".rows .row").first
    expect(first).to_be_attached()
    expect(first).not_to_be_in_viewport()
    page.get_by_role("button", name=re.compile("^[0-9,]+ only in")).last.click()
    expect(page.locator(".said")).to_contain_text("are not in GPT-2")
    expect(first).to_be_in_viewport()
