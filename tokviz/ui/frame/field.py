"""A field for text that loses nothing: the browser keeps what was typed until this side has heard it (kit/field.js)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypedDict, Unpack

import streamlit as st

from tokviz.base.text import clean
from tokviz.ui.frame.widgets import tie, value_of, write
from tokviz.ui.kit.data import heard
from tokviz.ui.kit.served import component

_component = component("field", "frame/field.js", "frame/field.css")
LONGEST_NUMBER = 9  # characters: more than the largest vocabulary, and less than 2**32
_HEARD = ".heard"  # after the key of a field: the id of the last draft that was heard
_SHOWN = ".shown"  # likewise: what the field was drawn with last


class Draft(NamedTuple):
    """What was typed.

    id: the browser's name for it; the browser keeps the text until it is told this name.
    entered: whether Enter ended it.
    """

    id: str
    text: str
    entered: bool = False


class Look(TypedDict, total=False):
    """How a field looks, where that is not as usual.

    lines: the height in lines, 1 if not said. With more than one, Enter begins a line.
    placeholder: an example, shown while there is no text.
    limit: the most UTF-16 units that can be typed.
    step: by which two buttons change a number.
    labelled: whether the label can be seen. Screen readers read it in any case.
    """

    lines: int
    placeholder: str
    limit: int
    step: int
    labelled: bool


def field(
    label: str,
    value: str,
    *,
    key: str,
    typed: Callable[[str], None],
    entered: Callable[[], None] | None = None,
    **look: Unpack[Look],
) -> None:
    """Draw a field for text. It is sent when the person leaves it or presses Enter.

    label: what is above it.
    value: the text that the field shows.
    key: the field's own name in the app.
    typed: gets the text that was typed, before the page runs again.
    entered: called after it where Enter ended the typing: what the button beside the field does.
    """
    hear = partial(_hear, key, typed, entered)
    st.session_state[key + _SHOWN] = value
    heard_last = st.session_state.get(key + _HEARD, "")
    _component(
        key=key,
        data={"key": key, "label": label, "value": value, "heard": heard_last, **look},
        on_draft_change=hear,
    )
    if hear():  # in the first run of a session nothing is called before the page runs
        st.rerun()


def bound_field(label: str, key: str, name: str, of: object, *, least: int = 0, **look: Unpack[Look]) -> None:
    """Draw a field for a text or a whole number that a page keeps, tied to it both ways as `bind` ties a widget.

    label, key: as those of `field`.
    name, of: where the page keeps it, as `bind` has it. If that is a number, the field takes one.
    least: what a lower number becomes. A number that was deleted comes back.
    """
    value = value_of(name, of)
    number = isinstance(value, int)

    def said(text: str) -> Any:
        digits = text.replace(",", "")
        return text if not number else max(least, int(digits[:LONGEST_NUMBER])) if digits.isdecimal() else value

    if number:
        look = {"limit": LONGEST_NUMBER, "step": 1, **look}
    tie(key + _SHOWN, name, of, lambda: said(shown_in(key)))
    text = f"{value:,}" if number else value
    field(label, text, key=key, typed=lambda text: write(name, of, said(text)), **look)


def shown_in(key: str) -> str:
    """What the field with this key shows in this tab. A button takes this: it is pressed as the field is left."""
    draft = _unheard(key)
    return str(st.session_state[key + _SHOWN]) if draft is None else draft.text


def _unheard(key: str) -> Draft | None:
    """What was typed in a field and not handed on yet; None if that is nothing."""
    draft = heard(st.session_state.get(key), "draft", Draft)
    is_new = draft is not None and draft.id != st.session_state.get(key + _HEARD)
    return draft._replace(text=clean(draft.text)) if draft and is_new else None


def _hear(key: str, typed: Callable[[str], None], entered: Callable[[], None] | None) -> bool:
    """Hand on what was typed. Returns whether it is new."""
    draft = _unheard(key)
    if draft is None:
        return False
    st.session_state[key + _HEARD] = draft.id
    st.session_state[key + _SHOWN] = draft.text  # a button that is pressed before the page has run takes this
    typed(draft.text)
    if draft.entered and entered:
        entered()
    return True
