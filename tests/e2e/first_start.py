"""The pages that people open first, each until it is drawn whole."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.browser import settled
from tokviz.ui.train.state import OPENS_WITH


def tokens(page: Page) -> None:
    """The tokens of the first text."""
    page.goto("/")
    expect(page.locator(".t").first).to_be_visible()
    settled(page, 0)


def train_with_a_sample(page: Page) -> None:
    """The beginning of a training on a sample, and then the whole training."""
    page.goto("/train")
    settled(page, 0).get_by_role("radio", name="Sample").click()
    settled(page, 0).get_by_role("combobox", name="Text: a sample").click()
    page.get_by_role("option", name="Pairwright").click()
    expect(page.get_by_text("How it would begin")).to_be_visible()
    button = page.get_by_role("button", name="Train", exact=True)
    expect(button).to_be_enabled()
    button.click()
    expect(page.get_by_text("is trained: ")).to_be_visible()
    expect(page.get_by_role("button", name="Replay the merges")).to_be_visible()
    settled(page, 0)


def write(page: Page) -> None:
    """The corpus that one writes, with its merges."""
    page.goto("/train")
    settled(page, 0).get_by_role("radio", name="Write").click()
    expect(page.get_by_role("textbox", name="Your text")).to_have_value(OPENS_WITH)
    expect(page.get_by_role("listbox", name="Merges in order").get_by_role("option").first).to_be_visible()
    expect(page.locator(".strip .t").first).to_be_visible()
    settled(page, 0)


def replay(page: Page) -> None:
    """The merges of the sample, down to the what-ifs and the download; and why the first pair wins."""
    page.goto("/replay")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "0")
    expect(page.locator(".strip .t").first).to_be_visible()
    expect(page.get_by_text("What if", exact=True)).to_be_visible()
    settled(page, 0)


def learn(page: Page) -> None:
    """The first step of the chapter on training."""
    page.goto("/learn?v=1&step=training-loop-1")
    expect(page.get_by_role("heading", name="Count, merge, repeat")).to_be_visible()
    expect(page.locator(".view.strip .t").first).to_be_visible()
    settled(page, 0)


PAGES: dict[str, Callable[[Page], None]] = {
    "Tokens": tokens,
    "Train with a sample": train_with_a_sample,
    "Write": write,
    "Replay": replay,
    "Learn 4.1": learn,
}
