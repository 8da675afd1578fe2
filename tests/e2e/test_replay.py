"""Replay in a real browser: what is drawn is what the first k merges give, at any step, however one gets there."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import tokviz
from tests.benchmarks.corpora import english_and_code
from tests.e2e.browser import Server, axe, bare_page, eventually, resting_box, serving, settled, visiting
from tokviz.tokenizer.encoding import Encoding
from tokviz.training.train import Training
from tokviz.training.why import SHOWN

MERGES = 700  # more than the steps are every merge for
TEXT = "the theory of functions, naïve 👩‍👧 <b>bold</b> नमस्ते"

DRAWN = """box => [...box.querySelectorAll(".t")].map(
  element => [element.start, element.end, element.id_])"""

ALL_COLUMNS = "ledger => ledger.scrollWidth <= ledger.clientWidth"  # are all of its columns in sight?


@cache
def training() -> Training:
    return tokviz.train(english_and_code(120_000), 256 + MERGES)


@pytest.fixture(scope="module")
def own(browser: Browser, server: Server) -> Iterator[Page]:
    """A visitor with a training of their own on Replay, all of its window in sight."""
    with visiting(browser, server) as page:
        page.goto("/train")
        settled(page)
        page.locator('input[type="file"]').first.set_input_files(
            {"name": "manual.txt", "mimeType": "text/plain", "buffer": english_and_code(120_000).encode()}
        )
        expect(page.get_by_text(f"{len(english_and_code(120_000).encode()):,} bytes · ")).to_be_visible()
        page.get_by_label("Vocabulary size").fill(str(256 + MERGES))
        page.get_by_label("Vocabulary size").press("Enter")
        expect(page.get_by_text(f"256 bytes and {MERGES} merges")).to_be_visible()
        settled(page)
        page.get_by_role("button", name="Train", exact=True).click()
        page.get_by_role("button", name="Replay the merges").click()
        at_step(page, 0)
        page.get_by_role("combobox", name="Length").select_option("500")
        expect(page.locator(".caption").first).to_contain_text("Bytes 0 to 50")
        yield page


def at_step(page: Page, step: int) -> None:
    expect(page.locator("[data-step]")).to_have_attribute("data-step", str(step))


def go_to(page: Page, step: int) -> None:
    field = page.get_by_label("Merges done. A number goes to that step")
    field.fill(f"{step:,}")
    field.press("Enter")
    at_step(page, step)


def tokens(encoding: Encoding) -> list[list[int | None]]:
    return [[token.start, token.end, token.id] for token in encoding.tokens()]


def drawn(page: Page, selector: str = ".left > .strip") -> Any:
    return page.locator(selector).evaluate(DRAWN)


def home(page: Page) -> None:
    page.locator(".player").focus()
    page.keyboard.press("Home")
    at_step(page, 0)


@pytest.mark.parametrize("steps", [3, pytest.param(30, marks=pytest.mark.long)])
def test_at_any_step_the_drawn_tokens_are_those_of_the_first_merges(own: Page, steps: int) -> None:
    window, chance = training().window(0, 500), random.Random(6)
    own.get_by_label("Your own text").fill(TEXT)
    expect(own.locator(".own-said")).to_contain_text(f"{len(TEXT.encode())} bytes")
    text = training().tokenizer.explain(TEXT)
    for step in [MERGES, 0, *(chance.randrange(MERGES) for _ in range(steps))]:
        go_to(own, step)
        smaller = training().tokenizer.truncated(256 + step)
        eventually(lambda: drawn(own), tokens(window.at(step)))
        eventually(lambda: drawn(own, ".own-strip"), tokens(smaller.explain(TEXT)))
        own.locator(".player").focus()
        for key, by in (("ArrowRight", 1), ("ArrowLeft", -1)):
            own.keyboard.press(key)
            # the step and what is drawn in one look: a step in two beats may be under way
            look = f"root => [Number(root.dataset.step), ({DRAWN})(root.querySelector('.left > .strip'))]"
            step, seen = own.locator("[data-step]").evaluate(look)
            assert (seen, by) == (tokens(window.at(step)), by)
    own.get_by_label("Your own text").fill("")
    expect(own.locator(".own-strip")).to_be_hidden()
    assert text.data.decode() == TEXT


def test_steps_go_to_the_merges_that_fire_in_sight_or_to_every_one(own: Page) -> None:
    home(own)
    window = training().window(0, 500)
    stops = sorted({int(seam) for seam in window.seams if 0 <= seam < MERGES})
    expect(own.get_by_role("button", name=f"In sight: {len(stops)}")).to_have_attribute("aria-pressed", "true")
    own.keyboard.press("PageDown")
    reached = stops[99 + (stops[0] == 0)]
    at_step(own, reached)
    expect(own.locator(".left > .strip .pair")).not_to_have_count(0)
    between = reached - 1 - stops[stops.index(reached) - 1]
    if between:
        expect(own.locator(".next p")).to_contain_text(f"{between} merge")
    own.get_by_role("button", name="Every merge").click()
    home(own)
    for _ in range(100):
        own.keyboard.press("ArrowRight")
    at_step(own, 100)
    own.keyboard.press("Shift+ArrowLeft")
    at_step(own, 90)
    own.get_by_role("button", name="In sight").click()


def test_the_candidates_are_counted_over_the_whole_corpus(own: Page) -> None:
    for step in (0, 333, MERGES):
        go_to(own, step)
        box = own.locator(f'.why[data-answered="{step}"]')
        rows = box.locator("tbody tr")
        expect(rows).to_have_count(SHOWN)
        counts = [f"{pair.count:,}" for pair in training().candidates(step, SHOWN)]
        expect(rows.locator("td:nth-child(3)")).to_have_text(counts)
    expect(box).to_contain_text("All merges are done.")


def test_the_window_goes_to_where_a_merge_fires(own: Page) -> None:
    rare = next(record for record in reversed(training().merges) if b" " in training().tokenizer.vocab[record.id])
    go_to(own, rare.rank)
    own.get_by_role("button", name=f"Where merge {rare.rank + 1} fires next").click()
    expect(own.get_by_label("From byte")).not_to_have_value("0")
    own.locator(".left > .strip").evaluate(
        "strip => strip.scrollIntoView()"
    )  # the click scrolled the page, to the button
    expect(own.locator(".left > .strip .pair").first).to_be_in_viewport(ratio=1)
    start = int(own.get_by_label("From byte").input_value().replace(",", ""))
    (begin, *_) = drawn(own)[0]
    window = training().window(start, 500)
    assert (begin, rare.rank in window.seams) == (0, True)
    assert drawn(own)[-1][1] >= 400
    own.get_by_label("From byte").fill("0")
    own.keyboard.press("Enter")
    expect(own.locator(".caption").first).to_contain_text("Bytes 0 to 50")


def test_the_ledger_is_searched_sorted_and_saved(own: Page) -> None:
    records, vocab = training().merges, training().tokenizer.vocab
    find = own.get_by_placeholder("Token, merge or id")
    find.fill("ing")
    found = [record for record in records if b"ing" in vocab[record.id]]
    expect(own.get_by_text(f"{len(found)} found")).to_be_visible()
    count = own.get_by_role("columnheader", name="Count", exact=True)
    count.get_by_role("button").click()
    expect(count).to_have_attribute("aria-sort", "descending")
    first = max(found, key=lambda record: (record.count, -record.rank))
    rows = own.locator(".room .row")
    expect(rows.first.locator("span").first).to_have_text(f"{first.rank + 1}")
    eventually(lambda: own.locator(".ledger").evaluate(ALL_COLUMNS), True)
    own.locator(".ledger").focus()
    own.keyboard.press("Enter")
    own.keyboard.press("Enter")
    at_step(own, first.rank)
    find.fill("")
    expect(own.get_by_text(" found")).to_have_count(0)
    go_to(own, MERGES - 1)
    expect(own.locator('.ledger [aria-current="step"] > span').first).to_have_text(f"{MERGES:,}")
    ledger, current = own.locator(".ledger"), own.locator('.ledger [aria-current="step"]')
    box, row = resting_box(ledger), resting_box(current)
    below = box["y"] + box["height"] - row["y"] - row["height"]
    assert row["y"] >= box["y"] and below >= 0, "it follows the player in any order"
    eventually(lambda: ledger.evaluate("box => box.scrollTop"), lambda top: top > 0)
    count.get_by_role("button").click()
    eventually(lambda: ledger.evaluate("box => box.scrollTop"), 0)
    count.get_by_role("button").click()

    longest = max(records, key=lambda record: len(vocab[record.id].strip()))
    find.fill(str(longest.id))
    cut = own.locator(".room .row .chip").last
    eventually(lambda: cut.evaluate("chip => chip.scrollWidth > chip.clientWidth"), True)
    cut.hover()
    expect(own.locator(".replay > .whole")).to_have_text(vocab[longest.id].decode().strip())
    own.mouse.move(0, 0)
    expect(own.locator(".replay > .whole")).to_be_hidden()
    find.fill("")
    with own.expect_download() as download:
        own.get_by_role("button", name="CSV").click()
    rows_saved = list(csv.DictReader(download.value.path().read_text("utf-8").splitlines()))
    assert [
        tuple(
            int(row[name])
            for name in ("merge", "left_id", "right_id", "id", "count", "replaced", "tied", "tokens_after")
        )
        for row in rows_saved
    ] == [(r.rank + 1, r.left, r.right, r.id, r.count, r.replaced, r.tied, r.tokens_after) for r in records]
    assert [bytes.fromhex(row["token_hex"]) for row in rows_saved] == [vocab[record.id] for record in records]
    assert json.loads(rows_saved[0]["token"]).encode() == vocab[256]
    eventually(own.locator(".room .row").count, lambda rows: rows < 30)


def test_the_curve_leads_to_its_steps(own: Page) -> None:
    go_to(own, 0)
    curve = own.get_by_label("Merges done, on the curve")
    expect(curve).to_have_attribute("aria-valuetext", f"0 merges done, {training().tokens_at(0):,} tokens now")
    half = next(k for k in range(MERGES) if 2 * training().tokens_at(k) <= training().tokens_at(0))
    expect(own.get_by_role("heading", name=f"The first {half} merges halve the tokens")).to_be_visible()
    curve.click(position={"x": resting_box(curve)["width"] * 0.7, "y": 40})
    step = eventually(lambda: int(own.locator("[data-step]").get_attribute("data-step") or ""), lambda step: step > 0)
    assert step < MERGES
    expect(curve).to_have_attribute("aria-valuenow", str(step))
    curve.focus()
    own.keyboard.press("End")
    at_step(own, MERGES)


def places(dialog: Locator) -> Any:
    """Where everything stands in presenter mode that must not move when an answer is revealed."""
    return dialog.locator(".t, .option, .pair-of, .act, .presses button, .figures b").evaluate_all(
        """elements => elements.map((element) => {
            const { x, y, width } = element.getBoundingClientRect();
            return [element.className.split(" ")[0], x, y, width];
        })"""
    )


def test_a_presenter_with_a_clicker_gives_a_lesson(browser: Browser, server: Server) -> None:
    with visiting(browser, server, viewport={"width": 1920, "height": 1080}, reduced_motion="reduce") as page:
        page.goto("/replay")
        settled(page)
        at_step(page, 0)
        eventually(lambda: page.locator(".ledger").evaluate(ALL_COLUMNS), True)
        page.locator(".player").focus()
        page.keyboard.press("p")
        for _ in range(3):
            page.keyboard.press("PageDown")
        page.keyboard.press("PageUp")
        at_step(page, 2)
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".happened")).to_have_text("Merge 2:th+e→the16 places, 168 → 152 tokens")
        expect(dialog).to_contain_text("Next, merge 3")
        expect(dialog.locator(".tokens-now")).to_have_text("152")
        expect(dialog.locator(".pair").first).to_be_visible()
        expect(dialog.locator('.why[data-answered="2"]')).to_be_visible()
        hues = """boxes => boxes.map((box) => [...box.querySelectorAll(".chip, .t")].slice(0, 2)
            .map((token) => getComputedStyle(token).backgroundColor).join())"""
        named = dialog.locator(".next h2, .winner .pair-cell, .strip .pair").evaluate_all(hues)
        assert len(named) > 3 and len(set(named)) == 1, "a pair has the same two hues everywhere"
        small = dialog.locator(
            ".candidates :is(th, td, .badge), .presses :is(button, kbd), .happened, .said"
        ).evaluate_all(
            "elements => Math.min(...elements.map((element) => parseFloat(getComputedStyle(element).fontSize)))"
        )
        assert small >= 28
        rows = dialog.locator(".strip").evaluate(
            "box => box.clientHeight / parseFloat(getComputedStyle(box).lineHeight)"
        )
        assert rows == pytest.approx(round(rows), abs=0.02), "no row of text is half cut"
        axe(page)
        expect(page.locator(".spoken")).to_contain_text("Merge 2 done")  # said when the server is told of it
        settled(page)
        page.reload()
        settled(page)
        at_step(page, 2)
        expect(dialog).to_contain_text("Next, merge 3")

        dialog.get_by_role("button", name="Predict").click()
        expect(dialog.get_by_role("radio")).to_have_count(5)
        expect(dialog.locator(".pair")).to_have_count(0)
        page.keyboard.press("2")
        expect(dialog.get_by_role("button", name="Commit")).to_be_visible()
        before = places(dialog)
        page.keyboard.press("PageDown")
        expect(dialog.get_by_text("your guess")).to_be_visible()
        expect(dialog.locator(".pair").first).to_be_visible()
        assert places(dialog) == before, "revealing moves nothing"
        at_step(page, 2)
        axe(page)
        page.keyboard.press("PageDown")
        at_step(page, 3)
        expect(dialog).to_contain_text("Next, merge 4: which pair?")
        dialog.get_by_role("button", name="Predict").click()
        dialog.get_by_role("button", name="Play").click()
        eventually(lambda: int(page.locator("[data-step]").get_attribute("data-step") or ""), lambda step: step >= 4)
        page.keyboard.press("Space")
        expect(dialog.get_by_role("button", name="Play")).to_be_visible()
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".strip .t.hover")).to_have_count(1)
        page.keyboard.press("Escape")  # leaves from inside the text too
        expect(dialog).to_have_count(0)
        expect(page.locator(".left > .strip")).to_be_visible()
        page.keyboard.press("End")
        at_step(page, 32)
        expect(page.get_by_text("All 32 merges are done")).to_be_visible()
        page.get_by_role("button", name="Presenter mode").click()
        dialog.get_by_role("button", name="Leave").click()
        expect(dialog).to_have_count(0)


def test_a_copied_link_opens_at_the_same_place_and_one_past_the_end_at_the_end(
    browser: Browser, server: Server
) -> None:
    with visiting(browser, server, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto("/replay?v=1&step=999&text=feather")
        settled(page)
        at_step(page, 32)
        expect(page.get_by_text("There is no step 999 here. This is the last one.")).to_be_visible()
        expect(page.locator(".own-said")).to_contain_text("7 bytes")
        expect(page).to_have_url(re.compile(r"^[^?]*$"))
        go_to(page, 6)
        page.get_by_label("Your own text").fill("the weather")
        expect(page.locator(".own-said")).to_contain_text("11 bytes")
        page.get_by_role("button", name="Copy link").click()
        expect(page.get_by_text("Link copied.")).to_be_visible()
        link = page.evaluate("navigator.clipboard.readText()")
        drawn_there = eventually(lambda: drawn(page, ".own-strip"), lambda tokens: tokens and tokens[-1][1] == 11)
    with visiting(browser, server) as page:
        page.goto(link)
        settled(page)
        at_step(page, 6)
        expect(page.locator(".own-said")).to_contain_text("11 bytes")
        eventually(lambda: drawn(page, ".own-strip"), drawn_there)


def test_the_keys_are_the_players_while_nothing_else_has_the_focus(page: Page) -> None:
    page.goto("/")
    settled(page)
    page.get_by_role("link", name="Replay").click()
    settled(page)
    at_step(page, 0)
    expect(page.get_by_role("group", name="Merges per second").get_by_role("button", pressed=True)).to_have_text("1")
    page.locator("[data-step]").evaluate(
        """root => {
            window.seen = [];
            const look = () => window.seen.push([root.dataset.step, root.querySelectorAll(".strip .pair").length > 0]);
            new MutationObserver(look).observe(root, { subtree: true, childList: true, attributes: true });
        }"""
    )
    page.keyboard.press("ArrowRight")
    at_step(page, 1)
    expect(page.locator(".happened")).to_contain_text("23 places, 191 → 168 tokens")
    expect(page.locator(".strip .pair")).to_have_count(16)
    seen = page.evaluate("window.seen")
    assert seen.index(["1", False]) < seen.index(["1", True]), "the next pair is boxed when the last merge has settled"
    page.get_by_label("Your own text").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("p")
    at_step(page, 1)
    expect(page.get_by_label("Your own text")).to_have_value("p")


@pytest.mark.long
def test_a_server_that_starts_anew_is_found_again_and_takes_nothing_away(browser: Browser) -> None:
    with serving() as first:
        page = bare_page(browser, base_url=first.url)
        page.goto("/replay")
        settled(page)
        page.get_by_label("Your own text").fill("feather")
        expect(page.locator(".own-said")).to_contain_text("7 bytes")
        port = int(first.url.rsplit(":", 1)[1])
    page.locator(".player").focus()
    page.keyboard.press("ArrowRight")
    at_step(page, 1)
    expect(page.get_by_text("The server does not answer.")).to_be_visible()
    with serving(port=port):
        expect(page.locator('.why[data-answered="1"]')).to_be_attached()
        expect(page.get_by_text("The server does not answer.")).to_be_hidden()
        at_step(page, 1)
        expect(page.get_by_label("Your own text")).to_have_value("feather")
        page.context.close()
