"""The table of all tokenizers on the Library page, in groups. Python decides what is in it and what a press does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from tokviz.ui.kit.data import glyph
from tokviz.ui.kit.served import component

Press = Literal["open", "save", "delete"]

_component = component("library_list", "library/library_list.js", "library/library_list.css")


class ListedTokenizer(NamedTuple):
    """A tokenizer in the table.

    key: comes back with a press. address: names it in the address of the page. size: in words. series: its
    colour and marker, "" if it has none. fault: why it cannot be opened, which is shown instead of the facts. press:
    what its button does, None if it has none. command: how to install it; a button shows it and the remarks, and the
    name is no link.
    """

    key: str
    address: str
    name: str
    kind: str
    size: str
    pattern: str
    origin: str
    series: str = ""
    fault: str = ""
    press: Press | None = "open"
    command: str = ""
    remarks: Sequence[str] = ()


class Rows(NamedTuple):
    """A group of rows. word: what the group means, in a few words. empty: said where it has no rows."""

    title: str
    word: str
    rows: Sequence[ListedTokenizer]
    empty: str = ""


class LibraryRequest(NamedTuple):
    """What the visitor pressed: what it does, and the key of the row."""

    what: Press
    key: str


def library_list(groups: Sequence[Rows], *, key: str) -> None:
    """Draw the table. The value's "asked" is a `LibraryRequest`."""
    drawn = [{**group._asdict(), "rows": [*map(_drawn, group.rows)]} for group in groups]
    _component(key=key, data={"groups": drawn}, on_asked_change=lambda: None)  # else the value does not exist


def _drawn(row: ListedTokenizer) -> dict[str, Any]:
    return {**row._asdict(), "glyph": glyph(row.series) if row.series else ""}
