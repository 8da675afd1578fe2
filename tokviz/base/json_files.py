"""Reads text and JSON with care from a file that may come from anywhere."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tokviz.base import bounds
from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError
from tokviz.base.files import open_file, unread

HEAD = 4_096  # bytes at the beginning of a file, by which its format is recognised
NAME = 300  # characters of a file's name in an error
PART = 1 << 20  # bytes that are looked at together
# What JSON takes in memory at most: bytes of each list, of each object, of each name in it, of each value and text.
_WEIGHTS = {b"[": 100, b"{": 200, b":": 100, b",": 40, b'"': 12}
_TIMES, _FLOOR = 24, 20_000_000  # JSON may take this many times the bytes of its file in memory, and these bytes more
_JSON = re.compile(rb"\s*(\{|\[\s*[\]{])")
LARGE = 1 << 20  # bytes of JSON, from which on it is read in pieces
# The pieces are runs of values that are texts, numbers, words, or short lists and objects of these.
_S = rb"[ \t\n\r]*+"
_T = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"' + _S
_N = b"%b:%b" % (_T, _S)
_P = rb"(?:%b|[-+.\w]++%b)" % (_T, _S)
_LIST, _OBJECT = (rb"%b(?:%b(?:,%b%b){0,20}+)?+" % (_S, one, _S, one) for one in (_P, _N + _P))
_F = rb"(?:%b|\[%b\]%b|\{%b\}%b),%b" % (_P, _LIST, _S, _OBJECT, _S, _S)
_SPACE, _PLAIN, _NAME, _ITEMS, _ENTRIES = (
    re.compile(one, re.DOTALL) for one in (_S, _P, _N, b"(?:%b){1,1000}+" % _F, b"(?:%b%b){1,1000}+" % (_N, _F))
)


@dataclass(frozen=True)
class InputFile:
    """Holds a file to be read: its name, which errors say, and its bytes."""

    name: str
    data: bytes

    @cached_property
    def head(self) -> bytes:
        """Its first bytes, without a byte order mark."""
        return self.data[:HEAD].removeprefix(b"\xef\xbb\xbf")

    @property
    def text(self) -> str:
        """Its text. FormatError names the first byte that is not UTF-8."""
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            raise FormatError(
                f"{self.name} is no text: byte {fault.start:,} is not UTF-8.", "Choose a file that is not damaged."
            ) from None

    def check_lines(self) -> None:
        """Raise FormatError if it has more lines than a vocabulary may have tokens."""
        n, most = self.data.count(b"\n"), bounds.now().file_tokens
        if n > most:
            raise FormatError(
                f"{self.name} has {n:,} lines, and {most:,} tokens are the limit.", "Choose a smaller vocabulary."
            )

    @property
    def lines(self) -> list[str]:
        """Its lines without their ends, of Windows too, and without empty ones at its end. FormatError if too many."""
        self.check_lines()
        lines = [line.removesuffix("\r") for line in self.text.split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def json(self) -> Any:
        """What its JSON says. FormatError says where it is damaged, or that it would take too much memory."""
        self.check_unfolded()
        try:
            return _read_in_pieces(self.data) if len(self.data) > LARGE else read_json(self.text)
        except json.JSONDecodeError as fault:
            raise self.damaged(f"{fault.msg} (line {fault.lineno:,}, column {fault.colno:,})") from None
        except RecursionError:
            raise FormatError(f"{self.name} is no model: it nests too deeply.", "Choose another file.") from None
        except UnicodeDecodeError:
            _ = self.text  # names the byte
            raise self.damaged("it is no text") from None
        except ValueError as fault:  # a number of thousands of digits, NaN, or a name twice
            raise self.damaged(str(fault)) from None

    def check_unfolded(self) -> None:
        """Raise FormatError if its JSON could take far more memory: a list has 2 bytes in a file, and 60 in memory."""
        names = bounds.now().file_tokens
        most = min(_TIMES * len(self.data) + _FLOOR, bounds.now().unfolded_mb * bounds.MB)
        counts = {sign: self.data.count(sign) for sign in _WEIGHTS}  # those inside texts too, which is quicker
        if _unfolded(counts) > most or counts[b":"] > names:
            counts = _outside_texts(self.data)
        if counts[b":"] > names:  # each token is one of them
            what = f"{counts[b':']:,} names in its JSON, and {names:,} are the limit"
            raise FormatError(f"{self.name} has {what}.", "Choose a smaller vocabulary.")
        if (n_bytes := _unfolded(counts)) > most:
            raise FormatError(
                f"{self.name} has {len(self.data):,} bytes, but what its JSON holds could take {n_bytes:,} in memory.",
                "Choose a smaller file.",
            )

    def damaged(self, what: str) -> FormatError:
        """Make the error of a file that is not as its format has to be."""
        return FormatError(f"{self.name} is damaged: {what}.", "Choose a file that is whole.")

    @property
    def is_json(self) -> bool:
        """Does it begin as a JSON object, or a list of objects, does?"""
        return _JSON.match(self.head) is not None

    @property
    def stem(self) -> str:
        """Its name without folder and ending.

        >>> InputFile("models/cat.model", b"").stem
        'cat'
        """
        return re.split(r"[/\\]", self.name)[-1].rpartition(".")[0] or self.name


def _unfolded(counts: Mapping[bytes, int]) -> int:
    """Guess from above how many bytes of memory a JSON text takes. counts: how often each of its signs occurs."""
    return sum(count * _WEIGHTS[sign] for sign, count in counts.items())


def _outside_texts(data: bytes) -> dict[bytes, int]:
    """Count the signs of JSON that are not inside its strings."""
    plain = np.frombuffer(data.replace(b"\\\\", b"").replace(b'\\"', b""), np.uint8)
    counts, inside = np.zeros(256, np.int64), np.uint8(0)
    for start in range(0, len(plain), PART):
        part = plain[start : start + PART]
        in_text = np.bitwise_xor.accumulate((part == ord('"')).view(np.uint8)) ^ inside
        counts += np.bincount(part[(in_text == 0) | (part == ord('"'))], minlength=256)
        inside = in_text[-1]
    return {sign: int(counts[ord(sign)]) for sign in _WEIGHTS}


def most_file_bytes() -> int:
    """Return how many bytes a file may have."""
    return int(bounds.now().model_file_mb * bounds.MB)


def check_size(n_bytes: int, name: str) -> None:
    """Raise FormatError if a file is too large to be read."""
    if n_bytes > most_file_bytes():
        raise FormatError(
            f"{name} has {n_bytes:,} bytes; a file may have {most_file_bytes():,}.", "Choose a smaller file."
        )


def data_of(path: Path, name: str = "", way_out: str = "") -> bytes:
    """Read a whole file. FormatError if it is no file, is too large or cannot be read.

    name: what to call it in an error; by default the last part of the path. way_out: the one of `unread`.
    """
    name = name or path.name[:NAME]
    try:
        with open_file(path) as file:
            check_size(os.fstat(file.fileno()).st_size, name)
            data = file.read(most_file_bytes() + 1)  # it may grow meanwhile
    except OSError as fault:
        raise FormatError(*unread(name, fault, way_out)) from None
    check_size(len(data), name)
    return data


def read_json(text: str) -> Any:
    """Parse a JSON text. ValueError if it is not JSON or has a name twice, RecursionError if it nests too deeply."""
    return json.loads(text, object_pairs_hook=_unique_names, parse_constant=refuse_constant)


def _read_in_pieces(data: bytes) -> Any:
    """Read JSON in UTF-8 as `read_json` does, which would hold up all other threads until it is done, and need the file
    as a string. ValueError names the byte near which it is no JSON."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    value, at = _value_at(data, _after_space(data, 0))
    if at < len(data):
        raise ValueError(f"Extra data (near byte {at:,})")
    return value


