"""Look inside: a token pinned, its chunk stepped through, its relations, the ribbon, the size; by keyboard too."""

from __future__ import annotations

import hashlib
import json
import re
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import tokviz
from tests.e2e.browser import Server, eventually, settled
from tests.e2e.typing import (
    answered,
    area,
    choose,
    faces,
    head,
    menu,
    opened,
    panel,
    replace,
    shows,
    spans,
    spans_of,
    token_from,
    view,
)
from tokviz.catalog.samples import examples
from tokviz.formats import dump
from tokviz.ui.frame.tokenizers import reference_family
from tokviz.vocabulary.family import relations
from tokviz.vocabulary.steps import chunk_steps

TEXT = "The newest tokenizers: नमस्ते 👨‍👩‍👧 lowest, newest."
NAME = "o200k_base"
O200K, GPT2 = tokviz.reference(NAME), tokviz.reference("gpt2")
NODES = """svg => [...svg.querySelectorAll(".node")].map(({ dataset }) =>
  [Number(dataset.start), Number(dataset.end), dataset.rank === undefined ? null : Number(dataset.rank)])"""
CELLS = """ribbon => [...ribbon.querySelectorAll(".seg")].map(part =>
  [Number(part.dataset.token), [...part.querySelectorAll(".cell")].map(cell => Number(cell.dataset.byte)),
   part.querySelector(".own").textContent])"""


@pytest.fixture(scope="module", autouse=True)
def _relations_are_known(typed_in: Page) -> None:
    """The first look at a reference waits for its merges to be read; the tests need not."""
    view(typed_in, NAME).locator(".t").first.click()
    expect(card(typed_in).locator(".relations")).to_contain_text("Part of")


@pytest.fixture
def inside(desk: Page) -> Page:
    replace(desk, TEXT)
    return desk


def card(page: Page) -> Locator:
    return page.get_by_role("region", name=re.compile("^Pinned token"))


def token_at(page: Page, text: bytes) -> Locator:
    return token_from(view(page, NAME), TEXT.encode().index(text))


def pin(page: Page, text: bytes) -> dict[str, Any]:
    """Pin the token that starts where these bytes do first; what Python says of it."""
    token_at(page, text).click()
    encoding = O200K.explain(TEXT)
    start = TEXT.encode().index(text)
    place = next(i for i, token in enumerate(encoding.tokens()) if token.start == start)
    expect(card(page)).to_contain_text(f"token {place + 1} of {len(encoding)}")
    return {"token": encoding.tokens()[place], "tree": encoding.tree(place)}


def test_no_token_is_pinned_before_a_person_pins_one_and_none_of_another_text(page: Page) -> None:
    opened(page)
    expect(page.get_by_text("Point at a token")).to_be_visible()
    expect(view(page, NAME).locator(".pinned")).to_have_count(0)
    view(page, NAME).locator(".t").first.click()
    head = card(page).get_by_role("heading", level=2)
    expect(head).to_have_text(re.compile(r"^id [\d,]+$"))
    menu(page, "Text", "Emoji", "menuitemradio")
    settled(page)
    expect(area(page)).to_have_value(next(example.text for example in examples() if example.title == "Emoji"))
    answered(page)
    expect(card(page)).to_be_hidden()
    expect(view(page, NAME).locator(".pinned")).to_have_count(0)


def test_card_tree_and_steps_are_pythons(inside: Page) -> None:
    told = pin(inside, b" newest")
    token, tree = told["token"], told["tree"]
    expect(card(inside)).to_contain_text(f"id {token.id:,}")
    expect(card(inside)).to_contain_text("20 6E 65 77 65 73 74")
    terms, values = (card(inside).locator(part).all_inner_texts() for part in ("dt", "dd"))
    facts = dict(zip(terms, values, strict=True))
    assert facts == {
        "Bytes": "7",
        "Merges to make it": "6",
        "In this text": "2 times",
        "Covers": "its whole chunk",
    }
    expect(card(inside)).to_contain_text(f"newest is made by merge {token.rank + 1:,} of 199,742.")
    drawn = card(inside).locator("svg.tree").evaluate(NODES)
    shift = token.start - min(start for start, _, _ in drawn)
    nodes = [(node.start - shift, node.end - shift, node.rank) for node in tree.walk()]
    assert sorted(map(tuple, drawn), key=str) == sorted(nodes, key=str)
    rows = card(inside).locator(".step")
    steps = chunk_steps(O200K, b" newest")
    expect(rows).to_have_count(len(steps))
    for i, step in enumerate(steps):
        end = f"id {step.ids[0]:,}" if step.next is None else f"merge {step.ranks[step.next] + 1:,}"
        expect(rows.nth(i).locator(".r")).to_have_text(end)
        expect(rows.nth(i).locator(".tok")).to_have_count(len(step.ids))
        expect(rows.nth(i).locator(".go")).to_have_count(0 if step.next is None else 2)


