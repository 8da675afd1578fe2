"""Compare: one text under several tokenizers, side by side."""

import streamlit as st

from tokviz.livetext import beginning
from tokviz.ui import links, shell
from tokviz.ui.boundaries import able, boundaries, edit_text, follow, forget_gone, live_proof, refused, too_long
from tokviz.ui.measures import measures
from tokviz.ui.state import visitor
from tokviz.ui.tokenizers import choose

shell.enter()
me = visitor()
arrived = links.arrived(me, "compare")
if arrived:
    follow(me, arrived)
faults = forget_gone(me)
with shell.head_beside("Compare", "One text, several tokenizers: where they cut, and why."):
    chosen = choose(me, "compare.chosen", "compared")
links.say_faults()
edit_text(me)
text, reading = beginning(me.text), me.specials
chosen, left_out = able(chosen, text, reading)
if reading == "refuse":
    left_out += refused(chosen, text)
with st.container():  # notes come and go, and what stands below keeps its place
    for i, fault in enumerate(faults + too_long(me.text) + left_out):
        what, stop, way_out = fault.partition(". ")
        shell.note("warn", what + stop.strip(), way_out, key=f"compare.note.{i}")

if not chosen:
    st.info("Choose tokenizers above, and they stand here side by side.")
else:
    boundaries(chosen, text, reading)
    if text:
        live_proof(chosen, text, reading)
    measures(me, chosen)
