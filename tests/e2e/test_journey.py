"""One person's whole way through tokviz, as it is installed: without a checkout, and without a network."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.benchmarks.corpora import english_and_code
from tests.e2e.browser import Server, serving, settled, visiting
from tests.e2e.typing import MODELS, head, panel, pick
from tests.installed import EXTRAS, built, installed
from tokviz.catalog.references import reference
from tokviz.formats.tokviz import loads

PASTED = "नमस्ते 👨‍👩‍👧 family, naïve café <|endoftext|> 1,234,567"
OWN = "manual 1,256"
MERGES = 1_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app as `tokviz app` of the wheel starts it, in a folder with the settings of another app."""
    wheel = built(tmp_path_factory.mktemp("wheel"))
    commands = installed(wheel, tmp_path_factory.mktemp("installed"), EXTRAS["app"], extra="[app]")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / ".streamlit").mkdir()
    (elsewhere / ".streamlit" / "config.toml").write_text('[server]\naddress = "0.0.0.0"\n', "utf-8")
    with serving(start=(commands / "tokviz", "app", "--no-open"), root=elsewhere) as server:
        yield server


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    with visiting(browser, server) as page:
        yield page


def upload(page: Page, name: str, data: bytes) -> None:
    page.locator('input[type="file"]').first.set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})


def player(page: Page) -> Locator:
    return page.locator("[data-step]")


def at_step(page: Page, step: int) -> None:
    expect(player(page)).to_have_attribute("data-step", str(step))


def paste(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Text", exact=True).fill(text)
    tokens = len(reference("o200k_base").encode_ordinary(text))
    expect(panel(page, "o200k_base").locator(".t")).to_have_count(tokens)


def test_the_whole_loop(page: Page, server: Server) -> None:
    text = english_and_code(1_000_000)
    page.goto("/train")
    settled(page)

    # train
    upload(page, "manual.txt", text.encode())
    expect(page.get_by_text(f"{len(text.encode()):,} bytes · ")).to_be_visible()
    size = page.get_by_label("Vocabulary size")
    size.fill(str(256 + MERGES))
    size.press("Enter")
    expect(page.get_by_text("256 bytes and 1,000 merges")).to_be_visible()
    page.get_by_role("button", name="Train", exact=True).click()
    replay = page.get_by_role("button", name="Replay the merges")
    expect(replay).to_be_visible()
    trained = page.get_by_text(f"{OWN} is trained: 1,000 merges make")
    expect(trained).to_be_visible()

    # save
    page.get_by_role("button", name="Keep in the library").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved as")).not_to_have_count(0)
    saved = loads((server.saved / f"{OWN}.json").read_bytes())
    assert saved.vocab_size == 256 + MERGES

    # step, back, scrub
    replay.click()
    at_step(page, 0)
    settled(page)
    page.get_by_role("button", name="Speed and more").click()
    page.get_by_role("menuitemradio", name="Every merge").click()
    page.keyboard.press("Escape")
    page.locator(".player").focus()
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    at_step(page, 40)
    page.keyboard.press("ArrowLeft")
    at_step(page, 39)
    scrubber = page.locator('.player input[type="range"]')
    scrubber.fill("500")
    at_step(page, 500)
    page.locator(".player").focus()
    page.keyboard.press("End")
    at_step(page, MERGES)
    page.keyboard.press("Home")
    at_step(page, 0)
    page.keyboard.press("PageDown")
    page.keyboard.press("Shift+ArrowRight")
    at_step(page, 110)
    expect(page.locator(".spoken")).to_contain_text("Done, merge 110")  # said when the server is told of it
    settled(page)

    # paste
    page.get_by_role("link", name="Tokens").click()
    settled(page)
    paste(page, PASTED)
    for title in ("GPT-2", "GPT-4"):
        pick(page, page.get_by_role("button", name="Add a tokenizer"), title)
    for name, title in (("gpt2", "GPT-2"), ("cl100k_base", "cl100k_base"), ("o200k_base", "o200k_base")):
        tokens = len(reference(name).encode_ordinary(PASTED))
        expect(head(page, MODELS.get(title, title))).to_contain_text(f"{tokens:,} tokens")
        expect(panel(page, title).locator(".t")).to_have_count(tokens)
        expect(panel(page, title)).to_contain_text("same ids as tiktoken")
    own = len(saved.encode_ordinary(PASTED))
    expect(panel(page, OWN).locator(".t")).to_have_count(own)

    # compare
    page.get_by_role("link", name="Compare").click()
    settled(page)
    expect(panel(page, OWN).locator(".t")).to_have_count(own)
    expect(page.get_by_role("heading", name="needs the fewest tokens")).to_be_visible()

    # reload: everything is there
    page.reload()
    settled(page)
    expect(panel(page, OWN).locator(".t")).to_have_count(own)
    page.goto("/replay")
    settled(page)
    at_step(page, 110)
    page.goto("/")
    settled(page)
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value(PASTED)
    expect(panel(page, "GPT-2")).to_be_visible()
    page.goto("/train")
    settled(page)
    expect(page.get_by_label("Vocabulary size")).to_have_value(f"{256 + MERGES:,}")
    expect(page.get_by_text("manual.txt")).to_be_visible()
    expect(trained).to_be_visible()

    # remove it, and load it again from the library
    question = page.get_by_role("dialog", name=f"Remove “{OWN}”")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(question).to_contain_text("It stays in the library")
    question.get_by_role("button", name="Remove").click()
    expect(trained).to_have_count(0)
    page.get_by_role("link", name="Library").click()
    settled(page).get_by_role("link", name=OWN).click()
    page.get_by_role("button", name="Use on every page").click()
    expect(page.get_by_role("button", name="Remove from this session")).to_be_visible()
    settled(page).get_by_role("button", name="tiktoken ranks").click()
    page.get_by_role("button", name="Prove it").click()
    expect(page.get_by_text("✓ tiktoken 0.14")).to_contain_text("reloaded it")
    settled(page).get_by_role("link", name="Train").click()
    expect(page.get_by_text(f"{OWN} is here: 1,000 merges make")).to_be_visible()
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    model = json.loads(download.value.path().read_bytes())
    assert (model["format"], len(model["merges"]), len(model["history"]["count"])) == ("tokviz", MERGES, MERGES)
    (server.saved / f"{OWN}.json").unlink()


def test_the_rest_of_the_tour(page: Page) -> None:
    page.goto("/vocabulary")
    settled(page)
    page.get_by_role("searchbox").fill("every")
    expect(page.get_by_role("status").filter(has_text="25 of 199,998 tokens")).to_be_visible()
    page.goto("/learn")
    settled(page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("link", name="Teach a class").click()
    settled(page)
    expect(page.get_by_text("tokviz app --shared").first).to_be_visible()
    page.get_by_role("button", name="Open a room").click()
    expect(page.locator(".join-words .room-code")).to_be_visible()


@pytest.mark.skipif(os.name == "nt", reason="a test cannot press Ctrl+C for another process there")
def test_ctrl_c_ends_it_without_a_word(server: Server) -> None:
    """The last of this file: the server is gone then."""
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(60) == 130
    assert re.fullmatch(r"\s*tokviz is at http://127\.0\.0\.1:\d+\s*", server.log.read_text())
