"""JSON and JSON Lines, written with fewer characters. Only white space outside of strings and the spelling of
characters change, so order, numbers and repeated keys stay as they were."""

from __future__ import annotations

import re
from collections.abc import Callable

from tokviz.errors import InputError
from tokviz.rewrites.source import WHITE, Kind, Made, Source

_STRING = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")')
_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(/)|.)", re.DOTALL
)


def _minified(source: Source) -> Made | None:
    if source.fault:
        raise InputError(source.fault)
    return Made(_without_white_space(source)) if source.form else None


def _spaced(source: Source) -> Made | None:
    if not source.form:
        return None
    minified = _without_white_space(source)
    return Made(_outside_strings(minified, lambda part: part.replace(",", ", ").replace(":", ": ")))


def _unescaped(source: Source) -> Made | None:
    return Made(_with_characters(source.text)) if source.form else None


def _minified_and_unescaped(source: Source) -> Made | None:
    """Both; None if one of the two alone does as much."""
    if not source.form:
        return None
    minified, unescaped = _without_white_space(source), _with_characters(source.text)
    return None if source.text in (minified, unescaped) else Made(_with_characters(minified))


def _outside_strings(text: str, change: Callable[[str], str]) -> str:
    """The text with its strings as they are, and everything between them changed."""
    parts = _STRING.split(text)
    parts[::2] = map(change, parts[::2])
    return "".join(parts)


def _without_white_space(source: Source) -> str:
    """A document on one line; JSON Lines on as many lines as there were."""
    white = WHITE if source.form == "document" else WHITE.replace("\n", "")
    table = str.maketrans("", "", white)
    return _outside_strings(source.text, lambda part: part.translate(table))


def _with_characters(text: str) -> str:
    """Escapes that stand for a character which can be seen become that character.

    Others stay: controls, quotes, lone surrogates, and line separators, at which some programs cut JSON Lines.
    """
    return _ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    high, low, single, slash = found.groups()
    if slash:
        return "/"
    if high:
        character = bytes.fromhex(high + low).decode("utf-16-be")
    elif single and not 0xD800 <= int(single, 16) < 0xE000:
        character = chr(int(single, 16))
    else:
        return found[0]
    return character if character.isprintable() and character not in '"\\' else found[0]


KINDS = (
    Kind("json", "JSON without white space", "Takes out all white space between values.", _minified),
    Kind("json-spaced", "JSON with one space", "Leaves one space after each comma and colon, and no other.", _spaced),
    Kind(
        "json-characters",
        "JSON with characters for escapes",
        r"Writes é instead of \u00e9, and / instead of \/.",
        _unescaped,
    ),
    Kind(
        "json-both",
        "JSON without white space and escapes",
        r"Takes out all white space between values, and writes é instead of \u00e9.",
        _minified_and_unescaped,
    ),
)
