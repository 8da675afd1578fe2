"""The Library page: the list of all tokenizers there are, or one of them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from tokviz.catalog import saved
from tokviz.ui.frame import links, shelf, shell
from tokviz.ui.frame.address import NoPageLink, shortened
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.say import note, part
from tokviz.ui.frame.widgets import bind, widget_value
from tokviz.ui.kit.data import heard
from tokviz.ui.library import link
from tokviz.ui.library.change import ask_to_delete
from tokviz.ui.library.drop import drop_zone
from tokviz.ui.library.entries import Entry, entries, find
from tokviz.ui.library.library_list import LibraryRequest, ListedTokenizer, Press, Rows, library_list
from tokviz.ui.library.one import one
from tokviz.ui.library.state import ALL, LibraryState
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor, shared, why_read_only

LIST = "library.list"
# The groups in the order of the page: their pill, their title, what they mean, and what is said where one is empty.
GROUPS = {
    "yours": ("Yours", "Yours", "not saved yet", "You have no tokenizer of your own yet. Train one, or open a file."),
    "saved": ("Saved", "Saved on this machine", "", "Nothing is saved yet. What you train or open can be saved here."),
    "bundled": ("Bundled", "Bundled", "always there, offline", ""),
    "installed": (
        "Installed",
        "Found in installed packages",
        "read where they are",
        "No such package is installed here.",
    ),
    "to install": ("To install", "Install to see", "tokviz installs nothing by itself", "All of them are installed."),
}


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    links.arrived(me, "library", NoPageLink)
    asked = heard(widget_value(LIST), "asked", LibraryRequest)
    if asked:
        _do(me, asked)
    key = link.opened()
    there = entries(me)
    entry = next((one for one in there if one.address == key), None) if key else None
    if entry and not entry.command:
        with part():
            one(me, entry)
        return
    with shell.head_beside("Library", "All tokenizers there are, to open, to use and to take along."):
        _choose_group(there)
    links.say_faults()
    if entry:
        note("warn", f"{entry.name} is in a package that is not installed.", f"Install it with: {entry.command}")
    elif key:
        note("warn", f"There is no tokenizer {shortened(key)} here.", "Choose another one below, or open its file.")
    with part():
        drop_zone(me)
    with part():
        _list(me, there)


def _choose_group(there: Sequence[Entry]) -> None:
    """Draw a pill for each group and one for all."""
    numbers = {group: sum(entry.group == group for entry in there) for group in GROUPS}
    labels = {ALL: f"All {len(there):,}"} | {group: f"{GROUPS[group][0]} {n:,}" for group, n in numbers.items()}
    st.pills(
        "Groups",
        list(labels),
        required=True,
        format_func=labels.__getitem__,
        wrap=True,
        label_visibility="collapsed",
        **bind("library.shown", "shown", LibraryState, typed=False),
    )


def _list(me: Visitor, there: Sequence[Entry]) -> None:
    """Draw the table. If there was no time to read all saved files, the page runs again and goes on."""
    say_trouble(me, LIST)
    trouble = saved.trouble()
    if trouble:
        note("warn", trouble, "What is saved in it is not listed. Check who may read it.")
    if shared():
        st.caption(why_read_only())
    shown = me.state(LibraryState).shown
    groups = []
    for group, (_, title, word, empty) in GROUPS.items():
        rows = [_row(entry) for entry in there if entry.group == group]
        if shown == group or (shown == ALL and rows):
            groups.append(Rows(title, "only you see them" if group == "yours" and shared() else word, rows, empty))
    library_list(groups, key=LIST)
    if any(entry.unread for entry in there):
        st.rerun()


def _row(entry: Entry) -> ListedTokenizer:
    return ListedTokenizer(
        entry.key,
        entry.address,
        entry.name,
        entry.kind,
        entry.size,
        entry.pattern,
        entry.origin,
        entry.series,
        entry.fault.what if entry.fault else "",
        _press(entry),
        entry.command,
        entry.remarks if entry.command else (),
    )


def _press(entry: Entry) -> Press | None:
    """What the button of a row does."""
    if entry.fault:
        return None if shared() else "delete"
    return "save" if entry.group == "yours" and entry.mine and not shared() else "open"


def _do(me: Visitor, asked: LibraryRequest) -> None:
    """Do what was pressed in the table."""
    entry = find(me, asked.key)
    if entry is None:  # it went in another tab, or somebody deleted its file
        return
    if asked.what == "open" and not entry.command:
        link.go_to(entry.address)
    elif shared():
        return
    elif asked.what == "save" and entry.mine:
        pressed(me, LIST, shelf.save, entry.mine, entry.mine.name)
    elif asked.what == "delete" and entry.saved is not None:
        ask_to_delete(me, entry.saved, LIST)
