"""What can go wrong, said so that the person who meets it can act on it.

Every error tokviz raises on purpose is a TokvizError, and a ValueError too, because each is about a value that was
handed in. A message says what was wrong, where (byte offset or line), and the ways out, in that order.
"""

from __future__ import annotations


class TokvizError(Exception):
    """The parent of all errors that tokviz raises on purpose. Pages show exactly these; any other is a bug."""


class InputError(TokvizError, ValueError):
    """A corpus or a text cannot be read: not UTF-8, of a kind that is not taken. `offset` is in bytes."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


class PatternError(TokvizError, ValueError):
    """A split pattern does not compile, does not cover the text, or runs away. `offset` is in bytes of the text."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


class SpecialTokenError(TokvizError, ValueError):
    """A special token stands in the text but is not allowed there, or a set of special tokens makes no sense."""

    def __init__(self, message: str, token: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.token = token
        self.offset = offset


class UnknownIdError(TokvizError, ValueError):
    """An id that no token has. `id` is the id, `position` its place among the ids handed in, from 0."""

    def __init__(self, message: str, id: int, position: int) -> None:
        super().__init__(message)
        self.id = id
        self.position = position


class UnknownNameError(TokvizError, ValueError):
    """No reference tokenizer, sample or format goes by this name; the message lists those that exist."""


class SettingError(TokvizError, ValueError):
    """A setting of training is out of its range, or does not fit the corpus."""


class FormatError(TokvizError, ValueError):
    """A model file is damaged, foreign, or contradicts itself."""
