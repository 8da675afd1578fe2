"""Two vocabularies laid over each other: what they share as three buttons, ranks as a picture, and lists of tokens.

Each is a component of its own, because other things stand between them on the page. Python decides what they show and
what a press does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import streamlit as st

from tokviz.ui.components import glyph, script, stylesheet

OverlayPart = Literal["a", "shared", "b"]
PARTS: tuple[OverlayPart, ...] = get_args(OverlayPart)
MOST_BYTES = 1_000  # of a token that are sent to the browser
STEPS = 7  # colours of the picture; the first of the palette's eight is hardly seen on the page

_bar = st.components.v2.component("tokviz_overlay_bar", css=stylesheet("overlay/bar.css"), js=script("overlay/bar.js"))
_picture = st.components.v2.component(
    "tokviz_overlay_picture",
    css=stylesheet("overlay/heading.css", "overlay/picture.css"),
    js=script("overlay/picture.js"),
)
_tokens = st.components.v2.component(
    "tokviz_overlay_tokens",
    css=stylesheet("token_view/tokens.css", "overlay/heading.css", "overlay/tokens.css"),
    js=script("overlay/tokens.js"),
)


class Named(NamedTuple):
    """A tokenizer by its name and its series, which gives its colour and its mark."""

    name: str
    series: str


class Axis(NamedTuple):
    """One axis of the picture.

    bins: the ranks of each bin in words, such as "1,448 to 2,047"; "" for a bin without ranks. ticks: ranks with their
    places on the axis, from 0 to 1.
    """

    of: Named
    bins: Sequence[str]
    ticks: Sequence[tuple[int, float]]


class Bin(NamedTuple):
    """A bin with merges in it. column, row: on the two axes. step: its colour, from 1 to STEPS."""

    column: int
    row: int
    merges: int
    step: int


class TokenChip(NamedTuple):
    """A token in a list. words: what is said of it besides its bytes, such as "rank 12"."""

    data: bytes
    id: int
    words: str


def overlay_bar(
    a: Named,
    b: Named,
    numbers: Mapping[OverlayPart, int],
    pressed: OverlayPart,
    *,
    remarks: Sequence[str],
    query: str,
    key: str,
    on_asked_change: Callable[[], None],
) -> None:
    """Draw how many tokens are only in a, shared, and only in b, as three buttons that are as wide as their numbers.

    remarks: sentences below them. query: of the link that Copy link copies.
    """
    of: dict[OverlayPart, Named | None] = {"a": a, "shared": None, "b": b}
    parts = [{"key": part, "n": numbers[part], "of": _named(of[part]), "pressed": part == pressed} for part in PARTS]
    _bar(key=key, data={"parts": parts, "remarks": list(remarks), "query": query}, on_asked_change=on_asked_change)


def rank_picture(
    title: str,
    across: Axis,
    up: Axis,
    bins: Sequence[Bin],
    chosen: tuple[int, int] | None,
    *,
    key: str,
    on_asked_change: Callable[[], None],
) -> None:
    """Draw the ranks of shared merges against each other. chosen: the column and the row of the bin that is marked."""
    data = {
        "title": title,
        "across": _axis(across),
        "up": _axis(up),
        "bins": [*map(tuple, bins)],
        "chosen": chosen,
        "scale": _scale(bins),
    }
    _picture(key=key, data=data, on_asked_change=on_asked_change)


def token_chips(
    title: str, words: str, tokens: Sequence[TokenChip], *, key: str, on_asked_change: Callable[[], None]
) -> None:
    """Draw tokens as chips in lines, under a title. A press tells the id of the token."""
    chips = [
        {"hex": chip.data[:MOST_BYTES].hex(), "bytes": len(chip.data), "id": chip.id, "words": chip.words}
        for chip in tokens
    ]
    _tokens(key=key, data={"title": title, "words": words, "tokens": chips}, on_asked_change=on_asked_change)


def pressed_part(value: Any) -> OverlayPart | None:
    """The part that was pressed in the bar, from its value in the session; None if none was."""
    said = _asked(value)
    return next((part for part in PARTS if part == said), None)


def pressed_bin(value: Any) -> tuple[int, int] | None:
    """The column and the row of the bin that was pressed in the picture; None if none was.

    >>> pressed_bin({"asked": [3, 4]}), pressed_bin({"asked": ["3", 4]}), pressed_bin(None)
    ((3, 4), None, None)
    """
    said = _asked(value)
    if not isinstance(said, Sequence) or len(said) != 2 or not all(type(place) is int for place in said):
        return None
    return said[0], said[1]


def pressed_token(value: Any) -> int | None:
    """The id of the token that was pressed; None if none was."""
    said = _asked(value)
    return said if type(said) is int else None


def _asked(value: Any) -> Any:
    return value.get("asked") if isinstance(value, Mapping) else None


def _named(of: Named | None) -> dict[str, str] | None:
    return of and {"name": of.name, "series": of.series, "glyph": glyph(of.series)}


def _axis(axis: Axis) -> dict[str, Any]:
    return {"of": _named(axis.of), "bins": list(axis.bins), "ticks": list(axis.ticks)}


def _scale(bins: Sequence[Bin]) -> list[tuple[int, int, int]]:
    """For each colour in use, the step and the smallest and the largest number that has it."""
    steps: dict[int, list[int]] = {}
    for one in bins:
        steps.setdefault(one.step, []).append(one.merges)
    return [(step, min(counts), max(counts)) for step, counts in sorted(steps.items())]
