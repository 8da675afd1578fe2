"""The Library page in a real browser: files are dropped, tokenizers saved, renamed and deleted, by keyboard too."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, Page, expect

import tokviz
from tests.e2e.browser import Server, axe, eventually, fits, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tokviz.formats import dump
from tokviz.formats.tokviz import loads

TOK = tokviz.train("she sells sea shells by the sea shore " * 5, 280, special_tokens=["<|end|>"], name="x").tokenizer
HOSTILE = "<img src=x onerror=alert(1)> **b** شبكة"
# As a browser does it when a file is let go over an element.
DROP = """(zone, [name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  zone.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


def drop(page: Page, name: str, data: bytes) -> None:
    settled(page)  # else the drop zone of before the last drop may still be there
    page.get_by_test_id("stFileUploaderDropzone").evaluate(DROP, [name, data.decode()])


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(
        has=page.get_by_role("rowheader", name=re.compile(rf"^{re.escape(name.strip())}(\s|$)"))
    )


def note(page: Page, words: str) -> Locator:
    return page.locator(".note").filter(has_text=words)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_files_are_dropped_and_tokenizers_kept_renamed_and_deleted(page: Page, server: Server) -> None:
    damaged = server.saved / "torn.json"
    damaged.write_bytes(b'{"format": "tokviz"')
    page.goto("/library")
    settled(page)
    expect(page.get_by_role("table", name="Tokenizers")).to_be_visible()

    # what cannot be opened is refused, and what says everything can be added
    drop(page, "notes.txt", b"To be, or not to be")
    expect(note(page, "notes.txt is text, and no tokenizer that tokviz knows.")).to_have_attribute("role", "alert")
    drop(page, "own shells.json", dump(TOK, "hf")["tokenizer.json"])
    expect(note(page, "own shells.json can be opened: Hugging Face")).to_be_visible()
    expect(note(page, "notes.txt")).to_have_count(0)
    axe(settled(page))
    page.get_by_role("button", name="Add it").click()
    expect(row(page, "own shells")).to_contain_text("gpt2")

    # a rank file asks for the pattern and the special tokens
    drop(page, "ranks.tiktoken", next(iter(dump(TOK.with_special_tokens({}), "tiktoken").values())))
    expect(note(page, "does not say which special tokens there are. Choose below.")).to_be_visible()
    add = page.get_by_role("button", name="Add it")
    expect(add).to_be_disabled()
    for label, option in (("Split pattern", "gpt2"), ("Special tokens", "There are none")):
        page.get_by_label(label).click()
        page.get_by_role("option", name=option, exact=True).click()
    expect(add).to_be_enabled()
    axe(settled(page))
    add.click()
    expect(row(page, "ranks")).to_be_visible()

    # saved by keyboard: the focus stays in the table
    row(page, "own shells").get_by_role("button", name="Save own shells").focus()
    press(page, "ArrowDown", "ArrowUp", "Enter")
    eventually(lambda: (server.saved / "own shells.json").exists(), True)
    expect(row(page, "own shells").get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("table").locator(":focus")).to_have_count(1)
    settled(page)

    # opened and renamed by keyboard
    row(page, "own shells").get_by_role("link").focus()
    press(page, "Enter")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("own shells")
    first = page.url
    assert "/library?open=saved-" in first
    settled(page).get_by_role("button", name="Rename").focus()
    press(page, "Enter")
    page.get_by_label("New name").fill(HOSTILE)
    press(page, "Tab", "Enter")
    renamed = "img src=x onerror=alert(1) b شبكة"
    expect(heading).to_have_text(renamed)
    assert not (server.saved / "own shells.json").exists()
    assert loads((server.saved / f"{renamed}.json").read_bytes()).encode("sea") == TOK.encode("sea")
    assert page.url != first
    settled(page).reload()
    expect(heading).to_have_text(renamed)
    settled(page).get_by_role("button", name="‹ Library").click()
    expect(row(page, renamed)).to_be_visible()
    settled(page).go_back()
    expect(heading).to_have_text(renamed)
    settled(page).go_forward()
    expect(row(page, renamed)).to_be_visible()

    # deleted, after the question
    settled(page)
    row(page, renamed).get_by_role("link").click()
    settled(page).get_by_role("button", name="Delete").click()
    question = page.get_by_role("dialog", name=f"Delete “{renamed}”?")
    expect(question).to_contain_text("cannot be brought back")
    question.get_by_role("button", name="Delete").click()
    expect(heading).to_have_text("Library")
    eventually(lambda: (server.saved / f"{renamed}.json").exists(), False)
    expect(row(page, renamed).get_by_role("button")).to_have_text("Save")

    # a damaged file is listed with the reason, and can be deleted
    settled(page)
    torn = row(page, "torn")
    expect(torn).to_contain_text("damaged")
    expect(torn).to_contain_text("Expecting")
    torn.get_by_role("button", name="Delete torn").click()
    page.get_by_role("dialog", name="Delete “torn”?").get_by_role("button", name="Delete").click()
    expect(torn).to_have_count(0)
    eventually(damaged.exists, False)


def test_the_library_fits_a_phone(browser: Browser, server: Server) -> None:
    names = [HOSTILE.replace("<", "").replace(">", ""), "A very long name of a tokenizer, " * 2, "نموذج عربي"]
    for name in names:
        (server.saved / f"{name}.json").write_bytes(next(iter(dump(TOK, "tokviz").values())))
    with visiting(browser, server, color_scheme="dark", **PHONE) as page:
        page.goto("/library")
        settled(page)
        for name in names:
            expect(row(page, name)).to_be_visible()
        fits(page)
        axe(page)
        assert page.evaluate(SMALLER, LEAST) == []
        row(page, names[1]).get_by_role("link").tap()
        expect(page.get_by_role("heading", level=1)).to_have_text(names[1].strip())
        expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
        fits(settled(page))
    for name in names:
        (server.saved / f"{name}.json").unlink()
