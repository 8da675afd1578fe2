"""What a component in the browser says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from tokviz.base.typed import Misfit, read

T = TypeVar("T")


def heard(value: Any, name: str, kind: type[T]) -> T | None:
    """What a component in the browser says under this name, read as this type (see base/typed.py).

    value: the component's value in the session. None if it says nothing there, or something else.
    """
    try:
        return read(value.get(name), kind) if isinstance(value, Mapping) else None
    except Misfit:
        return None
