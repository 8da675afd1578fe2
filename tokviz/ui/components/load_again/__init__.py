"""Has the browser load the page again, which gives it another key after starting over."""

from __future__ import annotations

import streamlit as st

from tokviz.ui.components import script

_component = st.components.v2.component("tokviz_load_again", js=script("load_again/load_again.js"))


def load_again() -> None:
    """Load the page again as soon as the browser draws this."""
    _component(key="load_again")
