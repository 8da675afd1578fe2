"""Two vocabularies laid over each other in a real browser: by keyboard alone, on a phone, in both themes."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.e2e.browser import axe, eventually, fits, settled
from tokviz.catalog import reference
from tokviz.overlay import overlay, rank_bins


def test_two_vocabularies_are_laid_over_each_other_by_keyboard(page: Page) -> None:
    two = overlay(reference("gpt2"), reference("cl100k_base"))
    page.goto("/vocabulary?v=1&part=overlay&use=gpt2,cl100k_base")
    parts = page.get_by_role("group", name="Which tokens are shown").get_by_role("button")
    expect(parts).to_have_text([re.compile(f"^{len(rows):,}") for rows in (two.only_a, two.shared, two.only_b)])
    bins = page.get_by_role("region", name=re.compile("^Ranks of the")).get_by_role("button")
    expect(bins).to_have_count(int((rank_bins(two).counts > 0).sum()))
    tokens = page.get_by_role("region", name=re.compile("merges? (in both|of rank)|tokens only in"))

    # the arrow keys go from bin to bin, and Enter lists its tokens
    settled(page)
    bins.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(bins.first).to_be_focused()
    page.keyboard.press("End")
    expect(bins.last).to_be_focused()
    n = int(re.findall(r"[\d,]+", str(bins.last.get_attribute("aria-label")))[0].replace(",", ""))
    page.keyboard.press("Enter")
    expect(bins.last).to_have_attribute("aria-pressed", "true")
    expect(tokens).to_have_attribute("aria-label", re.compile(f"^{n:,} merges? of rank"))
    expect(bins.last).to_be_focused()
    axe(settled(page))

    # another part; then the biography of one of its tokens, and back
    parts.last.focus()
    page.keyboard.press("Enter")
    expect(parts.last).to_have_attribute("aria-pressed", "true")
    expect(bins).to_have_count(0)
    chips = tokens.get_by_role("button")
    expect(chips.first).to_have_attribute("aria-label", re.compile(r", rank [\d,]+, "))
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    fits(settled(page))
    axe(page)
    boxes = [part.bounding_box() for part in parts.all()]
    assert all(box and box["height"] >= 44 for box in boxes)
    chips.first.focus()
    page.keyboard.press("ArrowRight")
    expect(chips.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="‹ Back to Two laid over")).to_be_visible()
    page.get_by_role("button", name="‹ Back to Two laid over").click()
    expect(parts.last).to_have_attribute("aria-pressed", "true")
    eventually(lambda: tokens.count(), 1)
