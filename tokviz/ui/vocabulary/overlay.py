"""Two vocabularies laid over each other: how many tokens they share, and some of those that one of them lacks."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from tokviz.base.blocks import Group
from tokviz.comparison.shared_tokens import finding
from tokviz.ui.frame.say import note, plain
from tokviz.ui.frame.tokenizers import ShownTokenizer, at_hand, marked
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.shown import show
from tokviz.ui.vocabulary.odd import ROWS, card, follow, token_row
from tokviz.ui.vocabulary.state import OverlayChoice, VocabularyState
from tokviz.ui.vocabulary.token_sets import IN, NOT_IN, shared_of


def overlay(me: Visitor) -> None:
    """Draw the part."""
    state = me.state(VocabularyState)
    a, b = _choose(me, state.over)
    if a.key == b.key:
        note("info", f"Both sides show {a.name}.", "Choose another tokenizer on one side.")
        return
    two = shared_of(me, a, b)
    st.subheader(plain(finding(two, a.name, b.name)), anchor=False)
    st.caption("Tokens are compared by their bytes. Special tokens do not count.")
    cards = [
        _card("a", f"only in {a.name}", a, two.only_a.tolist()),
        _card("both", "in both", a, two.in_a.tolist()),
        _card("b", f"only in {b.name}", b, two.only_b.tolist()),
    ]
    lists = lists_of(a.key, b.key)
    show(
        Group(cards, across=3, framed=True),
        key="vocabulary.overlay",
        leads=True,
        on_press=lambda press: follow(state, lists, press),
    )


def lists_of(a: str, b: str) -> dict[str, tuple[str, str]]:
    """The list that each card leads to, as `follow` has them. a, b: the keys of the tokenizers."""
    return {"a": (a, NOT_IN + b), "both": (a, IN + b), "b": (b, NOT_IN + a)}


def _card(key: str, words: str, shown: ShownTokenizer, ids: Sequence[int]) -> Group:
    """A number of tokens, and some of them from all parts of the vocabulary."""
    rows = [token_row(shown, id, f"id {id:,}") for id in ids[:: len(ids) // ROWS + 1]]
    return card(key, f"{len(ids):,} {words}", "", rows, "None.", 3)


def _choose(me: Visitor, over: OverlayChoice) -> tuple[ShownTokenizer, ShownTokenizer]:
    """Draw the choice of the two tokenizers."""
    there = {shown.key: shown for shown in at_hand(me)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for side, label in (("a", "First vocabulary"), ("b", "Second vocabulary")):
            st.selectbox(
                label,
                list(there),
                format_func=lambda key: marked(there[key]),
                width=280,
                **bind(f"overlay.{side}", f"over.{side}", VocabularyState),
            )
        st.button("⇄ Swap", key="overlay.swap", on_click=_swap, args=(me,))
    return there[over.a], there[over.b]


def _swap(me: Visitor) -> None:
    state = me.state(VocabularyState)
    state.over = OverlayChoice(state.over.b, state.over.a)
