"""The part below the player: ask what if, or bring the text or the corpus that is missing."""

from __future__ import annotations

import streamlit as st

from tokviz.ui.frame.widgets import bind
from tokviz.ui.replay.corpus_again import corpus_again
from tokviz.ui.replay.playing import Playing
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.replay.what_if import what_if
from tokviz.ui.server.visitor import Visitor


def try_it(me: Visitor, shown: Playing) -> None:
    """Draw the part that fits what plays.

    A merge list has a field for the text, a tokenizer without its corpus has an uploader, and a training has
    the what-if.
    """
    if shown.others:
        _their_list()
    elif shown.training is None:
        mine = me.own(shown.key)
        if mine:
            corpus_again(me, mine)
    else:
        fold = st.expander("What if", key="replay.what_if", on_change="rerun")
        if not fold.open:
            return
        with fold:
            if me.state(ReplayState).place.predicting:
                st.caption("What-ifs would show the merges to come. Switch off “Predict first” to see them.")
            else:
                what_if(me, shown.training, of=shown.key, name=shown.tokenizer.name, corpus_name=shown.corpus_name)


def _their_list() -> None:
    """Draw the text that the merges of a merge list play on, and say what its merge list does not contain."""
    with st.expander("Your own text"):
        st.text_area("Text", height=120, label_visibility="collapsed", **bind("replay.text", "text"))
    st.caption(
        "This is only the merge list, in its own order and with its own numbers, and not its training. It does not say "
        "how often each pair occurred in the corpus, so there are no counts, no candidates and no what-ifs."
    )
