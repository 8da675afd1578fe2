"""An app of two fields, run by Streamlit for a test: what a field holds is in the server, for all tabs."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokviz.ui.components.field import field


@st.cache_resource
def store() -> dict[str, str]:
    return {"one": "first", "two": "second"}


for name, lines in (("one", 1), ("two", 3)):
    field(name.title(), store()[name], key=f"test.{name}", typed=partial(store().__setitem__, name), lines=lines)
st.text(" | ".join(store().values()))
st.button("Change", on_click=partial(store().__setitem__, "one", "changed"))
