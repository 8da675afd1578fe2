"""What a learner may put into the inputs of views and the fields of tasks: of the right kind, and not too long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.errors import InputError
from tokviz.base.text import clean

TEXT_LIMIT = 2_000  # characters


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
        if not _is_like(value, usual[name]):
            raise InputError(f"The input “{name}” cannot have such a value.", "Reload the page.")
    return {name: clean(value) if isinstance(value, str) else value for name, value in taken.items()}


def _is_like(value: Any, usual: Any) -> bool:
    """Whether a value is of the same kind as the usual one. A list has members like the first of the usual list."""
    if isinstance(usual, str) or usual is None:
        return isinstance(value, str)
    if isinstance(usual, bool):
        return isinstance(value, bool)
    if isinstance(usual, int | float):
        kinds = (int,) if isinstance(usual, int) else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool) and abs(value) < 2**53
    if isinstance(usual, Sequence):
        return isinstance(value, list) and all(_is_like(each, usual[0] if usual else "") for each in value)
    return isinstance(value, Mapping)
