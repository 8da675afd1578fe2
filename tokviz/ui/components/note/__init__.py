"""A note on the page: what happened, and the way out."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import streamlit as st

Kind = Literal["info", "good", "warn", "bad"]

_HERE = Path(__file__).parent
_note = st.components.v2.component(
    "tokviz_note",
    js=(_HERE / "note.js").read_text("utf-8"),
    css=(_HERE / "note.css").read_text("utf-8"),
)


def note(kind: Kind, what: str, way_out: str = "", *, key: str | None = None) -> None:
    """Say in bold what happened, and after it where and the ways out. Both are shown letter by letter, as they are.

    Buttons for the ways out go below it. Two equal notes on one page need a `key` each.
    """
    _note(data={"kind": kind, "what": what, "wayOut": way_out}, key=key)
