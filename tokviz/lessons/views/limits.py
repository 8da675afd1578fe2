"""How long a text in a lesson may be."""

from __future__ import annotations

from tokviz.errors import InputError
from tokviz.text import clean

TEXT_LIMIT = 5_000  # characters


def checked_text(text: object, most: int = TEXT_LIMIT) -> str:
    """The text without lone surrogates. Raises InputError if it is none, or has more than `most` characters.

    >>> checked_text("so")
    'so'
    """
    if not isinstance(text, str):
        raise InputError("This is not a text.", "Reload the page.")
    if len(text) > most:
        raise InputError(f"The text has {len(text):,} characters.", f"Here a text can have {most:,}.")
    return clean(text)
