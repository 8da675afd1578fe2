"""The address of one tokenizer on the Library page: `library?open=gpt2`. The visitor's own have their sha256.

Unlike what other links say, this stays in the address, because it is the only sign of what the page shows: a reload
shows the same tokenizer, and the browser's Back leads to the list.
"""

from __future__ import annotations

import streamlit as st

OPEN = "open"  # the parameter with the address of an entry


def opened() -> str:
    """What the address calls a tokenizer; "" if it names none, and the list is shown."""
    return st.query_params.get(OPEN, "")


def go_to(address: str) -> None:
    """Show one tokenizer, or the list if the address is "". Call it before the page draws either."""
    if address:
        st.query_params[OPEN] = address
    else:
        st.query_params.pop(OPEN, None)
