"""Says what can go wrong. A message tells the reader what was wrong, where, and what to do about it.

tokviz raises children of TokvizError on purpose. Each is a ValueError too, because each is about a value that the
caller passed. Any other exception is a bug in tokviz.
"""

from __future__ import annotations

import copyreg
import sys
import warnings
from typing import Any, TypeVar

E = TypeVar("E", bound="TokvizError")


def warn(sentence: str) -> None:
    """Warn the person about the line that called tokviz."""
    frame, level = sys._getframe(), 1
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith("tokviz."):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, stacklevel=level)


class TokvizError(Exception):
    """Is the parent of every error that tokviz raises on purpose. A page shows both parts of the message.

    what: what was wrong and where (a byte offset, a line), in one sentence.
    way_out: what the reader can do about it; "" if there is nothing to do.

    >>> error = TokvizError("notes. final.txt is empty.", "Choose a file with text in it.")
    >>> error.what, error.way_out
    ('notes. final.txt is empty.', 'Choose a file with text in it.')
    >>> str(error)
    'notes. final.txt is empty. Choose a file with text in it.'
    """

    def __init__(self, what: str, way_out: str = "") -> None:
        super().__init__(f"{what} {way_out}" if way_out else what)
        self.what = what
        self.way_out = way_out

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy every attribute without calling `__init__`, which may require some."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def without_frames(self: E) -> E:
        """Return this error without its traceback and the errors before it: they hold what was in use, such as a file.

        >>> try:
        ...     int("many")
        ... except ValueError as fault:
        ...     error = TokvizError("The number cannot be read.")
        ...     error.__cause__ = fault
        >>> error.without_frames().__cause__ is None
        True
        """
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self


class InputError(TokvizError, ValueError):
    """A corpus or a text cannot be read. offset: the first faulty byte, None if there is none to name."""

    def __init__(self, what: str, way_out: str = "", *, offset: int | None = None) -> None:
        super().__init__(what, way_out)
        self.offset = offset


class PatternError(TokvizError, ValueError):
    """A split pattern does not compile, does not cover the text, or takes too long. offset: the byte of the text."""

    def __init__(self, what: str, way_out: str = "", *, offset: int | None = None) -> None:
        super().__init__(what, way_out)
        self.offset = offset


class SpecialTokenError(TokvizError, ValueError):
    """The text contains a special token that is not allowed there, or the set of special tokens is invalid.

    token: the special token, if there is one to name. offset: the byte of the text where it begins.
    """

    def __init__(self, what: str, way_out: str = "", *, token: str | None = None, offset: int | None = None) -> None:
        super().__init__(what, way_out)
        self.token = token
        self.offset = offset


class UnknownIdError(TokvizError, ValueError):
    """No token has this id. position: the place of the id in the list that was passed, from 0."""

    def __init__(self, what: str, way_out: str = "", *, id: int, position: int) -> None:
        super().__init__(what, way_out)
        self.id = id
        self.position = position


class UnknownNameError(TokvizError, ValueError):
    """No reference tokenizer, sample or format has this name. The message lists the names that exist."""


class SettingError(TokvizError, ValueError):
    """A setting is out of its range, or does not fit the corpus."""


class FormatError(TokvizError, ValueError):
    """A model file is damaged, has another format, or contradicts itself."""
