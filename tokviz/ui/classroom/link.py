"""The part of a link that belongs to the page of a class: the code of a room, which is joined at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from tokviz.ui.frame.address import PageLink, Query

CODE_LIMIT = 20  # characters that are read; the server says what is wrong with a code


@dataclass(frozen=True, slots=True)
class ClassLink(PageLink):
    """A room, as the QR code of a class names it. code: "" if the link names none.

    >>> ClassLink("K7QF").parameters(())
    {'code': 'K7QF'}
    """

    NAMES = ("code",)

    code: str = ""

    @classmethod
    def read(cls, query: Query) -> Self:
        """Read the code from a query."""
        return cls((query.get("code") or "").strip()[:CODE_LIMIT])
