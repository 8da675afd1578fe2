"""The Tokens page in a real browser: what is chosen, the three menus, Find, the opening, and that all of it fits."""

from __future__ import annotations

import hashlib
import re

from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import Server, axe, eventually, fits, resting_box, settled, visiting
from tests.e2e.sheet import pasted
from tests.e2e.typing import (
    LINES,
    answered,
    area,
    choose,
    chosen,
    faces,
    head,
    menu,
    opened,
    panel,
    replace,
    right,
    shows,
    spans,
    view,
)
from tokviz import Tokenizer
from tokviz.catalog.references import reference
from tokviz.catalog.samples import examples
from tokviz.formats import dump
from tokviz.ui.server.visitor import FIRST_TEXT

PHONE = {"width": 390, "height": 844}


def read_as(page: Page, how: str) -> None:
    """Read special tokens as Text, Special tokens or Not allowed."""
    menu(page, "Text", how, "menuitemradio")
    page.keyboard.press("Escape")


def test_special_tokens_in_three_modes(live: Page) -> None:
    choose(live, ["GPT-2", "o200k_base"])
    text = "one\n\n<|endoftext|> two <|endofprompt|>"
    replace(live, text)
    right(live, text, "gpt2", "o200k_base")
    special = view(live, "o200k_base").locator(".sp")
    expect(special).to_have_count(0)

    read_as(live, "Special tokens")
    expect(special).to_have_text(["<|endoftext|>", "<|endofprompt|>"])
    expect(view(live, "GPT-2").locator(".sp")).to_have_text(["<|endoftext|>"])
    answered(live)
    tokens = reference("o200k_base").explain(text, allowed_special="all")
    eventually(lambda: spans(live, "o200k_base"), [(token.start, token.end) for token in tokens.tokens()])
    expect(head(live, "GPT-4o")).to_contain_text(f"{len(tokens)} tokens")
    expect(panel(live, "o200k_base")).to_contain_text("same ids as tiktoken")
    special.first.hover()
    expect(panel(live, "o200k_base")).to_contain_text("id 199,999")
    expect(panel(live, "o200k_base")).to_contain_text("special token")

    area(live).focus()
    live.keyboard.press("Control+End")
    live.keyboard.press("Backspace")  # half of a special token is text
    expect(special).to_have_count(1)
    live.keyboard.type(">")
    expect(special).to_have_count(2)
    live.reload()
    settled(live)
    expect(special).to_have_count(2)

    live.evaluate("sockets.at(-1).close()")  # asked for while there is no connection
    read_as(live, "Not allowed")
    note = live.get_by_role("status").filter(has_text="refuse")
    expect(note).to_contain_text("GPT-4o and GPT-2 refuse this text. <|endoftext|> is at byte 5, line 3.")
    expect(special).to_have_count(0)
    for title, name in (("GPT-2", "GPT-2"), ("GPT-4o", "o200k_base")):  # nor are there figures of a refused text
        expect(panel(live, name).locator(".foot")).to_contain_text("characters × refuses this text")
        expect(head(live, title).locator(".count")).to_have_text("no tokens")
    answered(live)
    right(live, text, "gpt2", "o200k_base")
    replace(live, "two <|endofprompt|>")
    expect(note).to_contain_text("GPT-4o refuses this text. <|endofprompt|> is at byte 4, line 1.")
    replace(live, "two")
    expect(note).to_have_count(0)


def test_a_model_has_its_price_and_two_models_of_one_tokenizer_share_their_box(live: Page) -> None:
    replace(live, "one two three four")
    expect(head(live, "GPT-4o").locator(".price")).to_have_text("$0.00001 in, $0.00004 out")
    expect(head(live, "GPT-4o")).to_contain_text("o200k_base, $2.50 in, $10.00 out a million tokens, context 128,000")
    choose(live, ["GPT-5", "GPT-4o", "GPT-2"])
    expect(live.get_by_text("GPT-4o and GPT-5, both o200k_base")).to_be_visible()
    expect(live.locator(".column")).to_have_count(2)
    expect(head(live, "GPT-2")).to_contain_text("open model, no price, context 1,024")
    said = live.get_by_role("status").filter(has_text="GPT-4o: 4 tokens, 0.00001 dollars as input. GPT-5: 4 tokens")
    expect(said).to_have_count(1)  # once typing rests
    view(live, "GPT-2").locator(".t").first.hover()
    expect(view(live, "o200k_base").locator(".hover")).to_have_count(1)
    expect(panel(live, "o200k_base")).to_contain_text("the same bytes")
    replace(live, "so " * 1_500)
    expect(head(live, "GPT-2")).to_contain_text(
        f"{len(reference('gpt2').encode('so ' * 1_500)) - 1_024} tokens too long"
    )
    live.reload()
    settled(live)
    assert chosen(live) == ["GPT-4o", "GPT-5", "GPT-2"]
    head(live, "GPT-5").get_by_role("button", name="Take GPT-5 away").click()
    settled(live)
    expect(live.get_by_text("both o200k_base")).to_have_count(0)


