"""Every step of the course in a real browser: on the page, where its task is done wrongly and then rightly, and in the
file of its chapter, which opens without a server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.browser import Server, bare_page, eventually, settled, visiting
from tokviz.offline.lesson import chapter_file
from tokviz.teach.lessons.course import Chapter, course

CHAPTERS = [pytest.param(chapter, id=chapter.id) for chapter in course().chapters]
FIELDS = ":is(textarea, input[type=text]):visible"
OTHER = "Five red hats cost 1234 €, and 56 blue ones\u00a0less"  # is typed in the fields of views,
NUMBERS = {"Ids": "464 3797", "Numbers": "9", "Bytes": "3"}  # but these in those that begin with such a word
NO_TEXT_CHANGES = ("tokens-and-money-2",)  # a step that has a field, but shows only prices
# The buttons of a saved view that change nothing that is drawn.
DEAD = """view => [...view.querySelectorAll("button:enabled:not([aria-pressed=true])")].filter((button) => {
  const before = view.innerHTML;
  button.click();
  return view.innerHTML === before && button.checkVisibility();
}).map((button) => button.textContent)"""


@pytest.fixture(scope="module")
def learn(browser: Browser, server: Server) -> Iterator[Page]:
    """The Learn page of one visitor, who goes through the course."""
    with visiting(browser, server) as page:
        page.goto("/learn")
        yield settled(page)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_is_drawn_its_views_act_and_its_tasks_can_be_done(learn: Page, chapter: Chapter) -> None:
    learn.locator(".rail .chapters > li > button").nth(course().chapters.index(chapter)).click()
    for step in chapter.steps:
        expect(learn.locator(".lesson h1")).to_have_text(step.title)
        expect(learn.locator(".prose p")).to_have_count(len(step.prose))
        if learn.locator(".lesson > .stage").is_visible():
            try_view(learn, fields=step.id not in NO_TEXT_CHANGES)
        assert step.view is None or learn.locator(".lesson .blocks").count()
        if step.task:
            do_task(learn, step.task.says)
        expect(learn.locator(".code")).to_be_visible(visible=bool(step.code))
        assert not learn.locator(".fault").count()
        if step is not chapter.steps[-1]:
            learn.get_by_role("button", name="Next", exact=True).click()


def try_view(page: Page, *, fields: bool) -> None:
    """The view shows something else after each press of its buttons, and after each text in its fields."""
    stage = page.locator(".stage")
    assert stage.inner_text().strip()
    for field in stage.locator(FIELDS).all() if fields else []:
        name = field.evaluate("field => field.labels[0]?.innerText || field.ariaLabel")
        changes(stage, partial(field.fill, NUMBERS.get(name.split()[0], OTHER)))
    buttons = stage.locator("button:visible")
    for place in range(buttons.count()):
        button = buttons.nth(place)
        if button.is_enabled() and button.get_attribute("aria-pressed") != "true":
            changes(stage, button.click)


def changes(place: Locator, does: Callable[[], object]) -> None:
    """Do it, and wait until this place of the page shows something else."""
    before = place.inner_html()
    does()
    eventually(place.inner_html, lambda now: now != before)


def do_task(page: Page, says: Mapping[str, Any]) -> None:
    """Do the task once wrongly and once rightly."""
    state, said = page.locator(".task .state"), page.locator(".task .says")
    expect(state).to_have_text("not done")
    wrong = says["wrong"][0]
    give(page, wrong["answer"])
    expect(state).to_have_text("not yet")
    eventually(lambda: bare(said.inner_text()), lambda hint: bare(wrong["hint"]) in hint)
    give(page, says["right"])
    expect(state).to_have_text("✓ done")
    expect(said).to_contain_text("Right.")
    expect(page.locator(".veil:visible")).to_have_count(0)


def bare(text: str) -> str:
    """The text without spaces and their marks, which tokens in sentences have around them."""
    return re.sub(r"[\s·]", "", text)


def give(page: Page, answer: Any) -> None:
    """Give an answer as a learner does: choose, mark cuts and hand them in, or type."""
    letters, options = page.locator(".task .letters > *"), page.locator(".task .option")
    if letters.count():
        page.get_by_role("button", name="Begin again").click()
        for place in answer:
            letters.nth(place).click()
        page.get_by_role("button", name="Check").click()
    elif options.count():
        for choice in answer if isinstance(answer, list) else [answer]:
            changes(page.locator(".task .says"), options.nth(choice).click)
    else:
        fields = page.locator(".task").locator(FIELDS).all()
        for field, text in zip(fields, answer if isinstance(answer, list) else [answer], strict=True):
            field.fill(str(text))
            field.press("Enter")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_saved_chapter_is_drawn_without_a_server_and_tells_its_answers(
    browser: Browser, chapter: Chapter, tmp_path: Path
) -> None:
    saved = chapter_file(chapter.steps[0].id, [])
    file = tmp_path / saved["name"]
    file.write_text(saved["file"], "utf-8")
    page = bare_page(browser, offline=True)
    faults: list[object] = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(error))
    page.goto(file.as_uri())
    for step in chapter.steps:
        drawn = page.locator(f"#{step.id}")
        expect(drawn.get_by_role("heading", level=2)).to_contain_text(step.title)
        expect(drawn.locator(".prose p")).to_have_count(len(step.prose))
        # what needs the server is text, or is not there
        assert "until you answer" not in drawn.inner_text().lower()
        assert not drawn.locator(":is(textarea, input, select, .task button):visible").count()
        answer = drawn.locator("details.answer")
        expect(answer).to_have_count(int(step.task is not None))
        if step.task:
            expect(answer.locator(".says")).to_be_hidden()
            answer.locator("summary").click()
            expect(answer.locator(".says")).to_contain_text("Right.")
        views = drawn.locator(".stage").all()
        assert views or not step.view or not step.blocks(step.show())  # type: ignore[arg-type]
        for view in views:
            assert view.inner_text().strip()
            assert view.evaluate(DEAD) == []
    assert not faults
    page.context.close()
