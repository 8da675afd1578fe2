"""The Vocabulary page: its head, and one of its parts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from tokviz.ui.frame import links, shell
from tokviz.ui.frame.links import Arrived
from tokviz.ui.frame.say import part
from tokviz.ui.frame.tokenizers import at_hand, marked
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.link import VocabularyLink, linked_list
from tokviz.ui.vocabulary.odd import odd
from tokviz.ui.vocabulary.overlay import overlay
from tokviz.ui.vocabulary.splits import splits
from tokviz.ui.vocabulary.state import PARTS, ListChoice, OverlayChoice, VocabularyState
from tokviz.ui.vocabulary.token_list import one

TITLES = {"one": "Tokens", "odd": "Rarely trained", "overlay": "Two vocabularies", "splits": "Split patterns"}
DRAW = {"one": one, "odd": odd, "overlay": overlay, "splits": splits}


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    arrived = links.arrived(me, "vocabulary", VocabularyLink)
    if arrived:
        _follow(me, arrived)
    state = me.state(VocabularyState)
    links.offer_way_back(VocabularyLink)
    _offer_part_back(state)
    with shell.head_beside("Vocabulary"):
        if state.part != "overlay":
            _choose_tokenizer(me)
    st.segmented_control(
        "Part of the page",
        PARTS,
        required=True,
        format_func=TITLES.__getitem__,
        label_visibility="collapsed",
        **bind("vocabulary.part", "part", VocabularyState),
    )
    links.say_faults()
    with part():
        DRAW[state.part](me)


def _offer_part_back(state: VocabularyState) -> None:
    """Draw a way back to the part of the page in which the token was chosen whose card is shown."""
    if state.part != "one":
        state.chosen_in = "one"
    if state.chosen_in != "one":
        label = f"‹ Back to {TITLES[state.chosen_in]}"
        st.button(
            label, key="vocabulary.part_back", type="tertiary", on_click=setattr, args=(state, "part", state.chosen_in)
        )


def _choose_tokenizer(me: Visitor) -> None:
    """Draw the choice of the tokenizer that is looked into. Another tokenizer's list begins without a search."""
    there = {shown.key: shown for shown in at_hand(me)}
    then = partial(setattr, me.state(VocabularyState), "listed", ListChoice())
    st.selectbox(
        "Tokenizer",
        list(there),
        format_func=lambda key: marked(there[key]),
        label_visibility="collapsed",
        width=280,
        **bind("vocabulary.of", "of", VocabularyState, then=then),
    )


def _follow(me: Visitor, arrived: Arrived[VocabularyLink]) -> None:
    """Show what the link names."""
    state, link = me.state(VocabularyState), arrived.link.page
    is_here = arrived.link.tokenizers[:1] == tuple(arrived.here)[:1]  # an id of one tokenizer says nothing of another
    listed = linked_list(link.listed, arrived.here)
    if arrived.keys and is_here:
        state.of, state.listed = arrived.keys[0], listed
    if link.part == "overlay" and len(arrived.keys) > 1:
        state.over = OverlayChoice(*arrived.keys[:2])
    state.part = link.part or state.part
    if link.part == "overlay" and listed.odd and is_here:  # until 0.2.0 the list was in that part
        state.show(arrived.keys[0], replace(listed, token=link.token))
    elif link.token is not None and is_here:
        state.look_at(link.token)
        if arrived.back:  # from another page, to which the way back leads
            state.chosen_in = "one"
