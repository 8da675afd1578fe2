"""Opening files: the drop zone, and below it what the files are, what they do not say, or why they cannot be opened."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath

import streamlit as st

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.wording import free_name
from tokviz.formats import FORMATS
from tokviz.split.cutting import CUSTOM, PATTERNS
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.frame import shelf
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.field_lengths import too_long
from tokviz.ui.frame.say import note, say
from tokviz.ui.frame.uploads import file_uploader, let_go, named, too_much, uploaded
from tokviz.ui.frame.widgets import Bound, bind, take_shown
from tokviz.ui.library.found_files import Answers, Found, found_in
from tokviz.ui.library.state import LibraryState
from tokviz.ui.server.registry import why_no_room
from tokviz.ui.server.sizes import size as bytes_of
from tokviz.ui.server.visitor import NO_ROOM, Visitor

WIDTH = 440  # px, of the fields
LISTED = 3  # special tokens that are named
CHOOSE = "Choose"


def drop_zone(me: Visitor) -> None:
    """Draw the uploader, and a note for each tokenizer in the files that were dropped last."""
    state = me.state(LibraryState)
    key = f"library.files.{state.drops}"
    kinds = ", ".join(format.name for format in FORMATS.values())
    label = f"Open files, which are recognised by their content: {kinds}"
    file_uploader(label, key, pressed, me, "library.files", _take, me, key)
    say_trouble(me, "library.files")
    for fault in state.refused:
        say(fault)
    for found in state.found:
        _show(me, found)


def _take(me: Visitor, key: str) -> None:
    state = me.state(LibraryState)
    dropped, files = uploaded(key), dict[str, bytes]()
    size = sum(file.size for file in dropped)
    why = too_much(len(dropped), size) or why_no_room(size)
    for file in () if why else dropped:  # from several folders, they can have the same name
        path = PurePath(file.name)
        taken = [PurePath(name).stem for name in files if PurePath(name).suffix == path.suffix]
        files[f"{free_name(path.stem, taken)}{path.suffix}"] = file.getvalue()
    if not dropped:
        return
    let_go(dropped)
    state.drops += 1  # a new uploader is empty: the notes say what was in the old one
    found, state.refused = found_in(files, state.drops)
    why = why or why_no_room(bytes_of(found))
    if why:
        raise InputError(f"{named(dropped)} cannot be kept.", why)
    state.found = [*state.found, *found]


def _show(me: Visitor, found: Found) -> None:
    """Draw the note about the files of one tokenizer, the fields for what they do not say, and the two buttons."""
    key = f"library.{found.key}"
    with st.container(key=key, gap="xsmall"):
        note("good", *found.told(), key=f"{key}.note")
        tokenizer: AnyTokenizer | None = None
        if found.asks:
            with st.container(width=WIDTH, gap="small"):
                _fields(found, key)
        try:
            for fault in too_long(found.answers.special_list, "The list of special tokens"):
                raise fault
            tokenizer = found.read()
        except TokvizError as fault:
            say(fault)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "**Add it**",
                key=f"{key}.add",
                disabled=tokenizer is None or not me.room,
                on_click=pressed,
                args=(me, key, _add, me, found),
            )
            st.button("Leave it out", key=f"{key}.leave", on_click=me.state(LibraryState).leave, args=(found,))
            if tokenizer and not me.room:
                st.caption(f"{NO_ROOM} Remove one to make room.")
        say_trouble(me, key)


def _fields(found: Found, key: str) -> None:
    """Draw the fields for the split pattern and the special tokens. What the files do not say is never guessed."""
    said = found.answers
    if "pattern" in found.asks:
        choices = [*PATTERNS, CUSTOM]
        st.selectbox("Split pattern", choices, index=None, placeholder=CHOOSE, **_answer(said, "pattern", key))
    if said.pattern == CUSTOM:
        bound_field("Your split pattern, a regular expression", f"{key}.custom", "custom", said)
    if "special_tokens" in found.asks:
        st.selectbox(
            "Special tokens",
            ["none" if found.leftovers is None else "all", "list"],
            index=None,
            format_func=partial(_choice, found),
            placeholder=CHOOSE,
            **_answer(said, "specials", key),
        )
    if said.specials == "list":
        ids = ", each with a space and its id" if found.leftovers is None else ""
        bound_field(f"Special tokens, one per line{ids}", f"{key}.special_list", "special_list", said, lines=4)


def _choice(found: Found, specials: str) -> str:
    if specials != "all":
        return {"none": "There are none", "list": "Those that I list"}[specials]
    first, more = (found.leftovers or ())[:LISTED], len(found.leftovers or ()) - LISTED
    return f"All that no merge makes: {', '.join(first)}{f' and {more:,} more' if more > 0 else ''}"


def _answer(said: Answers, field: str, key: str) -> Bound:
    """The arguments that tie a widget to an answer."""
    return bind(f"{key}.{field}", field, said)


def _add(me: Visitor, found: Found) -> None:
    take_shown(found.answers)
    tokenizer = found.read()
    if tokenizer:
        shelf.keep(me, tokenizer, tokenizer.name)
        state = me.state(LibraryState)
        state.leave(found)
        state.refused = []
