"""What was typed in a field, and not left, is there after a look at another page and after the server forgot it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import settled

LEARN = "/learn?v=1&step="


def nothing(page: Page) -> None:
    """The field is there as soon as the page is."""


def own_question(page: Page) -> None:
    """A room is opened, and the kind of question chosen."""
    page.get_by_role("button", name="Open a room").click()
    settled(page).get_by_test_id("stButtonGroup").get_by_text("Your own").click()


# What is opened, what leads to the field, its label, what is typed, and whether it outlives a server that knows nobody.
FIELDS = [
    pytest.param(LEARN + "why-tokens-1", nothing, "Text", "walrus", True, id="the field of a view, in its task"),
    pytest.param(LEARN + "why-tokens-3", nothing, "Your text", "six words", True, id="the field of a task"),
    pytest.param(LEARN + "why-tokens-2", nothing, "Your number", "7.5", True, id="a number"),
    pytest.param(LEARN + "decoding-1", nothing, "Ids", "464 3797", True, id="the field of a view"),
    pytest.param("/class", own_question, "Your question", "Is it so?", False, id="a question"),
    pytest.param("/class", own_question, "Answer C", "Sometimes", False, id="an answer"),
]


@pytest.mark.parametrize(("path", "leads", "label", "text", "forgotten"), FIELDS)
def test_what_is_typed_is_kept(
    page: Page, path: str, leads: Callable[[Page], None], label: str, text: str, *, forgotten: bool
) -> None:
    page.goto(path)
    leads(settled(page))
    field = page.get_by_role("textbox", name=label)
    field.fill(text)
    here = page.url
    page.reload()
    expect(settled(page).get_by_role("textbox", name=label)).to_have_value(text)
    page.get_by_test_id("stTopNavLink").filter(has_text="Library").click()
    settled(page).goto(here)
    expect(settled(page).get_by_role("textbox", name=label)).to_have_value(text)
    if forgotten:
        page.context.clear_cookies()
        page.goto(path)
        expect(settled(page).get_by_role("textbox", name=label)).to_have_value(text)
