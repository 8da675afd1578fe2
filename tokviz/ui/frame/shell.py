"""The frame around every page: navigation, logo, errors that nobody caught, and a way to start over.

`app.py` calls `run()` in every run of the script. It draws the frame and runs the page that was asked for. A page
begins with `enter()` and `head()`.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from tokviz.base.data import APP
from tokviz.ui.frame.say import note, part, plain, say
from tokviz.ui.frame.start_over import offer_to_start_over
from tokviz.ui.frame.widgets import all_drawn
from tokviz.ui.kit.served import component, image
from tokviz.ui.server.line import drawing
from tokviz.ui.server.pages import NOWHERE
from tokviz.ui.server.registry import VISITORS, note_run, started_over, visitor


class Page(NamedTuple):
    """A page: its address, which is its file's name too, and its title. about: what it is for. folder: of it in
    tokviz/ui. in_navigation: whether the navigation names it."""

    path: str
    title: str
    about: str
    folder: str
    in_navigation: bool = True


PAGES = (
    Page("tokens", "Tokens", "A text in pieces, and what it costs", "tokens"),  # the first is home
    Page("learn", "Learn", "How it works, in short steps", "learn"),
    Page("compare", "Compare", "Where tokenizers disagree, and why", "compare"),
    Page("train", "Train", "Make a tokenizer of your own", "train"),
    Page("replay", "Replay", "Watch it being made, merge by merge", "replay"),
    Page("vocabulary", "Vocabulary", "All tokens that a tokenizer knows", "vocabulary"),
    Page("library", "Library", "Tokenizers to open, to use and to save", "library"),
    Page("class", "Class", "Learn together", "classroom", in_navigation=False),  # Learn leads to it
)

_NOWHERE = Page(NOWHERE, "No such page", "Shown for an address that is no page", NOWHERE, in_navigation=False)

# Has the browser load the page again: only so it can get another key.
_load_again = component("load_again", "frame/load_again.js")
_routed: ContextVar[bool] = ContextVar("routed", default=False)


def run() -> None:
    """The router: draw the frame and run the page."""
    if started_over():
        _navigation()
        _load_again(key="load_again")
        return
    with drawing(visitor().page):
        page = _navigation()
        st.set_page_config(page_title=f"{page.title} · tokviz", page_icon=image("frame/favicon.svg"), layout="wide")
        st.logo(image("frame/logo.svg"), size="medium")
        note_run()
        VISITORS.keep_limits(visitor())
        _say_let_go(page.url_path)
        _draw(page)
        offer_to_start_over()
        VISITORS.keep_limits(visitor())


def _say_let_go(page: str) -> None:
    """Say it if the server let the visitor's work go, until they leave the page."""
    me = visitor()
    me.let_go = me.let_go in (True, f"/{page}") and f"/{page}"
    if me.let_go:
        note("warn", "Your work was removed while you were away.", "The server had no more room for it.", key="let_go")


def _draw(page: StreamlitPage) -> None:
    token = _routed.set(True)
    try:
        with part(), all_drawn():
            page.run()
    finally:
        _routed.reset(token)


def _navigation() -> StreamlitPage:
    pages = [
        st.Page(
            APP / "pages" / f"{page.path}.py",
            title=page.title,
            url_path=page.path,
            default=page == PAGES[0],
            visibility="visible" if page.in_navigation else "hidden",
        )
        for page in (*PAGES, _NOWHERE)
    ]
    return st.navigation(pages, position="top")


def enter() -> None:
    """The first line of each page: make sure that it runs inside the frame.

    The very first request to a new server may be for a page's own address. Streamlit then finds the file in `pages/`
    and runs it without `app.py`, with a wrong title and no navigation. Declaring the pages and running again fixes it.
    """
    if not _routed.get():
        _navigation()
        st.rerun()


def head(title: str, lead: str = "", mark: str = "") -> None:
    """A page's title and the line under it, if it has one. mark: Markdown in front of that line."""
    named = title in {page.title for page in PAGES}  # then the header of a phone has it
    with st.container(gap=None, key="frame.head" if named else None):
        st.title(plain(title), anchor=False)
        if lead:
            st.markdown(f"{mark}:gray[{plain(lead)}]")


def head_beside(title: str, lead: str = "", mark: str = "", *, share: float = 0.4) -> DeltaGenerator:
    """Like `head`. Returns a container on the right, for choices that concern the whole page.

    share: of the width, for the title.
    """
    left, right = st.columns([share, 1 - share], vertical_alignment="bottom")
    with left:
        head(title, lead, mark)
    with right:
        return st.container(
            key="head.beside", horizontal=True, horizontal_alignment="right", vertical_alignment="center"
        )


def on_error(error: Exception) -> bool:
    """Show an error that nobody caught, also one in a callback or a fragment. The log has its traceback."""
    say(error)
    return True
