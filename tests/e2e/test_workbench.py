"""What stands round the text on the Tokens page, in a real browser: special tokens, numbers, examples, the search."""

from __future__ import annotations

import hashlib
import re

from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import Server, axe, eventually, fits, resting_box, settled, visiting
from tests.e2e.typing import LINES, answered, area, choose, opened, panel, replace, right, spans, view
from tokviz import Tokenizer
from tokviz.catalog.references import reference
from tokviz.catalog.samples import examples
from tokviz.formats import dump


def all_is_told(page: Page, *names: str) -> None:
    """Wait until the server has said all that it has to say of the text: nothing on the page moves then."""
    for name in names:
        expect(panel(page, name)).to_contain_text("same ids as tiktoken")


def test_special_tokens_in_three_modes(live: Page) -> None:
    choose(live, ["GPT-2", "o200k_base"])
    text = "one\n\n<|endoftext|> two <|endofprompt|>"
    replace(live, text)
    right(live, text, "gpt2", "o200k_base")
    special = view(live, "o200k_base").locator(".sp")
    expect(special).to_have_count(0)

    live.get_by_role("button", name="Special tokens: as text").click()
    live.get_by_role("button", name="As special", exact=True).click()
    expect(special).to_have_text(["<|endoftext|>", "<|endofprompt|>"])
    expect(view(live, "GPT-2").locator(".sp")).to_have_text(["<|endoftext|>"])
    answered(live)
    tokens = reference("o200k_base").explain(text, allowed_special="all")
    eventually(lambda: spans(live, "o200k_base"), [(token.start, token.end) for token in tokens.tokens()])
    expect(panel(live, "o200k_base")).to_contain_text(f"{len(tokens)} tokens")
    expect(panel(live, "o200k_base")).to_contain_text("same ids as tiktoken")
    special.first.click()
    expect(panel(live, "o200k_base")).to_contain_text("id 199,999")
    expect(live.get_by_text("special token", exact=True).first).to_be_visible()

    area(live).focus()
    live.keyboard.press("Control+End")
    live.keyboard.press("Backspace")  # half of a special token is text
    expect(special).to_have_count(1)
    live.keyboard.type(">")
    expect(special).to_have_count(2)
    live.reload()
    settled(live)
    expect(live.get_by_role("button", name="As special", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(special).to_have_count(2)

    live.evaluate("sockets.at(-1).close()")  # asked for while there is no connection
    live.get_by_role("button", name="Refuse").click()
    note = live.get_by_role("status").filter(has_text="refuse")
    expect(note).to_contain_text("GPT-2 and o200k_base refuse this text. <|endoftext|> is at byte 5, line 3.")
    expect(special).to_have_count(0)
    for name in ("GPT-2", "o200k_base"):  # nor are there figures of a refused text
        expect(panel(live, name).locator(".head")).to_contain_text("characters × refuses this text")
        expect(panel(live, name).locator(".head")).not_to_contain_text("token")
    expect(live.get_by_role("row", name=re.compile("^tokens ")).get_by_role("cell")).to_have_text(["–"] * 4)
    answered(live)
    right(live, text, "gpt2", "o200k_base")
    replace(live, "two <|endofprompt|>")
    expect(note).to_contain_text("o200k_base refuses this text. <|endofprompt|> is at byte 4, line 1.")
    replace(live, "two")
    expect(note).to_have_count(0)


def test_the_numbers_follow_when_typing_rests(live: Page) -> None:
    replace(live, "one two three")
    numbers = live.get_by_role("region", name="Numbers")
    expect(numbers).to_contain_text("3 words 1.00 tokens per word")
    area(live).press("End")
    area(live).press_sequentially(" four")
    expect(numbers).to_contain_text("4 words")
    choose(live, ["GPT-4"])
    expect(numbers).to_contain_text("GPT-4 $0.00012 as input, $0.00024 as output · 0.05 % of its context window")
    choose(live, ["GPT-2", "o200k_base"])
    expect(numbers).to_contain_text("GPT-2 open model, no price · 0.39 % of its context window")
    answered(live)
    expect(numbers.get_by_role("row").nth(1)).to_have_text("tokens44")
    live.reload()
    settled(live)
    size = live.get_by_label("Vocabulary size, log scale")
    size.press("Home")  # the bytes
    expect(numbers.get_by_role("row").nth(1)).to_have_text("tokens1818")
    expect(numbers).to_contain_text("GPT-4o $0.000045 as input, $0.00018 as output")


def test_examples_back_and_clear(desk: Page) -> None:
    replace(desk, "my own text")
    more = desk.get_by_role("button", name="More", exact=True)
    more.press("Enter")
    desk.get_by_role("button", name="unforgettable").press("ArrowUp")
    desk.keyboard.press("Escape")
    expect(more).to_be_focused()
    more.press("Enter")
    desk.get_by_role("button", name="Tongue-twister").press("Enter")
    settled(desk)
    answered(desk)
    right(desk, next(example.text for example in examples() if example.title == "Tongue-twister"), "o200k_base")
    expect(more).to_have_attribute("aria-pressed", "true")
    expect(more).to_be_focused()
    expect(desk.get_by_text("Tongue-twister: “th”, “ea”, “ther” come back")).to_be_visible()
    desk.get_by_role("button", name="Back to your text").click()
    settled(desk)
    answered(desk)
    right(desk, "my own text", "o200k_base")
    expect(desk.get_by_role("button", name="Back to your text")).to_have_count(0)
    desk.get_by_role("button", name="Clear").click()
    settled(desk)
    expect(area(desk)).to_have_value("")
    expect(desk.get_by_role("heading", name="No text yet")).to_be_visible()
    expect(desk.get_by_role("button", name="Clear")).to_be_disabled()
    expect(area(desk)).to_be_focused()
    desk.keyboard.press("Control+z")
    answered(desk)
    right(desk, "my own text", "o200k_base")


def test_a_text_is_found_wherever_it_begins_and_ends_and_a_token_by_its_id(desk: Page) -> None:
    replace(desk, "the cat, The dog, the\ncrumbs end\tनम नम 👩‍👧 1+1")
    field = desk.get_by_label("Find a token")
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
    finds("नम", "2 found, 1 of them in 2 tokens together", 3)
    finds("👧", "1 found, in 2 tokens together", 2)
    finds("↵cr", "1 found, in 2 tokens together", 2)
    finds("d\\t", "1 found, in 2 tokens together", 2)
    finds("1+1", "1 found, in 3 tokens together", 3)
    finds(str(reference("o200k_base").encode(",")[0]), "2 found", 2)
    finds("nowhere", "not found", 0)
    expect(desk.get_by_role("button", name="Next place")).to_be_disabled()
    field.fill("")
    expect(found).to_have_count(0)


def test_all_of_it_by_keyboard(live: Page) -> None:
    replace(live, "one two three")
    all_is_told(live, "o200k_base")
    area(live).focus()
    live.keyboard.press("Tab")
    reached = []
    for _ in range(18):
        reached.append(
            live.evaluate(
                """() => { let e = document.activeElement;
                  while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
                  return e.getAttribute("aria-label") || e.id || e.textContent }"""
            )
        )
        live.keyboard.press("Tab")
    assert {"Mixed", "Languages", "More", "Find a token", "Vocabulary size, log scale", "Text"} <= set(reached), reached
    live.get_by_role("toolbar").get_by_role("button", name="Text").focus()  # one stop for all of these
    for name in ("Ids", "Bytes", "Table", "Whitespace", "Chunks", "Copy or save"):
        live.keyboard.press("ArrowRight")
        expect(live.get_by_role("toolbar").get_by_role("button", name=name)).to_be_focused()
    size = live.get_by_label("Vocabulary size, log scale")
    size.press("Home")
    expect(panel(live, "o200k_base")).to_contain_text("13 tokens")
    size.press("End")
    expect(panel(live, "o200k_base")).to_contain_text("3 tokens")
    live.get_by_role("button", name="Copy link").press("Enter")
    expect(live.get_by_text("Link copied.")).to_be_visible()
    token = next(name for name in reached if name.startswith("one, id"))
    assert reached.count(token) == 1, "one tab stop a view"
    view(live, "o200k_base").locator("[tabindex='0']").focus()
    live.keyboard.press("ArrowRight")
    expect(panel(live, "o200k_base")).to_contain_text("token 2 of 3")
    live.keyboard.press("End")
    expect(panel(live, "o200k_base")).to_contain_text("token 3 of 3")


def test_pointing_at_a_token_marks_its_bytes_under_the_other_tokenizers(desk: Page) -> None:
    choose(desk, ["GPT-2", "o200k_base"])
    replace(desk, "tokenizers")
    all_is_told(desk, "GPT-2", "o200k_base")
    view(desk, "GPT-2").locator(".t").first.hover()
    expect(view(desk, "o200k_base").locator(".hover")).to_have_count(1)
    expect(panel(desk, "o200k_base")).to_contain_text("the same bytes")


def test_it_fits_and_is_accessible_while_it_is_used(browser: Browser, server: Server) -> None:
    with visiting(browser, server, viewport={"width": 390, "height": 844}) as page:
        opened(page)
        replace(page, LINES)
        view(page, "o200k_base").locator(".t").first.click()
        expect(page.get_by_role("region", name="Pinned token").locator(".step")).not_to_have_count(0)
        area(page).focus()
        page.get_by_label("Find a token").fill("a")
        page.get_by_label("Find a token").press("Enter")
        answered(page)
        for scheme, width in (("light", 390), ("dark", 1920)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 844})
            expect(page.locator(f'[data-theme="{scheme}"]').first).to_be_attached()
            axe(settled(page))
            fits(page)
            text, tokens = resting_box(area(page)), resting_box(view(page, "o200k_base"))
            is_below = text["y"] + text["height"] <= tokens["y"]
            assert is_below == (width == 390), "beside the text, or below it on a phone"


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
    expect(panel(page, "thinks")).to_contain_text("id 301")
    expect(page.get_by_text("added token", exact=True).first).to_be_visible()
    pinned = page.get_by_role("region", name=re.compile("^Pinned token"))
    expect(pinned).to_contain_text("is an added token: it is cut out of the text before any merge.")
    page.get_by_role("button", name="Special tokens: as text").click()
    page.get_by_role("button", name="As special", exact=True).click()
    expect(cut).to_have_text(["<think>", "    ", "<s>"])
    page.get_by_role("button", name="Refuse").click()
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
    expect(page.locator(".why")).to_contain_text("<think> is an added token of thinks.")
    expect(page.locator(".why .kind", has_text="added token").first).to_be_visible()
