"""A note on the page: what happened, and what the reader can do about it."""

from __future__ import annotations

from itertools import count
from typing import Literal

from streamlit.errors import StreamlitDuplicateElementKey

from tokviz.ui.components import component

Tone = Literal["info", "good", "warn", "bad"]

_component = component("note", "note/note.css")


def note(tone: Tone, what: str, way_out: str = "", *, key: str | None = None) -> None:
    """Show what happened in bold, and after it the way out. Both are plain text: nothing in them is markup.

    Buttons for the way out go below the note. Without a `key`, the note gets the first number that is free in this run:
    a page can show the same words twice.
    """
    for number in count(1):
        try:
            _component(data={"tone": tone, "what": what, "wayOut": way_out}, key=key or f"note.{number}")
        except StreamlitDuplicateElementKey:
            if key:
                raise
        else:
            return
