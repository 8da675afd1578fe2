"""The address of one tokenizer on the Library page: `library?open=gpt2`.

Unlike what other links say, this stays in the address, because it is the only sign of what the page shows: a reload
shows the same tokenizer, and the browser's Back leads to the list.
"""

from __future__ import annotations

import streamlit as st

OPEN = "open"  # the parameter with the key of an entry


def opened() -> str:
    """The key of the tokenizer that the address names; "" if it names none, and the list is shown."""
    return st.query_params.get(OPEN, "")


def go_to(key: str) -> None:
    """Show one tokenizer, or the list if the key is "". Call it before the page draws either."""
    if key:
        st.query_params[OPEN] = key
    else:
        st.query_params.pop(OPEN, None)
