"""A field for text that loses nothing: the browser keeps what was typed until this side has heard it (kit/field.js)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import streamlit as st

from tokviz.base.text import clean
from tokviz.ui.kit.data import heard
from tokviz.ui.kit.served import component

_component = component("field", "frame/field.js", "frame/field.css")
_HEARD = ".heard"  # after the key of a field: the id of the last draft that was heard


class Draft(NamedTuple):
    """What was typed. id: the browser's name for it; the browser keeps the text until it is told this name."""

    id: str
    text: str


def field(
    label: str,
    value: str,
    *,
    key: str,
    typed: Callable[[str], None],
    lines: int = 1,
    placeholder: str = "",
    limit: int | None = None,
) -> None:
    """Draw a field for text. It is sent when the person leaves it or presses Enter.

    label: what stands above it.
    value: the text that the field shows.
    key: the field's own name in the app.
    typed: gets the text that was typed, before the page runs again.
    lines: the height in lines. With more than one, Enter begins a line.
    placeholder: an example, shown while there is no text.
    limit: the most UTF-16 units that can be typed. None for no limit.
    """
    hear = partial(_hear, key, typed)
    data = {
        "key": key,
        "label": label,
        "value": value,
        "heard": st.session_state.get(key + _HEARD, ""),
        "lines": lines,
        "placeholder": placeholder,
        "limit": limit,
    }
    _component(key=key, data=data, on_draft_change=hear)
    if hear():  # in the first run of a session nothing is called before the page runs
        st.rerun()


def _hear(key: str, typed: Callable[[str], None]) -> bool:
    """Hand on what was typed. Returns whether it is new."""
    draft = heard(st.session_state.get(key), "draft", Draft)
    if draft is None or draft.id == st.session_state.get(key + _HEARD):
        return False
    st.session_state[key + _HEARD] = draft.id
    typed(clean(draft.text))
    return True
