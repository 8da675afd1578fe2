"""A student's part of a class alone on a page, so that its two connections can be lost one without the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import tokviz
from tests.e2e.alone import alone
from tests.e2e.browser import one_colour_each
from tokviz.offline.data import payload
from tokviz.offline.files import script
from tokviz.teach.questions import prediction
from tokviz.teach.rooms.states import NOT_IN_A_ROOM

pytestmark = pytest.mark.right

ASKED = 'told.filter(([name]) => name === "step").length'


@pytest.fixture
def student(browser: Browser) -> Iterator[Page]:
    page = alone(browser, script("classroom/class_student.js"))
    page.clock.install()
    yield page
    page.context.close()


def state(page: Page, **said: Any) -> None:
    page.evaluate("state => bring({ state })", {**NOT_IN_A_ROOM, "phase": "wait", "code": "K7QF", **said})


def test_a_step_is_asked_for_until_python_has_drawn_it(student: Page) -> None:
    student.evaluate('mount({ code: "", alone: true, step: "" })')
    state(student, step="why-tokens-2")
    assert student.evaluate(ASKED) == 1
    student.clock.run_for(3_000)  # Streamlit's socket is not back yet, so that what was said to it is lost
    asked = student.evaluate(ASKED)
    assert asked > 1
    student.evaluate('draw({ code: "", alone: true, step: "why-tokens-2" })')
    student.clock.run_for(3_000)
    assert student.evaluate(ASKED) == asked


def test_a_token_has_one_colour_in_a_question_that_counts_its_pairs(student: Page) -> None:
    text = "the cat and the hen sat at the sea, and the hat "
    asked = prediction(tokviz.train(text * 2, 280), 4)
    assert asked.strip
    question = {"number": 1, **asked.as_asked(), "strip": payload(asked.strip)}
    student.evaluate('mount({ code: "", alone: true, step: "" })')
    student.evaluate("question => bring({ question })", question)
    state(student, number=1, of=1, phase="vote")
    one_colour_each(student.locator(".strip .t, .chip"))
