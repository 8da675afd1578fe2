"""`python -m tests.pictures` takes the pictures of the README: each page of the running app, in light and in dark.

They go to docs/pictures. No test compares them; one only holds that the README shows these and no others.
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from tests.e2e.browser import ROOT, launch, serving, settled, visiting

FOLDER = ROOT / "docs" / "pictures"
PAGES = ("tokens", "train", "replay", "compare", "vocabulary", "learn")
THEMES = ("light", "dark")
PICTURES = tuple(f"{page}-{theme}.webp" for page in PAGES for theme in THEMES)
MOST_BYTES = 60_000  # of one picture
SIZE = {"width": 1280, "height": 800}
CORPUS = ROOT / "tokviz" / "data" / "samples" / "story.txt"
STEP = "60"
EVERY = 1_753  # the id of " every"
STEP_OF_LEARN = "training-loop-2"
COMPARED = "gpt2,cl100k_base,o200k_base"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with serving() as server, sync_playwright() as playwright:
        browser = launch(playwright)
        for theme in THEMES:
            with visiting(browser, server, color_scheme=theme, viewport=SIZE) as page:
                for name, open_page in zip(PAGES, (tokens, train, replay, compare, vocabulary, learn), strict=True):
                    open_page(page)
                    print(take(page, FOLDER / f"{name}-{theme}.webp"), flush=True)
        browser.close()


def tokens(page: Page) -> None:
    """The opening, and the card of a token."""
    page.goto("/")
    expect(page.get_by_text("same ids as tiktoken").first).to_be_visible()
    page.locator(".t", has_text="strawberry").click()
    page.get_by_role("button", name="All its merges").click()


def train(page: Page) -> None:
    page.goto("/train")
    settled(page)
    page.locator('input[type="file"]').first.set_input_files(CORPUS)
    expect(page.get_by_text(CORPUS.name).first).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_role("button", name="Replay the merges")).to_be_visible()


def replay(page: Page) -> None:
    """That training, at a step whose pair is still frequent enough to be in view in several places."""
    page.get_by_role("button", name="Replay the merges").click()
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "0")
    settled(page)
    page.locator('.player input[type="range"]').fill(STEP)
    expect(page.locator("[data-step]")).to_have_attribute("data-step", STEP)


def compare(page: Page) -> None:
    page.goto(f"/compare?v=1&use={COMPARED}")
    expect(page.get_by_role("button", name="Next disagreement")).to_be_visible()
    expect(page.locator(".why h3").first).to_be_visible()


def vocabulary(page: Page) -> None:
    """A search, and a token of which other tokens took some."""
    page.goto(f"/vocabulary?v=1&use=o200k_base&token={EVERY}")
    page.get_by_role("searchbox").fill("every")
    expect(page.get_by_text("25 of 199,998 tokens")).to_be_visible()
    expect(page.get_by_role("button", name="All its merges")).to_be_visible()


def learn(page: Page) -> None:
    """A step of the course, and the hint after a wrong answer."""
    page.goto(f"/learn?v=1&step={STEP_OF_LEARN}")
    page.get_by_role("heading", level=1).wait_for()
    page.locator(".option").last.click()
    expect(page.get_by_text("not yet")).to_be_visible()


def take(page: Page, file: Path) -> str:
    """Take a picture of what is in view, and write it as well as MOST_BYTES allow. Returns what was written."""
    page.mouse.move(0, 0)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    settled(page, 1_000)
    image = Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide")))
    for quality in range(90, 20, -5):
        written = io.BytesIO()
        image.convert("RGB").save(written, "WEBP", quality=quality, method=6)
        if written.tell() < MOST_BYTES:
            file.write_bytes(written.getvalue())
            return f"{file.relative_to(ROOT)}: {written.tell():,} bytes, quality {quality}"
    raise SystemExit(f"{file.name} does not fit into {MOST_BYTES:,} bytes.")


if __name__ == "__main__":
    main()
