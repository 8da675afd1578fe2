"""The Replay page: the player, and below it what-ifs, guesses, charts and the download of the replay."""

from __future__ import annotations

import streamlit as st

from tokviz.ui import links
from tokviz.ui.components.replay import replay, replay_data
from tokviz.ui.frame import shell
from tokviz.ui.frame.lost import say_lost
from tokviz.ui.frame.widgets import bind
from tokviz.ui.replay import merge_charts
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.replay.place import agreed, follow_link
from tokviz.ui.replay.playing import Playing, at_home, choices
from tokviz.ui.replay.take_along import take_along
from tokviz.ui.replay.try_it import try_it
from tokviz.ui.visitors.registry import visitor
from tokviz.ui.visitors.visitor import Visitor

PLAYER = "replay.player"


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    arrived = links.arrived(me, "replay", ReplayLink)
    if arrived:
        follow_link(me, arrived)
    shell.wait_for_kernels()
    title, choice = st.columns([3, 2], vertical_alignment="bottom")
    names = choices(me)
    choice.selectbox("Merges of", [*names], format_func=lambda key: names[key], **bind("replay.plays", "plays"))
    shown = at_home(me)
    with title:
        _head(shown)
    links.say_faults()
    say_lost(me, "replay", ("training", "what-if", "tokenizer"))
    _player(me, shown)
    try_it(me, shown)
    merge_charts.draw(me, shown.tokenizer)
    take_along(me, shown)


def _head(shown: Playing) -> None:
    if shown.training:
        size = f"{shown.training.n_bytes:,} bytes"
        shell.head("Replay", f"Watch the merges happen on the corpus “{shown.corpus_name}”, {size}.")
    elif shown.others:
        n = len(shown.tokenizer.merge_ids)
        shell.head("Replay", f"Of a list of {n:,} merges, watch those that fire in your text. This is not a training.")
    else:
        shell.head("Replay", "Watch the merges of a loaded tokenizer happen on the text from the Tokens page.")


def _player(me: Visitor, shown: Playing) -> None:
    place = agreed(me, PLAYER, shown.columns["id"])
    replay(
        replay_data(
            shown.window(place["start"], place["length"]),
            shown.columns,
            of=shown.key,
            title=shown.tokenizer.name,
            corpus_name=shown.corpus_name,
            tokens_before=shown.tokens_before,
            n_bytes=shown.n_bytes,
            reach=shown.reach,
            place=place,
            corpus_here=shown.training is not None or shown.others,
            others=shown.others,
        ),
        key=PLAYER,
    )
