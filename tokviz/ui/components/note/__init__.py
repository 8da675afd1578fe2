"""A note on the page: what happened, and the way out."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from tokviz.ui.components import script, source

Kind = Literal["info", "good", "warn", "bad"]

_note = st.components.v2.component("tokviz_note", js=script("note/note.js"), css=source("note", "note.css"))


def note(kind: Kind, what: str, way_out: str = "", *, key: str | None = None) -> None:
    """Say in bold what happened, and after it where and the ways out. Both are shown letter by letter, as they are.

    Buttons for the ways out go below it. Two equal notes on one page need a `key` each.
    """
    _note(data={"kind": kind, "what": what, "wayOut": way_out}, key=key)
