"""A note on the page: what happened, and what the reader can do about it."""

from __future__ import annotations

from itertools import count
from typing import Literal

import streamlit as st
from streamlit.errors import StreamlitDuplicateElementKey

from tokviz.ui.components import script, source

Tone = Literal["info", "good", "warn", "bad"]

_note = st.components.v2.component("tokviz_note", js=script("note/note.js"), css=source("note/note.css"))


def note(tone: Tone, what: str, way_out: str = "", *, key: str | None = None) -> None:
    """Show what happened in bold, and after it the way out. Both are plain text: nothing in them is markup.

    Buttons for the way out go below the note. Without a `key`, the note gets the first number that is free in this run:
    a page can show the same words twice.
    """
    for number in count(1):
        try:
            _note(data={"tone": tone, "what": what, "wayOut": way_out}, key=key or f"note.{number}")
        except StreamlitDuplicateElementKey:
            if key:
                raise
        else:
            return
