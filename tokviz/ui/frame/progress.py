"""Draw work: how much is done, how long the rest may take, a button to stop it, and how it ended."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tokviz.base.errors import TokvizError
from tokviz.base.wording import count_of, rounded
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.say import note, plain, say
from tokviz.ui.server import work
from tokviz.ui.server.line import LINE
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.work import Work

LOOK_S = 0.25  # how often the progress of the only piece of work is drawn
MOST_LOOK_S = 2.0


def progress(me: Visitor, under_way: Work[Any]) -> None:
    """Draw the progress and a Cancel button, again and again. When the work is done, run the page again.

    The more work there is on the server, the less often it is drawn: each drawing takes as long as typing many letters.
    """
    st.fragment(_progress, run_every=min(LOOK_S * max(len(LINE), 1), MOST_LOOK_S))(me, under_way)


def _progress(me: Visitor, under_way: Work[Any]) -> None:
    if under_way.over:
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
            title.subheader(plain(under_way.progress.doing or "Beginning"), anchor=False)
        st.progress(under_way.progress.share)
        st.caption(said(under_way))


def said(under_way: Work[Any]) -> str:
    """What is said below the bar: the share that is done, and what comes before the rest or how long the rest takes."""
    before, left = under_way.before, under_way.seconds_left
    share = f"{rounded(100 * under_way.progress.share, 0)}\u00a0%"
    if before:
        first = f"{count_of(before, 'other piece')} of work {'comes' if before == 1 else 'come'} first"
        return f"{share} · it goes on soon: {first}" if under_way.begun else first
    return f"{share} · about {rounded(left, 0)} s left" if left and left >= 1 else share


def ended(last: Work[Any], cancelled: str = "") -> None:
    """Say how work ended, if it did not end well. cancelled: what is to know if it was cancelled; "" to say nothing."""
    if last.failed or last.error:
        say(last.error or RuntimeError())
    elif last.stop.is_set() and cancelled:
        note("warn", "Cancelled.", cancelled, key=f"{last.place}.cancelled")


def settle(me: Visitor, place: str, wanted: Work[Any] | None, *, kept: str) -> None:
    """Start the wanted work of this place, draw its progress, or say how it ended.

    wanted: None if no work is wanted. Small work is done when this returns, and nothing is drawn. Work that failed does
        not start again by itself. Work that was cancelled starts again at the press of a button.
    kept: for cancelled work, a sentence about what was kept of it.
    """
    last = work.of(me, place)
    if wanted is None:
        work.forget(me, place)
    elif last is None or last.about != wanted.about or (last.over and not last.ended_badly):
        try:
            work.start(me, wanted)
        except TokvizError as fault:  # there is no room for it; each run of the page tries again
            say(fault)
            st.button("Try again", key=f"{place}.again")
            return
        if not wanted.done_soon() or wanted.ended_badly:
            progress(me, wanted)
    elif not last.over:
        progress(me, last)
    else:
        ended(last, kept)
        if last.stop.is_set():
            st.button("Go on", on_click=pressed, args=(me, place, work.start, me, wanted), key=f"{place}.go_on")
            say_trouble(me, place)