def test_a_token_of_newlines_is_one_row_of_marks(inside: Page) -> None:
    replace(inside, "\n" * 8)
    view(inside, NAME).locator(".t").first.dispatch_event("click")
    expect(card(inside).locator(".signs li")).to_have_text(["U+000A newline"])
    for chip in (card(inside).locator(".chip.big"), card(inside).locator(".step .tok").last):
        eventually(chip.bounding_box, lambda box: box and box["height"] < 60 and box["width"] > box["height"])


def test_candidates_of_a_step_are_pythons(inside: Page) -> None:
    pin(inside, b" newest")
    for i, step in enumerate(chunk_steps(O200K, b" newest")[:-1]):
        card(inside).locator(".step").nth(i).click()
        ranks = sorted(rank for rank in step.ranks if rank is not None)
        expect(card(inside).locator(".candidate .r")).to_have_text([f"{rank + 1:,}" for rank in ranks])
        later = card(inside).locator("svg.tree .node.later")
        expect(later).to_have_count(6 - i)


def test_everything_by_keyboard(inside: Page) -> None:
    token_at(inside, b"The").click()
    page = inside
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(card(page)).to_be_focused()
    expect(card(page)).to_contain_text("token 2 of")
    expect(token_at(page, b" newest")).to_have_class(re.compile(r"\bpinned\b"))
    rows = card(page).locator(".step")
    expect(rows).to_have_count(7)
    for _ in range(4):  # Unpin, the link to the biography, then the arrows of the stepper
        page.keyboard.press("Tab")
    expect(card(page).get_by_role("button", name="From the first merge")).to_be_focused()
    page.keyboard.press("Enter")
    expect(rows.nth(0)).to_have_attribute("aria-current", "step")
    page.keyboard.press("Tab")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    expect(rows.nth(1)).to_have_attribute("aria-current", "step")
    page.keyboard.press("End")
    expect(rows.nth(6)).to_be_focused()
    page.keyboard.press("Escape")
    expect(token_at(page, b" newest")).to_be_focused()
    expect(card(page)).to_be_hidden()
    page.keyboard.press("Enter")
    expect(card(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(card(page).get_by_role("button", name="Unpin")).to_be_focused()
    page.keyboard.press("Enter")
    expect(token_at(page, b" newest")).to_be_focused()
    expect(view(page, NAME).locator(".pinned")).to_have_count(0)


def test_relations_are_pythons_and_lead_to_their_tokens(inside: Page) -> None:
    told = pin(inside, b"The")
    found = relations(reference_family(NAME), told["token"].id)
    rows = card(inside).locator(".relation")
    expect(rows.nth(0).locator(".link")).to_have_count(2)
    expect(rows.nth(1).locator(".link")).to_have_count(len(found.part_of))
    expect(rows.nth(1)).to_contain_text(f"and {found.n_part_of - len(found.part_of):,} more")
    rows.nth(1).locator(".link").first.click()
    expect(card(inside).get_by_role("status")).to_contain_text("is not a token of this text")


def test_the_ribbon_shows_the_bytes_of_split_characters(inside: Page) -> None:
    choose(inside, ["cl100k_base"])
    view(inside, "cl100k_base").locator(".t").first.click()
    ribbons = inside.get_by_role("list", name="Characters and their bytes")
    expect(ribbons).to_have_count(2)
    encoding = tokviz.reference("cl100k_base").explain(TEXT)
    data = TEXT.encode()
    for place, text in enumerate(["नमस्ते", "👨‍👩‍👧"]):
        first = data.index(text.encode())
        expected = []
        at = first
        for character in text:
            end = at + len(character.encode())
            for token in encoding.tokens():
                cells = list(range(max(at, token.start), min(end, token.end)))
                if cells:
                    expected.append([token.start, cells, str(token.id) if token.start >= at else "↩"])
            at = end
        eventually(partial(ribbons.nth(place).evaluate, CELLS), expected)
    ribbons.nth(1).locator(".seg").nth(3).click()
    expect(card(inside)).to_contain_text("byte")


def test_a_text_without_split_characters_says_so(inside: Page) -> None:
    replace(inside, "plain words")
    view(inside, NAME).locator(".t").first.click()
    expect(inside.get_by_role("region", name="Split characters")).to_contain_text("No split characters")
    menu(inside, "Text", "Clear the text")
    expect(inside.get_by_text("No text yet")).to_be_visible()
    expect(inside.get_by_role("region", name="Split characters")).to_be_hidden()  # nothing can be said of no text


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


def test_the_pin_stays_on_its_token_while_the_text_before_it_grows(inside: Page) -> None:
    pin(inside, b" lowest")
    area(inside).press("Control+Home")
    area(inside).press_sequentially("More text. ")
    answered(inside)
    expect(view(inside, NAME).locator(".pinned")).to_have_text(" lowest")
    start = f"More text. {TEXT}".encode().index(b" lowest")
    expect(card(inside)).to_contain_text(f"bytes {start} to {start + 7}")


def test_the_pin_stays_at_its_place_after_a_reload_and_when_its_tokenizer_goes(inside: Page) -> None:
    choose(inside, ["GPT-2", NAME])
    pin(inside, b" lowest")
    inside.reload()
    settled(inside)
    expect(view(inside, NAME).locator(".pinned")).to_have_text(" lowest")
    expect(view(inside, "GPT-2").locator(".pinned")).to_have_count(0)
    choose(inside, ["GPT-2"])
    pinned = view(inside, "GPT-2").locator(".pinned")
    expect(pinned).to_have_js_property("start", TEXT.encode().index(b" lowest"))
    expect(card(inside).get_by_role("heading", level=2)).to_have_text(f"id {GPT2.encode(' lowest')[0]:,}")
    card(inside).get_by_role("button", name="Unpin").click()
    answered(inside)
    inside.reload()
    settled(inside)
    expect(card(inside)).to_be_hidden()
    expect(view(inside, "GPT-2").locator(".pinned")).to_have_count(0)


def test_bytes_stand_for_the_text_and_ids_for_bytes(inside: Page) -> None:
    newest = token_at(inside, b" newest").locator("[data-m]")
    faces(inside, "Bytes")
    expect(newest).to_have_attribute("data-m", "20\u00a06E\u00a065\u00a077\u00a065\u00a073\u00a074")
    faces(inside, "Ids")
    expect(newest).to_have_attribute("data-m", str(O200K.encode(" newest")[0]))
    expect(token_at(inside, b" newest")).to_have_text(" newest")
    faces(inside, "Text")


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
    expect(inside.get_by_role("columnheader", name="No.").get_by_role("button")).to_be_focused()
    inside.keyboard.press("ArrowRight")
    inside.keyboard.press("Enter")
    expect(inside.get_by_role("columnheader", name="Id")).to_have_attribute("aria-sort", "ascending")
    inside.keyboard.press("ArrowDown")
    expect(grid).to_be_focused()
    inside.get_by_role("columnheader", name="No.").get_by_role("button").click()
    shows(inside, "Find a token", on=True)  # where the focus is counts for more than the pointer in another view
    other.locator(".row").nth(1).hover()
    expect(grid.locator(".row.hover").get_by_role("gridcell").nth(5)).to_have_text("3")
    faces(inside, "Text")


def test_a_token_that_no_pair_makes_is_told_so_while_typing(page: Page, server: Server) -> None:
    ids = {bytes([byte]): byte for byte in range(256)} | {b"bc": 256, b"abcd": 257}
    tok = tokviz.Tokenizer.from_ranks("unmade", ids, pattern="gpt2", special_tokens={"<s>": 300})
    (data,) = dump(tok, "tokviz").values()
    file = server.saved / "unmade.json"
    file.write_bytes(data)
    opened(page, f"/?v=1&use={hashlib.sha256(data).hexdigest()}&text=x&specials=special")
    file.unlink()
    replace(page, "abcd<s> abcd")
    for start, title, told in [
        (0, "id 257", "is one token, but no pair of tokens makes this one."),
        (4, "id 300", "is a special token"),
        (9, "id 256", "is made by merge 1 of 2."),
        (8, "id 97", "is a byte"),
    ]:
        token_from(view(page, "unmade"), start).click()
        expect(card(page).get_by_role("heading", level=2)).to_have_text(title)
        expect(card(page)).to_contain_text(told)
    expect(view(page, "unmade").locator(".sp")).to_have_count(1)
