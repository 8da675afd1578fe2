"""The list of the tokens of a tokenizer, and the biography of one of them beside it. It asks a socket for both."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tokviz.ui.components import script, stylesheet

_component = st.components.v2.component(
    "tokviz_token_list",
    js=script("token_list/token_list.js"),
    css=stylesheet("token_view/tokens.css", "token_view/tree.css", "token_list/token_list.css", "biography/biography.css"),
)


def token_list(data: dict[str, Any], *, key: str) -> None:
    """Draw the list."""
    _component(key=key, data=data)
