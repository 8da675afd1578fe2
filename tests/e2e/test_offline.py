"""The site of `tokviz site`: each of its pages opens without a network, with no fault, on a phone and on a laptop."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import tokviz
from tests.command_line import good
from tests.e2e.browser import axe, fits, new_context
from tokviz.teach.lessons.course import course

REPLAYS = [f"replay-{name}.html" for name in ("tongue", "story", "code", "parallel", "cl100k_base", "o200k_base")]
LESSONS = [f"lesson-{number:02}.html" for number in range(1, len(course().chapters) + 1)]
SHORT = ("index.html", "replay-tongue.html", "lesson-03.html")
SIZES = {"phone": (390, 844, "dark"), "laptop": (1280, 720, "light")}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "out"
    good("site", folder)
    return folder


def opened(browser: Browser, file: Path, size: str = "laptop") -> tuple[Page, list[str]]:
    """The page of a file in a browser without a network, and what goes wrong in it."""
    width, height, scheme = SIZES[size]
    faults: list[str] = []
    context = new_context(
        browser, offline=True, viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=width < 999
    )
    context.on("console", lambda message: faults.append(message.text))
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on("request", lambda sent: sent.url.startswith((file.parent.as_uri(), "blob:")) or faults.append(sent.url))
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.locator(f"#component [data-theme={scheme}]").first).to_be_visible()
    return page, faults


def test_a_site_has_six_replays_and_the_course_and_is_small(site: Path) -> None:
    files = {file.name: file.stat().st_size for file in site.iterdir()}
    assert {*files} == {"index.html", *REPLAYS, *LESSONS} and len(REPLAYS) == 6
    assert sum(files.values()) < 8_000_000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in SHORT else pytest.mark.long)
        for name in ("index.html", *REPLAYS, *LESSONS)
    ],
)
def test_each_page_opens_with_no_network_and_no_fault(browser: Browser, site: Path, name: str, size: str) -> None:
    page, faults = opened(browser, site / name, size)
    fits(page)
    axe(page)
    assert not page.locator(".absent").count()
    assert page.locator("a[href]").count() >= (len(REPLAYS + LESSONS) if name == "index.html" else 1)
    for link in page.locator("a[href]").evaluate_all("links => links.map(({ href }) => href)"):
        file, _, place = link.partition("#")
        assert file.startswith(site.as_uri()) and (site / file.rpartition("/")[2]).is_file()
        assert not place or f'"id":"{place}"' in (site / file.rpartition("/")[2]).read_text("utf-8")
    assert not faults
    page.context.close()


def test_the_index_leads_to_a_replay_that_plays_and_back(browser: Browser, site: Path) -> None:
    page, faults = opened(browser, site / "index.html")
    page.get_by_role("link", name="A tongue-twister").click()
    expect(page.locator("[data-step]")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "1")
    page.get_by_role("link", name="All replays and lessons").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("tokviz: see how a language model reads text")
    assert not faults
    page.context.close()


def test_a_press_on_a_token_opens_its_card_and_escape_closes_it(browser: Browser, tmp_path: Path) -> None:
    gpt2 = tokviz.reference("gpt2")
    gpt2.show("the cat\n</script><b>hi</b> naïve").save(tmp_path / "tokens.html")
    page, faults = opened(browser, tmp_path / "tokens.html")
    page.locator(".t").nth(1).click()
    card = page.locator(".inside .card")
    expect(card.get_by_role("heading", level=2)).to_have_text(f"id {gpt2.encode('the cat')[1]:,}")
    card.get_by_role("button", name="All its merges").click()
    expect(card).to_contain_text("It is in this text once. Here it is its whole chunk.")
    axe(page)
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    assert not faults
    page.context.close()


def test_the_ruler_of_a_comparison_says_why_at_each_place(browser: Browser, tmp_path: Path) -> None:
    toks = [tokviz.reference("gpt2"), tokviz.reference("cl100k_base")]
    compared = tokviz.compare("In 2008 there were naïve tokens</script>\n    1999", toks)
    compared.ruler().save(tmp_path / "ruler.html")
    page, faults = opened(browser, tmp_path / "ruler.html")
    places = len(compared.regions)
    expect(page.get_by_role("heading", name=f"They disagree in {places} places")).to_be_visible()
    why = page.get_by_role("region", name="Why they disagree")
    expect(why).to_contain_text("Why does cl100k_base cut")
    page.keyboard.press("n")
    expect(why).to_contain_text(f"2 of {places}")
    axe(page)
    assert not faults
    page.context.close()


def test_a_page_is_used_in_a_frame_as_a_notebook_shows_it(browser: Browser, tmp_path: Path) -> None:
    shown = tokviz.reference("gpt2").show("the cat")._repr_html_()
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><body>{shown}", "utf-8")
    page = new_context(browser, offline=True).new_page()
    page.goto(file.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator(".t").nth(1).click()
    expect(frame.get_by_role("heading", name="id 3,797")).to_be_visible()
    page.context.close()
