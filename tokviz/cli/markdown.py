"""Markdown whose text comes from users: nothing in it is read as markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokviz.wording import printable

SHOWN = 60  # characters of a text
_TROUBLE = re.compile(r"[|`\\]")  # characters that end a code span or a cell, whatever stands before them
_SIGN = re.compile(r"[^A-Za-z0-9 ]")


def code(text: str, most: int = SHOWN) -> str:
    """A text as code. Control characters are made visible. most: characters, the rest is cut off.

    >>> code("a_b <i>"), code("a|b")
    ('`a_b <i>`', '<code>a&#124;b</code>')
    """
    text = printable(text)
    text = text if len(text) <= most else f"{text[:most]}…"
    if text.strip(" ") and text == text.strip(" ") and not _TROUBLE.search(text):
        return f"`{text}`"
    return f"<code>{_SIGN.sub(lambda sign: f'&#{ord(sign[0])};', text)}</code>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], figures: int) -> list[str]:
    """The lines of a table. figures: how many columns, from the left, are numbers and stand on the right."""
    line = ["---:"] * figures + ["---"] * (len(header) - figures)
    return [f"| {' | '.join(cells)} |" for cells in (header, line, *rows)]
