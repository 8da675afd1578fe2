"""The Tokens page: the text at any vocabulary size, bytes and ids for text, and the table."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import eventually
from tests.e2e.test_card import NAME, O200K, TEXT, card
from tests.e2e.typing import (
    answered,
    area,
    choose,
    faces,
    head,
    menu,
    panel,
    replace,
    shows,
    spans,
    spans_of,
    token_from,
    view,
)


@pytest.fixture
def inside(desk: Page) -> Page:
    replace(desk, TEXT)
    return desk


@pytest.mark.parametrize("size", [256, pytest.param(1_000, marks=pytest.mark.long), 40_000])
def test_the_text_as_the_tokenizer_knew_it_at_any_size(inside: Page, size: int) -> None:
    shows(inside, "Vocabulary size", on=True)
    field = inside.get_by_label("Vocabulary size, as a number")
    field.fill(f"{size:,}")
    field.press("Enter")
    smaller = O200K.truncated(size)
    eventually(lambda: spans(inside, NAME), spans_of(smaller, TEXT))
    expect(head(inside, "GPT-4o")).to_contain_text(f"{len(smaller.encode_ordinary(TEXT))} tokens")
    expect(panel(inside, NAME)).not_to_contain_text("same ids as tiktoken")
    expect(inside.get_by_text(f"{NAME} at size {size:,}.")).to_be_visible()
    with inside.expect_download() as download:
        menu(inside, "Share", "JSON")
    inside.keyboard.press("Escape")
    read = json.loads(download.value.path().read_text("utf-8"))
    assert (read["tokenizer"], read["vocabulary_size"]) == (NAME, size)
    assert [token["id"] for token in read["tokens"]] == smaller.encode_ordinary(TEXT)
    token = smaller.explain(TEXT).tokens()[1]
    token_from(view(inside, NAME), token.start).click()
    expect(card(inside).get_by_role("heading", level=2)).to_have_text(f"id {token.id:,}")
    area(inside).press_sequentially(" lower")  # typing goes on at the size in sight
    answered(inside)
    expect(head(inside, "GPT-4o")).to_contain_text(f"{len(smaller.encode_ordinary(TEXT + ' lower'))} tokens")
    eventually(lambda: spans(inside, NAME), spans_of(smaller, TEXT + " lower"))
    inside.get_by_role("button", name="All merges").click()
    eventually(lambda: spans(inside, NAME), spans_of(O200K, TEXT + " lower"))
    expect(inside.get_by_label("Vocabulary size, log scale")).to_be_focused()
    expect(panel(inside, NAME)).to_contain_text("same ids as tiktoken")


def test_the_table_by_keyboard_and_in_step_with_other_views(inside: Page) -> None:
    choose(inside, [NAME, "GPT-2"])
    for name in (NAME, "GPT-2"):  # when this is said, nothing on the page moves any more
        expect(panel(inside, name)).to_contain_text("same ids as tiktoken")
    inside.mouse.move(0, 0)
    grid = inside.get_by_role("grid", name=f"Table of the tokens of {NAME}")
    faces(inside, "Table")
    grid.focus()
    inside.keyboard.press("Home")
    inside.keyboard.press("ArrowDown")
    active = grid.locator(".row.at")
    expect(active.get_by_role("gridcell").nth(5)).to_have_text("3")
    expect(grid).to_have_attribute("aria-activedescendant", str(active.get_attribute("id")))
    expect(panel(inside, NAME)).to_contain_text("token 2 of")
    other = inside.get_by_role("grid", name="Table of the tokens of GPT-2")
    expect(other.locator(".row.hover .chip")).to_have_text([" newest"])
    inside.keyboard.press("Enter")
    expect(card(inside)).to_be_focused()
    expect(card(inside)).to_have_accessible_name("Pinned token: space newest")
    expect(active).to_have_attribute("aria-selected", "true")
    inside.keyboard.press("Escape")
    expect(grid).to_be_focused()
    inside.keyboard.press("Home")
    inside.keyboard.press("ArrowUp")
    expect(panel(inside, NAME).get_by_role("columnheader", name="No.").get_by_role("button")).to_be_focused()
    inside.keyboard.press("ArrowRight")
    inside.keyboard.press("Enter")
    expect(panel(inside, NAME).get_by_role("columnheader", name="Id")).to_have_attribute("aria-sort", "ascending")
    inside.keyboard.press("ArrowDown")
    expect(grid).to_be_focused()
    panel(inside, NAME).get_by_role("columnheader", name="No.").get_by_role("button").click()
    shows(inside, "Find a token", on=True)  # where the focus is counts for more than the pointer in another view
    other.locator(".row", has_text="newest").first.hover()
    expect(grid.locator(".row.hover").get_by_role("gridcell").nth(5)).to_have_text("3")
    faces(inside, "Text")
