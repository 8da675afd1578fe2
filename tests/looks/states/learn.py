"""The states of the page Learn. Each step is drawn once, at 1280 px in the light."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.browser import settled
from tests.e2e.test_learn import answer, heading
from tests.looks.state import State, at
from tests.looks.texts import HOSTILE
from tokviz.lessons.course import Step, course
from tokviz.lessons.plans import GUIDE, plans

TASKS = ("training-loop-2", "bytes-1", "tokens-and-money-1")  # those that are drawn with answers


def step(id: str) -> str:
    return at("/learn", step=id)


def present(page: Page) -> None:
    page.locator(".lesson h1").focus()
    page.keyboard.press("p")
    page.get_by_role("dialog", name="Presenter mode").locator("h1").wait_for()


def answered(page: Page, about: Step, given: object) -> None:
    heading(page).wait_for()
    answer(page, about, given)
    settled(page, 500)


def hostile(page: Page) -> None:
    for field in page.locator(".lesson :is(textarea, input[type=text]):visible").all():
        field.fill(HOSTILE)
    settled(page, 500)


def _steps() -> list[State]:
    return [
        State(f"learn.{number}.{i}", step(one.id), widths=(1280,), themes=("light",))
        for number, chapter in enumerate(course().chapters, 1)
        for i, one in enumerate(chapter.steps, 1)
    ]


def _answers() -> list[State]:
    there = [(id, course().step(id)) for id in TASKS]
    return [
        State(f"learn.{kind}-{id}", step(id), lambda page, one=one, given=given: answered(page, one, given))
        for id, one in there
        if one.task
        for kind, given in (("right", one.task.says["right"]), ("wrong", one.task.says["wrong"][0]["answer"]))
    ]


STATES = (
    State("learn.opened", "/learn"),
    *_steps(),
    *_answers(),
    State("learn.emoji", step("bytes-4")),
    State("learn.hostile", step("bytes-2"), hostile),
    State("learn.list", "/learn", lambda page: page.locator(".rail .bar").click(), widths=(390,)),
    State("learn.presenting", "/learn", present, whole=False),
    State("learn.presenting-task", step("training-loop-2"), present, whole=False),
    *(State(f"learn.plan-{key}", at("/learn", plan=key)) for key in plans()),
    State("learn.guide", at("/learn", plan=GUIDE)),
    State("learn.link-error", at("/learn", step="nothing", plan="<b>x</b>"), widths=(1280,)),
)
