"""Buttons whose work can fail, and buttons that ask first."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from tokviz.base.errors import TokvizError
from tokviz.ui.frame.say import plain, say
from tokviz.ui.server.visitor import Visitor

_log = logging.getLogger(__name__)


def pressed(me: Visitor, place: str, do: Callable[..., object], *args: object) -> None:
    """Do what a button asks for. If it fails, `say_trouble` of the same place shows the error."""
    me.trouble = None
    try:
        do(*args)
    except TokvizError as fault:
        me.trouble = place, fault.without_frames()
    except Exception:
        _log.exception("a button in %r failed", place)
        me.trouble = place, RuntimeError()


def say_trouble(me: Visitor, place: str) -> None:
    """Show what went wrong with the last press of a button, if it was in this place."""
    if me.trouble and me.trouble[0] == place:
        say(me.trouble[1])


def ask(title: str, what: str, yes: str, do: Callable[[], None]) -> None:
    """Open a dialog that asks before something is deleted. Call it from the callback of a button.

    title, what: the question, and what will be deleted, as text; names in it are shown as they are. yes: the label of
    the button that does it.
    """

    @st.dialog(plain(title))
    def question() -> None:
        st.write(plain(what))
        with st.container(horizontal=True):
            if st.button(f"**{plain(yes)}**", key="frame.ask.yes"):
                do()
                st.rerun()
            if st.button("Cancel", key="frame.ask.no"):
                st.rerun()

    question()
