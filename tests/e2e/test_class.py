"""A class in a real browser: a teacher and two students, each in a window of their own, from the code to the end."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocket, WebSocketRoute, expect

from tests.e2e.browser import Server, axe, eventually, fits, new_context, resting_box, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER
from tokviz.teach.lessons.course import course

TOLD = re.compile(r'"(counts|right|gain|tally)"')  # names of what only the reveal tells


@pytest.fixture
def roamer(browser: Browser, server: Server) -> Iterator[Page]:
    """A page of a student whose network comes and goes, so that its console may have errors."""
    context = new_context(browser, base_url=server.url, color_scheme="dark")
    yield context.new_page()
    context.close()


def heading(page: Page) -> Locator:
    return page.locator(".tokviz h1")


def answer(page: Page, letter: str) -> Locator:
    return page.get_by_role("button", name=re.compile(f"^{letter}: "))


def said(page: Page, words: str) -> None:
    expect(page.locator(".note", has_text=words)).to_be_visible()


def heard(page: Page) -> list[str]:
    """What the server says to this page over the socket of the class, from now on."""
    messages: list[str] = []

    def listen(socket: WebSocket) -> None:
        if socket.url.endswith("/tokviz/class"):
            socket.on("framereceived", lambda data: messages.append(str(data)))

    page.on("websocket", listen)
    return messages


def test_a_class_joins_votes_talks_votes_again_and_sees_the_answer(
    page: Page, roamer: Page, browser: Browser, server: Server
) -> None:
    with visiting(browser, server, color_scheme="dark", **PHONE) as phone:
        messages = [heard(roamer), heard(phone)]

        # the teacher opens a room; both students come in, one by its code, one by its link
        page.goto("/class")
        axe(settled(page))
        page.get_by_role("button", name="Open a room").click()
        code = page.locator(".join-words .room-code")
        expect(code).to_be_visible()
        word = code.inner_text()
        expect(page.get_by_role("img", name="QR code")).to_be_visible()
        axe(settled(page))
        roamer.goto("/class")
        roamer.get_by_label("Room code").fill("o0i1")
        roamer.keyboard.press("Enter")
        expect(roamer.get_by_role("alert")).to_contain_text("A code has four letters or digits")
        roamer.get_by_label("Room code").fill(word.lower())
        roamer.keyboard.press("Enter")
        expect(heading(roamer)).to_have_text("You are in")
        phone.goto(f"/class?code={word}")
        expect(heading(phone)).to_have_text("You are in")
        expect(phone.get_by_test_id("stHeader")).to_be_hidden()
        expect(page.locator(".url").last).to_have_text("2 have joined")

        # ask, vote, and change the vote
        settled(page).keyboard.press("q")
        expect(heading(page)).to_have_text("Which pair merges next?")
        expect(page.locator(".vote .chip").first).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
        expect(answer(roamer, "A").locator(".chip").first).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
        said(roamer, "Choose one.")
        before = resting_box(answer(roamer, "A"))
        answer(roamer, "A").click()
        said(roamer, "You voted A.")
        assert resting_box(answer(roamer, "A")) == before  # no answer moves under the finger
        expect(page.locator(".meter")).to_contain_text("1 of 2 have voted")
        answer(phone, "B").tap()
        said(phone, "You voted B.")
        answer(phone, "C").tap()
        said(phone, "You voted C.")
        expect(answer(phone, "C")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".meter")).to_contain_text("2 of 2 have voted")
        fits(settled(phone))
        axe(phone)
        assert phone.evaluate(SMALLER, LEAST) == []
        axe(page)
        assert page.evaluate("document.querySelector('.screen')?.getBoundingClientRect().bottom ?? 0") <= 800

        # the second vote; a connection is lost, and the vote arrives when it is back
        page.keyboard.press("g")
        said(roamer, "Second vote. Your first was A.")
        roamer.context.set_offline(True)
        expect(roamer.get_by_text("The server does not answer.")).to_be_visible()
        answer(roamer, "B").click()
        said(roamer, "Your last vote, B, is kept here and sent again.")
        expect(page.locator(".meter")).to_contain_text("0 of 2 have voted")
        roamer.context.set_offline(False)
        expect(page.locator(".meter")).to_contain_text("1 of 2 have voted")
        said(roamer, "You voted B.")
        phone.reload()
        said(phone, "Second vote. Your first was C.")
        answer(phone, "D").tap()
        page.reload()
        expect(page.locator(".meter")).to_contain_text("2 of 2 have voted")
        assert not [message for told in messages for message in told if TOLD.search(message)]
        assert not [
            one for one in (roamer, phone) if re.search(r"\d+ times|once", one.locator(".student").inner_text())
        ]

        # the reveal, with both votes
        settled(page).keyboard.press("v")
        rows = page.locator(".tally .row")
        expect(rows).to_have_count(4)
        expect(rows.nth(0)).to_contain_text(re.compile(r"first vote\s*1\s*second\s*0"))
        expect(page.locator(".row.right")).to_contain_text("merges next")
        expect(page.locator(".said")).to_contain_text("Right: ")
        for student in (roamer, phone):
            expect(student.locator(".option.is-right")).to_have_count(1)
            expect(student.locator(".options")).to_contain_text(re.compile(r"\d+ times"))
            expect(student.locator(".unseen")).to_contain_text(re.compile(r"occurs? \w+"))
            expect(student.locator(".unseen")).not_to_contain_text("[object")
        axe(phone)
        axe(page)

        # the next question, the code by key, and a question of the teacher's own
        page.keyboard.press("n")
        expect(page.locator(".where")).to_have_text("Question 2 of 5")
        page.keyboard.press("j")
        expect(code).to_have_text(word)
        page.keyboard.press("Escape")
        expect(page.locator(".where")).to_be_visible()
        page.get_by_test_id("stButtonGroup").get_by_text("Your own").click()
        for label, text in (
            ("Your question", "<b>Is a token a word?</b>"),
            ("Answer A", "**Yes**"),
            ("Answer B", "No"),
        ):
            settled(page).get_by_label(label).fill(text)
        page.keyboard.press("Tab")
        settled(page).get_by_role("button", name="Add the question").click()
        expect(page.locator(".where")).to_have_text("Question 2 of 6")
        expect(page.locator(".to-come")).to_contain_text("<b>Is a token a word?</b>")

        # students see the lesson step of their teacher in place of the last result
        page.get_by_label("Students follow my lesson").check()
        page.get_by_test_id("stTopNavLink").filter(has_text="Learn").click()
        step, taught = (one.locator(".lesson h1") for one in (phone, page))
        expect(step).to_have_text(taught.inner_text())
        page.get_by_role("button", name="Next", exact=True).click()
        expect(step).to_have_text(course().steps[[*course().steps][1]].title)
        expect(phone.get_by_text("The last question and its result")).to_be_visible()
        expect(answer(phone, "A")).to_be_hidden()
        fits(settled(phone))
        axe(phone)
        page.go_back()

        # the end
        page.get_by_text("Close the room", exact=True).click()
        page.get_by_role("button", name="Close it for everyone").click()
        for student in (roamer, phone):
            expect(heading(student).first).to_have_text("The room is closed")
        expect(page.get_by_role("button", name="Open a room")).to_be_visible()
        expect(page.get_by_role("note")).to_contain_text(f"Your room {word} is closed.")


CUT = """() => {
    document.querySelector('[data-testid="stMain"]').scrollTo(0, 0);
    const { shadowRoot } = [...document.querySelectorAll("*")].find((one) => one.shadowRoot?.querySelector(".teacher"));
    const [strip, foot] = [".strip", ".foot .act"].map((selector) => shadowRoot.querySelector(selector));
    return [strip.scrollHeight > strip.clientHeight, foot.getBoundingClientRect().bottom > innerHeight];
}"""


@pytest.mark.right
def test_a_vote_without_an_answer_is_sent_again_over_a_new_connection(
    page: Page, browser: Browser, server: Server
) -> None:
    lost: list[str | bytes] = []

    def lose_a_vote(socket: WebSocketRoute) -> None:
        there = socket.connect_to_server()

        def hear(message: str | bytes) -> None:
            if lost or '"vote"' not in str(message):
                there.send(message)
            else:
                lost.append(message)

        socket.on_message(hear)

    page.goto("/class")
    settled(page).get_by_role("button", name="Open a room").click()
    with visiting(browser, server) as student:
        student.route_web_socket(re.compile("/tokviz/class$"), lose_a_vote)
        student.goto(f"/class?code={page.locator('.join-words .room-code').inner_text()}")
        expect(heading(student)).to_have_text("You are in")
        settled(page).keyboard.press("q")
        answer(student, "A").click()
        expect(page.locator(".meter")).to_contain_text("1 of 1 have voted")
    assert lost


def test_on_a_small_projector_the_qr_code_the_whole_text_and_the_buttons_are_in_view(page: Page) -> None:
    page.goto("/class")
    settled(page).get_by_role("button", name="Open a room").click()
    page.set_viewport_size({"width": 1024, "height": 768})
    expect(page.get_by_role("img", name="QR code")).to_be_in_viewport(ratio=0.99)
    settled(page).get_by_role("button", name="Add 3 questions").click()  # of the tongue-twister: 191 bytes
    for left in range(7, 2, -1):
        page.get_by_role("button", name="Take out").first.click()
        expect(page.locator(".to-come li")).to_have_count(left)
    settled(page)
    for key, phase in (("q", "ask"), ("v", "reveal")):
        page.keyboard.press(key)
        expect(page.locator(f'[data-phase="{phase}"]')).to_be_attached()
        for width, height in ((1280, 800), (1024, 768)):
            page.set_viewport_size({"width": width, "height": height})
            eventually(lambda: page.evaluate(CUT), [False, False])
