"""What a learner may put into the inputs of views and the fields of tasks: of the right kind, and not too long."""

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
    """The text without lone surrogates. what: its name in messages.

    Raises InputError if it is none, or has more than `most` characters.

    >>> checked_text("so")
    'so'
    """
    if not isinstance(text, str):
        raise InputError("This is not a text.", "Reload the page.")
    if len(text) > most:
        raise InputError(f"{what} has {len(text):,} characters.", f"Here it can have {most:,}.")
    return clean(text)


def accepted(changed: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that the learner changed, without those that the view does not have.

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
    """The type of a value that may come in the place of the usual one; that of a list has members like its first."""
    if isinstance(usual, Mapping):
        return dict[str, Any]
    return _KINDS.get(type(usual)) or list[_kind_of(usual[0] if usual else "")]  # type: ignore[misc]
