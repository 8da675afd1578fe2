"""The Library page: the list of all tokenizers there are, or one of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from urllib.parse import quote

import streamlit as st

from tokviz.base.blocks import Block, Button, Cell, Copy, Fold, Group, Line, Mark, Quiet, Series, Table
from tokviz.base.sentences import Code, Goto, Strong
from tokviz.catalog import saved
from tokviz.ui.frame import links, shelf, shell
from tokviz.ui.frame.address import NoPageLink, shortened
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.say import note, part
from tokviz.ui.frame.widgets import bind
from tokviz.ui.kit.blocks import Press
from tokviz.ui.library import link
from tokviz.ui.library.change import ask_to_delete
from tokviz.ui.library.drop import drop_zone
from tokviz.ui.library.entries import Entry, entries, find
from tokviz.ui.library.one import one
from tokviz.ui.library.state import ALL, LibraryState
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor, shared, why_read_only
from tokviz.ui.tokenview.shown import show

LIST = "library.list"
HEADS = ("Name", "Kind", "Size", "Pattern", "Origin", "")
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
    key = link.opened()
    there = entries(me)
    entry = next((one for one in there if one.address == key), None) if key else None
    if entry and not entry.command:
        with part():
            one(me, entry)
        return
    with shell.head_beside("Library", "Tokenizers you can open, use and save."):
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
        **bind("library.shown", "shown", LibraryState),
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
    rows: list[list[Cell]] = []
    for group, (_, title, word, empty) in GROUPS.items():
        found = [_row(entry) for entry in there if entry.group == group]
        if shown == group or (shown == ALL and found):
            rows.append([[Strong(title), Quiet("only you see them" if group == "yours" and shared() else word)]])
            rows += found or [[Quiet(empty)]]
    show(Table(HEADS, rows, "Tokenizers", wide=(1, 3, 4)), key=LIST, on_press=partial(_do, me))
    if any(entry.unread for entry in there):
        st.rerun()


def _row(entry: Entry) -> list[Cell]:
    """What a tokenizer is, and a button if something can be done with it here."""
    origin: Cell = entry.origin
    if entry.command:
        how: list[Block] = [
            Code(entry.command),
            Copy(entry.command),
            *(Line([Quiet(remark)]) for remark in entry.remarks),
        ]
        name: Cell = Group([Line([entry.name]), Fold("How to install it", how)], 1)
    elif entry.fault:
        name, origin = Group([Line([entry.name]), Line([Mark("bad", entry.fault.what)])], 1), ""
    else:
        mark = [Series(entry.series, "")] if entry.series else []
        name = [Goto(entry.name, f"/library?{link.OPEN}={quote(entry.address)}"), *mark]
    kind = Mark("bad", entry.kind) if entry.fault else entry.kind
    press: Cell = Quiet("")
    if entry.fault and not shared():
        press = Button("delete", entry.key, "Delete", f"Delete {entry.name}")
    elif entry.group == "yours" and entry.mine and not shared():
        press = Button("save", entry.key, "Save", f"Save {entry.name}")
    return [name, kind, entry.size, entry.pattern, origin, press]


def _do(me: Visitor, press: Press) -> None:
    """Do what was pressed in the table."""
    entry = find(me, press.value)
    if entry is None or shared():  # it went in another tab, or somebody deleted its file
        return
    if press.name == "save" and entry.mine:
        pressed(me, LIST, shelf.save, entry.mine, entry.mine.name)
    elif press.name == "delete" and entry.saved is not None:
        ask_to_delete(me, entry.saved, LIST)
