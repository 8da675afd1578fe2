"""A field for text that loses nothing: the browser keeps what was typed until this side has heard it (kit/field.js)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from tokviz.base.text import clean
from tokviz.ui.frame.widgets import tie, value_of, write
from tokviz.ui.kit.data import heard
from tokviz.ui.kit.served import component
from tokviz.ui.server.visitor import PageState

_component = component("field", "frame/field.js", "frame/field.css")
LONGEST_NUMBER = 9  # characters: more than the largest vocabulary, and less than 2**32
_HEARD = ".heard"  # after the key of a field: the id of the last draft that was heard
_USUAL = {"lines": 1, "placeholder": "", "limit": None, "step": 0, "labelled": True}  # as kit/field.js has it
_SHOWN = ".shown"  # likewise: what the field shows, as far as it was heard


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
    step: int = 0,
    labelled: bool = True,
) -> None:
    """Draw a field for text. It is sent when the person leaves it or presses Enter.

    label: what stands above it.
    value: the text that the field shows.
    key: the field's own name in the app.
    typed: gets the text that was typed, before the page runs again.
    lines: the height in lines. With more than one, Enter begins a line.
    placeholder: an example, shown while there is no text.
    limit: the most UTF-16 units that can be typed. None for no limit.
    step: by which two buttons change a number; 0 for text.
    labelled: whether the label can be seen. Screen readers read it in any case.
    """
    hear = partial(_hear, key, typed)
    st.session_state[key + _SHOWN] = value
    data = {"key": key, "label": label, "value": value, "heard": st.session_state.get(key + _HEARD, "")}
    said = {"lines": lines, "placeholder": placeholder, "limit": limit, "step": step, "labelled": labelled}
    data |= {name: each for name, each in said.items() if each != _USUAL[name]}
    _component(key=key, data=data, on_draft_change=hear)
    if hear():  # in the first run of a session nothing is called before the page runs
        st.rerun()


def bound_field(
    label: str,
    key: str,
    name: str,
    of: type[PageState] | object,
    *,
    least: int = 0,
    step: int = 1,
    lines: int = 1,
    placeholder: str = "",
    limit: int | None = None,
    labelled: bool = True,
) -> None:
    """Draw a field for a text or a whole number that a page keeps, tied to it both ways as `bind` ties a widget.

    label, key, lines, placeholder, limit, labelled: as those of `field`.
    name, of: where the page keeps it, as `bind` has it. If that is a number, the field takes one.
    least: what a lower number becomes. A number that was deleted comes back.
    step: by how much the two buttons of a number change it.
    """
    value = value_of(name, of)
    number = isinstance(value, int)
    text = f"{value:,}" if number else value

    def said(text: str) -> Any:
        digits = text.replace(",", "")
        return text if not number else max(least, int(digits)) if digits.isdecimal() else value

    tie(key + _SHOWN, name, of, lambda: said(shown_in(key)))
    field(
        label,
        text,
        key=key,
        typed=lambda text: write(name, of, said(text)),
        lines=lines,
        placeholder=placeholder,
        limit=LONGEST_NUMBER if number else limit,
        step=step if number else 0,
        labelled=labelled,
    )


def shown_in(key: str) -> str:
    """What the field with this key shows in this tab. A button takes this: it is pressed as the field is left."""
    text = _unheard(key)
    return str(st.session_state[key + _SHOWN]) if text is None else text


def _unheard(key: str) -> str | None:
    """What was typed in a field and not handed on yet; None if that is nothing."""
    draft = heard(st.session_state.get(key), "draft", Draft)
    return None if draft is None or draft.id == st.session_state.get(key + _HEARD) else clean(draft.text)


def _hear(key: str, typed: Callable[[str], None]) -> bool:
    """Hand on what was typed. Returns whether it is new."""
    text = _unheard(key)
    if text is None:
        return False
    st.session_state[key + _HEARD] = st.session_state[key]["draft"]["id"]
    st.session_state[key + _SHOWN] = text  # a button that is pressed before the page has run takes this
    typed(text)
    return True
