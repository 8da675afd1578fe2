"""One tokenizer at an address of its own: what it is, and what can be done with it."""

from __future__ import annotations

import streamlit as st

from tokviz.ui import shelf
from tokviz.ui.components import glyph
from tokviz.ui.frame import shell
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.say import part, say
from tokviz.ui.library import link
from tokviz.ui.library.change import ask_for_name, ask_to_delete, ask_to_remove
from tokviz.ui.library.entries import Entry, key_of_saved, tokenizer_of
from tokviz.ui.library.export import export
from tokviz.ui.library.record import record
from tokviz.ui.library.special_table import special_table
from tokviz.ui.tokenizers import COLOURS, REFERENCES
from tokviz.ui.visitors.visitor import NO_ROOM, Visitor, shared
from tokviz.wording import count_of

PLACE = "library.one"  # where errors of the buttons are shown


def one(me: Visitor, entry: Entry) -> None:
    """Draw the head of the tokenizer, the record of its training, its special tokens, and its export."""
    mark = f":{COLOURS.get(entry.series, 'gray')}[{glyph(entry.series)}] " if entry.series else ""
    with st.container(gap=None):
        st.button("‹ Library", key="library.back", type="tertiary", on_click=link.go_to, args=("",))
        with shell.head_beside(entry.name, _what(entry), mark):
            _buttons(me, entry)
    say_trouble(me, PLACE)
    if entry.fault:
        say(entry.fault)
        return
    tokenizer = tokenizer_of(me, entry)
    left, right = st.columns([7, 5], gap="large")
    with left:
        with part():
            record(tokenizer, entry.mine.training if entry.mine else None)
        with part():
            special_table(me, entry, tokenizer)
    with right, st.container(border=True), part():
        export(me, entry.key, tokenizer)


def _buttons(me: Visitor, entry: Entry) -> None:
    """Draw the buttons of the head."""
    mine, saved, free = entry.mine, entry.saved, not shared()
    if entry.key in REFERENCES:
        st.caption("It is on every page.")
    elif mine is None and not entry.fault:
        st.button(
            "**Use on every page**",
            key="library.use",
            disabled=not me.room,
            help=f"{NO_ROOM} Remove one to make room." if not me.room else None,
            on_click=pressed,
            args=(me, PLACE, _use, me, entry),
        )
    if mine and saved is None and free and entry.group == "yours":
        st.button("**Save**", key="library.save", on_click=pressed, args=(me, PLACE, _save, entry))
    if free and not entry.fault and entry.group in ("yours", "saved"):
        st.button("Rename", key="library.rename", on_click=ask_for_name, args=(me, entry))
    if mine:
        st.button("Remove from this session", key="library.remove", on_click=ask_to_remove, args=(me, mine))
    if free and saved is not None:
        st.button("Delete", key="library.delete", on_click=ask_to_delete, args=(me, saved, PLACE))


def _use(me: Visitor, entry: Entry) -> None:
    shelf.keep(me, tokenizer_of(me, entry), entry.name, saved_as=entry.saved)


def _save(entry: Entry) -> None:
    if entry.mine:
        link.go_to(key_of_saved(shelf.save(entry.mine, entry.mine.name)))


def _what(entry: Entry) -> str:
    """Kind, size and day of a tokenizer, in a line."""
    facts = [entry.kind, count_of(entry.size, "id") if entry.size else ""]
    if entry.day:
        facts.append(f"{'saved' if entry.saved else 'here since'} {entry.day.isoformat()}")
    return ", ".join(filter(None, facts))
