"""The Compare page: the ruler of boundaries, and the tabs of figures below."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokviz.tokenizer.live_text import beginning
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.compare.ruler import boundaries, edit_text, follow_link, refused, too_long
from tokviz.ui.compare.state import CompareState
from tokviz.ui.compare.tabs import tabs
from tokviz.ui.frame import links, shell
from tokviz.ui.frame.remarks import remarks
from tokviz.ui.frame.say import note, part, plain
from tokviz.ui.frame.tokenizers import able, choose, encoded
from tokviz.ui.server import limits
from tokviz.ui.server.registry import visitor
from tokviz.ui.tokenview.choosing import chosen_as


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    arrived = links.arrived(me, "compare", CompareLink)
    if arrived:
        follow_link(me, arrived)
    with shell.head_beside("Compare", "One text, several tokenizers: where each splits it, and why."):
        chosen = choose(me, "compare.chosen", CompareState)
    links.say_faults()
    edit_text(me)
    text, reading = beginning(me.text, limits.TEXT_UNITS), me.specials
    chosen, faults = able(chosen, lambda shown: encoded(me, shown.tokenizer, text, reading))
    if reading == "refuse":
        faults += refused(chosen, text)
    with st.container():  # always drawn, so that notes that come and go do not move what is below
        for fault in [*too_long(me.text), *faults]:
            note("warn", fault.what, fault.way_out)
    if not chosen:
        st.info("Choose tokenizers above to see them here side by side.")
        return
    with part():
        boundaries(chosen, text, reading)
        if text:
            for shown in chosen:
                encoding = encoded(me, shown.tokenizer, text, reading)
                make = partial(remarks, shown.tokenizer, text, encoding)
                for remark in me.cache.get(("remarks", shown.tokenizer, text, reading), make):
                    st.caption(plain(remark))
    with part():
        tabs(me, [chosen_as(me, shown.key) for shown in chosen])
