"""The token view: one text under one tokenizer, every token a span that can be pointed at.

Python sends the encoding and the browser draws it. Hover, keys and switches stay in the browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tokviz.tokenizer.encoding import Encoding
from tokviz.ui.kit.data import glyph, payload
from tokviz.ui.kit.served import component


@dataclass(frozen=True, slots=True)
class TextTotals:
    """The figures of the whole text, if the encoding in view is only a part of it, or is not all that counts.

    written: how many bytes the whole encoding has, if not as many as are counted.
    """

    tokens: int
    bytes: int
    characters: int
    written: int | None = None


# For every component that shows tokens.
STYLES = ("kit/rows.css", "kit/menu.css", *(f"tokenview/{name}.css" for name in ("tokens", "panel", "table")))

_component = component("token_view", "tokenview/panel.js", *STYLES)


def token_view(data: Mapping[str, Any], *, key: str) -> None:
    """Draw a text as its tokens, with its figures above, and below them the token pointed at.

    `data` comes from view_data. Views of the same text point at the same bytes together.
    """
    _component(key=key, data=data)


def view_data(
    encoding: Encoding,
    *,
    name: str,
    series: str,
    totals: TextTotals | None = None,
) -> dict[str, Any]:
    """Make what `token_view` sends to the browser. The same arguments give the same data, so it is sent once.

    name, series: the tokenizer's name, and its colour and mark ("yours", "gpt2", "cl100k_base", "o200k_base", "other1"
    to "other4"; any other is a ValueError). totals: the figures of the whole text, if the encoding is a part of it; the
    encoding's `start` (bytes) then says where the part begins.
    """
    return {
        **payload(encoding),
        "start": encoding.start,
        "name": name,
        "series": series,
        "glyph": glyph(series),
        "totals": asdict(totals) if totals else None,
    }
