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
from tokviz.base.files import open_file

HEAD = 4_096  # bytes at the beginning of a file, by which its format is recognised
NAME = 300  # characters of a file's name in an error
PART = 1 << 20  # bytes that are looked at together
# What JSON takes in memory at most: bytes of each list, of each object, of each name in it, of each value and text.
_WEIGHTS = {b"[": 100, b"{": 200, b":": 100, b",": 40, b'"': 12}
_TIMES, _FLOOR = 24, 20_000_000  # JSON may take this many times the bytes of its file in memory, and these bytes more
_JSON = re.compile(rb"\s*(\{|\[\s*[\]{])")


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
        n, most = self.data.count(b"\n"), bounds.now().vocabulary + bounds.now().specials
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
        text = self.text
        try:
            return read_json(text)
        except json.JSONDecodeError as fault:
            raise self.damaged(f"{fault.msg} (line {fault.lineno:,}, column {fault.colno:,})") from None
        except RecursionError:
            raise FormatError(f"{self.name} is no model: it nests too deeply.", "Choose another file.") from None
        except ValueError as fault:  # a number of thousands of digits, NaN, or a name twice
            raise self.damaged(str(fault)) from None

    def check_unfolded(self) -> None:
        """Raise FormatError if its JSON could take far more memory: a list has 2 bytes in a file, and 60 in memory."""
        most = min(_TIMES * len(self.data) + _FLOOR, bounds.now().unfolded_mb * bounds.MB)
        counts = {sign: self.data.count(sign) for sign in _WEIGHTS}  # those inside texts too, which is quicker
        if _unfolded(counts) > most and (n_bytes := _unfolded(_outside_texts(self.data))) > most:
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


def data_of(path: Path, name: str = "", way_out: str = "Check the path.") -> bytes:
    """Read a whole file. FormatError if it is no file, is too large or cannot be read.

    name: what to call it in an error; by default the last part of the path. way_out: if it cannot be read.
    """
    name = name or path.name[:NAME]
    try:
        with open_file(path) as file:
            check_size(os.fstat(file.fileno()).st_size, name)
            data = file.read(most_file_bytes() + 1)  # it may grow meanwhile
    except OSError as fault:
        raise FormatError(f"{name} cannot be read: {fault.strerror}.", way_out) from None
    check_size(len(data), name)
    return data


def read_json(text: str) -> Any:
    """Parse a JSON text. ValueError if it is not JSON or has a name twice, RecursionError if it nests too deeply."""
    return json.loads(text, object_pairs_hook=_unique_names, parse_constant=refuse_constant)


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