def test_the_opening_and_its_doors_go_with_the_first_key(page: Page) -> None:
    opened(page)
    opening = page.get_by_role("region", name="What a token is")
    expect(view(page, "o200k_base").locator(".pinned")).to_have_count(0)
    for door, leads_to in (("Why can’t it count the r’s?", "/learn"), ("Make your own", "/train")):
        opening.get_by_role("button", name=door).click()
        settled(page)
        expect(page).to_have_url(re.compile(f"{leads_to}$"))
        page.get_by_role("link", name="Tokens", exact=True).click()
        settled(page)
    opening.get_by_role("button", name="What does this cost?").click()
    settled(page)
    assert chosen(page) == ["GPT-5", "GPT-4o", "GPT-3.5 Turbo"]
    expect(area(page)).to_have_value(FIRST_TEXT)
    area(page).press("Control+End")
    area(page).press_sequentially(" No.")
    expect(opening).to_have_count(0)
    answered(page)
    page.get_by_role("link", name="Compare").click()
    settled(page)
    page.get_by_role("link", name="Tokens").click()
    settled(page)
    expect(area(page)).to_have_value(f"{FIRST_TEXT} No.")
    expect(opening).to_have_count(0)


def test_examples_back_and_clear(desk: Page) -> None:
    replace(desk, "my own text")
    menu(desk, "Text", "Tongue-twister", "menuitemradio")
    settled(desk)
    answered(desk)
    right(desk, next(example.text for example in examples() if example.title == "Tongue-twister"), "o200k_base")
    expect(desk.get_by_text("Tongue-twister: “th”, “ea”, “ther” come back")).to_be_visible()
    menu(desk, "Text", "Back to my text before")
    settled(desk)
    answered(desk)
    right(desk, "my own text", "o200k_base")
    button = desk.get_by_role("button", name="Text", exact=True)
    button.press("ArrowDown")
    expect(desk.get_by_role("menuitemradio", name="Mixed")).to_be_focused()
    expect(desk.get_by_role("menuitem", name="Back to my text before")).to_have_count(0)
    desk.keyboard.press("c")  # Code, then Clear the text
    desk.keyboard.press("c")
    desk.keyboard.press("Enter")
    settled(desk)
    expect(area(desk)).to_have_value("")
    expect(desk.get_by_text("No text yet. Begin with an example:")).to_be_visible()
    expect(button).to_be_focused()
    area(desk).focus()
    desk.keyboard.press("Control+z")
    answered(desk)
    right(desk, "my own text", "o200k_base")
    menu(desk, "Text", "Clear the text")
    settled(desk)
    desk.get_by_role("button", name="Emoji", exact=True).click()
    settled(desk)
    answered(desk)
    right(desk, next(example.text for example in examples() if example.title == "Emoji"), "o200k_base")


def test_what_view_shows_is_remembered_and_share_has_the_ids(page: Page) -> None:
    opened(page)
    replace(page, "two words")
    faces(page, "Ids")
    shows(page, "Figures under the tokens", on=False)
    shows(page, "White space", on=False)
    page.reload()
    settled(page)
    first, second = reference("o200k_base").encode("two words")
    marks = view(page, "o200k_base").locator("[data-m]")
    expect(marks.first).to_have_attribute("data-m", str(first))
    expect(view(page, "o200k_base")).to_have_class(re.compile("unmarked"))
    expect(page.get_by_text("9 bytes")).to_be_hidden()
    choose(page, ["o200k_base", "GPT-2"])
    expect(view(page, "GPT-2").locator("[data-m]").first).to_have_attribute(
        "data-m", str(reference("gpt2").encode("two")[0])
    )
    menu(page, "Share", "Copy ids")
    expect(page.get_by_text("2 ids copied.")).to_be_visible()
    expect(page.get_by_role("menu", name="Share")).to_be_hidden()
    page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), {ariaLabel: 'Paste here'}))")
    eventually(lambda: pasted(page), f"{first} {second}")
    menu(page, "Share", "GPT-2", "menuitemradio")
    menu(page, "Share", "Copy ids as a Python list")
    eventually(lambda: pasted(page), str(reference("gpt2").encode("two words")))


