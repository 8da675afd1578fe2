"""Fixtures of the browser tests. Any test that asks for `browser`, or for a fixture that does, is marked `browser`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.browser import Server, Window, launch, serving, visiting
from tests.e2e.hostile import watching
from tests.e2e.sheet import CL100K, TEXT, sheet, show, turn
from tests.e2e.typing import choose, opened


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


@pytest.fixture
def live(page: Page) -> Page:
    """The Tokens page of a new visitor, with its live socket open and in hand."""
    return opened(page)


@pytest.fixture(scope="module")
def typed_in(browser: Browser, server: Server) -> Iterator[Page]:
    """The Tokens page of one visitor, for all tests of a file that leave no more than a text and chosen tokenizers."""
    with visiting(browser, server) as page:
        yield opened(page)


@pytest.fixture
def desk(typed_in: Page) -> Page:
    """That page, with o200k_base alone."""
    choose(typed_in, ["o200k_base"])
    return typed_in


@pytest.fixture(scope="module")
def one(browser: Browser) -> Iterator[Page]:
    """A page with a token view to come, for the tests of one file."""
    page = sheet(browser)
    yield page
    page.context.close()


@pytest.fixture
def tokens(one: Page) -> Page:
    """The view of TEXT, as text."""
    show(one, CL100K.explain(TEXT))
    turn(one, "Text")
    one.mouse.move(0, 0)
    return one


@pytest.fixture(scope="module")
def trapped(browser: Browser, server: Server) -> Iterator[Window]:
    """A window whose pages say in the console when a text had its way."""
    with watching(browser, server) as window:
        yield window
