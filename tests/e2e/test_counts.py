"""Train on chunk counts on a phone: files are refused or joined, the result is replayed, and it asks for them again."""

from __future__ import annotations

from playwright.sync_api import Browser, FilePayload, Page, expect

import tokviz
from tests.e2e.browser import Scheme, Server, axe, fits, settled, visiting
from tests.e2e.hostile import choose
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tokviz import counts_file

HOSTILE = "<img src=x onerror=alert(1)> **b** شبكة"
TEXTS = ["She sells sea shells 👩‍👩‍👧. " * 3, f"नमस्ते by the sea shore. {HOSTILE} " * 3]


def file(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def counts(shard: int) -> FilePayload:
    counted = tokviz.count_chunks(TEXTS[shard], r"\w+|\s+|[^\w\s]+", [HOSTILE], shard=shard)
    return file(f"{shard} {HOSTILE}.counts", b"".join(counts_file.dump(counted)))


def bring(page: Page, *files: FilePayload) -> None:
    settled(page).locator('input[type="file"]').set_input_files(files)  # else another way's uploader may still be there


def looked_at(page: Page, scheme: Scheme) -> None:
    """It can be read in this theme, fits 390 px, and has controls that a finger can hit."""
    page.emulate_media(color_scheme=scheme)
    axe(settled(page))
    fits(page)
    assert page.evaluate(SMALLER, LEAST) == []


def test_counts_are_joined_trained_on_and_brought_again(browser: Browser, server: Server) -> None:
    name = "Sea counts"
    with visiting(browser, server, **PHONE) as page:
        page.goto("/train")
        settled(page).get_by_role("radio", name="Upload").focus()
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
            page.keyboard.press(key)
        expect(page.get_by_text("Count it there, in one or more shards:")).to_be_visible()
        bring(page, file("notes.txt", b"To be, or not to be"))
        expect(page.get_by_text("notes.txt holds no chunk counts")).to_be_visible()
        looked_at(page, "light")
        page.get_by_role("button", name="Remove notes.txt").tap()
        expect(page.get_by_text("notes.txt holds no chunk counts")).to_have_count(0)

        bring(page, counts(1), counts(0))
        expect(page.get_by_text("· 2 shards ·")).to_be_visible()
        expect(page.get_by_text(f"0 {HOSTILE}.counts and 1 more", exact=True)).to_be_visible()
        page.get_by_label("Vocabulary size").fill("300")
        page.keyboard.press("Enter")
        looked_at(page, "dark")
        settled(page).get_by_role("button", name="Train", exact=True).focus()
        page.keyboard.press("Enter")
        replay = page.get_by_role("button", name="Replay the merges")
        expect(replay).to_be_visible()
        settled(page).get_by_label("Save as").fill(name)
        page.keyboard.press("Enter")
        settled(page).get_by_role("button", name="Save", exact=True).tap()
        expect(page.get_by_text(f"Saved as {name}.")).to_be_visible()

        replay.tap()
        expect(page.get_by_role("heading", name="No text to watch")).to_be_visible()
        expect(page.get_by_role("button", name="In sight")).to_have_count(0)
        settled(page).keyboard.press("ArrowRight")
        expect(page.locator('[data-step="1"] .why[data-answered="1"]')).to_contain_text("merges next")
        looked_at(page, "light")

        # on another day the saved one is opened: its file has no counts, and it gets them again
        page.context.clear_cookies()
        page.goto("/library")
        settled(page).get_by_role("row").filter(has_text=name).last.get_by_role("link").tap()
        page.get_by_role("button", name="Use on every page").tap()
        page.goto("/replay")
        settled(page)
        choose(page, "Merges of", name)
        expect(page.get_by_text("They are of 2 shards with")).to_be_visible()
        looked_at(page, "dark")
        bring(page, counts(0), counts(1))
        expect(page.get_by_role("heading", name="No text to watch")).to_be_visible()
        expect(page.get_by_role("heading", name="What if")).to_be_visible()
    (server.saved / f"{name}.json").unlink()
