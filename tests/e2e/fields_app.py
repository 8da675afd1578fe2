"""An app of two fields, run by Streamlit for a test: what a field holds is in the server, for all tabs."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from tokviz.ui.frame.field import field
from tokviz.ui.kit import served


@st.cache_resource
def store() -> dict[str, str]:
    return {"one": "first", "two": "second"}


if get_script_run_ctx(suppress_warning=True) is None:
    app = st.App(__file__, routes=served.ROUTES)
else:
    for name, lines in (("one", 1), ("two", 3)):
        field(name.title(), store()[name], key=f"test.{name}", typed=partial(store().__setitem__, name), lines=lines)
    st.text(" | ".join(store().values()))
    st.button("Change", on_click=partial(store().__setitem__, "one", "changed"))
