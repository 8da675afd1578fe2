"""The states of the page Replay."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.browser import settled
from tests.e2e.hostile import choose, press
from tests.looks.state import State, at
from tests.looks.texts import EMOJI, HOSTILE, click, fill


def predict(page: Page) -> None:
    click(page, "Predict first")
    page.locator(".guess .option").first.wait_for()


def revealed(page: Page) -> None:
    predict(page)
    page.locator(".guess .option").nth(1).click()
    page.get_by_role("button", name="Commit").click()
    page.get_by_role("button", name="Next merge").wait_for()


def guess_in_class(page: Page) -> None:
    page.get_by_role("dialog").get_by_role("button", name="Predict").click()
    page.get_by_role("dialog").get_by_role("radio").nth(1).wait_for()


def change(page: Page, what: str) -> None:
    choose(page, "What to change", what)


def rarest(page: Page) -> None:
    change(page, "merge the rarest pair, not the most frequent")


def train_again(page: Page) -> None:
    press(page, "Train again")
    page.get_by_role("button", name="CSV of these tokens").wait_for()


def one_line_more(page: Page) -> None:
    change(page, "add a line to the corpus")
    fill(page, "The line", HOSTILE.splitlines()[0])
    train_again(page)


def ledger(page: Page) -> None:
    page.get_by_placeholder("Token, merge or id").fill("sh")
    page.get_by_text(" found").wait_for()


def others(page: Page) -> None:
    choose(page, "Merges of", "GPT-2")
    page.locator("[data-step]").wait_for()
    settled(page)


STATES = (
    State("replay.opened", "/replay"),
    State("replay.middle", at("/replay", step=12)),
    State("replay.end", at("/replay", step=32)),
    State("replay.past-the-end", at("/replay", step=999), widths=(1280,)),
    State("replay.emoji", at("/replay", step=6, text=EMOJI)),
    State("replay.hostile", at("/replay", step=6, text=HOSTILE)),
    State("replay.ledger", at("/replay", step=3), ledger, widths=(390, 1280)),
    State("replay.predict", "/replay", predict),
    State("replay.revealed", "/replay", revealed),
    State("replay.presenting", at("/replay", step=5, presenting=1), whole=False),
    State("replay.presenting-predict", at("/replay", step=5, presenting=1), guess_in_class, whole=False),
    State("replay.what-if", at("/replay", step=5), train_again),
    State("replay.what-if-line", "/replay", one_line_more, widths=(390, 1280)),
    State("replay.what-if-pattern", "/replay", lambda page: change(page, "split the corpus by another pattern")),
    State("replay.what-if-rarest", "/replay", rarest),
    State("replay.others", "/replay", others),
)
