"""One tokenizer at an address of its own: what it is, and what can be done with it."""

from __future__ import annotations

import streamlit as st

from tokviz.ui.frame import shell
from tokviz.ui.frame.say import part
from tokviz.ui.library import link
from tokviz.ui.library.entries import Entry, tokenizer_of
from tokviz.ui.library.export import export
from tokviz.ui.library.record import record
from tokviz.ui.library.special_table import special_table
from tokviz.ui.visitors.visitor import Visitor
from tokviz.wording import count_of


def one(me: Visitor, entry: Entry) -> None:
    """Draw the head of the tokenizer: its name, what it is, and its buttons."""
    st.button("‹ Library", key="library.list", type="tertiary", on_click=link.go_to, args=("",))
    with shell.head_beside(entry.name, _what(entry)):
        pass
    tokenizer = tokenizer_of(me, entry)
    left, right = st.columns([7, 5], gap="large")
    with left:
        with part():
            record(tokenizer, entry.mine.training if entry.mine else None)
        with part():
            special_table(me, entry, tokenizer)
    with right, st.container(border=True), part():
        export(me, entry.key, tokenizer)


def _what(entry: Entry) -> str:
    """Kind, size and day of a tokenizer, in a line."""
    facts = [entry.kind, count_of(entry.size, "id") if entry.size else ""]
    if entry.day:
        facts.append(f"{'saved' if entry.saved else 'here since'} {entry.day.isoformat()}")
    return ", ".join(filter(None, facts))
