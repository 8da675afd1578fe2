"""The choice of a tokenizer on Tokens: by its names, with the keyboard alone, and on a phone."""

from __future__ import annotations

from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.browser import Server, axe, fits, settled, visiting
from tests.e2e.typing import choose, pick, replace, view


def opener(page: Page, name: str = "GPT-4o") -> Locator:
    return page.get_by_role("button", name=f"Tokenizer: {name}", exact=True)


def search(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Model or tokenizer")


def options(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Models and tokenizers").get_by_role("option")


def opened(page: Page) -> Page:
    page.goto("/")
    settled(page)
    opener(page).click()
    expect(options(page)).to_have_count(6)
    return page


# What a person types -> the first model that the list shows, and the sentence above the list.
SEARCHES = {
    "gpt4o": ("GPT-4o", ""),
    "4 turbo": ("GPT-4 Turbo", ""),
    "cl100k_base": ("GPT-4", ""),
    "gpt-4o-2024-08": ("Add: gpt-4o-2024-08", ""),
    "text-davinci-003": ("text-davinci-003", ""),
    "claude op": ("Claude Opus 5.5", ""),
    "gtp-4o": ("GPT-4o", "No model of that name. Near: gpt-4o"),
}


def test_a_search_finds_models_by_each_of_their_names(typed_in: Page) -> None:
    page = opened(typed_in)
    for typed, (first, said) in SEARCHES.items():
        search(page).fill(typed)
        expect(page.locator(".chooser-says")).to_have_text(said)
        expect(options(page).first).to_contain_text(first)
    search(page).fill("<>")
    expect(page.locator(".chooser-says")).to_have_text("No model of that name.")
    expect(options(page)).to_have_count(0)
    search(page).press("Escape")
    expect(opener(page)).to_be_focused()


def test_the_keyboard_alone_chooses_adds_and_takes_away(page: Page) -> None:
    opened(page)
    expect(search(page)).to_be_focused()
    expect(options(page).first).to_have_attribute("aria-selected", "true")
    search(page).press("End")
    expect(options(page).last).to_have_text("36 more models")
    expect(options(page).last).to_be_focused()
    page.keyboard.press("Enter")
    expect(options(page).nth(5)).to_be_focused()
    expect(options(page)).to_have_count(41)
    axe(page)
    search(page).fill("claude opus")
    expect(options(page).first).to_contain_text("tokenizer not public")
    search(page).press("Enter")  # it cannot be chosen
    search(page).fill("gpt-4")
    search(page).press("Enter")
    expect(opener(page, "GPT-4")).to_be_focused()
    expect(page.get_by_role("region", name="Tokens of cl100k_base")).to_be_visible()
    pick(page, page.get_by_role("button", name="Add a tokenizer"), "gpt-3.5-turbo")
    expect(opener(page, "GPT-3.5 Turbo")).to_be_visible()
    expect(page.get_by_role("region", name="Tokens of ")).to_have_count(1)  # the tokenizer of both
    page.reload()
    settled(page)
    page.get_by_role("button", name="Take GPT-4 away").press("Enter")
    expect(opener(page, "GPT-4")).to_have_count(0)
    expect(page.get_by_role("button", name="Take ")).to_have_count(0)


def test_a_box_stays_where_it_was_scrolled_to_when_another_tokenizer_is_changed(live: Page) -> None:
    choose(live, ["o200k_base", "GPT-2"])
    replace(live, "the quick brown fox\n" * 300)
    box = view(live, "GPT-2")
    box.evaluate("box => { box.scrollTop = 3000; }")
    pick(live, opener(live, "GPT-4o"), "gpt-4")
    expect(view(live, "cl100k_base").locator(".t").first).to_be_visible()
    assert box.evaluate("box => box.scrollTop") == 3000


def test_on_a_phone_it_is_a_sheet_that_keeps_the_focus(browser: Browser, server: Server) -> None:
    with visiting(browser, server, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as page:
        opened(page)
        sheet = page.get_by_role("dialog", name="Choose a tokenizer")
        expect(search(page)).not_to_be_focused()  # so that no keyboard hides the models
        box = sheet.bounding_box()
        assert box and (box["x"], box["width"], box["y"] + box["height"]) == (0, 390, 844)
        for one in [
            *options(page).all(),
            search(page),
            sheet.get_by_role("button", name="Close"),
            sheet.get_by_text("Sources"),
        ]:
            size = one.bounding_box()
            assert size and size["height"] >= 44
        fits(page)
        axe(page)
        library = sheet.get_by_role("link", name="Open a file in the library")
        library.press("Tab")
        expect(sheet.get_by_role("button", name="Close")).to_be_focused()
        page.keyboard.press("Shift+Tab")
        expect(library).to_be_focused()
        sheet.get_by_text("Sources").click()
        expect(sheet.get_by_role("link", name="genai-prices 0.2.3").first).to_be_visible()
        options(page).filter(has_text="GPT-5").tap()
        expect(sheet).to_have_count(0)
        expect(opener(page, "GPT-5")).to_be_visible()
