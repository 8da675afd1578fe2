"""A step of the course alone on a page, where the test speaks for its socket."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.alone import alone
from tokviz.formats import FORMATS
from tokviz.offline.files import LESSON, script, stylesheet
from tokviz.offline.lesson import _step
from tokviz.teach.lessons.course import course
from tokviz.ui.learn.drawn import outline, step_data
from tokviz.ui.learn.questions import attempt
from tokviz.ui.learn.state import LearnState
from tokviz.ui.server.visitor import Visitor

pytestmark = pytest.mark.right


def test_a_hint_goes_with_the_first_key_of_another_answer(browser: Browser) -> None:
    step = course().step("why-tokens-1")
    assert step.task
    data = {"outline": outline(), "step": step_data(step, []), "done": [], "ways": [], "alone": False, "fresh": False}
    said = [attempt(Visitor(), step.id, "story", typing) for typing in (False, True)]
    page = alone(browser, script("learn/lesson.js"), stylesheet(*LESSON))
    page.evaluate("said => window.answer = ({ n, typing }) => ({ n, answer: said[typing ? 1 : 0] })", said)
    page.evaluate("data => mount(data)", data)
    says = page.locator(".says")
    expect(says).to_have_text(step.task.says["begin"])
    page.locator("textarea").press("t")
    page.keyboard.press("Enter")
    expect(page.locator(".state")).to_have_text("not yet")
    page.evaluate("window.answer = null")  # nothing is judged any more
    page.keyboard.press("e")
    assert says.inner_text() == step.task.says["begin"]
    assert page.locator(".state").inner_text() == "not done"
    page.context.close()


@pytest.mark.parametrize(
    ("id", "name"), [("decoding-4", "ids"), ("oddities-9", "seen"), ("vocabulary-size-3", "width")]
)
def test_what_a_view_cannot_show_is_in_its_field_when_the_step_opens_again(
    browser: Browser, id: str, name: str
) -> None:
    state, step = LearnState(), course().step(id)
    state.keep("inputs", id, {name: "x" * 9_000})
    data = {"outline": outline(), "step": step_data(step, [], state), "done": [], "ways": [], "fresh": False}
    page = alone(browser, script("learn/lesson.js"), stylesheet(*LESSON))
    page.evaluate("data => mount(data)", data)
    expect(page.locator(f".stage [name={name}]")).to_have_value("x" * 9_000)
    fault = data["step"]["view"]["fault"]
    expect(page.locator(".stage [aria-invalid]")).to_have_accessible_description(fault)
    page.context.close()


def test_a_saved_lesson_has_text_in_place_of_choices_and_no_player_without_a_merge(browser: Browser) -> None:
    page = alone(browser, script("learn/offline.js"), stylesheet(*LESSON))
    steps = [course().step(id) for id in ("counting-pairs-2", "split-patterns-2", "files-1")]
    page.evaluate("data => mount(data)", {"steps": [_step(step, []) for step in steps]})
    assert page.locator("#counting-pairs-2 button").count() == 0  # no merge is made there that could be played
    cut = course().step("split-patterns-2").task
    assert cut and page.locator("#split-patterns-2 .task > .typed").inner_text() == cut.says["text"]
    formats = page.locator("#files-1 > .stage .choice button").all_inner_texts()
    assert formats == [FORMATS[key].title for key in ("minbpe", "tokviz", "gpt2")]
    page.context.close()


def test_a_saved_lesson_speaks_of_no_field_and_plays_up_to_its_step(browser: Browser) -> None:
    page = alone(browser, script("learn/offline.js"), stylesheet(*LESSON))
    steps = [step for chapter in course().chapters for step in chapter.steps if step.task]
    page.evaluate("data => mount(data)", {"steps": [_step(step, []) for step in steps]})
    begins = page.locator(".task > p.quiet").all_inner_texts()
    assert not [begin for begin in begins if "field" in begin]
    assert "Can a merge be needed again after a later one?" in begins and "" not in begins
    back, forward = page.locator("#training-loop-2 > .stage button").all()
    expect(forward).not_to_be_visible()
    back.click()
    forward.click()
    expect(page.locator("#training-loop-2 > .stage .top")).to_contain_text("3 of 10 merges done")
    expect(forward).not_to_be_visible()
    page.context.close()
