"""The Learn page in a real browser: a whole lesson plan by keyboard, the projector, a saved file, and a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.browser import Server, axe, eventually, fits, one_colour_each, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tokviz.teach.lessons.course import Step, course
from tokviz.teach.lessons.plans import plans

PLAN = plans()["20"]
ROWS = [row.step for row in PLAN.rows if row.step]
IDS = list(dict.fromkeys(ROWS))
PROJECTED = next(chapter for chapter in course().chapters if len(chapter.steps) > 3)


def heading(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def opened(page: Page, step: Step) -> None:
    expect(heading(page)).to_have_text(step.title)
    expect(page.locator(".lesson h1")).to_be_focused()


def focus(page: Page, link: Locator) -> None:
    """Go to a link by keyboard alone, and follow it."""
    link.focus()
    page.keyboard.press("Enter")


def answer(page: Page, step: Step, given: object) -> None:
    """Give an answer to the task of a step by keyboard."""
    assert step.task
    if isinstance(given, int) and page.locator(".task .option").count():
        page.keyboard.press(str(given + 1))
        return
    field = page.locator(".task :is(textarea, input[type=text])")
    field.press("Control+a")
    page.keyboard.type(str(given))  # key by key, it can be right on the way
    page.keyboard.press("Enter")
    page.locator(".lesson h1").focus()  # as a click beside the field does; there the keys of the page act again


@pytest.mark.right
def test_a_lesson_plan_by_keyboard(browser: Browser, server: Server) -> None:
    with visiting(browser, server, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto("/learn")
        settled(page)
        expect(heading(page)).to_have_text(next(iter(course().steps.values())).title)
        focus(page, page.get_by_role("link", name="Lesson plans"))
        expect(page.get_by_role("heading", name=f"{PLAN.title}: 20 minutes")).to_be_visible()
        axe(settled(page))

        # the rows lead to their steps; a wrong answer meets a hint, and only the right one makes the step done
        for id in IDS:
            step = course().step(id)
            focus(page, page.locator(".figures a").nth(ROWS.index(id)))
            expect(page.locator(".lesson h1")).to_have_text(step.title)
            settled(page)
            state, says = page.locator(".task .state"), page.locator(".task .says")
            if step.task:
                expect(state).to_have_text("not done")
                answer(page, step, step.task.says["wrong"][0]["answer"])
                expect(state).to_have_text("not yet")
                expect(says).not_to_have_text(step.task.says.get("begin", ""))
                answer(page, step, step.task.says["right"])
                expect(says).to_contain_text("Right.")
                expect(state).to_have_text("✓ done")
                if step.task.name == "next-merge":
                    one_colour_each(page.locator(".stage .t, .task .chip"))
            expect(page.locator(".step-foot .primary")).to_have_text("Next")
            if id == IDS[0]:
                expect(page.locator(".task .unseen")).to_contain_text("Right.")  # spoken, once the learner rests
            focus(page, page.get_by_role("link", name="Lesson plan: 20 minutes"))
            expect(page.get_by_role("heading", name=f"{PLAN.title}: 20 minutes")).to_be_visible()
            settled(page)

        # the lessons of the plan as a file; test_course.py opens such files
        with page.expect_download() as download:
            focus(page, page.get_by_role("button", name="Save these lessons as a file"))
        assert download.value.suggested_filename.endswith(".html")

        # progress and answers outlive a reload; Enter follows the bold button; the list has every step
        focus(page, page.locator(".figures a").last)
        last = course().step(ROWS[-1])
        expect(page.locator(".lesson h1")).to_have_text(last.title)
        settled(page)
        head = page.locator(".rail h2")
        expect(head).to_have_text(f"{len(IDS)} of {len(course().steps)} steps done")
        page.reload()
        settled(page)
        expect(head).to_have_text(f"{len(IDS)} of {len(course().steps)} steps done")
        expect(heading(page)).to_have_text(last.title)
        expect(page.locator(".task .state")).to_have_text("✓ done")
        expect(page.locator(".task .says")).to_contain_text("Right.")
        page.locator(".lesson h1").focus()
        page.keyboard.press("Enter")
        order = list(course().steps.values())
        opened(page, order[order.index(last) + 1])
        page.keyboard.press("ArrowLeft")
        opened(page, last)
        focus(page, page.locator(".rail").get_by_role("button", name=course().chapter_of(last.id).steps[0].title))
        opened(page, course().chapter_of(last.id).steps[0])
        focus(page, page.get_by_role("button", name="Copy link"))
        expect(page.locator(".status")).to_have_text("Link copied.")
        link = page.evaluate("navigator.clipboard.readText()")
        assert link.endswith(f"/learn?v=1&step={course().chapter_of(last.id).steps[0].id}")
        axe(settled(page))

        # the search
        page.get_by_role("button", name="Find a step").click()
        page.keyboard.type("count the r's")
        expect(page.locator(".find .step").first).to_contain_text("Why can’t it count the r’s?")
        axe(page)
        page.keyboard.press("Enter")
        opened(page, course().step("counting-letters"))

        # the projector: a clicker sends the page keys
        focus(page, page.locator(".rail").get_by_role("button", name=PROJECTED.title))
        opened(page, PROJECTED.steps[0])
        page.keyboard.press("p")
        dialog = page.get_by_role("dialog", name="Presenter mode")
        expect(dialog.locator("h1")).to_be_visible()
        steps = [step.title for step in order]
        titles = [heading(page).inner_text()]
        for key, by in (("PageDown", 1), ("ArrowRight", 1), ("PageUp", -1)):
            page.keyboard.press(key)
            expected = steps[steps.index(titles[-1]) + by]
            expect(dialog.locator("h1")).to_have_text(expected)
            titles.append(expected)
        axe(page)
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(page.locator(".lesson h1")).to_have_text(titles[-1])


def test_the_course_fits_a_phone(browser: Browser, server: Server) -> None:
    step = course().step(IDS[0])
    assert step.task
    with visiting(browser, server, color_scheme="dark", **PHONE) as page:
        page.goto(f"/learn?v=1&step={step.id}")
        settled(page)
        expect(heading(page)).to_have_text(step.title)
        expect(page.get_by_role("button", name="Next")).to_be_in_viewport()
        answer(page, step, step.task.says["wrong"][0]["answer"])
        expect(page.locator(".task .state")).to_have_text("not yet")
        fits(page)
        axe(page)
        assert page.evaluate(SMALLER, LEAST) == []
        page.locator(".rail .bar").tap()
        other = course().chapters[-1]
        page.locator(".rail").get_by_role("button", name=other.title).tap()
        eventually(lambda: heading(page).inner_text(), other.steps[0].title)
        expect(page.locator(".rail .chapters")).to_be_hidden()
        fits(page)
