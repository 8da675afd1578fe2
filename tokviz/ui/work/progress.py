"""Draw work under way: how much is done, how long the rest may take, and a button to stop it."""

from __future__ import annotations

import streamlit as st

from tokviz.ui.components.note import note
from tokviz.ui.frame.say import plain, say
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.work import work
from tokviz.ui.work.work import Work
from tokviz.wording import rounded


@st.fragment(run_every=0.25)
def progress(me: Visitor, under_way: Work) -> None:
    """Draw the progress and a Cancel button, again every 0.25 s. When the work is done, run the page again."""
    if under_way.done.is_set():
        st.rerun()
    place = under_way.place
    with st.container(border=True):
        title, button = st.columns([4, 1], vertical_alignment="center")
        button.button("Cancel", width="stretch", on_click=work.cancel, args=(me, place), key=f"{place}.cancel")
        if under_way.stop.is_set():
            title.subheader("Cancelling", anchor=False)
        elif under_way.begun is None:
            title.subheader("Waiting for its turn", anchor=False)
        else:
            title.subheader(plain(under_way.doing), anchor=False)
        left = under_way.seconds_left
        st.progress(under_way.share)
        rest = f" · about {rounded(left, 0)} s left" if left and left >= 1 else ""
        st.caption(f"{rounded(100 * under_way.share, 0)}\u00a0%{rest}")


def settle(me: Visitor, place: str, wanted: Work | None, *, kept: str) -> None:
    """Start the wanted work of this place, draw its progress, or say how it ended.

    wanted: None if no work is wanted. Work that failed does not start again by itself. Work that was cancelled starts
    again at the press of a button. kept: for cancelled work, a sentence about what was kept of it.
    """
    last = work.of(me, place)
    if wanted is None:
        work.forget(me, place)
    elif last is None or last.about != wanted.about or (last.done.is_set() and not last.ended_badly):
        work.start(me, wanted)
        wanted.done.wait(work.AT_ONCE_S)
        progress(me, wanted)
    elif not last.done.is_set():
        progress(me, last)
    elif last.stop.is_set():
        note("warn", "Cancelled.", kept, key=f"{place}.cancelled")
        st.button("Go on", on_click=work.start, args=(me, wanted), key=f"{place}.go_on")
    else:
        say(last.error or RuntimeError())
