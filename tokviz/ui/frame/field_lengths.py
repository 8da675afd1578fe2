"""How long what is typed in a field may be. A browser's own limit is for comfort: Python checks again.

Nothing that was typed is lost. The field keeps it, and a note says that it is too long, or how much of it is used.
"""

from __future__ import annotations

from tokviz.base.errors import InputError
from tokviz.tokenizer.live_text import beginning
from tokviz.ui.server import limits


def too_long(typed: str, what: str, most: int | None = None) -> list[InputError]:
    """What is wrong with the length of a text that is no use in part; [] if nothing is.

    what: what the text is, as the beginning of a sentence. most: in UTF-16 units; FIELD_UNITS if none is said. The text
    is counted in them too, as a browser does: 30 emoji are more than 50.

    >>> [str(fault) for fault in too_long("🦜" * 30, "The list", 50)]
    ['The list has 60 characters, and 50 are the limit. Make it shorter to use it. The field keeps it as it is.']
    """
    most = limits.FIELD_UNITS if most is None else most
    if beginning(typed, most) == typed:
        return []
    n_units = len(typed.encode("utf-16-le", "replace")) // 2
    what = f"{what} has {n_units:,} characters, and {most:,} are the limit."
    return [InputError(what, "Make it shorter to use it. The field keeps it as it is.")]


def used_of(typed: str, what: str) -> tuple[str, list[InputError]]:
    """The first FIELD_UNITS of a text that is of use in part, and a note if that is not all of it."""
    used = beginning(typed, limits.FIELD_UNITS)
    if used == typed:
        return typed, []
    return used, [
        InputError(
            f"{what} has {len(typed):,} characters.", f"The first {len(used):,} are used here. The whole text is kept."
        )
    ]
