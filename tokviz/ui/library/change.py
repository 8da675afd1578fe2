"""Changing the library: the questions before a tokenizer is deleted or removed, and the dialog for its new name."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokviz.catalog.saved import title
from tokviz.ui.frame import shelf
from tokviz.ui.frame.buttons import ask, pressed, say_trouble
from tokviz.ui.library import link
from tokviz.ui.library.entries import Entry, find, key_of_saved
from tokviz.ui.library.state import LibraryState
from tokviz.ui.server.visitor import Mine, Own, Visitor

RENAMING = "library.rename"


def ask_to_delete(me: Visitor, saved: str, place: str) -> None:
    """Ask before a saved tokenizer is deleted. place: where an error is shown."""
    what = "It is deleted from the library, and cannot be brought back."
    if any(mine.saved_as == saved for mine in me.trained):
        what += " The tokenizer stays open in this session."
    ask(f"Delete “{title(saved)}”?", what, "Delete", partial(pressed, me, place, _delete, me, saved))


def ask_to_remove(me: Visitor, own: Own) -> None:
    """Ask before an own tokenizer goes."""
    saved = shelf.saved_name(own) if isinstance(own, Mine) else None
    stays = f"It stays in the library as “{title(saved)}”." if saved else "It is not saved, so it is deleted."
    if own.key in me.state(LibraryState).opened:
        stays = "It stays in the library, and can be used again."
    ask(f"Remove “{own.name}” from this session?", stays, "Remove", partial(_remove, me, own.key))


def ask_for_name(me: Visitor, entry: Entry) -> None:
    """Open a dialog with a field for the new name of a tokenizer."""

    @st.dialog("Rename")
    def question() -> None:
        with st.form("library.rename.form", border=False):  # in a form, Enter renames
            name = st.text_input("New name", value=entry.name, key="library.new_name")
            with st.container(horizontal=True):
                rename = st.form_submit_button("**Rename**", key="library.rename.yes")
                cancel = st.form_submit_button("Cancel", key="library.rename.no")
        if rename:
            pressed(me, RENAMING, _rename, me, entry, name)
            if not me.trouble:
                st.rerun()
        if cancel:
            me.trouble = None
            st.rerun()
        say_trouble(me, RENAMING)

    question()


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
