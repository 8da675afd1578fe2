"""The workbench: a text area, and beside it the text as tokens under each tokenizer that is chosen.

Python sends the text and its first tokens once. From then on the browser and the live socket (tokviz/ui/live.py) keep
them in step, and a rerun of the page sends nothing, until somebody else than this browser changes the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import streamlit as st

from tokviz.catalog import models
from tokviz.samples import Example
from tokviz.ui.components import EncodingLike, glyph, payload, script, source, stylesheet
from tokviz.ui.components.token_view import STYLE, Badge
from tokviz.ui.numbers import Numbers
from tokviz.ui.state import Reading

_component = st.components.v2.component(
    "tokviz_workbench",
    css=stylesheet(
        STYLE,
        source("token_view", "card.css"),
        source("workbench", "workbench.css"),
        source("workbench", "numbers.css"),
    ),
    js=script("workbench/workbench.js"),
)


class Block(NamedTuple):
    """A tokenizer on the workbench: its key, name and series, the text under it, and what tiktoken says to that.

    `error` says why the text could not be cut, and then its bytes stand alone; `refused` which special token stands
    first in the text, and at which byte, where they are refused.
    """

    key: str
    name: str
    series: str
    encoding: EncodingLike
    badge: Badge | None
    error: str | None = None
    refused: tuple[str, int] | None = None


class Asked(NamedTuple):
    """What was asked for in the browser: "example" (and its name), "clear", or "back".

    Where there is no socket also "typed", "specials" (and how they are read), "model" (and its name). `text` is what
    was typed and the socket did not carry, "" if nothing; it stood there before what is asked for is done.
    """

    what: str
    name: str
    text: str


def asked(value: Mapping[str, Any] | None) -> Asked | None:
    """What the workbench asks for in this run, from its value in the session; None if nothing."""
    said = (value or {}).get("asked")
    if not isinstance(said, Mapping):
        return None
    what, name, text = (said.get(part, "") for part in Asked._fields)
    return Asked(what, name, text) if all(isinstance(part, str) for part in (what, name, text)) else None


def workbench(data: Mapping[str, Any], *, key: str) -> None:
    """Draw it. `data` is what workbench_data made; while it is the same, nothing is sent again."""
    _component(key=key, data=data, on_asked_change=lambda: None)  # it is this that makes the value exist


def workbench_data(
    text: str,
    blocks: Sequence[Block],
    *,
    view: str,
    stamp: int,
    opening: bool,
    server: str,
    examples: Sequence[Example],
    example: str | None,
    back: int,
    specials: Reading,
    numbers: Numbers,
    link: Mapping[str, Any],
    opened: Mapping[str, Any],
    length: int | None = None,
) -> dict[str, Any]:
    """What the workbench sends to the browser.

    `view` names this workbench, and `stamp` counts the texts that Python gave it: the browser takes the text where the
    stamp is new, and keeps its own where it is not. `opening` says that nobody chose this text, so that a browser which
    outlived the `server` need not give up its own. `examples` are those offered, `example` the title of the one shown;
    `back` is how many texts of the visitor's own there is a way back to. `specials` is how special tokens are read, and
    `numbers` what the text comes to. `length` says how many characters there are where the text is only the beginning
    of them, which can be read here but not changed. `link` is what a link from here begins with, `opened` what the one
    said by which the page was opened (see `links.begun` and `links.opened`).
    """
    return {
        "text": text,
        "view": view,
        "stamp": stamp,
        "opening": opening,
        "server": server,
        "examples": [{"name": one.title, "look": one.look} for one in examples],
        "example": example,
        "back": back,
        "specials": specials,
        "numbers": asdict(numbers),
        "models": _models(),
        "length": length,
        "link": link,
        "opened": opened,
        "blocks": [
            {
                "key": block.key,
                "name": block.name,
                "series": block.series,
                "glyph": glyph(block.series),
                "badge": asdict(block.badge) if block.badge else None,
                "error": block.error,
                "refused": block.refused,
                "merges": len(block.encoding.merge_ids),
                **{name: value for name, value in payload(block.encoding).items() if name != "text"},
            }
            for block in blocks
        ],
    }


def _models() -> list[tuple[str, list[tuple[str, str]]]]:
    """The models to choose from, as (name, title), by their makers."""
    makers: dict[str, list[tuple[str, str]]] = {}
    for model in models().values():
        makers.setdefault(model.maker, []).append((model.name, model.title))
    return list(makers.items())
