"""Fixtures of the browser tests. Any test that asks for `browser`, or for a fixture that does, is marked `browser`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.browser import Server, Window, axe, launch, serving, settled, visiting

__all__ = ["axe", "serving", "settled", "visiting"]


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """One Chromium for all tests of this process, found or fetched when the first of them needs it."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server for all tests of this process: its visitors have nothing in common but the saved models."""
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def window(browser: Browser, server: Server) -> Iterator[Window]:
    """One window for all visits that need no other: in it Streamlit's own scripts are fetched and compiled once."""
    window = Window(browser, server)
    yield window
    window.context.close()


@pytest.fixture
def page(window: Window) -> Iterator[Page]:
    """A page of a new visitor, 1280 by 800, not yet at any address: `page.goto("/train")`."""
    with window.visit() as page:
        yield page
