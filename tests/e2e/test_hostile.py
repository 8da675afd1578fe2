"""Hostile texts through every field of every page, in a real browser.

    python -m pytest -m long tests/e2e -k hostile -n 0

puts all texts of tests/hostile into all fields; without `-m long` some go into one. No script of a text may run, no
console may have an error, nothing may be loaded from elsewhere, and each field holds what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import FilePayload, Page

from tests.e2e.browser import Window, eventually, fits, settled
from tests.e2e.hostile import (
    added,
    choose,
    fields,
    held,
    inert,
    kind_of,
    named,
    press,
    put,
    read,
    settle,
    shown_of,
    turn,
    unfold,
)
from tests.e2e.typing import menu
from tests.hostile import FAMILIES, texts
from tokviz.base.text import clean
from tokviz.formats import dump
from tokviz.teach.lessons.course import course

NAME = "<img src onerror=ran()>[a](javascript:ran())\u202e"


def test_hostile_texts_and_names_stay_texts_and_names(trapped: Window) -> None:
    """Some texts of all families at once on Tokens, beside a tokenizer with a hostile name."""
    with trapped.visit() as page:
        settle(page, "/library")
        added(page, named(NAME))
        page.get_by_role("link", name="Tokens", exact=True).click()
        settled(page)
        shown = put(page, "Text", texts()[::4])
        settled(page)
        eventually(lambda: held(page, "Text"), lambda now: now in (shown, clean(shown)))
        assert shown_of([NAME])[0] in read(page)
        fits(page)
        inert(page, trapped, "Tokens")


# -- the long form --


def train(page: Page) -> None:
    turn(page, "Sample")
    unfold(page)
    choose(page, "Split pattern", "custom")


def written(page: Page) -> None:
    turn(page, "Write")
    choose(page, "Split pattern", "custom")


def with_line(page: Page) -> None:
    unfold(page)
    choose(page, "What to change", "add a line to the corpus")


def with_pattern(page: Page) -> None:
    unfold(page)
    choose(page, "What to change", "split the corpus by another pattern")
    choose(page, "Split pattern", "custom")


def asked(page: Page) -> None:
    """A file that says nothing of its pattern and its special tokens."""
    ranks = dump(named("x").with_special_tokens({}), "tiktoken").popitem()[1]
    page.locator("input[type=file]").set_input_files(FilePayload(name="x.tiktoken", mimeType="", buffer=ranks))
    settled(page)
    choose(page, "Split pattern", "custom")
    choose(page, "Special tokens", "Those that I list")


def below(page: Page, entry: str) -> None:
    menu(page, "Text", entry)
    settled(page)


def teach(page: Page) -> None:
    press(page, "Open a room")
    turn(page, "Your own")


PLACES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "Tokens, from ids": ("/", partial(below, entry="From ids to text")),
    "Tokens, a conversation": ("/", partial(below, entry="A conversation")),
    "Train": ("/train", train),
    "Train, a written corpus": ("/train", written),
    "Replay, one more line": ("/replay", with_line),
    "Replay, another pattern": ("/replay", with_pattern),
    "Compare": ("/compare", unfold),
    "Vocabulary": ("/vocabulary", unfold),
    "Vocabulary, an own pattern": ("/vocabulary?part=splits", lambda page: None),
    "Library": ("/library?open=gpt2", lambda page: None),
    "Library, what a file does not say": ("/library", asked),
    "Class": ("/class", lambda page: None),
    "Class, a teacher": ("/class", teach),
}
SHORT = ("Library", "Class", "Class, a teacher")  # a field there takes no text that is longer than its limit
# What a field may change: a number is one or none, and a room's code has letters of its own.
CHANGED = re.compile("as a number|Merges|merges done|Id of|Room code|Numbers in|Bytes for|answer", re.IGNORECASE)


def servings(page: Page, place: str, name: str) -> list[list[str]]:
    """The texts that this field gets, one serving after the other."""
    if place in SHORT:
        return [[" ".join(made())[:60]] for made in FAMILIES.values()]
    all_texts = [[*texts()]] if kind_of(page, name) == "textarea" else [[*made()] for made in FAMILIES.values()]
    if "pattern" in name.lower():  # each place gets a third of them alone: one that is wrong hides the next
        return [*all_texts, *([text] for text in [*FAMILIES["patterns"]()][[*PLACES].index(place) % 3 :: 3])]
    return [*all_texts, *([*FAMILIES[family]()] for family in ("numbers", "special_tokens"))]


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_every_field_takes_every_text(place: str, trapped: Window) -> None:
    address, prepare = PLACES[place]
    with trapped.visit() as page:
        settle(page, address)
        prepare(page)
        for name in fields(page):
            for some in servings(page, place, name):
                shown = put(page, name, some)
                settled(page)
                inert(page, trapped, f"{name}, {some[:1]}")
                if name in fields(page) and not CHANGED.search(name):
                    now = held(page, name)
                    assert now in (shown, clean(shown)), f"{name}, {some[:1]}"
        fits(page)
        if not place.startswith("Class"):
            page.reload()
            settled(page)
            inert(page, trapped, place)


@pytest.mark.long
def test_every_field_of_the_course_takes_every_text(trapped: Window) -> None:
    """In one step of each kind of task beside each kind of view."""
    kinds = {
        (step.view.name if step.view else "", step.task.name if step.task else ""): id
        for id, step in course().steps.items()
    }
    with trapped.visit() as page:
        for id in kinds.values():
            settle(page, f"/learn?step={id}")
            for name in fields(page):
                shown = put(page, name, texts())
                settled(page)
                if name in fields(page) and not CHANGED.search(name):
                    assert held(page, name) in (shown, clean(shown)), f"{id}, {name}"
            check = page.get_by_role("button", name="Check", exact=True)
            if check.count() and check.first.is_enabled():
                check.first.click()
                settled(page)
            inert(page, trapped, id)
            fits(page)