def test_a_text_is_found_wherever_it_begins_and_ends_and_a_token_by_its_id(desk: Page) -> None:
    replace(desk, "the cat, The dog, the\ncrumbs end\tनम नम 👩‍👧 1+1")
    area(desk).blur()
    desk.keyboard.press("/")
    field = desk.get_by_label("Find a token")
    expect(field).to_be_focused()
    found = view(desk, "o200k_base").locator(".found")
    now = view(desk, "o200k_base").locator(".now")

    def finds(query: str, said: str, tokens: int) -> None:
        field.fill(query)
        expect(desk.locator("[role=status]").get_by_text(said, exact=True)).to_be_visible()
        expect(found).to_have_count(tokens)

    finds("the", "3 found", 3)  # in any case
    finds("The", "1 found", 1)
    finds(" the", "2 found", 2)
    field.press("Enter")
    expect(desk.get_by_text("1 of 2", exact=True)).to_be_visible()
    field.press("Enter")
    expect(desk.get_by_text("2 of 2", exact=True)).to_be_visible()
    expect(now).to_have_js_property("start", 17)
    field.press("Shift+Enter")
    expect(desk.get_by_text("1 of 2", exact=True)).to_be_visible()
    desk.get_by_role("button", name="Next place").click()
    expect(now).to_have_js_property("start", 17)
    finds("crumbs", "1 found, in 2 tokens together", 2)
    field.press("Enter")
    expect(desk.get_by_text("1 of 1, in 2 tokens together", exact=True)).to_be_visible()
    expect(now).to_have_count(2)
    finds("नम", "2 found", 3)
    finds("👧", "1 found, in 2 tokens together", 2)
    finds("↵cr", "1 found, in 2 tokens together", 2)
    finds("d\\t", "1 found, in 2 tokens together", 2)
    finds("1+1", "1 found, in 3 tokens together", 3)
    finds(str(reference("o200k_base").encode(",")[0]), "2 found", 2)
    finds("nowhere", "not found", 0)
    expect(desk.get_by_role("button", name="Next place")).to_be_disabled()
    finds("the", "3 found", 3)
    field.press("Escape")
    expect(field).to_have_count(0)
    expect(found).to_have_count(0)


def test_all_of_it_by_keyboard(live: Page) -> None:
    replace(live, "one two three")
    expect(panel(live, "o200k_base")).to_contain_text("same ids as tiktoken")  # nothing on the page moves then
    shows(live, "Vocabulary size", on=True)
    live.get_by_role("button", name="Add a tokenizer").focus()
    reached = []
    for _ in range(13):
        reached.append(
            live.evaluate(
                """() => { let e = document.activeElement;
                  while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
                  return e.getAttribute("aria-label") || e.id || e.title || e.textContent }"""
            )
        )
        live.keyboard.press("Tab")
    size = "Vocabulary size, as a number"
    token = next(name for name in reached if name.startswith("one, id"))  # one tab stop a view
    order = ["Add a tokenizer", "Text", "View", "Share", "text", "Tokenizer: GPT-4o", token, size]
    assert [name for name in reached if name in order] == order, reached
    size = live.get_by_label("Vocabulary size, log scale")
    size.press("Home")
    expect(head(live, "GPT-4o")).to_contain_text("13 tokens")
    size.press("End")
    expect(head(live, "GPT-4o")).to_contain_text("3 tokens")
    live.get_by_role("button", name="Share", exact=True).press("ArrowDown")
    for _ in range(2):
        live.keyboard.press("ArrowDown")
    live.keyboard.press("Enter")
    expect(live.get_by_text("Link copied.")).to_be_visible()
    view(live, "o200k_base").locator("[tabindex='0']").focus()
    named = live.locator(".inside .card")
    live.keyboard.press("ArrowRight")
    expect(named).to_contain_text("token 2 of 3")
    live.keyboard.press("End")
    expect(named).to_contain_text("token 3 of 3")


