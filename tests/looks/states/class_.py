"""The states of the page Class: a teacher's screen, and a student's phone."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.browser import new_context, settled
from tests.e2e.hostile import press, turn
from tests.e2e.test_class import answer, heading
from tests.looks.state import State
from tests.looks.texts import HOSTILE, fill


def another(page: Page) -> Page:
    """The page of another visitor."""
    browser = page.context.browser
    assert browser
    other = new_context(browser, base_url=page.url.partition("/class")[0], reduced_motion="reduce").new_page()
    other.goto("/class")
    return settled(other)


def open_room(page: Page) -> str:
    """Open a room. Returns its code."""
    press(page, "Open a room")
    return page.locator(".join-words .room-code").inner_text()


def join(page: Page, code: str) -> None:
    page.get_by_label("Room code").fill(code)
    page.keyboard.press("Enter")
    heading(page).get_by_text("You are in").wait_for()


def ask(page: Page) -> None:
    settled(page).keyboard.press("q")
    heading(page).get_by_text("Which pair merges next?").wait_for()


def vote(page: Page, letter: str) -> None:
    answer(page, letter).click()
    page.locator(".band", has_text=f"Committed: {letter}.").wait_for()


def reveal(page: Page) -> None:
    page.keyboard.press("v")
    page.locator(".tally .row").first.wait_for()


def asked(page: Page) -> None:
    student = another(page)
    join(student, open_room(page))
    ask(page)
    vote(student, "B")


def revealed(page: Page) -> None:
    asked(page)
    reveal(page)


def own_question(page: Page) -> None:
    open_room(page)
    turn(page, "Your own")
    fill(page, "Your question", HOSTILE.splitlines()[0])
    fill(page, "Answer A", "नमस्ते 👩‍👩‍👧")
    fill(page, "Answer B", "a very long answer " * 4)


def unknown_code(page: Page) -> None:
    page.get_by_label("Room code").fill("o0i1")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()


def student(page: Page) -> Page:
    """Join the room of another visitor. Returns the teacher's page."""
    teacher = another(page)
    join(page, open_room(teacher))
    return teacher


def student_asked(page: Page) -> Page:
    teacher = student(page)
    ask(teacher)
    answer(page, "A").wait_for()
    return teacher


def student_voted(page: Page) -> Page:
    teacher = student_asked(page)
    vote(page, "A")
    return teacher


def student_told(page: Page) -> None:
    reveal(student_voted(page))
    page.locator(".option.right").wait_for()


STATES = (
    State("class.opened", "/class"),
    State("class.room", "/class", open_room),
    State("class.asked", "/class", asked),
    State("class.revealed", "/class", revealed),
    State("class.own-question", "/class", own_question),
    State("class.unknown-code", "/class", unknown_code),
    State("class.student", "/class", student, widths=(390,)),
    State("class.student-asked", "/class", student_asked, widths=(390,)),
    State("class.student-voted", "/class", student_voted, widths=(390,)),
    State("class.student-told", "/class", student_told, widths=(390, 1280)),
)
