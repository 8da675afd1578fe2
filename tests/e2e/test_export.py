"""An export with its proof, and special tokens by hand, in a real browser: by keyboard, on a phone, in both themes."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

import tokviz
from tests.e2e.browser import Server, axe, fits, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tokviz import Tokenizer
from tokviz.catalog.samples import sample
from tokviz.formats import dump
from tokviz.ui.library.entries import key_of_saved


def saved(server: Server, name: str) -> Tokenizer:
    """A tokenizer in the library."""
    text = sample("tongue").text
    tok = tokviz.train(text, 300, special_tokens=["<|end|>"], name=name).tokenizer
    tok.save(server.saved / f"{name}.json")
    return tok


def opened(page: Page, name: str) -> None:
    page.goto(f"/library?open={key_of_saved(name)}")
    expect(page.get_by_role("button", name="Prove it")).to_be_enabled()
    settled(page)


def press(page: Page, name: str) -> None:
    """A button, by keyboard."""
    page.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("Enter")


def write(page: Page, text: str) -> None:
    """The special tokens."""
    page.get_by_label("One per line").fill(text)
    page.keyboard.press("Control+Enter")
    settled(page)


def test_an_export_is_proved_and_special_tokens_are_changed_by_keyboard(page: Page, server: Server) -> None:
    saved(server, "exported")
    opened(page, "exported")
    file = server.saved / "exported.json"
    before = file.read_bytes()

    # the format is chosen by key, and its files are proved and taken along
    page.get_by_role("button", name="tiktoken ranks").press("Enter")
    expect(page.get_by_role("button", name="tiktoken ranks", pressed=True)).to_be_focused()
    expect(page.get_by_text("not proved yet")).to_be_visible()
    expect(page.get_by_text('Path("exported.tiktoken")')).to_be_visible()
    press(page, "Prove it")
    expect(page.get_by_text("✓ tiktoken 0.14")).to_contain_text("reloaded it")
    page.get_by_text("The evidence").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("exported.tiktoken, sha256")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="GPT-2").press("Enter")
    expect(page.get_by_text("not proved yet")).to_be_visible()
    with page.expect_download() as taken:
        press(page, "Download exported-gpt2.zip")
    assert taken.value.suggested_filename == "exported-gpt2.zip"
    assert len(Path(taken.value.path()).read_bytes()) > 1_000
    expect(page.get_by_text("not proved yet")).to_be_visible()
    press(page, "Prove it")
    expect(page.get_by_text("✓ tokenizers")).to_contain_text("reloaded it")

    # a special token by hand: a collision is named under the lines, and nothing can be saved
    write(page, "<|end|> 300\n<|user|> 299")
    fault = page.get_by_text("× The id 299 is taken by the token")
    expect(fault).to_contain_text("which merge 44 makes. The next free id is 301.")
    press(page, "Save the change")
    expect(page.get_by_role("alert").filter(has_text="Nothing is saved.")).to_be_visible()
    axe(page)
    write(page, "<|end|> 300\n<|user|>")
    expect(fault).to_have_count(0)

    # a change that is saved is a new one
    press(page, "Save the change")
    expect(page.get_by_text("“exported” has the change.")).to_be_visible()
    assert re.search(r"open=[0-9a-f]{64}$", page.url), "an own tokenizer is named by what it is"
    assert file.read_bytes() == before


def test_on_a_phone_in_the_dark(browser: Browser, server: Server) -> None:
    tok = saved(server, "on a phone")
    with visiting(browser, server, **PHONE, color_scheme="dark") as page:
        opened(page, "on a phone")
        fits(page)
        axe(page)
        assert page.evaluate(SMALLER, LEAST) == []
        page.get_by_text("tiktoken ranks").tap()
        settled(page)
        with page.expect_download() as taken:
            page.get_by_role("button", name="Download on_a_phone.tiktoken").tap()
        assert Path(taken.value.path()).read_bytes() == dump(tok, "tiktoken")["on_a_phone.tiktoken"]
        expect(page.get_by_label("One per line")).to_have_value("<|end|> 300")
        fits(settled(page))
