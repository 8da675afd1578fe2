"""Huge texts and hostile files: the page and the server go on, and what is saved of them is opened without a server.

All of it is long: see `test_hostile.py`.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.browser import Server, Window, fits, settled
from tests.e2e.hostile import TAKEN, held, inert, put, settle, turn
from tests.hostile import FAMILIES, HOST, HUGE, texts
from tests.waiting import PATIENCE_S
from tokviz.base.text import clean
from tokviz.base.wording import tidy_name
from tokviz.ui.server import limits

pytestmark = pytest.mark.long

# Notes how long the browser is busy with one thing, in ms: it draws nothing meanwhile.
LONGEST = """
window.longest = 0;
new PerformanceObserver((all) => {
  for (const { duration } of all.getEntries()) window.longest = Math.max(window.longest, duration);
}).observe({ type: "longtask" });
"""
WORD = "oneword漢" * 500_000  # 5 MB


@contextmanager
def noting_longest(page: Page, what: str) -> Iterator[None]:
    """Print the browser's longest task (`-s` shows it)."""
    page.evaluate("window.longest = 0")
    yield
    longest = page.evaluate("new Promise((done) => setTimeout(() => done(window.longest), 300))")
    print(f"{what}: longest task {longest:,.0f} ms")


def answers(server: Server) -> None:
    with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=PATIENCE_S) as answer:
        assert answer.read() == b"ok"


@pytest.fixture
def page(trapped: Window) -> Iterator[Page]:
    with trapped.visit() as page:
        page.add_init_script(LONGEST)
        yield page


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_text_on_tokens(name: str, page: Page, trapped: Window, server: Server) -> None:
    """It is shown, or refused with a reason; a key that is typed then is answered."""
    settle(page, "/")
    with noting_longest(page, name):
        shown = put(page, "Text", [HUGE[name]()])
        answers(server)
        settled(page)
    assert held(page, "Text") in (shown, clean(shown))
    inert(page, trapped, name)
    with noting_longest(page, f"{name}, in its place again"):
        page.reload()
        settled(page)
    fits(page)
    put(page, "Text", ["the cat"])
    expect(page.get_by_text("2 tokens").first).to_be_visible()


def test_huge_texts_of_a_written_corpus(page: Page, trapped: Window, server: Server) -> None:
    settle(page, "/train")
    turn(page, "Write")
    for name, made in HUGE.items():
        with noting_longest(page, f"Train, {name}"):
            put(page, "Your text", [made()[: limits.WRITTEN_UNITS]])
            answers(server)
            settled(page)
        inert(page, trapped, name)
        fits(page)


def test_huge_files_are_a_corpus_and_are_compared(page: Page, trapped: Window, server: Server) -> None:
    files = [
        FilePayload(name=f"{name}.txt", mimeType="", buffer=clean(text).encode())
        for name, text in [*((name, made()) for name, made in HUGE.items()), ("one word", WORD)]
    ]
    for address, what in (("/compare?tab=files", "files to compare"), ("/train", "a corpus")):
        settle(page, address)
        with noting_longest(page, what):
            page.locator("input[type=file]").set_input_files(files)
            settled(page)
        answers(server)
        inert(page, trapped, what)
        fits(page)
    with noting_longest(page, "Train, trained"):
        page.get_by_role("button", name="Train", exact=True).click()
        expect(page.get_by_role("button", name="Replay the merges")).to_be_visible()
        settled(page)
    inert(page, trapped, "trained")
    for address in ("/replay", "/compare?tab=train-and-test", "/vocabulary", "/library"):
        with noting_longest(page, f"{address} with the corpus"):
            settle(page, address)
        inert(page, trapped, address)
        fits(page)


def test_files_and_what_is_made_of_them(trapped: Window, tmp_path: Path) -> None:
    """Corpora with hostile names and texts: they are trained, compared, saved as files, and opened without a server."""
    whole = clean("\n".join(texts()))
    with trapped.visit() as page:
        settle(page, "/train")
        files = [
            FilePayload(name=f"{tidy_name(next(made()))}{number}.txt", mimeType="", buffer=whole.encode())
            for number, made in enumerate(FAMILIES.values())
        ]
        page.locator("input[type=file]").set_input_files(files)
        settled(page)
        inert(page, trapped, "a corpus")
        page.get_by_role("button", name="Train", exact=True).click()
        replay = page.get_by_role("button", name="Replay the merges")
        expect(replay).to_be_visible()
        settled(page)
        inert(page, trapped, "trained")
        settle(page, "/")
        put(page, "Text", [whole])
        settled(page)
        taken: list[Path] = []
        for address, button in (("/replay", "Save this replay as a file"), ("/learn", "Save this chapter as a file")):
            settle(page, address)
            if address == "/replay":
                page.get_by_text("Take along", exact=True).click()
            with page.expect_download() as download:
                page.get_by_role("button", name=button).click()
            taken.append(tmp_path / f"{len(taken)}.html")
            download.value.save_as(taken[-1])
        for file in taken:
            page.goto(file.as_uri())
            page.wait_for_load_state("networkidle")
            ran = [
                *page.evaluate(TAKEN, HOST),
                *(fault for fault in trapped.faults if not fault.startswith("left the machine: file:")),
            ]
            assert ran == [], file
        trapped.faults.clear()
