"""The special tokens of a tokenizer as lines to edit. Saving the change makes a new tokenizer; the original stays."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import streamlit as st

from tokviz.base.errors import InputError
from tokviz.base.wording import count_of
from tokviz.formats.snippets import python_text
from tokviz.tokenizer.special_edits import faults, free_id, special_tokens_in
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.train import Training
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.field_lengths import too_long
from tokviz.ui.frame.say import note, plain
from tokviz.ui.frame.widgets import take_shown
from tokviz.ui.library import link
from tokviz.ui.library.entries import Entry, opened_with_merges
from tokviz.ui.library.state import EDITED, LibraryState, SpecialEdit
from tokviz.ui.server.registry import why_no_room
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import Visitor

LINES = (3, 10)  # of the field, at least and at most
LONGEST = 200  # characters of an added token that are shown
FAULTS = 3  # that are said at once


def special_tokens(me: Visitor, entry: Entry, tokenizer: Tokenizer) -> None:
    """Draw the lines, and the buttons that save them."""
    state = me.state(LibraryState)
    edit = state.edit(entry.key, tokenizer)
    rows = edit.rows(tokenizer)
    changed = sorted(rows) != sorted(edit.base)
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.subheader("Special tokens", anchor=False, width="content")
        st.caption(f"The next free id is {free_id(tokenizer, rows):,}", width="content")
    if tokenizer.added_tokens:
        n = count_of(len(tokenizer.added_tokens), "added token")
        st.caption(f"It also has {n}, which cannot be changed here. The first ones with their ids:")
        first = islice(tokenizer.added_tokens.items(), EDITED)
        st.text(", ".join(f"{python_text(text[:LONGEST])} {id}" for text, id in first))
    if state.made == entry.key and not changed:
        note("good", f"“{entry.name}” has the change.", "The original is as it was.", key="library.special.made")
    bound_field(
        "One per line: its text, a space, its id. A text without an id gets the next free one.",
        f"library.special.{entry.key}",
        "text",
        edit,
        lines=min(max(LINES[0], 1 + len(edit.text.splitlines())), LINES[1]),
        placeholder=f"<|user|> {free_id(tokenizer, rows)}",
    )
    if len(edit.base) > EDITED:
        st.caption(f"{count_of(len(edit.base) - EDITED, 'more special token')}, kept as they are.")
    for fault in _faults(tokenizer, edit)[:FAULTS]:
        st.markdown(f":small[:red[× {plain(fault)}]]")
    _buttons(me, entry, edit, changed=changed)


def _faults(tokenizer: Tokenizer, edit: SpecialEdit) -> list[str]:
    """What is wrong with the lines."""
    return [*map(str, too_long(edit.text, "The list"))] or [*filter(None, faults(tokenizer, edit.rows(tokenizer)))]


def _discard(me: Visitor, key: str) -> None:
    me.state(LibraryState).edits.pop(key, None)


def _buttons(me: Visitor, entry: Entry, edit: SpecialEdit, *, changed: bool) -> None:
    place = "library.special"
    with st.container(horizontal=True):
        save = (me, place, _save, me, entry, edit)
        st.button("**Save the change**", key=f"{place}.save", on_click=pressed, args=save)
        if changed:
            st.button("Discard it", key=f"{place}.discard", on_click=_discard, args=(me, entry.key))
    say_trouble(me, place)
    st.caption("Saving makes a new tokenizer of yours. The original stays as it is.")


def _save(me: Visitor, entry: Entry, edit: SpecialEdit) -> None:
    """Make a tokenizer with the special tokens that this tab shows. InputError if a line is wrong, or none changed."""
    take_shown(edit)
    tokenizer = opened_with_merges(me, entry)
    for fault in _faults(tokenizer, edit):
        raise InputError("Nothing is saved.", fault)
    rows = edit.rows(tokenizer)
    if sorted(rows) == sorted(edit.base):
        raise InputError("Nothing is saved.", "No special token is changed. Change one first.")
    name, of_corpus = me.free_name(entry.name), entry.mine.corpus_name if entry.mine else ""
    changed = tokenizer.with_special_tokens(special_tokens_in(rows)).renamed(name)
    if why := why_no_room(size(changed)):
        raise InputError("Nothing is saved.", why)
    mine = me.add(name, changed, _training(entry, changed), corpus_name=of_corpus)
    state = me.state(LibraryState)
    state.edits.pop(entry.key, None)
    state.made = mine.key
    link.go_to(mine.sha256)


def _training(entry: Entry, changed: Tokenizer) -> Training | None:
    """The training of the original, if its corpus is read the same with the changed special tokens."""
    training = entry.mine.training if entry.mine else None
    if training is None or not set(training.tokenizer.special_tokens) <= set(changed.special_tokens):
        return None
    return replace(training, tokenizer=changed)
