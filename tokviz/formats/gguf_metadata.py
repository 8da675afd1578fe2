"""Reads the metadata of a GGUF file: names and values, which come before the tensors.

    "GGUF", the version, the number of tensors, the number of values, then for each value its name, its kind, itself

A number has 1 to 8 bytes. A text is its length, then its bytes in UTF-8; an array is the kind of its items, their
number, then the items. Each length is compared with what is left of the file before anything is read. So a damaged
file costs no more than a whole one. (The reader of the `gguf` package reads a file of 49 bytes for ever.)

Source: ggml-org/ggml, docs/gguf.md.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tokviz.base import bounds
from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError
from tokviz.base.json_files import check_size

MAGIC = b"GGUF"
VERSIONS = (2, 3)
LEVELS = 3  # of arrays in arrays
_NUMBERS = {0: "u1", 1: "i1", 2: "u2", 3: "i2", 4: "u4", 5: "i4", 6: "f4", 7: "?", 10: "u8", 11: "i8", 12: "f8"}
_TEXT, _ARRAY = 8, 9


def metadata(data: bytes, source: str, wanted: str | tuple[str, ...]) -> dict[str, Any]:
    """Read the values whose names begin with `wanted`, or one of these. FormatError names the byte that is damaged.

    >>> one = (1).to_bytes(8, "little")
    >>> file = MAGIC + (3).to_bytes(4, "little") + bytes(8) + one + one + b"a" + bytes(4) + b"*"
    >>> metadata(file, "x.gguf", "")
    {'a': 42}
    """
    reader = _Reader(data, source)
    found: dict[str, Any] = {}
    for name, kind in reader.names():
        if name.startswith(wanted):
            found[name] = reader.value(kind)
        else:
            reader.skip(kind)
    return found


def head_of(path: Path) -> bytes:
    """Read a file up to the end of its metadata, as its tensors may have gigabytes. Raises FormatError or OSError."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        reader = _Reader(mapped, path.as_posix())
        for _, kind in reader.names():
            reader.skip(kind)
        check_size(reader.at, path.as_posix())
        return mapped[: reader.at]


class _Reader:
    """Reads from the beginning on. at: the byte that is read next."""

    def __init__(self, data: bytes | mmap.mmap, source: str) -> None:
        self.data, self.source = data, source
        self.size = len(data)
        self.at = len(MAGIC)
        self.order: Literal["little", "big"] = "little"

    def names(self) -> Any:
        """Yield the name and the kind of each value. The caller reads or skips it before it asks for the next."""
        version = self._whole(4)
        if version & 0xFFFF == 0:
            self.order, version = "big", version >> 24
        if version not in VERSIONS:
            raise FormatError(
                f"{self.source} has version {version} of GGUF; tokviz reads {' and '.join(map(str, VERSIONS))}.",
                "Convert the model again with a newer llama.cpp.",
            )
        self._whole(8)  # the number of tensors
        seen: set[str] = set()
        for _ in range(self._whole(8)):
            name = self._text()
            if name in seen:
                raise self._fault(f"names {shown(name)} again")
            seen.add(name)
            yield name, self._whole(4)

    def value(self, kind: int, levels: int = LEVELS) -> Any:
        if kind in _NUMBERS:
            return np.frombuffer(self._bytes(self._width(kind)), self._type(kind))[0].item()
        if kind == _TEXT:
            return self._text()
        items, count = self._array(kind, levels)
        most = bounds.now().file_tokens
        if count > 2 * most:  # of tokens, or of merges, which may be all ways to cut a token; each takes 50 bytes
            raise self._fault(f"has {count:,} values, but {most:,} tokens are the limit")
        if items in _NUMBERS:
            return np.frombuffer(self._bytes(count * self._width(items)), self._type(items)).tolist()
        return [self.value(items, levels - 1) for _ in range(count)]

    def skip(self, kind: int, levels: int = LEVELS) -> None:
        if kind in _NUMBERS:
            self._pass(self._width(kind))
        elif kind == _TEXT:
            self._pass(self._whole(8))
        else:
            items, count = self._array(kind, levels)
            if items in _NUMBERS:
                self._pass(count * self._width(items))
            else:
                for _ in range(count):  # each has at least its length
                    self.skip(items, levels - 1)

    def _array(self, kind: int, levels: int) -> tuple[int, int]:
        """Read the kind of the items of an array, and their number."""
        if kind != _ARRAY or not levels:
            raise self._fault(f"has a value of the unknown kind {kind}" if levels else "nests arrays too deeply")
        return self._whole(4), self._whole(8)

    def _text(self) -> str:
        start = self.at + 8
        data = self._bytes(self._whole(8))
        try:
            return data.decode()
        except UnicodeDecodeError as fault:
            raise FormatError(f"{self.source} is damaged: byte {start + fault.start:,} is not UTF-8.", _WHOLE) from None

    def _whole(self, width: int) -> int:
        return int.from_bytes(self._bytes(width), self.order)

    def _bytes(self, n: int) -> bytes:
        start = self.at
        self._pass(n)
        return self.data[start : self.at]

    def _pass(self, n: int) -> None:
        if n > self.size - self.at:
            raise self._fault(f"should have {n:,} bytes more")
        self.at += n

    def _width(self, kind: int) -> int:
        return self._type(kind).itemsize

    def _type(self, kind: int) -> np.dtype[Any]:
        return np.dtype(_NUMBERS[kind]).newbyteorder("<" if self.order == "little" else ">")

    def _fault(self, what: str) -> FormatError:
        return FormatError(f"{self.source} is damaged: at byte {self.at:,} it {what}.", _WHOLE)


_WHOLE = "Choose a file that is whole."
