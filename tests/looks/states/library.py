"""The states of the page Library."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.browser import settled
from tests.e2e.hostile import added, choose, named, press, turn
from tests.looks.keep import LONG_NAME, SHELLS
from tests.looks.state import State
from tests.looks.texts import HOSTILE, fill, upload
from tokviz.formats import dump
from tokviz.ui.library.entries import key_of_saved

RANKS = dump(named("ranks").with_special_tokens({}), "tiktoken").popitem()[1]


def own(page: Page) -> None:
    added(page, named("<b>bold</b> नमस्ते 👩‍👩‍👧"), named(HOSTILE.splitlines()[0]))


def asked(page: Page) -> None:
    upload(page, "ranks.tiktoken", RANKS)


def answered(page: Page) -> None:
    asked(page)
    choose(page, "Split pattern", "custom")
    fill(page, "Your split pattern, a regular expression", "(")


def ready_to_export(page: Page) -> None:
    page.get_by_role("button", name="Prove it").wait_for()
    settled(page)


def proved(page: Page) -> None:
    ready_to_export(page)
    press(page, "Prove it")
    page.get_by_text("reloaded it").wait_for()
    page.get_by_text("The evidence").click()


def special(page: Page) -> None:
    ready_to_export(page)
    press(page, "Add a special token")
    fill(page, "Text of special token 2", "<|user|>")
    fill(page, "Id of special token 2", "299")


def asking(page: Page, button: str) -> None:
    ready_to_export(page)
    press(page, button)


def saved(name: str) -> str:
    return f"/library?open={key_of_saved(name.strip())}"


STATES = (
    State("library.opened", "/library"),
    State("library.yours", "/library", lambda page: turn(page, "Yours 0")),
    State("library.to-install", "/library", lambda page: page.get_by_text("To install").first.click()),
    State("library.own", "/library", own),
    State("library.file", "/library", lambda page: upload(page, "own.json", dump(named("own"), "tokviz").popitem()[1])),
    State("library.file-asks", "/library", asked),
    State("library.file-error", "/library", answered),
    State("library.bad-file", "/library", lambda page: upload(page, "<b>notes</b>.txt", b"To be, or not to be")),
    State("library.unknown", "/library?open=<b>nothing</b>", widths=(1280,)),
    State("library.reference", "/library?open=gpt2", ready_to_export),
    State("library.saved", saved(SHELLS), ready_to_export),
    State("library.long-name", saved(LONG_NAME), ready_to_export),
    State("library.damaged", saved("torn")),
    State("library.proved", saved(SHELLS), proved),
    State("library.special", saved(SHELLS), special),
    State("library.renamed", saved(SHELLS), lambda page: asking(page, "Rename"), whole=False),
    State("library.deleted", saved(SHELLS), lambda page: asking(page, "Delete"), widths=(1280,), whole=False),
)
