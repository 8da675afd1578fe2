"""Changing the library: the questions before a tokenizer is deleted or removed, and the field for its new name."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokviz.catalog.saved import title
from tokviz.ui.frame import shelf
from tokviz.ui.frame.buttons import ask, pressed, say_trouble
from tokviz.ui.frame.field import field, shown_in
from tokviz.ui.library import link
from tokviz.ui.library.entries import Entry, find, key_of_saved
from tokviz.ui.library.state import LibraryState
from tokviz.ui.server.visitor import Own, Visitor

RENAMING = "library.rename"


def ask_to_delete(me: Visitor, saved: str, place: str) -> None:
    """Ask before a saved tokenizer is deleted. place: where an error is shown."""
    what = "It is deleted from the library, and cannot be brought back."
    if any(mine.saved_as == saved for mine in me.trained):
        what += " The tokenizer stays open in this session."
    ask(f"Delete “{title(saved)}”?", what, "Delete", partial(pressed, me, place, _delete, me, saved))


def ask_to_remove(me: Visitor, own: Own) -> None:
    """Ask before an own tokenizer goes."""
    is_there = own.key in me.state(LibraryState).opened
    stays = "It stays in the library, and can be used again." if is_there else shelf.where_it_stays(own)
    ask(f"Remove “{own.name}” from this session?", stays, "Remove", partial(_remove, me, own.key))


def choose_name(me: Visitor, entry: Entry) -> None:
    """Draw the field for the new name of a tokenizer, and the button that takes it."""
    names = me.state(LibraryState).names
    key = f"{RENAMING}.{entry.key}"

    def take() -> None:
        _rename(me, entry, shown_in(key))
        names.pop(entry.key, None)

    rename, typed = partial(pressed, me, RENAMING, take), partial(names.__setitem__, entry.key)
    field("New name", names.get(entry.key, entry.name), key=key, typed=typed, entered=rename)
    st.button("Rename", key=RENAMING, on_click=rename)
    say_trouble(me, RENAMING)


def _rename(me: Visitor, entry: Entry, name: str) -> None:
    if entry.saved is not None:
        link.go_to(key_of_saved(shelf.rename(me, entry.saved, name)))
    elif entry.own:
        me.rename(entry.own.key, name)
        if renamed := find(me, entry.key):  # the name of a tokenizer is part of what its address is made from
            link.go_to(renamed.address)


def _delete(me: Visitor, saved: str) -> None:
    shelf.delete(me, saved)
    link.go_to("")


def _remove(me: Visitor, key: str) -> None:
    gone = find(me, key)
    me.drop(key)
    if gone and link.opened() == gone.address:
        link.go_to("")
