"""The Tokens page: a text area above the tokens of its text, and below them ids to text and a chat editor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from tokviz.base.blocks import Copy
from tokviz.base.errors import TokvizError
from tokviz.base.text import clean
from tokviz.catalog.samples import examples, sample
from tokviz.split.specials import READINGS, Reading
from tokviz.tokenizer.encoding import SPLIT, Encoding
from tokviz.tokenizer.live_text import beginning
from tokviz.ui.frame import links, shell
from tokviz.ui.frame.address import TEXT_BYTES, Link, encode, sample_of
from tokviz.ui.frame.remarks import remarks
from tokviz.ui.frame.say import part
from tokviz.ui.frame.tokenizers import ShownTokenizer, badge, encoded
from tokviz.ui.frame.widgets import kept_in_session, widget_value
from tokviz.ui.kit.data import heard
from tokviz.ui.kit.served import component
from tokviz.ui.server import limits
from tokviz.ui.server.registry import new_view, visitor
from tokviz.ui.server.visitor import FIRST_TEXT, OPENS_WITH, Visitor
from tokviz.ui.tokens.chat import chat
from tokviz.ui.tokens.from_ids import from_ids
from tokviz.ui.tokens.link import TokensLink
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.tokenview.choosing import Chosen, all_chosen, distinct, models_in_link, named
from tokviz.ui.tokenview.shown import show
from tokviz.ui.tokenview.socket import SERVER
from tokviz.ui.tokenview.workbench import WORKBENCH_STYLES, Block, WorkbenchRequest, workbench_data

_component = component("workbench", "tokens/tokens.js", *WORKBENCH_STYLES)

WORKBENCH = "tokens.workbench"
PARTS = {"ids": ("From ids to text", from_ids), "chat": ("A conversation", chat)}
COST = ("gpt-5", "gpt-4o", "gpt-3.5-turbo")  # the models of the door "What does this cost?"


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    state = me.state(TokensState)
    arrived = links.arrived(me, "tokens", TokensLink)
    if arrived:
        state.welcomed = True
        asked = arrived.link.page
        state.chosen = named(me, arrived.keys, asked.models) or state.chosen
        state.below = asked.below or state.below
        state.ids.text = asked.ids or state.ids.text
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
    """Draw the text and its tokens. New data is made only if the browser does not have it already."""
    kept = kept_in_session(WORKBENCH)
    if not kept:
        kept.update(view=new_view(), stamp=0, shown=None)
    ask = heard(widget_value(WORKBENCH), "asked", WorkbenchRequest)
    if ask:
        _do(me, state, ask, kept["view"])
    if not state.welcomed and me.text == sample(OPENS_WITH).text and not me.own_texts:
        me.lend(FIRST_TEXT)
    state.welcomed |= me.text != FIRST_TEXT or bool(me.own_texts)
    heads = all_chosen(me, state.chosen)
    state.chosen = [head.name for head in heads]

    # The browser has the text that was typed in it last, or else the text that it was sent last. Only another text is
    # news to it. `kept` changes in one go at the end, because the next run can interrupt this one anywhere before that.
    news = not me.has_text(kept["view"])
    shown_now = (*((head.name, head.title) for head in heads), me.specials, len(me.own_texts), state.welcomed)
    if news or (ask and ask.what == "typed") or kept["shown"] != shown_now:
        text, stamp = me.text, kept["stamp"] + news
        if news:
            me.no_text(kept["view"])
        data = _data(me, text, heads, kept["view"], stamp, not state.welcomed)
        kept.update(stamp=stamp, shown=shown_now, data=data)
        me.gets_text(kept["view"], text)
    _component(key=WORKBENCH, data=kept["data"], on_asked_change=lambda: None)  # without a callback it has no value


def _do(me: Visitor, state: TokensState, ask: WorkbenchRequest, view: str) -> None:
    """Do what the browser asked for. An example replaces the visitor's own text, which can be brought back."""
    if ask.what == "renew":  # the run itself is what it needs
        return
    state.welcomed |= ask.what != "cost"  # the other doors stay
    if ask.text or ask.what == "typed":
        me.type(clean(ask.text), view)
    if ask.what == "below" and ask.name in PARTS:
        state.below = ask.name
    elif ask.what == "chosen":
        state.chosen = ask.name.split(",")
    elif ask.what == "cost":
        state.chosen = list(COST)
    example = next((one for one in examples() if ask.what == "example" and one.title == ask.name), None)
    if example:
        me.lend(example.text)
    elif ask.what == "clear":
        me.lend("")
    elif ask.what == "back":
        me.back()
    elif ask.what == "specials":
        me.specials = next((reading for reading in READINGS if reading == ask.name), me.specials)


def _data(me: Visitor, text: str, heads: Sequence[Chosen], view: str, stamp: int, opening: bool) -> dict[str, Any]:
    chosen = distinct(heads)
    reading, here = me.specials, beginning(text, limits.TEXT_UNITS)
    blocks = [_block(me, shown, here, reading) for shown in chosen]
    return workbench_data(
        here,
        blocks,
        heads=[head.data for head in heads],
        view=view,
        stamp=stamp,
        opening=opening,
        server=SERVER,
        examples=examples(),
        example=next((one.title for one in examples() if one.text == text), None),
        back=len(me.own_texts),
        specials=reading,
        length=None if here is text else len(text.encode("utf-16-le", "replace")) // 2,
        link=_link_begun(me, text, heads),
        opened=_opened(me, chosen),
    )


def _block(me: Visitor, shown: ShownTokenizer, text: str, reading: Reading) -> Block:
    """One tokenizer's block. If it cannot encode the text, the block says so and shows only the bytes."""
    called = links.link_name(me, shown)
    try:
        encoding = encoded(me, shown.tokenizer, text, reading)
    except TokvizError as error:
        data = text.encode()
        alone = Encoding(data, np.full(len(data), SPLIT, np.int32), shown.tokenizer.alphabet)
        return Block(shown.key, shown.name, shown.series, alone, None, str(error), called=called)
    said = badge(me, shown.tokenizer, text, reading) if text else None
    refused = shown.first_special(text) if reading == "refuse" else None
    remarked = remarks(shown.tokenizer, text, encoding)
    kind = shown.tokenizer.kind
    return Block(shown.key, shown.name, shown.series, encoding, said, None, refused, kind, called, remarked)


def _link_begun(me: Visitor, text: str, heads: Sequence[Chosen]) -> dict[str, Any]:
    """The part of a link that is known before anything is typed; link.js adds the rest.

    sample: the key of the text if it is a bundled one. limit: bytes of a text that goes along.
    """
    tokenizers = tuple(links.link_name(me, shown) for shown in distinct(heads))
    query = encode(Link(TokensLink(models=models_in_link(heads)), tokenizers=tokenizers))
    return {"query": query, "sample": sample_of(text), "limit": TEXT_BYTES}


def _opened(me: Visitor, chosen: Sequence[ShownTokenizer]) -> dict[str, Any]:
    """How the tokens are drawn at first: as the link says that opened this page, or else as the visitor last saw them.

    pinned: the number of the tokenizer, and the byte; None if nothing is pinned.
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
    return {"view": view, "size": size, "pinned": pinned}
