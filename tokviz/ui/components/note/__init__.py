"""A note on the page: what happened, and what the reader can do about it."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from tokviz.ui.components import script, source

Tone = Literal["info", "good", "warn", "bad"]

_note = st.components.v2.component("tokviz_note", js=script("note/note.js"), css=source("note/note.css"))


def note(tone: Tone, what: str, way_out: str = "", *, key: str | None = None) -> None:
    """Show what happened in bold, and after it the way out. Both are plain text: nothing in them is markup.

    Buttons for the way out go below the note. Two equal notes on one page each need a `key`.
    """
    _note(data={"tone": tone, "what": what, "wayOut": way_out}, key=key)
