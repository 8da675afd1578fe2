"""The Replay page: the player, and below it what-ifs, charts and the download of the replay."""

from __future__ import annotations

import streamlit as st

from tokviz.ui.frame import links, shell
from tokviz.ui.frame.say import part
from tokviz.ui.frame.widgets import bind
from tokviz.ui.replay import merge_charts
from tokviz.ui.replay.drawn import replay
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.replay.place import agreed, called, follow_link
from tokviz.ui.replay.playing import Playing, at_home, choices
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.replay.take_along import take_along
from tokviz.ui.replay.try_it import try_it
from tokviz.ui.server.registry import visitor

PLAYER = "replay.player"


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    arrived = links.arrived(me, "replay", ReplayLink)
    if arrived:
        follow_link(me, arrived)
    shown = at_home(me)
    place = agreed(me, PLAYER, shown.id)
    links.offer_way_back(ReplayLink)
    title, first, choice = st.columns([6, 2, 4], vertical_alignment="bottom")
    with title:
        _head(shown)
    if shown.training:
        with first.container(key="replay-predict", horizontal=True, horizontal_alignment="right"):
            st.toggle(
                "Predict first",
                help="Choose which pair merges next before it is shown.",
                **bind("replay.predicting", "predicting", ReplayState, typed=False),
            )
    names = choices(me)
    choice.selectbox("Merges of", [*names], format_func=lambda key: names[key], **bind("replay.plays", "plays"))
    links.say_faults()
    with part():
        replay(shown.data(place, called=called(me, shown)), key=PLAYER)
    with part():
        try_it(me, shown)
    with part():
        merge_charts.draw(me, shown.tokenizer)
    with part():
        take_along(me, shown)


def _head(shown: Playing) -> None:
    if shown.training:
        size = f"{shown.training.n_bytes:,} bytes"
        shell.head("Replay", f"Watch the merges happen on the corpus “{shown.corpus_name}”, {size}.")
    elif shown.others:
        n = len(shown.tokenizer.merge_ids)
        lead = f"Of its list of {n:,} merges, watch those that fire in your text. This is not its training."
        shell.head("Replay", lead)
    else:
        shell.head("Replay", "Watch the merges of a loaded tokenizer happen on the text from the Tokens page.")
