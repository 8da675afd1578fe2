"""The states of the page Compare."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.browser import settled
from tests.e2e.hostile import press
from tests.looks.state import State, at
from tests.looks.texts import ALL, EMOJI, HOSTILE, LONG, click, upload

CATS = ("The cat sat on the mat in 2008.\n" * 300 + "<b>٣</b> 猫 " * 200).encode()


def tab(name: str, **said: object) -> State:
    """A tab, open."""
    address = at("/compare", use=ALL, tab=name, **said)
    return State(f"compare.{name}", address, lambda page: settled(page, 500))


def further(page: Page) -> None:
    for _ in range(3):
        press(page, "Next disagreement")


def unchosen(page: Page) -> None:
    for pill in page.get_by_test_id("stButtonGroup").first.get_by_role("button", pressed=True).all()[::-1]:
        pill.click()
        settled(page)


def samples(page: Page) -> None:
    press(page, "Use the samples")
    settled(page, 500)


def cats(page: Page) -> None:
    upload(page, "cats <b>.txt", CATS)
    page.get_by_role("slider", name="Place in the file").wait_for()


STATES = (
    State("compare.opened", "/compare"),
    State("compare.one", at("/compare", use="gpt2")),
    State("compare.none", "/compare", unchosen),
    State("compare.empty", "/compare?text="),
    State("compare.long", at("/compare", use=ALL, text=LONG), widths=(390, 1280)),
    State("compare.large", at("/compare", use=ALL, sample="story"), widths=(1280,)),
    State("compare.emoji", at("/compare", use=ALL, text=EMOJI)),
    State("compare.hostile", at("/compare", use=ALL, text=HOSTILE)),
    State("compare.disagreement", at("/compare", use=ALL), further),
    State("compare.special", at("/compare", use=ALL, specials="special")),
    State("compare.edited", "/compare", lambda page: click(page, "Edit text")),
    State("compare.proof", "/compare", lambda page: click(page, "Live proof: bytes, tokens, ids")),
    State("compare.link-error", at("/compare", use="gpt2,gpt9", pair="x", tab="nothing", region=5), widths=(1280,)),
    tab("figures"),
    tab("vocabulary-size"),
    tab("languages"),
    tab("train-and-test"),
    tab("files"),
    State("compare.files-samples", at("/compare", use=ALL, tab="files"), samples),
    State("compare.files-one", at("/compare", use=ALL, tab="files"), cats),
    State("compare.files-error", at("/compare", use=ALL, tab="files"), lambda page: upload(page, "<b>.txt", b"\0\xff")),
    tab("waste"),
    tab("cost"),
    tab("models"),
    tab("report"),
)
