"""Start over: delete everything that the visitor keeps here, after asking them."""

from __future__ import annotations

import streamlit as st

from tokviz.ui.visitors.registry import start_over, visitor


def offer_to_start_over() -> None:
    """Draw the button at the foot of the page."""
    with st.container(key="frame.foot", horizontal=True, horizontal_alignment="right"):
        st.button("Start over", key="frame.start_over", type="tertiary", on_click=_ask)


@st.dialog("Start over?")
def _ask() -> None:
    me = visitor()
    own = len(me.trained)
    what = f"your text, your corpus and {own} {'tokenizer' if own == 1 else 'tokenizers'} of your own"
    st.write(f"This deletes {what if own else 'your text, your corpus and all settings'}, in all tabs of this browser.")
    st.write("Tokenizers that you saved in the library stay.")
    with st.container(horizontal=True):
        if st.button("**Delete everything and start over**", key="frame.start_over.yes"):
            start_over()
            st.switch_page("pages/tokens.py")
        if st.button("Cancel", key="frame.start_over.no"):
            st.rerun()
