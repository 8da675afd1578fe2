"""What was typed in a field, and not left, is there after a look at another page and after the server forgot it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser import settled

LEARN = "/learn?v=1&step="


def nothing(page: Page) -> None:
    """The field is there as soon as the page is."""


def own_question(page: Page) -> None:
    """A room is opened, and the kind of question chosen."""
    page.get_by_role("button", name="Open a room").click()
    settled(page).get_by_test_id("stButtonGroup").get_by_text("Your own").click()


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()


def own_pattern(page: Page) -> None:
    choose(page, "Split pattern", "custom")


def write(page: Page) -> None:
    page.get_by_role("radio", name="Write").click()


def keep(page: Page) -> None:
    """A tokenizer is trained, and is to be kept."""
    if not page.get_by_role("button", name="Keep in the library").is_visible():
        page.get_by_role("radio", name="Sample").click()
        choose(settled(page), "Text: a sample", "A tongue-twister")
        settled(page).get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Keep in the library").click()


def line(page: Page) -> None:
    """The what-if is to add a line."""
    page.get_by_text("What if", exact=True).click()
    page.get_by_label("What to change").click()
    page.get_by_role("option", name="add a line to the corpus").click()


def merge_list(page: Page) -> None:
    """A merge list plays, on a text."""
    page.get_by_role("combobox", name="Merges of").select_option("gpt2")


# A field that is folded away can be typed in only so.
TYPE = "(field, text) => { field.value = text; field.dispatchEvent(new Event('input', { bubbles: true })); }"
LEAST = "Stop when a pair occurs less often than"
# What is opened, what leads to the field, its label, what is typed, and whether it outlives a server that knows nobody.
FIELDS = [
    pytest.param(LEARN + "why-tokens-1", nothing, "Text", "walrus", True, id="the field of a view, in its task"),
    pytest.param(LEARN + "why-tokens-3", nothing, "Your text", "six words", True, id="the field of a task"),
    pytest.param(LEARN + "why-tokens-2", nothing, "Your number", "7.5", True, id="a number"),
    pytest.param(LEARN + "decoding-1", nothing, "Ids", "464 3797", True, id="the field of a view"),
    pytest.param("/class", own_question, "Your question", "Is it so?", False, id="a question"),
    pytest.param("/class", own_question, "Answer C", "Sometimes", False, id="an answer"),
    pytest.param("/train", nothing, "Vocabulary size", "1,234", False, id="the size of a vocabulary"),
    pytest.param("/train", own_pattern, "Your split pattern", r"\w+|\W", False, id="a split pattern of Train"),
    pytest.param("/train", nothing, LEAST, "7", False, id="a least count"),
    pytest.param("/train", nothing, "Special tokens", "<|a|>\n<|b|>", False, id="special tokens"),
    pytest.param("/train", write, "Your text", "low lower\n<b>न👍</b>", False, id="a written text"),
    pytest.param("/train", write, "Vocabulary size", "300", False, id="the size of its vocabulary"),
    pytest.param("/train", write, "Special tokens", "<|c|>", False, id="its special tokens"),
    pytest.param("/train", keep, "Name", "a name of mine", False, id="a name for the library"),
    pytest.param("/vocabulary", nothing, "Search the tokens", "berry", False, id="a search"),
    pytest.param("/vocabulary?v=1&part=odd", nothing, "Times made, at least", "9", False, id="a limit of residues"),
    pytest.param("/vocabulary?v=1&part=splits", nothing, "A split pattern", r"\s|\S", False, id="a split pattern"),
    pytest.param("/replay", line, "The line", "walrus", False, id="a line"),
    pytest.param("/replay", merge_list, "Text", "walrus", False, id="the text of a merge list"),
]


def found(page: Page, label: str, leads: Callable[[Page], None]) -> Locator:
    """The field, which may be folded away."""
    roles = ("textbox", "searchbox")
    one, other = (settled(page).get_by_role(role, name=label, include_hidden=True) for role in roles)
    there = one.or_(other)
    if not there.count():
        leads(page)
        expect(there).to_have_count(1)
    return there


@pytest.mark.parametrize(("path", "leads", "label", "text", "forgotten"), FIELDS)
def test_what_is_typed_is_kept(
    page: Page, path: str, leads: Callable[[Page], None], label: str, text: str, *, forgotten: bool
) -> None:
    page.goto(path)
    leads(settled(page))
    found(page, label, nothing).evaluate(TYPE, text)
    here = page.url
    page.reload()
    expect(found(page, label, leads)).to_have_value(text)
    page.get_by_test_id("stTopNavLink").filter(has_text="Library").click()
    settled(page).goto(here)
    expect(found(page, label, leads)).to_have_value(text)
    if forgotten:
        page.context.clear_cookies()
        page.goto(path)
        expect(found(page, label, leads)).to_have_value(text)
