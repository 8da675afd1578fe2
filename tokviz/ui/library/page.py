"""The Library page: the list of all tokenizers there are, or one of them."""

from __future__ import annotations

import streamlit as st

from tokviz.ui import links
from tokviz.ui.address import NoPageLink, shortened
from tokviz.ui.frame import shell
from tokviz.ui.frame.lost import say_lost
from tokviz.ui.frame.say import note, part, plain
from tokviz.ui.library import link
from tokviz.ui.library.entries import entries, find
from tokviz.ui.library.one import one
from tokviz.ui.visitors.registry import visitor
from tokviz.ui.visitors.visitor import Visitor


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    links.arrived(me, "library", NoPageLink)
    key = link.opened()
    entry = find(me, key) if key else None
    if entry:
        with part():
            one(me, entry)
        return
    shell.head("Library", "All tokenizers there are. Open one, use it on every page, or take it along as a file.")
    if key:
        note("warn", f"There is no tokenizer {shortened(key)} here.", "Choose another one below, or open its file.")
    links.say_faults()
    say_lost(me, "library", ["tokenizer"])
    with part():
        _list(me)


def _list(me: Visitor) -> None:
    """Draw a line for each tokenizer."""
    for entry in entries(me):
        st.button(plain(entry.name), key=f"library.{entry.key}", on_click=link.go_to, args=(entry.key,))
