"""The Tokens page: a text area above the tokens of its text, and below them ids to text and a chat editor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from tokviz.base.blocks import Copy
from tokviz.catalog.samples import sample
from tokviz.ui.frame import links, shell
from tokviz.ui.frame.address import TEXT_BYTES, Link, encode
from tokviz.ui.frame.say import part
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.kit.served import component
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import FIRST_TEXT, OPENS_WITH, Visitor
from tokviz.ui.tokens.chat import chat
from tokviz.ui.tokens.from_ids import from_ids
from tokviz.ui.tokens.link import TokensLink
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.tokenview.choosing import all_chosen, distinct, models_in_link, named
from tokviz.ui.tokenview.shown import show
from tokviz.ui.tokenview.workbench import WORKBENCH_STYLES, asked, workbench_data

_component = component("workbench", "tokens/tokens.js", *WORKBENCH_STYLES)

WORKBENCH = "tokens.workbench"
PARTS = {"ids": ("From ids to text", from_ids), "chat": ("A conversation", chat)}
COST = ("gpt-5", "gpt-4o", "gpt-3.5-turbo")  # the models of the door "What does this cost?"


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    arrived = links.arrived(me, "tokens", TokensLink)
    state = me.state(TokensState)
    if arrived:
        state.welcomed = True
        link = arrived.link.page
        state.chosen = named(me, arrived.keys, link.models) or state.chosen
        state.below = link.below or state.below
        state.ids.text = link.ids or state.ids.text
    links.offer_way_back(TokensLink)
    links.say_faults()
    with part():
        _workbench(me, state)
    # A part below the workbench, which does not change when this runs again.
    if state.below:
        _below(me, state)


def _below(me: Visitor, state: TokensState) -> None:
    """Draw the part that is open below the workbench, a link to it, and a way to close it."""
    title, draw = PARTS[state.below]
    ids = state.ids.text if state.below == "ids" and len(state.ids.text) <= TEXT_BYTES else None
    link = encode(Link(TokensLink(below=state.below, ids=ids)))
    with st.container(horizontal=True, vertical_alignment="center", key="tokens.below"):
        st.subheader(title, anchor=False)
        show(Copy(link, "Copy link", is_query=True), key="tokens.below.copy")
        if st.button("×", key="tokens.below.close", help=f"Close {title}"):
            state.below = ""
            st.rerun()
    with part():
        draw(me)


def _workbench(me: Visitor, state: TokensState) -> None:
    ask = asked(me, state, WORKBENCH)
    if ask and ask.what != "renew":
        state.welcomed |= ask.what != "cost"  # the other doors stay
        if ask.what == "below" and ask.name in PARTS:
            state.below = ask.name
        elif ask.what == "cost":
            state.chosen = list(COST)
    if not state.welcomed and me.text == sample(OPENS_WITH).text and not me.own_texts:
        me.lend(FIRST_TEXT)
    state.welcomed |= me.text != FIRST_TEXT or bool(me.own_texts)
    heads = all_chosen(me, state.chosen)
    state.chosen = [head.name for head in heads]

    def more() -> tuple[TokensLink, dict[str, Any]]:
        own = {"opening": not state.welcomed, "opened": _opened(me, distinct(heads))}
        return TokensLink(models=models_in_link(heads)), own

    data = workbench_data(me, heads, WORKBENCH, ask, more, state.welcomed)
    _component(key=WORKBENCH, data=data, on_asked_change=lambda: None)  # without a callback it has no value


def _opened(me: Visitor, chosen: Sequence[ShownTokenizer]) -> dict[str, Any]:
    """How the tokens are drawn at first: as the link says that opened this page, or else as the visitor last saw them.

    pinned: the number of the tokenizer, and the byte; None if nothing is pinned. linked: whether a link pins it.
    """
    by = links.opened_by(TokensLink)
    view: str = ""
    size: int | None = None
    key: str | None = None
    start: int | None = None
    if by:
        page = by.link.page
        view, size = page.view, page.size
        if page.pinned and page.pinned.side < len(by.link.tokenizers):
            key, start = by.here.get(by.link.tokenizers[page.pinned.side]), page.pinned.start
    elif me.pin:
        key, start, size = me.pin
    sides = [shown.key for shown in chosen]
    pinned = [sides.index(key), start] if key in sides and start is not None else None
    return {"view": view, "size": size, "pinned": pinned, "linked": bool(by and pinned)}
