"""Tokens, the home page: type or paste text, and see it under one or several tokenizers."""

import streamlit as st

from tokviz.metrics import figures
from tokviz.samples import parallel, sample
from tokviz.ui import shell
from tokviz.ui.components.token_view import Totals, token_view
from tokviz.ui.state import bind, set_widget, visitor, widget_value
from tokviz.ui.tokenizers import badge, choose, encoded

IN_VIEW = 20_000  # bytes of a text that are drawn at once; all of them are counted
EXAMPLES = {"Mixed": "mixed", "Story": "story", "Code": "code", "Tongue-twister": "tongue"}

shell.enter()
title, pills = st.columns([2, 3], vertical_alignment="bottom")
with title:
    shell.head("Tokens", "Type or paste text, and see what a tokenizer makes of it.")
me = visitor()
with pills, st.container(horizontal=True, horizontal_alignment="right"):
    chosen = choose(me, "tokens.chosen", "chosen")


def show_example() -> None:
    """Put an example in the text area; what the visitor wrote is kept for the way back."""
    if me.text not in examples.values():
        me.own_text = me.text or None
    me.text, me.view_start = examples.get(widget_value("tokens.example"), me.text), 0


def clear() -> None:
    me.own_text, me.text, me.view_start = me.text if me.text not in examples.values() else me.own_text, "", 0


def back() -> None:
    me.text, me.own_text, me.view_start = me.own_text or "", None, 0


examples = {name: sample(key).text for name, key in EXAMPLES.items()}
examples["Languages"] = "\n".join(row.sentences[0] for row in parallel())

left, right = st.columns([5, 7], gap="medium")
with left:
    st.text_area("Text", height=260, placeholder="Type or paste some text", **bind("tokens.text", "text"))
    shown_now = next((name for name, text in examples.items() if text == me.text), None)
    set_widget("tokens.example", shown_now)
    st.segmented_control("Examples", list(examples), key="tokens.example", on_change=show_example)
    with st.container(horizontal=True, gap="small"):
        if me.own_text is not None:
            st.button("**Back to your text**", on_click=back)
        st.button("Clear", on_click=clear, disabled=not me.text)

with right:
    if not chosen:
        st.info("Choose a tokenizer above, and its tokens stand here.")
    for shown in chosen:
        whole = encoded(shown.tokenizer, me.text)
        all_of_it = figures(whole)
        part = whole if all_of_it.bytes <= IN_VIEW else whole.part(me.view_start, IN_VIEW)
        token_view(
            part,
            name=shown.name,
            series=shown.series,
            key=f"tokens.view.{shown.key}",
            badge=badge(shown.tokenizer, me.text) if me.text else None,
            totals=None if part is whole else Totals(all_of_it.tokens, all_of_it.bytes, all_of_it.characters),
        )
    size = len(me.text.encode("utf-8", "replace"))
    if size > IN_VIEW:
        with st.container(horizontal=True):
            if st.button(f"Next {IN_VIEW:,} bytes", disabled=me.view_start + IN_VIEW >= size):
                me.view_start += IN_VIEW
                st.rerun()
            if st.button("Back to the start", disabled=not me.view_start):
                me.view_start = 0
                st.rerun()
