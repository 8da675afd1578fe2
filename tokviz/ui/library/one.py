"""One tokenizer at an address of its own: what it is, and what can be done with it."""

from __future__ import annotations

import streamlit as st

from tokviz.base.errors import TokvizError
from tokviz.formats.bundled import offered
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.frame import shelf, shell
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.say import note, part, plain, say
from tokviz.ui.frame.tokenizers import mark_of
from tokviz.ui.library import link
from tokviz.ui.library.change import ask_to_delete, ask_to_remove, choose_name
from tokviz.ui.library.entries import Entry, key_of_saved, opened
from tokviz.ui.library.export import export
from tokviz.ui.library.record import record
from tokviz.ui.library.special_tokens import special_tokens
from tokviz.ui.library.state import LibraryState
from tokviz.ui.server.visitor import NO_ROOM, Visitor, shared

PLACE = "library.one"  # where errors of the buttons are shown


def one(me: Visitor, entry: Entry) -> None:
    """Draw the head of the tokenizer, the record of its training, its special tokens, and its export."""
    tokenizer, fault = None, entry.fault
    if not fault:
        try:
            tokenizer = opened(me, entry)
        except TokvizError as error:
            fault = error
    mark = f"{mark_of(entry.series)} " if entry.series else ""
    with st.container(gap=None):
        st.button("‹ Library", key="library.back", type="tertiary", on_click=link.go_to, args=("",))
        with shell.head_beside(entry.name, _what(entry), mark, share=0.6):
            _buttons(me, entry, tokenizer)
    say_trouble(me, PLACE)
    if entry.remarks:
        st.caption(plain(" ".join(entry.remarks)))
    if fault:
        say(fault)
    if tokenizer and tokenizer.has_merges:
        _all(me, entry, tokenizer)
    elif tokenizer and not tokenizer.has_merges:
        note(
            "info",
            "Its own package encodes text with it, so tokviz does not see how its tokens are made.",
            " ".join([*(tokenizer.why or ()), "It can be used on Tokens and Compare, but not replayed or exported."]),
        )


def _all(me: Visitor, entry: Entry, tokenizer: Tokenizer) -> None:
    """Draw the record, the special tokens and the export."""
    left, right = st.columns([7, 5], gap="medium")
    with left:
        with part():
            record(tokenizer, entry.mine.training if entry.mine else None)
        with part():
            special_tokens(me, entry, tokenizer)
    with right, st.container(border=True), part():
        export(me, entry.key, tokenizer)


def _buttons(me: Visitor, entry: Entry, tokenizer: AnyTokenizer | None) -> None:
    """Draw the buttons of the head. tokenizer: None if it cannot be opened."""
    saved, free = entry.saved, not shared()
    if entry.key in offered():
        st.caption("It can be chosen on every page.", width="content")
    elif tokenizer and entry.own is None:
        st.button(
            "**Use on every page**" if tokenizer.has_merges else "**Use on Tokens and Compare**",
            key="library.use",
            disabled=not me.room,
            help=f"{NO_ROOM} Remove one to make room." if not me.room else None,
            on_click=pressed,
            args=(me, PLACE, _use, me, entry, tokenizer),
        )
    if entry.mine and free and entry.group == "yours":
        st.button("**Save**", key="library.save", on_click=pressed, args=(me, PLACE, _save, entry))
    if tokenizer and free and entry.group in ("yours", "saved"):
        with st.popover("Rename"):
            choose_name(me, entry)
    if entry.own:
        st.button("Remove from this session", key="library.remove", on_click=ask_to_remove, args=(me, entry.own))
    if free and saved is not None:
        st.button("Delete", key="library.delete", on_click=ask_to_delete, args=(me, saved, PLACE))


def _use(me: Visitor, entry: Entry, tokenizer: AnyTokenizer) -> None:
    own = shelf.keep(me, tokenizer, entry.name, saved_as=entry.saved)
    if entry.saved is None:
        state = me.state(LibraryState)
        state.opened = {**state.opened, own.key: entry.key}


def _save(entry: Entry) -> None:
    if entry.mine:
        link.go_to(key_of_saved(shelf.save(entry.mine, entry.mine.name)))


def _what(entry: Entry) -> str:
    """Kind, size and day of a tokenizer, in a line."""
    facts = [entry.kind, entry.size]
    if entry.day:
        facts.append(f"{'saved' if entry.saved else 'here since'} {entry.day.isoformat()}")
    return ", ".join(filter(None, facts))
