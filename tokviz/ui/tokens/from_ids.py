"""From ids to text, below the workbench of the Tokens page: paste ids, and see their tokens."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.text import whole_text
from tokviz.base.wording import count_of
from tokviz.offline.data import glyph, view_data
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.ids import explain_written
from tokviz.tokenizer.live_text import beginning
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.field_lengths import too_long
from tokviz.ui.frame.say import plain, say
from tokviz.ui.frame.tokenizers import at_hand
from tokviz.ui.frame.widgets import bind, take_shown
from tokviz.ui.server import limits
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.tokenview.choosing import OPENS_ON
from tokviz.ui.tokenview.view import token_view

TAKE = "tokens.ids.take"
IN_VIEW = 20_000  # bytes that are drawn; all are counted


def from_ids(me: Visitor) -> None:
    """Draw the field for ids, and beside it their tokens, or an error that says what is not an id, and where."""
    there = {shown.key: shown for shown in at_hand(me)}
    field = me.state(TokensState).ids
    if field.under not in there:
        field.under = OPENS_ON
    left, right = st.columns([5, 7], gap="medium")
    with left:
        st.selectbox(
            "Tokenizer",
            list(there),
            format_func=lambda key: f"{glyph(there[key].series)} {there[key].name}",
            **bind("tokens.ids.under", "ids.under", TokensState),
        )
        example = "13225, 11, 2375, 0"
        bound_field(
            "Ids", "tokens.ids.text", "ids.text", TokensState, lines=5, limit=limits.TEXT_UNITS, placeholder=example
        )
    shown = there[field.under]
    with right:
        try:
            encoding, remark = _tokens(me, shown.tokenizer, field.text)
        except TokvizError as fault:
            say(fault)
            return
        if not encoding.data:
            st.caption("Paste ids to see their tokens here.")
            return
        text = whole_text(encoding.data)
        data = view_data(encoding, name=shown.name, series=shown.series, most=IN_VIEW)
        token_view(data, key="tokens.ids.view")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Show this text above",
                key=TAKE,
                on_click=pressed,
                args=(me, TAKE, _take, me),
                disabled=text is None or beginning(text, limits.TEXT_UNITS) != text,
            )
            st.caption(plain(remark))
        say_trouble(me, TAKE)


def _take(me: Visitor) -> None:
    state = me.state(TokensState)
    take_shown(state)
    field = state.ids
    shown = next(shown for shown in at_hand(me) if shown.key == field.under)
    text = whole_text(_tokens(me, shown.tokenizer, field.text)[0].data)
    if text is None or beginning(text, limits.TEXT_UNITS) != text:
        what = "The field above cannot show these ids: their text is not valid UTF-8, or too long."
        raise InputError(what, "Change the ids to show their text.")
    me.lend(text)


def _tokens(me: Visitor, tokenizer: AnyTokenizer, written: str) -> tuple[Encoding, str]:
    """As `_read`, kept. InputError if it is too long, or no ids."""
    for fault in too_long(written, "This", limits.TEXT_UNITS):
        raise fault
    return me.cache.get(("ids", tokenizer, written), partial(_read, tokenizer, written))


def _read(tokenizer: AnyTokenizer, written: str) -> tuple[Encoding, str]:
    """The tokens of the ids, and a remark. If the tokenizer gives their text the same ids, chunks are known too."""
    encoding = explain_written(tokenizer, written)
    text = whole_text(encoding.data)
    if text is None:
        return encoding, "These bytes are not valid UTF-8. Those that belong to no character are shown as bytes."
    try:
        again = tokenizer.explain(text, allowed_special="all")
    except TokvizError as fault:
        return encoding, str(fault)
    if again.ids.tolist() == encoding.ids.tolist() and again.bare == encoding.bare:
        return again, "The tokenizer gives this text exactly these ids."
    if len(again) == len(encoding):
        return encoding, "The tokenizer itself gives this text other tokens."
    return (
        encoding,
        f"The tokenizer itself gives this text {count_of(len(again), 'token')}, not these {len(encoding):,}.",
    )
