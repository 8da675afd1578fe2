"""How widgets are tied to the visitor. Pages do not touch Streamlit's own session state.

Session state ends with a reload, and forgets the widgets of a page when the visitor leaves it. The visitor outlives
both: a widget opens on the visitor's value, and writes back what the person changes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import Any, TypedDict
from weakref import WeakKeyDictionary

import streamlit as st

from tokviz.ui.server.registry import visitor
from tokviz.ui.server.session import in_session
from tokviz.ui.server.visitor import PageState, Visitor


class Bound(TypedDict):
    """The arguments that tie a widget to the visitor."""

    key: str
    on_change: Callable[[], None]


def bind(key: str, field: str, of: object = None, *, then: Callable[[], None] | None = None) -> Bound:
    """Tie a widget that is clicked to a field, both ways: `st.pills("Kind", KINDS, **bind("class.kind", "kind"))`.

    key: the widget's own, unique in the app. field: a field of the visitor, or of `of`: a kind of `PageState`, or an
    object that the visitor has. It can be inside another field: "settings.tie". The widget needs no default: it gets
    the field's value in every run, also after another page, another tab or a reload. What the person changes is in the
    field before the page runs again. For what is typed there is `bound_field`, which no run overwrites. then: called
    when the changed value is in the field.
    """
    tie(key, field, of, lambda: st.session_state[key])
    st.session_state[key] = copy.copy(value_of(field, of))
    return {"key": key, "on_change": partial(_write_back, key, field, of, then)}


@contextmanager
def all_drawn() -> Iterator[None]:
    """Draw a page in here. If all of it is drawn, the widgets that are no longer on it are forgotten."""
    _drawn().clear()
    yield
    bound = _bound()
    for key in bound.keys() - _drawn():
        del bound[key]


def take_shown(thing: object) -> None:
    """Write the values that the widgets of this tab show to what the visitor has.

    What a button does begins so: a field may have been left by the press, and another tab may have written other ones.
    """
    for key, (field, of, shown) in [*_bound().items()]:
        if key in st.session_state and _owner(of) is thing:
            write(field, of, copy.copy(shown()))


def tie(key: str, field: str, of: object, shown: Callable[[], Any]) -> None:
    """Note what the widget with this key is tied to, as `bind` has it. shown: gives the value that it shows."""
    _bound()[key] = field, of, shown
    _drawn().add(key)


def value_of(field: str, of: object) -> Any:
    """The value of a field, as `bind` has them."""
    return attrgetter(field)(_owner(of))


def write(field: str, of: object, value: object) -> None:
    """Write to a field, as `bind` has them."""
    part, _, name = field.rpartition(".")
    owner = _owner(of)
    setattr(attrgetter(part)(owner) if part else owner, name, value)


def _bound() -> dict[str, tuple[str, object, Callable[[], Any]]]:
    """Key of a widget in this tab -> what `tie` noted."""
    return in_session("tokviz.bound", dict)


def _drawn() -> set[str]:
    """The keys of the widgets that were drawn in this run."""
    return in_session("tokviz.drawn", set)


def _write_back(key: str, field: str, of: object, then: Callable[[], None] | None) -> None:
    write(field, of, copy.copy(st.session_state[key]))
    if then:
        then()


def _owner(of: object) -> object:
    if isinstance(of, type) and issubclass(of, PageState):
        return visitor().state(of)
    return visitor() if of is None else of


def widget_value(key: str) -> Any:
    """What a widget holds, for its own callback; None if it is not on the page."""
    return st.session_state.get(key)


def kept_in_session(key: str) -> dict[str, Any]:
    """What a part of a page keeps from run to run, in this tab alone, and for one visitor."""
    kept: WeakKeyDictionary[Visitor, dict[str, dict[str, Any]]] = in_session("tokviz.kept", WeakKeyDictionary)
    return kept.setdefault(visitor(), {}).setdefault(key, {})
