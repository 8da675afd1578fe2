"""Notes about what was dropped because memory was short, shown on the page where it is missed."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from tokviz.ui.frame.say import note
from tokviz.ui.frame.widgets import kept_in_session
from tokviz.ui.server.holdings import LostKind
from tokviz.ui.server.visitor import Visitor

WHAT_AND_WAY_OUT: dict[LostKind, tuple[str, str]] = {
    "file": ("The file “{name}” is gone", "Upload it again."),
    "what-if": ("The result of the what-if “{name}” is gone", "Press Train again to compute it again."),
    "corpus": ("The corpus “{name}” is gone", "Bring it again to train on it."),
    "training": ("The corpus of “{name}” is gone", "Its merges are kept. Bring the corpus again to see its windows."),
    "unkept": ("The training of “{name}” is gone", "It waited to be kept or discarded. Train again to get it back."),
    "tokenizer": ("The tokenizer “{name}” is gone", "Train it again, or open its file in the library."),
    "text": ("A text that you typed is gone", "Paste it again."),
}


def say_lost(me: Visitor, page: str, kinds: Collection[LostKind]) -> None:
    """Show a note for each loss of these kinds that has not been shown yet, until the visitor leaves the page."""
    kept = kept_in_session("lost")
    if kept.get("page") != page:
        kept.update(page=page, said=[])
    kept["said"] = [*kept["said"], *me.take_lost(kinds)]
    with st.container(key="lost", gap="small"):
        for number, lost in enumerate(dict.fromkeys(kept["said"])):
            what, way_out = WHAT_AND_WAY_OUT[lost.kind]
            what = f"{what.format(name=lost.name)}: the server ran short of memory."
            note("warn", what, way_out, key=f"lost.{number}")
