"""Two vocabularies laid over each other: how many tokens they share, and the list of those that one of them lacks."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokviz.comparison.shared_tokens import finding
from tokviz.ui.frame import charts
from tokviz.ui.frame.say import note, plain
from tokviz.ui.frame.tokenizers import ShownTokenizer, at_hand
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.one import list_of
from tokviz.ui.vocabulary.state import OverlayChoice, VocabularyState
from tokviz.ui.vocabulary.token_sets import IN, NOT_IN, shared_of


def overlay(me: Visitor) -> None:
    """Draw the part."""
    over = me.state(VocabularyState).over
    a, b = _choose(me, over)
    if a.key == b.key:
        note("info", f"Both sides show {a.name}.", "Choose another tokenizer on one side.")
        return
    bring, over.pressed = "list" if over.pressed else "", False
    two = shared_of(me, a, b)
    numbers = [
        (len(two.only_a), f"only in {a.label}", a.key, NOT_IN + b.key),
        (len(two.in_a), "in both", a.key, IN + b.key),
        (len(two.only_b), f"only in {b.label}", b.key, NOT_IN + a.key),
    ]
    if not over.of:
        over.show(*next((number for number in numbers[::2] if number[0]), numbers[1])[2:])
    st.subheader(plain(finding(two, a.name, b.name)), anchor=False)
    with st.container(key="overlay.numbers"):
        for place, (column, (n, words, *shown)) in enumerate(zip(st.columns(3), numbers, strict=True)):
            label, key = f"**{n:,}** {words}", f"overlay.number.{place}"
            column.button(label, key=key, disabled=not n, on_click=over.show, args=(*shown, True), width="stretch")
    st.caption("Press a number to list its tokens. They are compared by their bytes. Special tokens do not count.")
    key = f"overlay.list.{over.a}.{over.b}.{over.presses}"
    list_of(me, b if over.of == b.key else a, over.listed, bring=bring, key=key)


def _choose(me: Visitor, over: OverlayChoice) -> tuple[ShownTokenizer, ShownTokenizer]:
    """Draw the choice of the two tokenizers."""
    there = {shown.key: shown for shown in at_hand(me)}
    then = partial(setattr, over, "of", "")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for side, label in (("a", "First vocabulary"), ("b", "Second vocabulary")):
            st.selectbox(
                label,
                list(there),
                format_func=lambda key: charts.marked(there[key]),
                width=280,
                **bind(f"overlay.{side}", f"over.{side}", VocabularyState, typed=False, then=then),
            )
        st.button("⇄ Swap", key="overlay.swap", on_click=_swap, args=(me,))
    return there[over.a], there[over.b]


def _swap(me: Visitor) -> None:
    state = me.state(VocabularyState)
    state.over = OverlayChoice(state.over.b, state.over.a)
