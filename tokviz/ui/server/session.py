"""What the server keeps of one open page, in the session state of Streamlit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")


def in_session(key: str, make: Callable[[], T]) -> T:
    """What the session has under this key; `make` makes it when it is first asked for."""
    if key not in st.session_state:
        st.session_state[key] = make()
    found: T = st.session_state[key]
    return found


def forget_session() -> None:
    """Forget all that the session has, also what its widgets hold."""
    st.session_state.clear()
