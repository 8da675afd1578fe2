"""The texts that states are filled with, and how they are put on a page."""

from __future__ import annotations

from playwright.sync_api import FilePayload, Page

from tests.e2e.browser import settled
from tests.hostile import FAMILIES
from tokviz.text import clean

EMOJI = "नमस्ते दुनिया 👩‍👩‍👧 👍🏽 🇳🇵 naïve café, 日本語 العربية, é e\u0301\n"
LONG = "supercalifragilisticexpialidocious" * 20 + "\n" + "A line that does not end, 1,234,567, " * 60
HOSTILE = clean("\n".join(next(iter(texts()))[:60] for texts in FAMILIES.values()))
ALL = "gpt2,cl100k_base,o200k_base"


def upload(page: Page, name: str, data: bytes) -> None:
    """Choose a file in the first field for files."""
    file = FilePayload(name=name, mimeType="text/plain", buffer=data)
    page.locator("input[type=file]").first.set_input_files(file)
    settled(page, 500)


def fill(page: Page, label: str, text: str) -> None:
    """Write into a field, and leave it."""
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Tab")
    settled(page)


def click(page: Page, words: str) -> None:
    """Click on these words."""
    page.get_by_text(words, exact=True).first.click()
    settled(page)
