"""Writing a corpus on the Train page.

Python sends the text once, and the settings with each run. From then on the browser has the text, and asks what a
training makes of it (questions.py). A rerun of the page sends no other text unless something other than this browser
changed it.
"""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from tokviz.offline.files import TOKENS
from tokviz.ui.frame.widgets import kept_in_session
from tokviz.ui.kit.served import component
from tokviz.ui.server import limits
from tokviz.ui.server.pages import STARTED
from tokviz.ui.server.registry import new_view
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.train.questions import LIVE_LIMIT, REST_S
from tokviz.ui.train.state import TrainState

WRITE = "train.write"
_STYLES = ("tokenview/marked.css", "tokenview/strip.css", "train/ladder.css", "kit/menu.css")
_component = component("live_training", "train/write.js", *TOKENS, *_STYLES, "train/write.css")


def write(me: Visitor) -> None:
    """Draw the written corpus and its merges. New data is made only if the browser does not have it already."""
    written, kept = me.state(TrainState).written, kept_in_session(WRITE)
    if written.own_texts:
        st.button("Back to my text before", on_click=written.back, key="train.back")
    if not kept:
        kept.update(view=new_view(), stamp=0)
    if not written.has_text(kept["view"]):
        text = written.text
        written.no_text(kept["view"])
        data = {
            "text": text,
            "step": written.step,
            "view": kept["view"],
            "stamp": kept["stamp"] + 1,
            "server": STARTED,
            "limit": limits.WRITTEN_UNITS,
            "live": LIVE_LIMIT,
            "rest": round(1000 * REST_S),
        }
        kept.update(stamp=data["stamp"], data=data)
        written.gets_text(kept["view"], text)
    settings = asdict(written.settings)
    del settings["sample"]
    data = {**kept["data"], "settings": settings}
    _component(key=WRITE, data=data, on_asked_change=lambda: None)  # else the value does not exist
