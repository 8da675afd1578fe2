"""Replay's other parts in a real browser: the file that plays offline, others' merge lists, what-if and prediction."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from playwright.sync_api import Browser, Locator, Page, expect

import tokviz
from tests.e2e.browser import axe, eventually, fits, new_context, settled
from tokviz.catalog.samples import sample
from tokviz.tokenizer.encoding import Encoding
from tokviz.training.train import Training
from tokviz.vocabulary.fired import fired

OWN = "the feather, नमस्ते 👩‍👧 </script><b>bold</b>"
MERGES = 32

DRAWN = """box => [...box.querySelectorAll(".t")].map(
  element => [element.start, element.end, element.id_])"""


def training() -> Training:
    return tokviz.train(sample("tongue").text, 256 + MERGES)


def drawn(strip: Locator) -> Any:
    return strip.evaluate(DRAWN)


def told(encoding: Encoding) -> list[list[int | None]]:
    return [[token.start, token.end, token.id] for token in encoding.tokens()]


def go_to(page: Page, step: int) -> None:
    field = page.get_by_label("Merges done. A number goes to that step")
    field.fill(str(step))
    field.press("Enter")
    expect(page.locator("[data-step]").first).to_have_attribute("data-step", str(step))


def test_the_file_plays_offline_and_draws_what_the_first_merges_give(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    page.goto("/replay")
    settled(page)
    page.get_by_label("Your own text").fill(OWN)
    expect(page.locator(".own-strip .t").first).to_be_visible()
    go_to(page, 5)
    expect(page.locator(".spoken")).to_contain_text("Merge 5 done")  # said when the server is told of it
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save this replay").click()
    assert download.value.suggested_filename == "A tongue-twister replay.html"
    file = tmp_path / "replay.html"
    download.value.save_as(file)

    faults: list[str] = []
    visit = new_context(browser, offline=True, viewport={"width": 1280, "height": 900}, color_scheme="dark")
    visit.on("console", lambda message: faults.append(message.text))
    visit.on("weberror", lambda error: faults.append(str(error.error)))
    visit.on("request", lambda request: request.url.startswith((file.as_uri(), "blob:")) or faults.append(request.url))
    alone = visit.new_page()
    alone.goto(file.as_uri())
    expect(alone.locator("[data-step]")).to_have_attribute("data-step", "5")
    expect(alone.locator("[data-theme]")).to_have_attribute("data-theme", "dark")
    corpus, own = training().window(0, 10_000), training().tokenizer.explain(OWN)
    alone.keyboard.press("Tab")
    expect(alone.locator(".player")).to_be_focused()
    for key, step in (("ArrowRight", 6), ("Shift+ArrowRight", 16), ("Home", 0), ("PageDown", 32), ("ArrowLeft", 31)):
        alone.keyboard.press(key)
        expect(alone.locator("[data-step]")).to_have_attribute("data-step", str(step))
        eventually(partial(drawn, alone.locator(".strip").first), told(corpus.at(step)))
        eventually(partial(drawn, alone.locator(".own-strip")), told(own.at(step)))
    for step in random.Random(0).sample(range(MERGES + 1), 8):
        go_to(alone, step)
        eventually(partial(drawn, alone.locator(".strip").first), told(corpus.at(step)))
        eventually(partial(drawn, alone.locator(".own-strip")), told(own.at(step)))
    for kind in ("svg", "png"):
        with alone.expect_download() as picture:
            alone.locator(f"[data-take={kind}]").click()
        picture.value.save_as(tmp_path / f"step.{kind}")
    drawn_texts = ElementTree.parse(tmp_path / "step.svg").getroot().iter("{http://www.w3.org/2000/svg}g")
    places = [(int(g.get("data-start", -1)), int(g.get("data-end", -1))) for g in drawn_texts if g.get("data-start")]
    assert places == [(start, end) for start, end, _ in told(corpus.at(step))]
    assert (tmp_path / "step.png").read_bytes().startswith(b"\x89PNG")
    for cut in (".done input", ".ledger"):  # also in a font with wide digits
        assert alone.locator(cut).evaluate("box => box.scrollWidth <= box.clientWidth"), cut
    assert "Next, merge" in ElementTree.parse(tmp_path / "step.svg").getroot().findtext("{*}title", "")
    axe(alone)
    alone.set_viewport_size({"width": 390, "height": 800})
    fits(alone)
    visit.close()
    assert faults == []


def test_a_merge_list_of_others_plays_over_the_text(page: Page) -> None:
    page.goto("/replay")
    settled(page)
    page.get_by_label("Merges of").click()
    page.get_by_role("option", name="cl100k_base").click()
    encoding = tokviz.reference("cl100k_base").explain(sample("mixed").text)
    merges = fired(encoding)
    expect(page.get_by_text(f"of {len(merges)} merges that fire")).to_be_visible()
    for step in (0, 1, 20, len(merges) // 2, len(merges) - 1, len(merges)):
        go_to(page, step)
        rank = merges[step].rank if step < len(merges) else len(tokviz.reference("cl100k_base").merge_ids)
        eventually(partial(drawn, page.locator(".strip").first), told(encoding.at(rank)))
        if step < len(merges):
            expect(page.locator(".next h2")).to_contain_text(f"merge {rank + 1:,}")
            expect(page.locator('.ledger [aria-current="step"] > span').first).to_have_text(f"{rank + 1:,}")
    axe(page)


def test_what_if_and_prediction_by_keyboard_alone(page: Page) -> None:
    page.goto("/replay")
    settled(page)
    page.get_by_label("Merge to leave out").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    settled(page)
    page.get_by_role("button", name="Train again").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="merge 3 is the first that differs")).to_be_visible()
    settled(page)
    axe(page)

    page.get_by_role("switch", name="Predict first").focus()
    page.keyboard.press("Space")
    question = page.locator(".guess")
    expect(question.get_by_role("radio")).to_have_count(5)
    settled(page)
    heading = page.locator(".replay .next h2")
    expect(heading).to_have_text("Next, merge 1: which pair?")
    expect(page.locator(".replay .pair")).to_have_count(0)
    expect(page.locator(".replay .why")).to_be_hidden()
    question.get_by_role("radio").first.focus()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    expect(question.get_by_role("radio").nth(4)).to_be_checked()
    page.keyboard.press("Enter")
    expect(question.get_by_text("your guess")).to_be_visible()
    expect(heading).to_contain_text("th")
    settled(page)
    axe(page)
    expect(question.get_by_role("button", name="Next merge")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-step]").first).to_have_attribute("data-step", "1")
    expect(heading).to_have_text("Next, merge 2: which pair?")
    expect(question.get_by_role("radio").first).to_be_enabled()
