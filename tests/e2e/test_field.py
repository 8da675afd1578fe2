"""A field of the kit never loses what was typed: typed and not left, then a reload, a lost server, another one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import Server, bare_page, eventually, serving

APP = Path(__file__).with_name("fields_app.py")


@pytest.fixture(scope="module")
def fields() -> Iterator[Server]:
    with serving(APP) as server:
        yield server


@pytest.fixture
def tab(browser: Browser, fields: Server) -> Iterator[Page]:
    page = opened(browser, fields)
    yield page
    page.context.close()


def opened(browser: Browser, server: Server) -> Page:
    page = bare_page(browser)
    page.goto(server.url)
    expect(page.get_by_label("One")).to_be_visible()
    return page


def has(page: Page, text: str) -> None:
    """The server has it."""
    expect(page.get_by_test_id("stText")).to_contain_text(text)


def kept(page: Page) -> int:
    """How many drafts the tab keeps."""
    drafts: int = page.evaluate("Object.keys(sessionStorage).filter(key => key.startsWith('tokviz.draft.')).length")
    return drafts


def test_what_is_typed_and_left_is_heard_and_kept_no_longer(tab: Page) -> None:
    tab.get_by_label("One").fill("typed")
    assert kept(tab) == 1
    tab.get_by_label("One").press("Enter")
    has(tab, "typed")
    eventually(lambda: kept(tab), 0)
    tab.get_by_label("Two").fill("several\nlines")
    tab.get_by_label("Two").blur()
    has(tab, "several\nlines")
    expect(tab.get_by_label("One")).to_have_value("typed")


def test_what_is_typed_and_not_left_is_there_after_a_reload_in_both_fields(tab: Page) -> None:
    for name in ("One", "Two"):
        tab.get_by_label(name).evaluate("field => { field.value = 'draft'; field.dispatchEvent(new Event('input')) }")
    tab.reload()
    for name in ("One", "Two"):
        expect(tab.get_by_label(name)).to_have_value("draft")
    has(tab, "draft | draft")
    eventually(lambda: kept(tab), 0)


def test_a_draft_goes_before_what_another_tab_wrote_meanwhile(browser: Browser, fields: Server, tab: Page) -> None:
    tab.get_by_label("One").fill("mine")
    other = opened(browser, fields)
    other.get_by_role("button", name="Change").click()
    has(other, "changed")
    other.context.close()
    tab.reload()
    expect(tab.get_by_label("One")).to_have_value("mine")
    has(tab, "mine")


def test_what_a_button_writes_after_a_draft_was_heard_is_shown(tab: Page) -> None:
    tab.get_by_label("One").fill("before the button")
    tab.get_by_label("One").press("Enter")
    has(tab, "before the button")
    tab.get_by_role("button", name="Change").click()
    expect(tab.get_by_label("One")).to_have_value("changed")
    assert kept(tab) == 0


def test_typing_goes_on_while_the_server_answers(tab: Page) -> None:
    field = tab.get_by_label("Two")
    field.fill("a")
    field.press("Control+Enter")
    field.press_sequentially("bc")
    has(tab, "| a")
    expect(field).to_have_value("abc")
    field.blur()
    has(tab, "| abc")


@pytest.mark.parametrize("reload", [False, True])
def test_what_is_typed_while_the_server_is_gone_is_heard_by_the_next_one(browser: Browser, reload: bool) -> None:
    with serving(APP) as first:
        page = opened(browser, first)
        port = urlsplit(first.url).port
    page.get_by_label("One").fill("typed without a server")
    page.get_by_label("One").blur()
    page.get_by_label("Two").press_sequentially(" and not left")
    with serving(APP, port=port or 0) as second:
        if reload:
            page.goto(second.url)
            has(page, "typed without a server | second and not left")
        else:
            has(page, "typed without a server")
            expect(page.get_by_label("Two")).to_have_value("second and not left")
        page.context.close()
