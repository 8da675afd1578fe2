"""Writing a corpus on the Train page. The browser and the socket keep its merges in step with it: see socket.py."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from tokviz.ui.frame.address import TEXT_BYTES
from tokviz.ui.frame.widgets import kept_in_session
from tokviz.ui.server import limits
from tokviz.ui.server.registry import new_view
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.train.live_training import live_training
from tokviz.ui.train.socket import LIVE_LIMIT, REST_S
from tokviz.ui.train.state import TrainState

WRITE = "train.write"


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
        }
        kept.update(stamp=data["stamp"], data=data)
        written.gets_text(kept["view"], text)
    live_training(kept["data"], key=WRITE)
