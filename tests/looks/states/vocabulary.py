"""The states of the page Vocabulary."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.hostile import press
from tests.looks.state import State, at
from tests.looks.texts import EMOJI, HOSTILE

EMOJI_ID = 9468  # " ðŁ" of o200k_base, half of many emoji


def own_pattern(page: Page, pattern: str) -> None:
    press(page, "Add a pattern of your own")
    field = page.get_by_label("Own pattern 1, a regular expression")
    field.fill(pattern)
    field.press("Enter")
    page.locator(".note, .token-rows .card:nth-child(5)").first.wait_for()


def sorted_by_use(page: Page) -> None:
    page.get_by_role("combobox", name="Sort by").select_option(label="Most used first")
    expect(page.locator("[aria-posinset='1']")).to_be_visible()


def of(part: str, use: str = "gpt2", **said: object) -> str:
    return at("/vocabulary", part=part, use=use, **said)


STATES = (
    State("vocabulary.opened", "/vocabulary"),
    State("vocabulary.searched", of("one", "o200k_base", search="every", sample="story")),
    State("vocabulary.token", of("one", "o200k_base", search="every", token=1753, sample="story")),
    State("vocabulary.token-emoji", of("one", "o200k_base", token=EMOJI_ID, text=EMOJI)),
    State("vocabulary.token-byte", of("one", "gpt2", token=65), widths=(1280,)),
    State("vocabulary.token-special", of("one", "gpt2", token=50256), widths=(1280,)),
    State("vocabulary.none-found", of("one", search=HOSTILE[:60])),
    State("vocabulary.pattern-error", of("one", search="(every", by="pattern")),
    State("vocabulary.filtered", of("one", "o200k_base", script="Devanagari", length=9)),
    State("vocabulary.used", of("one", "gpt2", sample="story"), sorted_by_use),
    State("vocabulary.odd", of("odd")),
    State("vocabulary.odd-o200k", of("odd", "o200k_base", text=EMOJI), widths=(390, 1280)),
    State("vocabulary.overlay", of("overlay", "gpt2,cl100k_base")),
    State("vocabulary.splits", of("splits")),
    State("vocabulary.splits-own", of("splits"), lambda page: own_pattern(page, r"<b>[\w ]+</b>|(?<=\s)\s|[\s\S]")),
    State("vocabulary.splits-error", of("splits"), lambda page: own_pattern(page, "(a")),
    State("vocabulary.link-error", of("nothing", "gpt9", token="x", sort="y"), widths=(1280,)),
)
