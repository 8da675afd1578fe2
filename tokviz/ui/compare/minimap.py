"""The minimap of a file: tokens per byte along it, a row for each tokenizer. A click or a key goes to a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tokviz.offline.data import glyph
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.kit.data import heard
from tokviz.ui.kit.served import component

_component = component("minimap", "compare/minimap.js", "compare/minimap.css")


def minimap(
    rows: Sequence[tuple[ShownTokenizer, Sequence[float]]],
    *,
    name: str,
    n_bytes: int,
    at: int,
    key: str,
    on_looked_change: Callable[[], None],
) -> None:
    """Draw it. rows: tokenizers with their tokens per byte in each stretch of the file. at: the first byte in view.

    The value's "looked" is the byte to go to.
    """
    drawn = [
        {"name": by.name, "series": by.series, "glyph": glyph(by.series), "values": [round(each, 4) for each in values]}
        for by, values in rows
    ]
    data = {"name": name, "bytes": n_bytes, "at": at, "rows": drawn}
    _component(key=key, data=data, on_looked_change=on_looked_change)


def looked(value: Any, n_bytes: int) -> int | None:
    """The byte to go to, from the component's value; None if there is none, or if it lies outside the file."""
    place = heard(value, "looked", int)
    return place if place is not None and 0 <= place < n_bytes else None
