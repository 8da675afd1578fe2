"""Start over: delete everything that the visitor keeps here, after asking them."""

from __future__ import annotations

import streamlit as st

from tokviz.base.wording import count_of
from tokviz.ui.frame.buttons import ask
from tokviz.ui.server.mine import leave_rooms, room_led
from tokviz.ui.server.registry import start_over, visitor


def offer_to_start_over() -> None:
    """Draw the button at the foot of the page."""
    with st.container(key="frame.foot", horizontal=True, horizontal_alignment="right"):
        st.button("Start over", key="frame.start_over", type="tertiary", on_click=_ask)


def _ask() -> None:
    own, room = len(visitor().trained), room_led()
    rest = f"{count_of(own, 'tokenizer')} of your own" if own else "all settings"
    ask(
        "Start over?",
        f"This deletes your text, your corpus, what you have done in Learn and {rest}, in all tabs of this browser. "
        "Tokenizers that you saved in the library stay."
        + (f" Your room {room.code} ends, for all who are in it." if room and room.phase != "ended" else ""),
        "Delete everything and start over",
        _start_over,
    )


def _start_over() -> None:
    leave_rooms()
    start_over()
    st.switch_page("pages/tokens.py")