def _value_at(data: bytes, at: int) -> tuple[Any, int]:
    """Read the value that begins at this byte. Returns it, and the first byte behind it that is no white space."""
    opening = data[at : at + 1]
    if opening not in (b"{", b"["):
        found = _PLAIN.match(data, at)
        return _piece(data, at, found.end() if found else at + 1), found.end() if found else at + 1
    made: Any
    many, closing, made = (_ENTRIES, b"}", {}) if opening == b"{" else (_ITEMS, b"]", [])
    at = _after_space(data, at + 1)
    ended = data.startswith(closing, at)
    while not ended:
        while run := many.match(data, at):
            _add(made, _piece(data, at, run.end(), opening, closing))
            at = run.end()
        name = ""
        if opening == b"{":
            found = _NAME.match(data, at)
            ((name, _),) = _piece(data, at, found.end() if found else at + 1, b"{", b"0}").items()
            at = found.end() if found else at
        value, at = _value_at(data, at)
        _add(made, [value] if opening == b"[" else {name: value})
        if not (ended := data.startswith(closing, at)):
            if not data.startswith(b",", at):
                raise ValueError(f"Expecting ',' delimiter (near byte {at:,})")
            at = _after_space(data, at + 1)
    return made, _after_space(data, at + 1)


def _piece(data: bytes, start: int, end: int, opening: bytes = b"", closing: bytes = b"") -> Any:
    """Read the value in a piece of JSON, or the items in it, each with a comma behind it."""
    piece = data[start:end].rstrip().removesuffix(b",")
    try:
        return read_json((opening + piece + closing).decode())
    except json.JSONDecodeError as fault:
        raise ValueError(f"{fault.msg} (near byte {start + fault.pos:,})") from None


def _add(made: Any, more: Any) -> None:
    if isinstance(made, list):
        made += more
    elif twice := made.keys() & more.keys():
        raise ValueError(f"{shown(min(twice))} is in it twice")
    else:
        made |= more


def _after_space(data: bytes, at: int) -> int:
    found = _SPACE.match(data, at)
    return found.end() if found else at


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object. ValueError if it has a name twice: `json` would silently drop one of two special tokens."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"{shown(twice)} is in it twice")
    return fields


def refuse_constant(constant: str) -> NoReturn:
    """Raise ValueError for NaN and Infinity, which are not JSON, though Python's `json` reads them."""
    raise ValueError(f"{constant} is no number in JSON")


def is_id(value: object, below: int = 2**31) -> bool:
    """Is it a whole number from 0 on?"""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below
