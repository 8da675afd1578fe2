"""How much the server sends over websockets for each change on a page: `python -m pytest -s` on this file prints it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, WebSocket, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import tokviz
from tests.e2e.browser import Server, settled, visiting
from tests.e2e.test_library import drop
from tokviz.catalog.samples import sample
from tokviz.formats import dump

LIMIT, LIBRARY_OPENED = 15_000, 20_000  # bytes
TOK = tokviz.train("she sells sea shells by the sea shore " * 5, 280, special_tokens=["<|end|>"], name="x").tokenizer


class Change(NamedTuple):
    """What a person does, and words that the page shows when it is done."""

    name: str
    act: Callable[[Page], object]
    sign: str


def press(role: str, name: str, sign: str) -> Change:
    """Press the first control of this role whose name has this in it."""
    return Change(name, lambda page: page.get_by_role(role, name=name).first.click(), sign)  # type: ignore[arg-type]


def choose(label: str, value: str, sign: str) -> Change:
    """Choose in a select of ours."""

    def act(page: Page) -> None:
        page.get_by_role("combobox", name=label).first.select_option(value)

    return Change(f"{label}: {value}", act, sign)


def pick(label: str, option: str, sign: str) -> Change:
    """Choose in a select of Streamlit's, which opens without a word to the server."""

    def act(page: Page) -> None:
        page.get_by_role("combobox", name=label).first.click()
        page.get_by_role("option", name=option).first.click()

    return Change(f"{label}: {option}", act, sign)


def enter(label: str, text: str, sign: str) -> Change:
    def act(page: Page) -> None:
        field = page.get_by_label(label).first
        field.fill(text)
        field.press("Enter")
        field.blur()  # one of several lines is sent when it is left

    return Change(f"{label}: {text[:20]}", act, sign)


# What a page opens with, and then what a person changes on it, one after the other.
CHANGES: dict[str, list[Change]] = {
    "/vocabulary?v=1&use=gpt2&sample=story": [
        Change("opened", lambda page: page, "50,256 tokens"),
        enter("Search the tokens", "berry", "hold “berry”"),
        choose("Kind", "word start", "and pass the filters"),
        choose("Use is counted in", "sample.tongue", "In “A tongue-twister”, 1"),
        press("radio", "Rarely trained", "tokens are incomplete UTF-8"),
        press("button", "Show all: ", "are never used"),
        press("button", "Back to Rarely trained", "tokens are incomplete UTF-8"),
        press("radio", "Two vocabularies", "in both"),
        press("button", "⇄ Swap", "in both"),
        press("radio", "Split patterns", "What each piece of a pattern does"),
        enter("A split pattern", r"\w+|\W", "your own"),
    ],
    "/train": [
        Change("opened", lambda page: page, "How a training begins"),
        press("radio", "Write", "After merge"),
        Change(
            "a long text",
            lambda page: page.get_by_label("Your text").fill(sample("story").text[:5_000]),
            "of 5,0",
        ),
        enter("Vocabulary size", "512", "After merge 256"),
        press("radio", "Sample", "How it would begin"),
        pick("Text: a sample", "A tongue-twister", "How it would begin"),
        enter("Vocabulary size", "300", "44 merges"),
        pick("Split pattern", "custom", "Your split pattern"),
        enter("Your split pattern", r"\w+|\W", "How it would begin"),
        press("button", "Train", "is trained"),
        press("radio", "Upload", "Choose a text"),
    ],
    "/library": [
        Change("opened", lambda page: page, "always there, offline"),
        press("radio", "Bundled", "always there, offline"),
        press("radio", "All", "read where they are|Install to see"),
        Change(
            "a dropped file",
            lambda page: drop(page, "shells.json", dump(TOK, "hf")["tokenizer.json"]),
            "can be opened",
        ),
        press("button", "Add it", "only you see them|not saved yet"),
        press("link", "shells", "not proved yet"),
        enter("One per line", "<|stop|> 300", "Discard it"),
        press("button", "Save the change", "has the change"),
        press("button", "tiktoken ranks", "not proved yet"),
        press("button", "Prove it", "reloaded it"),
        press("button", "‹ Library", "always there, offline"),
    ],
}


def runs(frames: list[str | bytes]) -> list[int]:
    """The bytes of each run of the page, with the answers to questions that follow it."""
    sizes = [0]
    for frame in frames:
        if isinstance(frame, bytes) and ForwardMsg.FromString(frame).WhichOneof("type") == "new_session":
            sizes.append(0)
        sizes[-1] += len(frame)
    return sizes


@pytest.mark.parametrize("path", CHANGES)
def test_a_change_sends_little(path: str, browser: Browser, server: Server) -> None:
    with visiting(browser, server) as page:
        frames: list[str | bytes] = []

        def listen(socket: WebSocket) -> None:
            socket.on("framereceived", lambda message: frames.append(message))

        page.on("websocket", listen)
        page.goto(path)
        sent = dict[str, list[int]]()
        for change in CHANGES[path]:
            change.act(page)
            expect(page.get_by_text(re.compile(change.sign)).first).to_be_visible()
            settled(page)
            sent[change.name] = runs(frames)
            frames.clear()
        print(f"\n{path}", *(f"{'/'.join(map(str, sizes))}  {words}" for words, sizes in sent.items()), sep="\n")
        if path == "/library":
            assert max(sent.pop("opened")) < LIBRARY_OPENED
        assert {words: sizes for words, sizes in sent.items() if max(sizes) >= LIMIT} == {}
