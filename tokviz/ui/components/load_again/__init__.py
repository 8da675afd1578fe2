"""Has the browser load the page again, which gives it another key after starting over."""

from __future__ import annotations

from tokviz.ui.components import component

_component = component("load_again")


def load_again() -> None:
    """Load the page again as soon as the browser draws this."""
    _component(key="load_again")
