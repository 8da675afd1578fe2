"""What is printed: plans and saved chapters as PDF, by pages."""

from __future__ import annotations

import re
import zlib

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.browser import bare_page, settled
from tokviz.offline.lesson import chapter_file

pytestmark = pytest.mark.right

MARGIN = {"top": "10mm", "right": "10mm", "bottom": "10mm", "left": "10mm"}
# Boxes that are shorter than what is in them: on paper nobody can scroll.
CUT = """() => [...document.querySelectorAll(".offline .stage *")]
    .filter((box) => /auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollHeight > box.clientHeight + 1)
    .map((box) => box.className)"""
PARTED = """() => [...document.querySelectorAll(".offline :is(.stage, .task)")]
    .filter((box) => getComputedStyle(box).breakInside !== "avoid").length"""


def words_on_pages(pdf: bytes) -> list[int]:
    """How often something is written on each page of a PDF as Chromium makes it."""
    found = []
    for number in re.findall(rb"/Type /Page\n.*?/Contents (\d+) 0 R", pdf, re.DOTALL):
        stream = re.search(rb"\n%s 0 obj\n.*?stream\r?\n(.*?)endstream" % number, pdf, re.DOTALL)
        assert stream
        found.append(zlib.decompressobj().decompress(stream[1]).count(b"Tj"))
    return found


@pytest.mark.parametrize(("plan", "pages"), [("20", 1), ("90", 2)])
def test_no_page_of_a_plan_is_empty(page: Page, plan: str, pages: int) -> None:
    page.goto(f"/learn?v=1&plan={plan}")
    settled(page).locator("table.figures").wait_for()
    words = words_on_pages(page.pdf(format="A4", margin=MARGIN))  # type: ignore[arg-type]
    assert len(words) == pages and all(words)


def test_a_saved_chapter_is_printed_with_all_of_its_views_and_none_in_two_parts(browser: Browser) -> None:
    page = bare_page(browser)
    page.set_content(chapter_file("files-1", [])["file"])
    page.locator(".offline .lesson").first.wait_for()
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == [] and page.evaluate(PARTED) == 0
    assert all(words_on_pages(page.pdf(format="A4", margin=MARGIN)))  # type: ignore[arg-type]
    page.context.close()
