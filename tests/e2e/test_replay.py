"""Replay in a real browser: what is drawn is what the first k merges give, at any step, however one gets there."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

import tokviz
from tests.benchmarks.corpora import english_and_code
from tests.e2e.browser import (
    Server,
    axe,
    bare_page,
    eventually,
    fits,
    new_context,
    resting_box,
    serving,
    settled,
    visiting,
)
from tokviz.base.wording import times
from tokviz.catalog.samples import sample
from tokviz.tokenizer.encoding import Encoding
from tokviz.training.train import Training
from tokviz.training.why import SHOWN
from tokviz.ui.frame.tokenizers import sample_training
from tokviz.vocabulary.fired import fired

MERGES = 700  # more than the steps are every merge for
TEXT = "the theory of functions, naïve 👩‍👧 <b>bold</b> नमस्ते"

DRAWN = """box => [...box.querySelectorAll(".t")].map(
  element => [element.start, element.end, element.id_])"""

ALL_COLUMNS = "ledger => ledger.scrollWidth <= ledger.clientWidth"  # are all of its columns in sight?

OWN = "the feather, नमस्ते 👩‍👧 </script><b>bold</b>"


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


def unfold(page: Page, title: str) -> None:
    """Open a fold, of the player or of Streamlit."""
    fold = page.locator("details", has=page.get_by_text(title, exact=True)).first
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    settled(page)


def type_own(page: Page, text: str) -> None:
    unfold(page, "Your own text")
    page.get_by_label("Your own text").fill(text)
    expect(page.locator(".own-said")).to_contain_text(f"{len(text.encode())} bytes" if text else "")


def more(page: Page, *names: str) -> None:
    """Press entries of the menu, one after the other."""
    page.get_by_role("button", name="Speed and more").click()
    for name in names:
        page.locator("[role^=menuitem]", has_text=re.compile(f"^{name}")).click()
    if page.locator(".menu-panel").is_visible():
        page.keyboard.press("Escape")


def home(page: Page) -> None:
    page.locator(".player").focus()
    page.keyboard.press("Home")
    at_step(page, 0)


@pytest.mark.parametrize("steps", [3, pytest.param(30, marks=pytest.mark.long)])
def test_at_any_step_the_drawn_tokens_are_those_of_the_first_merges(own: Page, steps: int) -> None:
    window, chance = training().window(0, 500), random.Random(6)
    type_own(own, TEXT)
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
    type_own(own, "")
    expect(own.locator(".own-strip")).to_have_count(0)


def test_steps_go_to_the_merges_that_fire_in_sight_or_to_every_one(own: Page) -> None:
    home(own)
    window = training().window(0, 500)
    stops = sorted({int(seam) for seam in window.seams if 0 <= seam < MERGES})
    own.get_by_role("button", name="Speed and more").click()
    chosen = own.get_by_role("menuitemradio", name=f"Those in sight: {len(stops)}")
    expect(chosen).to_have_attribute("aria-checked", "true")
    own.keyboard.press("Escape")
    home(own)
    own.keyboard.press("PageDown")
    at_step(own, stops[99 + (stops[0] == 0)])
    expect(own.locator(".left > .strip .pair")).not_to_have_count(0)
    more(own, "Every merge")
    home(own)
    own.keyboard.press("PageDown")
    at_step(own, 100)
    own.keyboard.press("Shift+ArrowLeft")
    at_step(own, 90)
    more(own, "Those in sight")


def test_the_candidates_are_counted_over_the_whole_corpus(own: Page) -> None:
    for step in (0, 333, MERGES):
        go_to(own, step)
        box = own.locator(f'.why[data-answered="{step}"]')
        counts = [f"{pair.count:,}" for pair in training().candidates(step, SHOWN)]
        expect(box.locator("tbody .of-bar")).to_have_text(counts)
    expect(box).to_contain_text("All merges are done.")


def test_the_window_goes_to_where_a_merge_fires(own: Page) -> None:
    rare = next(record for record in reversed(training().merges) if b" " in training().tokenizer.vocab[record.id])
    go_to(own, rare.rank)
    own.get_by_role("button", name=f"Where merge {rare.rank + 1} fires next").click()
    expect(own.get_by_label("From byte")).not_to_have_value("0")
    own.locator(".left > .strip").evaluate("strip => strip.scrollIntoView()")  # the page is scrolled to the button
    expect(own.locator(".left > .strip .pair").first).to_be_in_viewport(ratio=1)
    start = int(own.get_by_label("From byte").input_value().replace(",", ""))
    window = training().window(start, 500)
    assert (drawn(own)[0][0], rare.rank in window.seams) == (0, True)
    own.get_by_label("From byte").fill("0")
    own.keyboard.press("Enter")
    expect(own.locator(".caption").first).to_contain_text("Bytes 0 to 50")


def test_the_ledger_is_searched_sorted_and_saved(own: Page) -> None:
    records, vocab = training().merges, training().tokenizer.vocab
    find = own.get_by_placeholder("Find a merge: token, number or id")
    find.fill("ing")
    found = [record for record in records if b"ing" in vocab[record.id]]
    expect(own.get_by_text(f"{len(found)} found")).to_be_visible()
    count = own.get_by_role("columnheader", name="Count", exact=True)
    count.get_by_role("button").click()
    expect(count).to_have_attribute("aria-sort", "descending")
    first = max(found, key=lambda record: (record.count, -record.rank))
    expect(own.locator(".room .row").first.locator("span").first).to_have_text(f"{first.rank + 1}")
    eventually(lambda: own.locator(".ledger .sight").evaluate(ALL_COLUMNS), True)
    own.locator(".ledger .sight").focus()
    own.keyboard.press("Enter")
    own.keyboard.press("Enter")
    at_step(own, first.rank)
    find.fill("no such token")
    expect(own.get_by_text("None found")).to_be_visible()
    own.locator(".ledger .sight").focus()
    own.keyboard.press("Enter")
    at_step(own, first.rank)
    find.fill("")
    go_to(own, MERGES - 1)
    window = training().window(0, 500)
    done = max(int(seam) for seam in window.seams if 0 <= seam < MERGES - 1)
    expect(own.locator(".ledger .current > span").first).to_have_text(f"{done + 1:,}")
    expect(own.locator(".ledger .next > span").first).to_have_text(f"{MERGES:,}")
    box, row = (resting_box(own.locator(f".ledger {part}")) for part in (".sight", ".current"))
    below = box["y"] + box["height"] - row["y"] - row["height"]
    assert row["y"] >= box["y"] and below >= 0, "it follows the player in any order"
    own.get_by_role("columnheader", name="Merge", exact=True).get_by_role("button").click()

    with own.expect_download() as download:
        own.get_by_role("button", name="Save CSV").click()
    rows_saved = list(csv.DictReader(download.value.path().read_text("utf-8").splitlines()))
    names = ("merge", "left_id", "right_id", "id", "count", "replaced", "tied", "tokens_after")
    saved = [tuple(int(row[name]) for name in names) for row in rows_saved]
    assert saved == [(r.rank + 1, r.left, r.right, r.id, r.count, r.replaced, r.tied, r.tokens_after) for r in records]
    assert [bytes.fromhex(row["token_hex"]) for row in rows_saved] == [vocab[record.id] for record in records]
    assert json.loads(rows_saved[0]["token"]).encode() == vocab[256]


def test_the_curve_leads_to_its_steps(own: Page) -> None:
    go_to(own, 0)
    unfold(own, "Curves")
    curve = own.get_by_label("Merges done, on the curve")
    expect(curve).to_have_attribute("aria-valuetext", f"0 merges done, {training().tokens_at(0):,} tokens now")
    half = next(k for k in range(MERGES) if 2 * training().tokens_at(k) <= training().tokens_at(0))
    expect(own.get_by_role("heading", name=f"The first {half} merges halve the tokens")).to_be_visible()
    curve.click(position={"x": resting_box(curve)["width"] * 0.7, "y": 40})
    step = eventually(lambda: int(own.locator("[data-step]").get_attribute("data-step") or ""), lambda step: step > 0)
    assert step < MERGES
    expect(curve).to_have_attribute("aria-valuetext", f"{step} merges done, {training().tokens_at(step):,} tokens now")
    curve.focus()
    own.keyboard.press("End")
    at_step(own, MERGES)
    merges, vocab = training().merges, training().tokenizer.vocab
    shown = own.get_by_label("What is shown")
    shown.select_option("Pair counts")
    first, last = (times(merges[k].count) for k in (0, -1))
    expect(
        own.get_by_role("heading", name=f"The first pair occurred {first} when it merged, the last {last}")
    ).to_be_visible()
    expect(curve).to_have_attribute("aria-valuetext", f"{MERGES} merges done, this pair occurred {last}")
    shown.select_option("Token lengths")
    lengths = Counter(len(vocab[merge.id]) for merge in merges)
    found = f"Most new tokens have {lengths.most_common(1)[0][0]} bytes"
    expect(own.get_by_role("heading", name=found)).to_be_visible()
    rows = own.get_by_role("table", name="New tokens by length").get_by_role("row").all_inner_texts()[1:]
    longer = sum(many for n, many in lengths.items() if n > 20)
    counted = [f"{n} {many}" for n, many in sorted(lengths.items()) if n <= 20]
    assert [" ".join(row.split()) for row in rows] == [*counted, *([f"more than 20 {longer}"] if longer else [])]


def layout_of(page: Page) -> Any:
    """Where everything stands in presenter mode that must not move when an answer is revealed."""
    return page.locator(".t, .option, .option .pair-of, .act, .low button").evaluate_all(
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
        page.locator(".player").focus()
        for key in ("p", "PageDown", "PageDown", "PageDown", "PageUp"):
            page.keyboard.press(key)
        at_step(page, 2)
        dialog = page.locator("dialog:modal")
        expect(dialog.locator(".done-head")).to_have_text("Done, merge 2:th+e→the16 places, 152 tokens left")
        expect(dialog.locator(".pair").first).to_be_visible()
        expect(dialog.locator('.why[data-answered="2"]')).to_be_visible()
        hues = """boxes => boxes.map((box) => [...box.querySelectorAll(".chip, .t")].slice(0, 2)
            .map((token) => getComputedStyle(token).backgroundColor).join())"""
        named = dialog.locator(".next-head, .marked .merge-of, .strip .pair").evaluate_all(hues)
        assert len(named) > 3 and len(set(named)) == 1, "a pair has the same two hues everywhere"
        small = dialog.locator(".why :is(th, td, .text), .low :is(button, kbd, .done), .heads h2").evaluate_all(
            "elements => Math.min(...elements.map((element) => parseFloat(getComputedStyle(element).fontSize)))"
        )
        assert small >= 28
        axe(page)
        expect(page.locator(".spoken")).to_contain_text("Done, merge 2")  # said when the server is told of it
        settled(page)
        page.reload()
        settled(page)
        at_step(page, 2)
        expect(dialog.locator(".next-head")).to_contain_text("Next, merge 3")

        more(page, "Predict first")
        expect(dialog.get_by_role("radio")).to_have_count(5)
        page.keyboard.press("2")
        expect(dialog.get_by_role("button", name="Commit")).to_be_visible()
        before = layout_of(page)
        page.keyboard.press("PageDown")
        expect(dialog.get_by_text("your guess")).to_be_visible()
        expect(dialog.locator(".pair").first).to_be_visible()
        assert layout_of(page) == before, "revealing moves nothing"
        axe(page)
        page.keyboard.press("PageDown")
        at_step(page, 3)
        expect(dialog.locator(".next-head")).to_have_text("Next, merge 4:choose it below")
        more(page, "Predict first")
        dialog.get_by_role("button", name="Play").click()
        eventually(lambda: int(page.locator("[data-step]").get_attribute("data-step") or ""), lambda step: step >= 4)
        page.keyboard.press("Space")
        expect(dialog.get_by_role("button", name="Play")).to_be_visible()
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".strip .t.hover")).to_have_count(1)
        page.keyboard.press("Escape")  # leaves from inside the text too
        expect(dialog).to_have_count(0)
        page.keyboard.press("End")
        expect(page.locator(".next-head")).to_have_text("Next:none, all 32 merges are done")


def test_a_copied_link_opens_at_the_same_place_and_one_past_the_end_at_the_end(
    browser: Browser, server: Server
) -> None:
    with visiting(browser, server, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto("/replay?v=1&step=999&text=feather")
        settled(page)
        at_step(page, 32)
        expect(page.get_by_text("There is no step 999 here. This is the last one.")).to_be_visible()
        expect(page.locator(".own-said")).to_contain_text("7 bytes")
        go_to(page, 6)
        type_own(page, "the weather")
        page.get_by_role("button", name="Speed and more").click()
        page.get_by_role("menuitem", name="Copy link").click()
        expect(page.get_by_text("Link copied.")).to_be_visible()
        link = page.evaluate("navigator.clipboard.readText()")
    with visiting(browser, server) as page:
        page.goto(link)
        settled(page)
        at_step(page, 6)
        expect(page.locator(".own-said")).to_contain_text("11 bytes")


def test_all_parts_go_to_the_next_step_in_one_frame_at_the_end_of_the_beat(page: Page) -> None:
    page.goto("/")
    settled(page)
    page.get_by_role("link", name="Replay").click()
    settled(page)
    at_step(page, 0)
    expect(page.locator(".done-head")).to_have_text("Done:nothing yet191 tokens")
    page.locator("[data-step]").evaluate(
        """root => {
            window.seen = new Set();
            const words = (place) => root.querySelector(place)?.textContent.match(/\\d+/)?.[0] ?? "none";
            const look = () => {
                window.seen.add([root.querySelectorAll(".strip .pair").length, words(".done-head b"),
                    words(".next-head b"), words(".ledger .current"), words(".ledger .next")].join());
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    page.keyboard.press("ArrowRight")
    at_step(page, 1)
    expect(page.locator(".done-head")).to_have_text("Done, merge 1:t+h→th23 places, 168 tokens left")
    seen = eventually(lambda: page.evaluate("[...window.seen]"), lambda seen: len(seen) > 1)
    assert seen == ["23,none,1,none,1", "16,1,2,1,2"]
    unfold(page, "Your own text")
    page.get_by_label("Your own text").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("p")
    at_step(page, 1)
    expect(page.get_by_label("Your own text")).to_have_value("p")


def test_on_a_phone_the_text_fills_the_screen_and_the_player_is_under_the_thumb(
    browser: Browser, server: Server
) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with visiting(browser, server, **phone) as page:
        page.goto("/replay")
        settled(page)
        first = resting_box(page.locator(".strip .pair").first)
        assert first["y"] < 240
        text, bar = resting_box(page.locator(".strip")), resting_box(page.locator(".player"))
        below = resting_box(page.get_by_role("heading", name="Why this pair"))
        assert (text["x"], text["width"]) == (0, 390) and text["y"] + text["height"] < below["y"] < bar["y"]
        assert (bar["x"], bar["width"], bar["y"] + bar["height"]) == (0, 390, 844)
        page.get_by_role("button", name="Forward one merge").tap()
        at_step(page, 1)
        go_to(page, 3)
        more(page, "To the last merge")
        at_step(page, 32)
        unfold(page, "All merges")
        page.locator(".ledger .room .row").first.tap()
        page.locator(".strip .t").first.tap()
        expect(page.locator(".pointed")).to_contain_text("id 84")
        fits(page)
        axe(page)


def test_the_file_plays_offline_and_draws_what_the_first_merges_give(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    page.goto("/replay")
    settled(page)
    type_own(page, OWN)
    go_to(page, 5)
    expect(page.locator(".spoken")).to_contain_text("Done, merge 5")  # said when the server is told of it
    settled(page)
    unfold(page, "Take along")
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
    at_step(alone, 5)
    expect(alone.locator("[data-theme]")).to_have_attribute("data-theme", "dark")
    corpus, own = sample_training().window(0, 10_000), sample_training().tokenizer.explain(OWN)
    alone.locator(".player").focus()
    for key, step in (("ArrowRight", 6), ("Shift+ArrowRight", 16), ("Home", 0), ("PageDown", 32), ("ArrowLeft", 31)):
        alone.keyboard.press(key)
        at_step(alone, step)
        eventually(partial(drawn, alone), tokens(corpus.at(step)))
        eventually(partial(drawn, alone, ".own-strip"), tokens(own.at(step)))
    for kind in ("SVG", "PNG"):
        with alone.expect_download() as picture:
            alone.get_by_role("button", name=kind).click()
        picture.value.save_as(tmp_path / f"step.{kind}")
    drawing = ElementTree.parse(tmp_path / "step.SVG").getroot()
    groups = [g for g in drawing.iter("{http://www.w3.org/2000/svg}g") if g.get("data-start")]
    places = [(int(g.get("data-start", -1)), int(g.get("data-end", -1))) for g in groups]
    assert places == [(start, end) for start, end, _ in tokens(corpus.at(31))]
    assert "Next, merge" in drawing.findtext("{*}title", "")
    assert (tmp_path / "step.PNG").read_bytes().startswith(b"\x89PNG")
    for cut in (".done input", ".ledger .sight"):  # also in a font with wide digits
        assert alone.locator(cut).evaluate("box => box.scrollWidth <= box.clientWidth"), cut
    axe(alone)
    alone.set_viewport_size({"width": 390, "height": 800})
    fits(alone)
    visit.close()
    assert faults == []


def test_a_merge_list_of_others_plays_over_the_text(page: Page) -> None:
    page.goto("/replay")
    settled(page)
    page.get_by_role("combobox", name="Merges of").select_option("cl100k_base")
    encoding = tokviz.reference("cl100k_base").explain(sample("mixed").text)
    merges = fired(encoding)
    expect(page.get_by_text(f"of {len(merges)} merges that fire")).to_be_visible()
    for step in (0, 1, 20, len(merges) - 1, len(merges)):
        go_to(page, step)
        rank = merges[step].rank if step < len(merges) else len(tokviz.reference("cl100k_base").merge_ids)
        eventually(partial(drawn, page), tokens(encoding.at(rank)))
        if step < len(merges):
            expect(page.locator(".next-head")).to_contain_text(f"merge {rank + 1:,}")
            expect(page.locator(".ledger .next > span").first).to_have_text(f"{rank + 1:,}")
    axe(page)


def test_what_if_and_prediction_by_keyboard_alone(page: Page) -> None:
    page.goto("/replay")
    settled(page)
    unfold(page, "What if")
    page.get_by_label("Merge to leave out").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    settled(page)
    page.get_by_role("button", name="Train again").press("Enter")
    expect(page.get_by_role("heading", name="merge 3 is the first that differs")).to_be_visible()
    settled(page)
    axe(page)

    page.get_by_role("button", name="Speed and more").focus()
    for key in ("ArrowDown", "p", "Space", "Escape"):
        page.keyboard.press(key)
    question, heading = page.locator(".guess"), page.locator(".next-head")
    expect(question.get_by_role("radio")).to_have_count(5)
    settled(page)
    expect(heading).to_have_text("Next, merge 1:choose it below")
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
    at_step(page, 1)
    expect(question.get_by_role("radio").first).to_be_enabled()


@pytest.mark.long
def test_a_server_that_starts_anew_is_found_again_and_takes_nothing_away(browser: Browser) -> None:
    with serving() as first:
        page = bare_page(browser, base_url=first.url)
        page.goto("/replay")
        settled(page)
        type_own(page, "feather")
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


def test_the_wheel_turns_the_page_over_a_box_whose_text_is_all_in_sight(page: Page) -> None:
    page.goto("/replay")
    page.locator(".strip").first.hover()
    page.mouse.wheel(0, 100)
    eventually(lambda: page.get_by_test_id("stMain").evaluate("main => main.scrollTop > 0"), True)
