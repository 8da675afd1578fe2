"""A class of one teacher and one student, brought to a stage of its hour; the page that is drawn is one of the two."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.browser import new_context, settled
from tests.e2e.test_class import answer, heading, said
from tests.looks.acts import Act, press

STAGES = ("joined", "asked", "voted", "told")


def hour(stage: str, *, student: bool = False) -> Act:
    """Go through a class up to a stage. student: whether the page is the student's; else it is the teacher's."""
    until = STAGES.index(stage)

    def act(page: Page) -> None:
        teacher, learner = (_another(page), page) if student else (page, _another(page))
        press("Open a room")(teacher)
        learner.get_by_label("Room code").fill(teacher.locator(".join-words .room-code").inner_text())
        learner.keyboard.press("Enter")
        heading(learner).get_by_text("You are in").wait_for()
        if until >= STAGES.index("asked"):
            settled(teacher).keyboard.press("q")
            answer(settled(learner), "B").wait_for()
        if until >= STAGES.index("voted"):
            answer(learner, "B").click()
            said(learner, "You voted B.")
        if until >= STAGES.index("told"):
            settled(teacher).keyboard.press("v")
            learner.locator(".option.is-right").wait_for()
            teacher.locator(".tally .row").first.wait_for()

    return act


def _another(page: Page) -> Page:
    """The page of another visitor. It is closed when the state is drawn."""
    browser = page.context.browser
    assert browser
    other = new_context(browser, base_url=page.url.partition("/class")[0], reduced_motion="reduce").new_page()
    other.goto("/class")
    return settled(other)
