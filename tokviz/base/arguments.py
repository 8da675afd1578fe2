"""Checks the arguments that many public functions share.

Wrong arguments raise a child of TokvizError, never a bare TypeError or IndexError. Whole numbers of numpy count as
whole numbers; floats, True and False do not.
"""

from __future__ import annotations

import math
import operator
import os
import re
import reprlib
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tokviz.base.errors import InputError, SettingError, TokvizError

LARGE = 10**30  # numbers from here on are written short
SHOWN = 80  # characters of a value in a message
NAMED = 3  # of many things in a message; the others are only counted
COPIES_LIMIT = 10_000  # of a part of a pattern of one's own; compiled, each takes up to 600 bytes
_COUNTS = re.compile(r"\{\s*(\d{1,12})")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = SHOWN
_SHORT.maxlevel = 2
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = _SHORT.maxfrozenset = 3

_TEXT = (str, bytes, bytearray, memoryview)  # can be looped over, but are no collections of what a caller means


def whole_number(value: object, what: str, least: int | None = None, most: int | None = None) -> int:
    """Return the value as an int; SettingError if it is not a whole number, or out of range.

    what: what the value is, as the beginning of a sentence.
    least, most: int, the range, both ends in it; None if there is no such end.

    >>> import numpy as np
    >>> whole_number(np.int32(7), "The step")
    7
    >>> whole_number(2.5, "The step")
    Traceback (most recent call last):
        ...
    tokviz.base.errors.SettingError: The step is 2.5, which is not a whole number. Pass an int.
    >>> whole_number(-1, "The step", 0, 3)
    Traceback (most recent call last):
        ...
    tokviz.base.errors.SettingError: The step is -1, which is out of range. Pass a number from 0 to 3.
    """
    number = _index(value)
    if number is None:
        raise SettingError(f"{what} is {shown(value)}, which is not a whole number.", "Pass an int.")
    if (least is not None and number < least) or (most is not None and number > most):
        ends = ["" if least is None else f"from {least:,}", "" if most is None else f"to {most:,}"]
        limits = " ".join(filter(None, ends))
        raise SettingError(f"{what} is {number_in_message(number)}, which is out of range.", f"Pass a number {limits}.")
    return number


def number_in_message(number: int) -> str:
    """Write a number for a message. Python does not write out those of thousands of digits."""
    return f"{number:,}" if abs(number) < LARGE else shown(number)


def clamped_span(start: object, length: object, size: int) -> tuple[int, int]:
    """Return (start, end) of a piece, clamped to `size` bytes. SettingError if the two are not whole numbers.

    >>> clamped_span(5, 100, 20), clamped_span(-5, 3, 20)
    ((5, 20), (0, 3))
    """
    begin = min(max(whole_number(start, "The start"), 0), size)
    return begin, min(begin + max(whole_number(length, "The length"), 0), size)


def ids_of(values: Iterable[int], what: str = "The ids") -> list[int]:
    """Return ids as a list of ints; InputError if the values are not a collection of whole numbers.

    >>> ids_of([97, 98.5])
    Traceback (most recent call last):
        ...
    tokviz.base.errors.InputError: The ids contain 98.5 at position 1, which is not a whole number. Pass a list of ints.
    """
    if isinstance(values, _TEXT) or not isinstance(values, Iterable):
        raise InputError(f"{what} are {shown(values)}, which is no collection of ids.", "Pass a list of ints.")
    found = values.tolist() if isinstance(values, np.ndarray) and values.ndim == 1 else list(values)
    if set(map(type, found)) <= {int}:
        return found
    numbers = []
    for position, value in enumerate(found):
        number = _index(value)
        if number is None:
            raise InputError(
                f"{what} contain {shown(value)} at position {position:,}, which is not a whole number.",
                "Pass a list of ints.",
            )
        numbers.append(number)
    return numbers


def checked_text(value: object, what: str = "The text") -> str:
    """Return the value if it is a string, else raise InputError."""
    if isinstance(value, str):
        return value
    if isinstance(value, _TEXT):
        raise InputError(f"{what} is {shown(value)}, which is bytes.", "Decode it with tokviz.read_text(data).text.")
    raise InputError(f"{what} is {shown(value)}, which is not a string.", "Pass a str.")


def bytes_of(value: object, what: str = "The token") -> bytes:
    """Return the value if it is bytes, else raise InputError."""
    if isinstance(value, bytes):
        return value
    raise InputError(f"{what} is {shown(value)}, which is not bytes.", "Pass bytes, such as b' the'.")


def ends_of(values: object, size: int) -> NDArray[np.int64]:
    """Return where each chunk of `size` bytes ends, as int64; InputError if the chunks do not cover these bytes.

    >>> ends_of([3], 5)
    Traceback (most recent call last):
        ...
    tokviz.base.errors.InputError: The ends of the chunks do not rise from above 0 to 5, the length of the data....
    """
    try:
        ends = np.asarray(values)
    except ValueError:  # lists of unlike lengths
        ends = np.zeros(1, object)
    if ends.ndim == 1 and (ends.dtype.kind in "iu" or not len(ends)):
        ends = ends.astype(np.int64, copy=False)
        if (ends[-1:].tolist() or [0]) == [size] and (np.diff(ends, prepend=0) > 0).all():
            return ends
    raise InputError(
        f"The ends of the chunks do not rise from above 0 to {size:,}, the length of the data.",
        "Pass the whole numbers that tokviz.split.cutting.cut gives for this text.",
    )


def path_of(value: object) -> Path:
    """Make a path of a string or a path; InputError for anything else."""
    if isinstance(value, str | os.PathLike):
        path = os.fspath(value)
        with suppress(UnicodeEncodeError):  # half a character, which is no byte of a path
            if isinstance(path, str) and path and "\0" not in path and os.fsencode(path):
                return Path(path)
    raise InputError(f"{shown(value)} is not a path.", "Pass a str or a pathlib.Path.")


def shown(value: object) -> str:
    """Write a value for a message: on one line, and short. Text of up to some 80 characters is whole.

    >>> shown("two  spaces"), shown("x" * 1_000)
    ("'two  spaces'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'")
    """
    if isinstance(value, bytes | bytearray):
        value = bytes(value[:SHOWN])  # reprlib would write out all of it, and then cut
    try:
        text = _SHORT.repr(value)
    except ValueError:  # Python does not write out numbers of thousands of digits
        return "a number of thousands of digits"
    return text if isinstance(value, str | bytes) else " ".join(text.split())


def some(names: Collection[object]) -> str:
    """Name the first few of many, for a message.

    >>> some(["a", "b", "c", "d", "e"])
    "'a', 'b', 'c' and 2 more"
    """
    first = ", ".join(map(shown, list(names)[:NAMED]))
    return first if len(names) <= NAMED else f"{first} and {len(names) - NAMED:,} more"


def _index(value: object) -> int | None:
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]  # it is asked whether it has an index
    except TypeError:
        return None


def check_copies(pattern: str, what: str, kind: type[TokvizError]) -> None:
    r"""Refuse a regex whose counts in braces make too many copies of its parts: {1000} copies what comes before it.

    what: what the pattern is. kind: of the error.

    >>> check_copies(r"(?:\d{3}x{2,}){10}", "pattern", InputError)  # 60 copies at most
    """
    copies = math.prod(max(1, int(count)) for count in _COUNTS.findall(pattern))
    if copies > COPIES_LIMIT:
        raise kind(
            f"The counts in braces have the {what} repeat its parts up to {copies:,} times.",
            f"Repeat them at most {COPIES_LIMIT:,} times.",
        )
