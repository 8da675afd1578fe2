"""Save the replay in view as one HTML file that plays offline."""

from __future__ import annotations

import streamlit as st

from tokviz import library
from tokviz.ui.components.replay import HTML, SCRIPT, STYLE, replay_data
from tokviz.ui.components.standalone import standalone
from tokviz.ui.replay.playing import OWN_TEXT_LIMIT, Playing
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.visitors.visitor import Visitor


def take_along(me: Visitor, shown: Playing) -> None:
    """Draw the button that saves the file. The file is made when the button is pressed."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Save this replay as a file",
            data=lambda: replay_file(shown, me.state(ReplayState)).encode(),
            file_name=library.clean_name(f"{shown.tokenizer.name} replay") + ".html",
            mime="text/html",
            on_click="ignore",
            key="replay.take",
        )
        st.caption("One HTML file that plays offline in any browser: this window, your text, ledger and curve.")


def replay_file(shown: Playing, state: ReplayState) -> str:
    """The replay as an HTML page that opens at the visitor's place.

    It contains the window in view, all merges, and the first OWN_TEXT_LIMIT bytes of the visitor's own text.
    """
    place, own = state.place, "" if shown.others else state.text
    merges = f"{len(shown.window(0, 0).merge_ids):,} merges"
    over = f"on the corpus “{shown.corpus_name}”" if shown.training else "as they fire in a text"
    data = replay_data(
        shown.window(place.start, place.length),
        shown.columns,
        of=shown.key,
        title=shown.tokenizer.name,
        corpus_name=shown.corpus_name,
        tokens_before=shown.tokens_before,
        n_bytes=shown.n_bytes,
        reach=shown.reach,
        place={"step": place.step, "start": place.start, "length": place.length, "every": place.every}
        | {"presenting": False, "stamp": 1},
        corpus_here=shown.training is not None or shown.others,
        live=False,
        others=shown.others,
        text=shown.tokenizer.explain(own).part(0, OWN_TEXT_LIMIT) if own else None,
    )
    return standalone(
        data,
        title=f"Replay: {shown.tokenizer.name}",
        lead=f"{merges}, one by one, {over}. Arrow keys step, Space plays. Made with tokviz; it needs no network.",
        html=HTML,
        style=STYLE,
        script=SCRIPT,
    )
