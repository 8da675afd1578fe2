"""What all pages share: the list of them, the frame round each, and how one begins and says things.

`app.py` calls `run()` in every run of the script; it puts up logo and navigation and then runs the page that is
asked for. A page's first line is `enter()`, its second `head()`.
"""

from __future__ import annotations

import gc
import re
import sys
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from tokviz import kernels
from tokviz.errors import TokvizError
from tokviz.ui.components.note import note
from tokviz.ui.visitors import visitor as state

__all__ = ["PAGES", "enter", "head", "head_beside", "note", "on_error", "plain", "run", "say"]


class Place(NamedTuple):
    """A page: its address, which is its file's name too, and its name in the navigation."""

    path: str
    title: str


PAGES = (
    Place("tokens", "Tokens"),  # the first is home
    Place("train", "Train"),
    Place("replay", "Replay"),
    Place("compare", "Compare"),
)

_HERE = Path(__file__).parent
_FOLDER = _HERE.parents[2] / "pages"

UNSEEN_S = 0.3  # a wait so short needs no word
COMPILING_S = 60.0  # after that the page goes on, and what it calls waits for its own kernel

_routed: ContextVar[bool] = ContextVar("routed", default=False)
_lasting: tuple[int, bool] | None = (
    None  # modules loaded and kernels ready when the lasting objects were last set aside
)


def run() -> None:
    """The router: frame, navigation, and the page."""
    page = _navigation()
    st.set_page_config(page_title=f"{page.title} · tokviz", page_icon=_HERE / "favicon.svg", layout="wide")
    st.logo(_HERE / "logo.svg", size="medium")
    st.html(_HERE / "page.css")
    state.keep_limits()
    _wait_for_kernels(st.empty())  # always there, so that the page's own elements have the same places in every run
    token = _routed.set(True)
    try:
        page.run()
    except TokvizError as error:
        say(error)
    finally:
        _routed.reset(token)
        _set_lasting_objects_aside()


def _set_lasting_objects_aside() -> None:
    """Streamlit has the garbage collector walk all objects after every run of a page, and nobody's keys are answered
    meanwhile: a tenth of a second, nearly all of it spent on what modules and kernels hold for good. So it is told to
    walk no longer over what is there once they are loaded."""
    global _lasting
    loaded = len(sys.modules), kernels.ready.is_set()
    if loaded != _lasting:
        _lasting = loaded
        gc.collect()
        gc.freeze()


def _wait_for_kernels(place: DeltaGenerator) -> None:
    """The very first visitor of a new checkout comes while the kernels are being compiled, and is told so."""
    if kernels.begun.is_set() and not kernels.ready.wait(UNSEEN_S):
        with place, st.spinner("Compiling the loops that do the work: once on this machine, some seconds."):
            kernels.ready.wait(COMPILING_S)


def _navigation() -> StreamlitPage:
    pages = [
        st.Page(_FOLDER / f"{path}.py", title=title, url_path=path, default=path == PAGES[0].path)
        for path, title in PAGES
    ]
    return st.navigation(pages, position="top")


def enter() -> None:
    """The first line of each page: makes sure that it runs inside the frame.

    The very first request to a new server may be for a page's own address. Streamlit then finds the file in `pages/`
    and runs it without `app.py`, so with a wrong title and no navigation. Declaring the pages and running again puts
    that right.
    """
    if not _routed.get():
        _navigation()
        st.rerun()


def head(title: str, lead: str) -> None:
    """A page's title and the line under it."""
    with st.container(gap=None):
        st.title(title, anchor=False)
        st.markdown(f":gray[{plain(lead)}]")


def head_beside(title: str, lead: str) -> DeltaGenerator:
    """As `head`; the container it gives stands at the right, for what is chosen for the whole page."""
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        head(title, lead)
    with right:
        return st.container(
            key="head.beside", horizontal=True, horizontal_alignment="right", vertical_alignment="center"
        )


def on_error(error: Exception) -> bool:
    """What a visitor sees of an error that nobody caught, in a callback or a fragment too. The log has the whole."""
    say(error)
    return True


def say(error: Exception) -> None:
    """An error as a note: one of ours in its own words, any other without what it holds."""
    if isinstance(error, TokvizError):
        note("bad", error.what, error.way_out)
    else:
        note(
            "bad",
            "This page ran into a fault of tokviz itself.",
            "What you typed and trained is kept. Reload the page; if it comes back, the server's log names the place.",
        )


_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Streamlit replaces these after Markdown is read, where a backslash no longer helps: emoji and icon names, addresses
# that become links, arrows and comparisons. A word joiner, which takes no room and breaks no line, keeps them apart.
_NAMES = re.compile(r":(?=[\w+-])|(?<=https):(?=/)|(?<=http):(?=/)|www(?=\.)|@(?=\w)", re.IGNORECASE)
_ARROWS = re.compile(r"(?<=[-<>~])(?=[-=>])")
_JOINER = "\u2060"


def plain(text: str) -> str:
    r"""Text for a label, a title or Markdown, written so that it shows as itself, on one line.

    For names that people gave. What is long, or must be copied, belongs into a component, st.text or st.code.

    >>> plain("*mine* [a](b) $1")
    '\\*mine\\* \\[a\\]\\(b\\) \\$1'
    """
    text = _ARROWS.sub(_JOINER, _NAMES.sub(lambda found: found[0] + _JOINER, " ".join(text.split())))
    return _PUNCTUATION.sub(r"\\\1", text)