def test_it_fits_and_is_accessible_while_it_is_used(browser: Browser, server: Server) -> None:
    with visiting(browser, server, viewport=PHONE) as page:
        opened(page)
        axe(page)
        replace(page, LINES)
        view(page, "o200k_base").locator(".t").first.click()
        page.get_by_role("button", name="All its merges").click()
        expect(page.get_by_role("region", name="Pinned token").locator(".step")).not_to_have_count(0)
        area(page).focus()
        shows(page, "Find a token", on=True)
        shows(page, "Vocabulary size", on=True)
        page.get_by_label("Find a token").fill("a")
        page.get_by_label("Find a token").press("Enter")
        answered(page)
        view(page, "o200k_base").locator(".t").first.click()
        expect(page.get_by_role("region", name="Pinned token")).to_be_in_viewport()
        for scheme, width in (("light", 390), ("dark", 1920)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 844})
            expect(page.locator(f'[data-theme="{scheme}"]').first).to_be_attached()
            axe(settled(page))
            fits(page)
            for name in ("Text", "View", "Share"):
                page.get_by_role("button", name=name, exact=True).press("ArrowDown")
                axe(page)
                fits(page)
                page.keyboard.press("Escape")
        choose(page, ["o200k_base", "GPT-2", "cl100k_base"])
        for width, columns in ((1920, 3), (1280, 2), (390, 1)):
            page.set_viewport_size({"width": width, "height": 844})
            boxes = [resting_box(panel(page, name)) for name in ("o200k_base", "GPT-2", "cl100k_base")]
            assert len({box["x"] for box in boxes}) == columns
            fits(page)
            axe(page)


def test_added_tokens_are_cut_in_all_three_modes_and_named_so(page: Page, server: Server) -> None:
    tok = Tokenizer("thinks", [(97, 98)], special_tokens={"<s>": 300}, added_tokens={"<think>": 301, "    ": 302})
    (data,) = dump(tok, "tokviz").values()
    file = server.saved / "thinks.json"
    file.write_bytes(data)
    opened(page, f"/?v=1&use={hashlib.sha256(data).hexdigest()}&text=x")
    file.unlink()
    text = "ab<think>    <s>"
    replace(page, text)
    cut = view(page, "thinks").locator(".sp")
    expect(cut).to_have_text(["<think>", "    "])
    cut.first.click()
    pinned = page.get_by_role("region", name=re.compile("^Pinned token"))
    expect(pinned).to_contain_text("id 301")
    expect(pinned).to_contain_text("This is an added token: it is cut out of a text before any merge.")
    read_as(page, "Special tokens")
    expect(cut).to_have_text(["<think>", "    ", "<s>"])
    read_as(page, "Not allowed")
    expect(page.get_by_role("status").filter(has_text="refuse")).to_contain_text("<s> is at byte 13, line 1.")
    expect(cut).to_have_text(["<think>", "    "])
    area(page).focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("<think")
    expect(cut).to_have_count(2)
    page.keyboard.type(">")
    expect(cut).to_have_count(3)

    page.goto("/compare")  # whose ruler compares the same text
    settled(page)
    expect(page.locator(".why")).to_contain_text("<think> is an added token, which is taken out before any merge.")


def test_what_is_chosen_quickly_is_all_done_and_the_card_stays_beside_its_token(page: Page) -> None:
    opened(page)
    choose(page, ["o200k_base", "GPT-2", "cl100k_base"])
    view(page, "o200k_base").locator(".t").nth(2).click()
    for title in ("GPT-2", "GPT-4"):  # the second does not wait for the first
        page.get_by_role("button", name=f"Take {title} away").click()
    expect(page.locator(".model-head")).to_have_count(1)
    card = page.get_by_role("region", name=re.compile("^Pinned token"))
    expect(card).to_be_in_viewport()
    replace(page, "word " * 400)
    token = view(page, "o200k_base").locator(".t").nth(250)
    token.scroll_into_view_if_needed()
    token.click()
    expect(card).to_be_in_viewport(ratio=0.9)
