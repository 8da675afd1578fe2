"""What one can do with a replay besides watching it: ask what if, guess ahead."""

from __future__ import annotations

import streamlit as st

from tokviz.ui.frame.widgets import bind
from tokviz.ui.replay.corpus_again import corpus_again
from tokviz.ui.replay.playing import Playing
from tokviz.ui.replay.predict import predict_first
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.replay.what_if import what_if
from tokviz.ui.visitors.visitor import Visitor

PARTS = ("What if", "Predict first")


def try_it(me: Visitor, shown: Playing) -> None:
    """Draw these parts of the Replay page, below the player; of what one can ask only the chosen part runs."""
    if shown.others:
        _their_list(me)
    elif shown.training is None:
        mine = me.own(shown.key)
        if mine:
            corpus_again(me, mine)
    else:
        bound = bind("replay.part", "part", ReplayState)
        st.segmented_control("Try it", PARTS, label_visibility="collapsed", required=True, **bound)
        if me.state(ReplayState).part == "Predict first":
            predict_first(me, shown.training, shown.key)
        else:
            what_if(me, shown.training, of=shown.key, name=shown.tokenizer.name, corpus_name=shown.corpus_name)


def _their_list(me: Visitor) -> None:
    """What a merge list of others' is, and the text that it plays over."""
    with st.expander("Edit your text"):
        st.text_area("Text", height=120, label_visibility="collapsed", **bind("replay.text", "text"))
    st.caption(
        "This is their merge list, in its order and with its numbers. How often a pair stood in the corpus it was "
        "learned from is not in the list, so there are no counts, no candidates and no what-ifs."
    )
