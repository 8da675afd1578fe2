"""The states of the page Tokens."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.hostile import press
from tests.looks.state import State, at
from tests.looks.texts import ALL, EMOJI, HOSTILE, LONG, click, fill


def find(page: Page) -> None:
    page.get_by_placeholder("Find text or id").first.fill("crumb")


def ids(page: Page, written: str) -> None:
    click(page, "From ids to text")
    fill(page, "Ids", written)


def chat(page: Page) -> None:
    click(page, "A conversation in tokens")
    press(page, "Add a message")


STATES = (
    State("tokens.opened", "/"),
    State("tokens.three", at("/", use=ALL)),
    State("tokens.empty", "/", lambda page: press(page, "Clear")),
    State("tokens.long", at("/", use="gpt2", text=LONG)),
    State("tokens.emoji", at("/", use=ALL, text=EMOJI)),
    State("tokens.hostile", at("/", use=ALL, text=HOSTILE)),
    State("tokens.languages", at("/", use="cl100k_base", sample="parallel"), widths=(1280,)),
    State("tokens.large", at("/", use="o200k_base", sample="story"), widths=(390, 1280)),
    State("tokens.ids", at("/", use=ALL, view="ids")),
    State("tokens.bytes", at("/", use=ALL, view="bytes", text=EMOJI)),
    State("tokens.table", at("/", use="o200k_base", view="table")),
    State("tokens.pinned", at("/", use="gpt2", pin="0.4")),
    State("tokens.ribbon", at("/", use="gpt2", text=EMOJI, pin="0.40")),
    State("tokens.smaller", at("/", use="o200k_base", size=1000)),
    State("tokens.special", at("/", use=ALL, specials="special")),
    State("tokens.refused", at("/", use=ALL, specials="refuse")),
    State("tokens.link-error", at("/", use="gpt2,gpt9", size="x", view="a b", packed="eJ")),
    State("tokens.found", "/", find),
    State("tokens.menu", "/", lambda page: page.get_by_role("button", name="Copy or save").click(), widths=(1280,)),
    State("tokens.models", "/", lambda page: click(page, "Models and files")),
    State("tokens.from-ids", "/", lambda page: ids(page, "13225, 11, 2375, 0")),
    State("tokens.from-ids-error", "/", lambda page: ids(page, "13225, <b>11</b>, 999999")),
    State("tokens.chat", "/", chat),
    State("tokens.start-over", "/", lambda page: press(page, "Start over"), whole=False),
)
