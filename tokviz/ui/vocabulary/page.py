"""The Vocabulary page: its head, and one of its parts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from tokviz.ui.frame import links, shell
from tokviz.ui.frame.links import Arrived
from tokviz.ui.frame.say import part
from tokviz.ui.frame.tokenizers import at_hand
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.link import VocabularyLink, linked_list
from tokviz.ui.vocabulary.odd import odd
from tokviz.ui.vocabulary.one import list_lead, one
from tokviz.ui.vocabulary.overlay import overlay
from tokviz.ui.vocabulary.splits import splits
from tokviz.ui.vocabulary.state import PARTS, ListChoice, OverlayChoice, VocabularyState
from tokviz.ui.vocabulary.use import shown_of

TITLES = {"one": "One vocabulary", "odd": "Odd tokens", "overlay": "Two laid over", "splits": "Split rules"}
LEADS = {
    "odd": "Candidates for tokens that a model hardly ever sees.",
    "overlay": "What two vocabularies share.",
    "splits": "Your text, cut by several split patterns.",
}
DRAWN = {"one": one, "odd": odd, "overlay": overlay, "splits": splits}


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
    with shell.head_beside("Vocabulary", _lead(me, state), share=0.3):
        st.segmented_control(
            "Part of the page",
            PARTS,
            required=True,
            format_func=TITLES.__getitem__,
            wrap=True,
            label_visibility="collapsed",
            **bind("vocabulary.part", "part", VocabularyState, typed=False),
        )
        if state.part in ("one", "odd", "splits"):
            _choose_tokenizer(me)
    links.say_faults()
    with part():
        DRAWN[state.part](me)


def _lead(me: Visitor, state: VocabularyState) -> str:
    """The line under the page's title."""
    return list_lead(shown_of(me)) if state.part == "one" else LEADS[state.part]


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
        format_func=lambda key: there[key].name,
        label_visibility="collapsed",
        width=220,
        **bind("vocabulary.of", "of", VocabularyState, typed=False, then=then),
    )


def _follow(me: Visitor, arrived: Arrived[VocabularyLink]) -> None:
    """Show what the link names."""
    state, link = me.state(VocabularyState), arrived.link.page
    is_here = arrived.link.tokenizers[:1] == tuple(arrived.here)[:1]  # an id of one tokenizer says nothing of another
    listed = linked_list(link.listed, arrived.here)
    if link.part == "overlay" and len(arrived.keys) > 1:
        state.over = OverlayChoice(arrived.keys[0], arrived.keys[1])
        if listed.odd and is_here:
            state.over.of, state.over.listed = arrived.keys[0], replace(listed, token=link.token)
    elif arrived.keys and is_here:
        state.of, state.listed = arrived.keys[0], listed
    if link.token is not None and is_here and link.part != "overlay":
        state.look_at(link.token)
        if arrived.back:  # from another page, to which the way back leads
            state.chosen_in = "one"
    if link.part:
        state.part = link.part
