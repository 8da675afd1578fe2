"""Replay: the merges of a training, one by one, over a window of its corpus."""

import streamlit as st

from tokviz.ui import links
from tokviz.ui.components.replay import replay, replay_data
from tokviz.ui.frame import shell
from tokviz.ui.replay import merge_charts
from tokviz.ui.replay.playing import agreed, at_home, choices, follow
from tokviz.ui.replay.take_along import take_along
from tokviz.ui.replay.try_it import try_it
from tokviz.ui.visitors.visitor import bind, visitor

PLAYER = "replay.player"

shell.enter()
me = visitor()

arrived = links.arrived(me, "replay")
if arrived:
    follow(me, arrived.link, arrived.keys)
title, choice = st.columns([3, 2], vertical_alignment="bottom")
names = choices(me)
choice.selectbox("Merges of", [*names], format_func=lambda key: names[key], **bind("replay.plays", "plays"))
shown = at_home(me)
with title:
    if shown.training:
        size = f"{shown.training.n_bytes:,} bytes"
        shell.head("Replay", f"Watch the merges happen on the corpus “{shown.corpus_name}”, {size}.")
    elif shown.others:
        n = len(shown.tokenizer.merge_ids)
        shell.head("Replay", f"A list of {n:,} merges at work: those that fire in your text. It is no training.")
    else:
        shell.head("Replay", "Watch the merges of a loaded tokenizer happen on the text from the Tokens page.")
links.say_faults()

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
try_it(me, shown)
merge_charts.draw(shown.tokenizer)
take_along(me, shown)
