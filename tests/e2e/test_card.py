"""The card of a token, on the Tokens page and in Vocabulary: what it says, its steps, its keys, and where it leads."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import tokviz
from tests.e2e.browser import axe, bare_page, eventually, fits, settled
from tests.e2e.test_shared_js import IMPORT, LETTERS
from tests.e2e.typing import answered, area, choose, menu, replace, token_from, view
from tests.test_characters import TOK
from tokviz.offline.data import payload
from tokviz.offline.files import script
from tokviz.ui.frame.tokenizers import reference_family
from tokviz.vocabulary.biography import birth, children
from tokviz.vocabulary.card import card_at
from tokviz.vocabulary.occurrences import in_text
from tokviz.vocabulary.steps import chunk_steps

TEXT = "The newest tokenizers: नमस्ते 👨‍👩‍👧 lowest, newest."
OTHERS = "The other theory: another mother, 👍🏽 <b>nothing</b> other than the others."
NAME = "o200k_base"
O200K, GPT2 = tokviz.reference(NAME), tokviz.reference("gpt2")
CELLS = """ribbon => [...ribbon.querySelectorAll(".seg")].map(part =>
  [Number(part.dataset.token), [...part.querySelectorAll(".cell")].map(cell => Number(cell.dataset.byte)),
   part.querySelector(".own").textContent])"""
SHORT = """([payload, size, peer, merges]) => {
  const { read, startsAt, endOf, END } = window.reading, encoding = read(payload);
  const k = size ?? END;
  return startsAt(encoding, k).map((start) => {
    const end = endOf(encoding, start, k), stretch = window.tree.stretchOf(encoding, start, end, k);
    const side = { view: { encoding, k }, kind: peer, merges };
    return [start, window.shared.shortOf(side, start, { stretch, start: 0, end: end - start })];
  });
}"""


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


def unfold(page: Page, of: Locator | None = None) -> None:
    """Unfold all merges, unless they are."""
    button = (of or card(page)).get_by_role("button", name=re.compile("^(All its merges|More)$"))
    if button.get_attribute("aria-expanded") == "false":
        button.click()


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Page]:
    page = bare_page(browser)
    for name in ("encoding", "tree", "pinned_card"):
        page.evaluate(IMPORT, script(f"tokenview/{name}.js"))
        page.evaluate("name => { window[name] = window.shared }", {"encoding": "reading"}.get(name, name))
    yield page
    page.context.close()


def test_what_a_card_says_at_once_is_what_python_says(reader: Page) -> None:
    chance = random.Random("short")
    small = tokviz.train(LETTERS * 3, 300, special_tokens=["<|>"]).tokenizer
    unmade = tokviz.Tokenizer.from_ranks(
        "unmade",
        {bytes([byte]): byte for byte in range(256)} | {b"\xe0\xa4": 256, b"abc": 257},
        pattern="gpt2",
        special_tokens={},
    )
    for tok in (small, unmade, TOK, GPT2):
        for _ in range(8):
            text = "".join(chance.choice(LETTERS) for _ in range(chance.randint(1, 60))) + " abc"
            encoding = tok.explain(text, allowed_special="all")
            least = tok.units
            for size in (None, 256 + chance.randint(least, max(least, len(tok.merge_ids) - 1))):
                k = None if size is None else size - 256
                for start, short in reader.evaluate(SHORT, [payload(encoding), k, tok.kind, len(tok.merge_ids)]):
                    told = card_at(tok, encoding, start, size)
                    born = told["birth"] and {"rank": told["birth"]["rank"], "parents": told["birth"]["parents"]}
                    for parent in born["parents"] if born else ():
                        del parent["rank"]
                    assert short == {key: told[key] for key in short} | {"birth": born}


def test_a_card_is_short_at_first_and_unfolds_to_what_python_says(inside: Page) -> None:
    told = pin(inside, b" newest")
    token, tree = told["token"], told["tree"]
    left, right = (O200K.vocab[part.id].decode() for part in tree.parts)
    expect(card(inside).get_by_role("heading", level=2)).to_have_text(f"id {token.id:,}")
    expect(card(inside).locator(".made")).to_have_text(
        f"Made of {left} + {right} by merge {token.rank + 1:,} of 199,742."
    )
    expect(card(inside)).to_contain_text("20 6E 65 77 65 73 74")
    expect(card(inside).locator(".tree")).to_have_count(0)
    inside.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    for what, copied in (("id", str(token.id)), ("text", " newest")):
        card(inside).get_by_role("button", name=f"Copy {what}").click()
        eventually(lambda: inside.evaluate("window.copied"), copied)

    unfold(inside)
    expect(card(inside)).to_contain_text(
        "6 merges in all make it. It is in this text 2 times. Here it is its whole chunk."
    )
    drawn = card(inside).locator(".tree .node").all_text_contents()
    data = TEXT.encode()
    nodes = [
        O200K.vocab[node.id].decode() + (f"{node.rank + 1:,}" if node.parts else f"{data[node.start]:02X}")
        for node in tree.walk()
    ]
    assert sorted(drawn) == sorted(nodes)
    rows = card(inside).locator(".step")
    steps = chunk_steps(O200K, b" newest")
    expect(rows).to_have_count(len(steps))
    for i, step in enumerate(steps):
        end = f"id {step.ids[0]:,}" if step.next is None else f"merge {step.ranks[step.next] + 1:,}"
        expect(rows.nth(i).locator(".r")).to_have_text(end)
        expect(rows.nth(i).locator(".chip")).to_have_count(len(step.ids))
        expect(rows.nth(i).locator(".go")).to_have_count(0 if step.next is None else 2)
    for i, step in enumerate(steps[:-1]):
        rows.nth(i).click()
        ranks = sorted({rank for rank in step.ranks if rank is not None})
        expect(card(inside).locator(".candidate .r")).to_have_text([f"{rank + 1:,}" for rank in ranks])
        expect(card(inside).locator(".tree .node.later")).to_have_count(6 - i)

    family = card(inside).locator(".family > li")
    found, n = children(reference_family(NAME), token.id, None)
    expect(card(inside).get_by_role("heading", name=re.compile("absorbed it"))).to_contain_text(
        f"{n:,}" if n > 1 else "token"
    )
    expect(family.locator("> .kin .token-button")).to_have_count(len(found))
    card(inside).get_by_role("button", name=re.compile("^est, id")).click()
    expect(card(inside).get_by_role("status")).to_contain_text("is not a token of this text")


def test_a_token_of_newlines_is_one_row_of_marks(inside: Page) -> None:
    replace(inside, "\n" * 8)
    view(inside, NAME).locator(".t").first.dispatch_event("click")
    unfold(inside)
    expect(card(inside).locator(".signs li")).to_have_text(["U+000A newline"])
    for chip in (card(inside).locator(".chip.big"), card(inside).locator(".step .chip").last):
        eventually(chip.bounding_box, lambda box: box and box["height"] < 60 and box["width"] > box["height"])


def test_everything_by_keyboard(inside: Page) -> None:
    token_at(inside, b"The").click()
    page = inside
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(card(page)).to_be_focused()
    expect(card(page)).to_contain_text("token 2 of")
    expect(token_at(page, b" newest")).to_have_class(re.compile(r"\bpinned\b"))
    page.keyboard.press("Tab")
    expect(card(page).get_by_role("button", name="Close")).to_be_focused()
    unfold(page)
    rows = card(page).locator(".step")
    expect(rows).to_have_count(7)
    card(page).get_by_role("button", name="From the first merge").focus()
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
    expect(view(page, NAME).locator(".pinned")).to_have_count(0)


def test_the_ribbon_shows_the_bytes_of_split_characters(inside: Page) -> None:
    choose(inside, ["cl100k_base"])
    ribbon = inside.get_by_role("list", name="Characters and their bytes")
    encoding = tokviz.reference("cl100k_base").explain(TEXT)
    data = TEXT.encode()
    token_from(view(inside, "cl100k_base"), 0).click()
    unfold(inside)
    expect(ribbon).to_have_count(0)
    for text in ["नमस्ते", "👨‍👩‍👧"]:
        first = data.index(text.encode())
        expected = []
        at = first
        token_from(view(inside, "cl100k_base"), next(t.start for t in encoding.tokens() if t.end > first)).click()
        for character in text:
            end = at + len(character.encode())
            for token in encoding.tokens():
                cells = list(range(max(at, token.start), min(end, token.end)))
                if cells:
                    expected.append([token.start, cells, str(token.id) if token.start >= at else "↩"])
            at = end
        eventually(partial(ribbon.evaluate, CELLS), expected)
    ribbon.locator(".seg").nth(3).click()
    expect(view(inside, "cl100k_base").locator(".pinned")).to_have_js_property("start", expected[3][0])


def test_a_pin_stays_as_long_as_its_text_does(inside: Page) -> None:
    pin(inside, b" lowest")
    area(inside).press("Control+Home")
    area(inside).press_sequentially("More text. ")
    answered(inside)
    expect(view(inside, NAME).locator(".pinned")).to_have_text(" lowest")
    start = f"More text. {TEXT}".encode().index(b" lowest")
    expect(card(inside)).to_contain_text(f"bytes {start} to {start + 7}")
    choose(inside, ["GPT-2", NAME])
    inside.reload()
    settled(inside)
    expect(view(inside, NAME).locator(".pinned")).to_have_text(" lowest")
    expect(view(inside, "GPT-2").locator(".pinned")).to_have_count(0)
    choose(inside, ["GPT-2"])
    pinned = view(inside, "GPT-2").locator(".pinned")
    expect(pinned).to_have_js_property("start", start)
    expect(card(inside).get_by_role("heading", level=2)).to_have_text(f"id {GPT2.encode(' lowest')[0]:,}")
    card(inside).get_by_role("button", name="Close").click()
    answered(inside)
    inside.reload()
    settled(inside)
    expect(card(inside)).to_be_hidden()
    expect(view(inside, "GPT-2").locator(".pinned")).to_have_count(0)
    view(inside, "GPT-2").locator(".t").first.click()
    expect(card(inside)).to_be_visible()
    inside.reload()
    settled(inside)
    inside.keyboard.press("Escape")
    expect(card(inside)).to_be_hidden()
    view(inside, "GPT-2").locator(".t").first.click()
    menu(inside, "Text", "Emoji", "menuitemradio")
    settled(inside)
    expect(card(inside)).to_be_hidden()


def id_of(token: bytes) -> int:
    (id,) = GPT2.encode(token.decode())
    return id


def test_from_a_token_to_the_vocabulary_and_back(page: Page) -> None:
    here = OTHERS.encode().index(b" other")
    page.goto(f"/?v=1&use=gpt2&text={OTHERS}&pin=0.{here}")
    page.get_by_role("link", name="In the vocabulary").click()

    other = page.get_by_role("region", name="Card of: space other", exact=True)
    found = in_text(GPT2, id_of(b" other"), [GPT2.explain(OTHERS)])
    fate, born = found.fate(), birth(GPT2, id_of(b" other"))
    assert born and fate.remain
    expect(other.get_by_role("heading", name=f"id {id_of(b' other'):,}")).to_be_visible()
    words = f"Made {fate.made} times, {fate.remain} remain"
    expect(other.get_by_role("heading", name=words)).to_be_visible()
    expect(other).to_contain_text(f"by merge {born.rank + 1:,} of 50,000.")
    unfold(page, other)
    expect(other).to_contain_text(f"Parents: merge {birth(GPT2, born.left).rank + 1:,}")  # type: ignore[union-attr]
    expect(other.locator(".step")).to_have_count(born.merges + 1)
    expect(page.get_by_role("link", name="Back to Tokens")).to_be_visible()
    expect(page).not_to_have_url("token=")
    expect(other.get_by_role("heading", name="tokens that absorbed it")).to_be_visible()
    settled(page)
    fits(page)
    axe(page)

    # to the right parent and to the token that absorbed it; to another that absorbed that one, and back
    other.locator(".made").get_by_role("button").last.press("Enter")
    parent = page.get_by_role("region", name="Card of: ther", exact=True)
    expect(parent).to_contain_text(f"id {born.right:,}")
    expect(parent.get_by_role("heading", name="tokens that absorbed it")).to_be_visible()
    parent.get_by_role("listitem").get_by_role("button", name="space other, id").first.click()
    expect(other.get_by_role("heading", name=words)).to_be_visible()
    other.get_by_role("listitem").get_by_role("button", name="space others, id").click()
    expect(page.get_by_role("region", name="Card of: space others", exact=True)).to_be_visible()
    page.get_by_role("region", name="Card of: space others", exact=True).locator(".made button").first.click()
    expect(other.get_by_role("heading", name=words)).to_be_visible()
    expect(other.locator(".tree")).to_be_visible()  # what was unfolded stays so

    # × and Esc close it, and what is chosen in the list comes again
    for close in (other.get_by_role("button", name="Close").click, lambda: other.press("Escape")):
        close()
        expect(other).to_have_count(0)
        expect(page.get_by_role("listbox", name="Tokens")).to_be_focused()
        page.keyboard.press("Enter")
        expect(other.get_by_role("heading", name=words)).to_be_visible()

    # a place where it was absorbed, and one where it remains: right in the bytes, and Tokens pins it there
    other.get_by_role("button", name="where it was absorbed").click()
    expect(other.locator(".taker")).to_have_count(fate.made - fate.remain)
    other.get_by_role("button", name="where it remains").click()
    places, _ = found.places(remaining=True)
    rows = other.locator("a.place-line")
    expect(rows).to_have_count(len(places))
    assert [int(text) for text in other.locator(".offset").all_inner_texts()] == [place.start for place in places]
    rows.last.click()
    pinned = page.get_by_role("region", name="Pinned token")
    expect(pinned).to_contain_text(f"bytes {places[-1].start} to {places[-1].end}")  # and not as it was left
    expect(page.get_by_role("link", name="Back to Vocabulary")).to_be_visible()

    # what the visitor pins after that stays while they look at another page
    token_from(view(page, "GPT-2"), 0).click()
    expect(pinned).to_contain_text("bytes 0 to")
    page.go_back()
    expect(other.get_by_role("heading", name=words)).to_be_visible()
    page.go_back()
    expect(pinned).to_contain_text("bytes 0 to")
    expect(area(page)).to_have_value(OTHERS)


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
        expect(page.get_by_role("region", name="Card of")).to_be_visible()
        settled(page)  # Streamlit has listeners of its own while a page comes
        page.get_by_role("link", name="Library").click()
        expect(page.get_by_test_id("stFileUploader")).to_be_visible()  # it has listeners of its own
        settled(page)
        listeners.append(page.evaluate("heard.size"))
    assert listeners[0] == listeners[1]
