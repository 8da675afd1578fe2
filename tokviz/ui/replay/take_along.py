"""Save the replay in view as one HTML file that plays offline."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from tokviz.catalog import saved
from tokviz.ui.frame.standalone import standalone
from tokviz.ui.kit.served import script, stylesheet
from tokviz.ui.replay.drawn import STYLES
from tokviz.ui.replay.playing import Playing
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.server.visitor import Visitor


def take_along(me: Visitor, shown: Playing) -> None:
    """Draw the fold with the button that saves the file. The file is made when the button is pressed."""
    fold = st.expander("Take along", key="replay.take_along", on_change="rerun")
    if not fold.open:
        return
    with fold, st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Save this replay as a file",
            data=lambda: replay_file(shown, me.state(ReplayState)).encode(),
            file_name=saved.clean_name(f"{shown.tokenizer.name} replay") + ".html",
            mime="text/html",
            on_click="ignore",
            key="replay.take",
        )
        window = "" if shown.reach == 0 else "this window, "
        st.caption(f"One HTML file that plays offline in any browser: {window}your text, ledger and curve.")


def replay_file(shown: Playing, state: ReplayState) -> str:
    """The replay as an HTML page that opens at the visitor's place.

    It contains the window in view, all merges, and the first OWN_TEXT_LIMIT bytes of the visitor's own text.
    """
    place = asdict(state.place) | {"presenting": False, "predicting": False, "stamp": 0, "own": bool(state.text)}
    merges = f"{shown.n_merges:,} merges"
    over = f"on the corpus “{shown.corpus_name}”" if shown.training else "as they fire in a text"
    return standalone(
        shown.data(place, live=False, text="" if shown.others else state.text),
        title=f"Replay: {shown.tokenizer.name}",
        lead=f"{merges}, one by one, {over}. Arrow keys step, Space plays. Made with tokviz; it needs no network.",
        style=stylesheet(*STYLES),
        script=script("replay/replay.js"),
    )
