"""Writing a corpus on the Train page.

Python sends the text and the settings once. After that the browser and the socket (socket.py) keep corpus and merges in
step. A rerun of the page sends nothing unless something other than this browser changed the text.
"""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from tokviz.split.cutting import CUSTOM, PATTERNS
from tokviz.training.rules import TIES
from tokviz.ui.frame.address import TEXT_BYTES
from tokviz.ui.frame.widgets import kept_in_session
from tokviz.ui.kit.served import component
from tokviz.ui.server import limits
from tokviz.ui.server.registry import new_view
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.view import STYLES
from tokviz.ui.train.socket import LIVE_LIMIT, REST_S
from tokviz.ui.train.state import TrainState

WRITE = "train.write"
_STYLES = ("marked.css", "strip.css", "ladder.css")
_component = component(
    "live_training",
    "train/live_training.js",
    *(*STYLES, *(f"tokenview/{name}" for name in _STYLES), "kit/step_curve.css", "train/live_training.css"),
)


def write(me: Visitor) -> None:
    """Draw the written corpus and its merges. New data is made only if the browser does not have it already."""
    written, kept = me.state(TrainState).written, kept_in_session(WRITE)
    if written.own_texts:
        st.button("Back to your text", on_click=written.back, key="train.back")
    if not kept:
        kept.update(view=new_view(), stamp=0)
    if not written.has_text(kept["view"]):
        text, settings = written.text, asdict(written.settings)
        del settings["sample"]
        written.no_text(kept["view"])
        data = {
            "text": text,
            "settings": settings,
            "step": written.step,
            "view": kept["view"],
            "stamp": kept["stamp"] + 1,
            "limit": limits.WRITTEN_UNITS,
            "live": LIVE_LIMIT,
            "rest": round(1000 * REST_S),
            "link": TEXT_BYTES,
            "patterns": [[name, name] for name in PATTERNS] + [[CUSTOM, "your own"]],
            "own": CUSTOM,
            "ties": [[key, rule.label] for key, rule in TIES.items()],
        }
        kept.update(stamp=data["stamp"], data=data)
        written.gets_text(kept["view"], text)
    _component(key=WRITE, data=kept["data"], on_asked_change=lambda: None)  # else the value does not exist
