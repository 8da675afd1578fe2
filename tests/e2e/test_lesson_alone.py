"""A step of the course alone on a page, where the test speaks for its socket."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.alone import alone
from tokviz.lessons.course import course
from tokviz.ui.components import script
from tokviz.ui.components.lesson import STYLE
from tokviz.ui.course.drawn import outline, step_data
from tokviz.ui.learn.socket import Asked, answer
from tokviz.ui.visitors.visitor import Visitor

pytestmark = pytest.mark.right


def test_a_hint_goes_with_the_first_key_of_another_answer(browser: Browser) -> None:
    step = course().step("why-tokens-1")
    assert step.task
    data = {"outline": outline(), "step": step_data(step, []), "done": [], "ways": [], "alone": False, "fresh": False}
    said = [answer(Visitor(), Asked(step.id, kind, "story")) for kind in ("try", "typing")]
    page = alone(browser, script("lesson/lesson.js"), STYLE)
    page.evaluate("said => window.answer = ({ n, typing }) => ({ n, answer: said[typing ? 1 : 0], error: '' })", said)
    page.evaluate("data => mount(data)", data)
    says = page.locator(".says")
    expect(says).to_have_text(step.task.says["begin"])
    page.locator("textarea").press("t")
    page.keyboard.press("Enter")
    expect(page.locator(".state")).to_have_text("not yet")
    page.keyboard.press("e")
    assert says.inner_text() == step.task.says["begin"]
    assert page.locator(".state").inner_text() == "not done"
    page.context.close()
