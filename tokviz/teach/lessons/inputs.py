"""Checks what a learner puts into the inputs of views and the fields of tasks: of the right kind, and not too long."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Annotated, Any

from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.base.typed import Misfit, read

TEXT_LIMIT = 2_000  # characters


def _too_large(number: float) -> str:
    return "" if abs(number) < 2**53 else "is too large"


_KINDS = {bool: bool, int: Annotated[int, _too_large], float: Annotated[float, _too_large], str: str, NoneType: str}


def checked_text(text: object, most: int = TEXT_LIMIT, what: str = "The text") -> str:
    """Return the text without lone surrogates; InputError if it is none or too long. what: its name in messages.

    >>> checked_text("so")
    'so'
    """
    if not isinstance(text, str):
        raise InputError("This is not a text.", "Reload the page.")
    if len(text) > most:
        raise InputError(f"{what} has {len(text):,} characters.", f"Here it can have {most:,}.")
    return clean(text)


def accepted(changed: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that the learner changed, without those that the view does not have.

    usual: for each input the value that it has in the lesson file, or by default. Texts have no lone surrogates
    afterwards. Raises InputError if a value is of another kind than the usual one.

    >>> accepted({"text": "so", "colour": 1}, {"text": "hello"})
    {'text': 'so'}
    """
    taken = {name: value for name, value in changed.items() if name in usual}
    for name, value in taken.items():
        try:
            read(value, _kind_of(usual[name]))
        except Misfit as fault:
            what = f"The input “{name}” cannot have such a value: {fault.within(name)}."
            raise InputError(what, "Reload the page.") from None
    return {name: clean(value) if isinstance(value, str) else value for name, value in taken.items()}


def _kind_of(usual: Any) -> Any:
    """Find the type of the values that may replace the usual one; those in a list are of the type of its first."""
    if isinstance(usual, Mapping):
        return dict[str, Any]
    return _KINDS.get(type(usual)) or list[_kind_of(usual[0] if usual else "")]  # type: ignore[misc]
