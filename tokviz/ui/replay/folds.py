"""The folds below the player: what can be tried on what plays, and the replay as a file."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from tokviz.base.files import clean_name
from tokviz.offline.replay import Playing, replay_page
from tokviz.ui.frame.field import bound_field
from tokviz.ui.replay.corpus_again import corpus_again
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.replay.what_if import what_if
from tokviz.ui.server.visitor import Visitor


def try_it(me: Visitor, shown: Playing) -> None:
    """Draw what fits what plays: the text of a merge list, an uploader for a missing corpus, or the what-if."""
    mine = me.own(shown.key)
    if shown.others:
        with st.expander("Your own text"):
            bound_field("Text", "replay.text", "text", None, lines=4)
        st.caption(
            "Only the list of merges is known here, not the training. The list does not say how often each pair "
            "occurred in the corpus, so there are no counts, no candidates and no what-ifs."
        )
    elif shown.training is None and mine:
        corpus_again(me, mine)
    elif shown.training:
        fold = st.expander("What if", key="replay.what_if", on_change="rerun")
        with fold:
            if fold.open and me.state(ReplayState).place.predicting:
                st.caption("What-ifs would show the merges to come. Switch off “Predict first” to see them.")
            elif fold.open:
                what_if(me, shown.training, of=shown.key, name=shown.tokenizer.name, corpus_name=shown.corpus_name)


def take_along(me: Visitor, shown: Playing) -> None:
    """Draw the fold with the button that saves the file. The file is made when the button is pressed."""

    def file() -> bytes:
        state = me.state(ReplayState)
        return replay_page(shown, asdict(state.place), state.text).html.encode()

    window = "" if shown.reach == 0 else "this window, "
    with st.expander("Take along"), st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Save this replay as a file",
            data=file,
            file_name=clean_name(f"{shown.tokenizer.name} replay") + ".html",
            mime="text/html",
            on_click="ignore",
            key="replay.take",
        )
        st.caption(f"One HTML file that plays offline in any browser: {window}your text, list and curves.")
