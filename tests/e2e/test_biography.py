"""The biography of a token in a real browser: a click from Tokens leads there, and the browser's Back leads home."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import axe, fits, settled
from tokviz.catalog.references import reference
from tokviz.vocabulary.biography import birth
from tokviz.vocabulary.occurrences import in_text

TEXT = "The other theory: another mother, 👍🏽 <b>nothing</b> other than the others."
GPT2 = reference("gpt2")


def id_of(token: bytes) -> int:
    (id,) = GPT2.encode(token.decode())
    return id


def test_from_a_token_to_its_biography_and_back(page: Page) -> None:
    here = TEXT.encode().index(b" other")
    page.goto(f"/?v=1&use=gpt2&text={TEXT}&pin=0.{here}")
    page.get_by_role("link", name="Its biography").click()

    other = page.get_by_role("region", name="Biography of space other", exact=True)
    found = in_text(GPT2, id_of(b" other"), [GPT2.explain(TEXT)])
    fate, born = found.fate(), birth(GPT2, id_of(b" other"))
    assert born and fate.remain
    expect(other.get_by_role("heading", name=f"id {id_of(b' other'):,}")).to_be_visible()
    words = f"Made {fate.made} times, {fate.remain} remain"
    expect(other.get_by_role("heading", name=words)).to_be_visible()
    expect(other).to_contain_text(f"Parents: merge {birth(GPT2, born.left).rank + 1:,}")  # type: ignore[union-attr]
    expect(page.get_by_role("link", name="Back to Tokens")).to_be_visible()
    expect(page).not_to_have_url("token=")
    expect(other.get_by_role("heading", name="tokens that absorbed it")).to_be_visible()
    settled(page)
    fits(page)
    axe(page)

    # to the right parent and to the first token that absorbed it, by keyboard; to another that absorbed it, and back
    page.keyboard.press("Shift+B")
    parent = page.get_by_role("region", name="Biography of ther", exact=True)
    expect(parent).to_contain_text(f"id {born.right:,}")
    expect(parent.get_by_role("heading", name="tokens that absorbed it")).to_be_visible()
    page.keyboard.press("f")
    expect(other.get_by_role("heading", name=words)).to_be_visible()
    other.get_by_role("listitem").get_by_role("button", name="space others, id").click()
    expect(page.get_by_role("region", name="Biography of space others", exact=True)).to_be_visible()
    page.keyboard.press("b")
    expect(other.get_by_role("heading", name=words)).to_be_visible()

    # a place where it was absorbed, and one where it remains: right in the bytes, and Replay shows its birth there
    other.get_by_role("button", name="where it was absorbed").click()
    expect(other.locator(".bio-taker")).to_have_count(fate.made - fate.remain)
    other.get_by_role("button", name="where it remains").click()
    places, _ = found.places(remaining=True)
    rows = other.locator("a.bio-place")
    expect(rows).to_have_count(len(places))
    assert [int(text) for text in other.locator(".bio-at").all_inner_texts()] == [place.start for place in places]
    rows.last.click()
    seams = GPT2.explain(TEXT).seams
    step = len(np.unique(seams[(seams >= 0) & (seams < born.rank)]))
    expect(page.locator("[data-step]")).to_have_attribute("data-step", str(step))
    expect(page.locator(".strip .pair").last).to_have_text(" other")

    expect(page.get_by_role("link", name="Back to Vocabulary")).to_be_visible()

    page.go_back()
    expect(other.get_by_role("heading", name=words)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("region", name="Pinned token")).to_contain_text(f"id {id_of(b' other'):,}")
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value(TEXT)


@pytest.mark.right
def test_a_visit_to_the_vocabulary_leaves_no_listener_behind(page: Page) -> None:
    """A listener of the page keeps all that was drawn: 1,900 nodes a visit."""
    page.add_init_script(
        """window.heard = new Set();
        document.addEventListener = (...of) => {
          heard.add(of[1]); EventTarget.prototype.addEventListener.apply(document, of) };
        document.removeEventListener = (...of) => {
          heard.delete(of[1]); EventTarget.prototype.removeEventListener.apply(document, of) };"""
    )
    page.goto("/library")
    listeners = []
    for _ in range(2):
        page.get_by_role("link", name="Vocabulary").click()
        expect(page.get_by_role("region", name="Biography of")).to_be_visible()
        page.get_by_role("link", name="Library").click()
        settled(page)
        listeners.append(page.evaluate("heard.size"))
    assert listeners[0] == listeners[1]
