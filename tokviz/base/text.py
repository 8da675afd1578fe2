"""Decodes the bytes of a text where they come in, and records what was done to them.

tokviz works on the UTF-8 bytes of a text. Three things can be wrong with a text: its bytes are not UTF-8, a byte order
mark comes before them, or a Python string contains lone surrogates, halves of a character that UTF-8 cannot write. Each
of them is reported, never silently repaired.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokviz.base.arguments import checked_text, shown
from tokviz.base.errors import InputError, SettingError

REPLACEMENT = "\ufffd"
HEAD = 4096  # bytes at the start of a file from which its kind is guessed

# Codec -> its mark. UTF-32 comes first, because its mark begins with that of UTF-16.
_WIDE = {codec: "\ufeff".encode(codec) for codec in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")}
_SAVE = "Save it as UTF-8 and try again"
REPLACE = ", or replace unreadable bytes with U+FFFD"
_HIGH = re.compile(rb"[\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class Text:
    """Holds a text that came in as bytes.

    bom: did a byte order mark come before it?
    repaired: int, how many faults became U+FFFD.
    sha256: of the raw bytes, in hexadecimal.
    n_bytes: int, the length of the text in UTF-8, without the byte order mark.
    """

    text: str
    name: str
    bom: bool
    repaired: int
    sha256: str
    n_bytes: int


def read_text(data: bytes, name: str = "", repair: bool = False) -> Text:
    r"""Decode the bytes of a file to text.

    name: what to call the file in an error. A byte order mark is taken off and recorded. Bytes that are not UTF-8 raise
    InputError with the offset of the first fault; with `repair` each fault becomes U+FFFD instead, and `repaired`
    counts them. UTF-16 and UTF-32 raise InputError too, without an offset. Line ends stay as they are.

    >>> read_text(b"caf\xc3\xa9").text
    'café'
    >>> read_text(b"caf\xe9 au lait", name="menu.txt")
    Traceback (most recent call last):
        ...
    tokviz.base.errors.InputError: menu.txt is not UTF-8: byte 3 (line 1) is E9, which begins a character whose...
    >>> read_text(b"caf\xe9 au lait", repair=True).repaired
    1
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        way_out = "A string is text already." if isinstance(data, str) else "Pass the bytes of a file."
        raise InputError(f"read_text takes bytes, not {type(data).__name__}.", way_out)
    checked_text(name, "The name")
    if not isinstance(repair, bool):
        raise SettingError(f"repair is {shown(repair)}, which is neither True nor False.", "Pass one of the two.")
    raw = bytes(data)
    bom = raw.startswith(codecs.BOM_UTF8)
    body = raw[len(codecs.BOM_UTF8) :] if bom else raw
    repaired = 0
    if not repair:
        refuse_wide(raw[:HEAD], name)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as fault:
        if not repair:
            offset = fault.start + len(raw) - len(body)
            line = raw.count(b"\n", 0, offset) + 1
            raise not_utf8(raw[:HEAD], raw[offset : offset + HEAD], name, offset, line) from None
        text = body.decode("utf-8", "replace")
        # EF is a lead byte: no fault can swallow a U+FFFD of the file itself, and every EF BF BD in the bytes is one.
        repaired = text.count(REPLACEMENT) - body.count(REPLACEMENT.encode())
    n_bytes = len(text.encode("utf-8")) if repaired else len(body)
    return Text(text, name, bom, repaired, hashlib.sha256(raw).hexdigest(), n_bytes)


def utf8(text: str) -> bytes:
    r"""Encode a text in UTF-8; lone surrogates become U+FFFD, as in `clean`. InputError if it is not a string.

    >>> utf8("na\ud83d")
    b'na\xef\xbf\xbd'
    """
    try:
        return str.encode(text)
    except (TypeError, UnicodeEncodeError):
        return clean(checked_text(text)).encode()


def clean(text: str) -> str:
    r"""Join the surrogate pairs of a text, and replace lone surrogates by U+FFFD, as tiktoken does.

    >>> clean("a\ud83d\udc4d b\ud83d")
    'a👍 b\ufffd'
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def not_utf8(head: bytes, rest: bytes, name: str, offset: int, line: int) -> InputError:
    """Make the error for a byte that is not UTF-8.

    head: the file's first bytes, and rest: those from the fault on, by which its kind is guessed.
    """
    begins = 0xC2 <= rest[0] <= 0xF4
    kind = "begins a character whose other bytes are missing" if begins else "cannot begin a character"
    sample = head if offset < len(head) else rest
    runs, valid = _HIGH.findall(sample), _HIGH.findall(sample.decode("utf-8", "ignore").encode())
    n_high = sum(map(len, runs))
    if b"\0" in head:
        way_out = "It looks like a binary file. Choose a text file"
    elif 2 * sum(map(len, valid)) > n_high:
        way_out = "Its other bytes are UTF-8, so it is damaged here. Choose a copy that is whole"
    elif min(map(min, runs)) >= 0xA0 and max(map(len, runs)) <= 3 and 3 * n_high <= max(len(sample), 32):
        way_out = f"It may be Latin-1. {_SAVE}"
    else:
        way_out = f"It is in another encoding, such as Windows-1252, GBK, Shift-JIS or KOI8-R. {_SAVE}"
    return InputError(
        f"{name or 'The text'} is not UTF-8: byte {offset:,} (line {line:,}) is {rest[0]:02X}, which {kind}.",
        f"{way_out}{REPLACE}.",
        offset=offset,
    )


def refuse_wide(head: bytes, name: str) -> None:
    """Raise InputError if a file is UTF-16 or UTF-32, whose bytes can all be UTF-8 too. head: its first bytes."""
    wide = wide_encoding(head)
    if wide:
        raise InputError(f"{name or 'The text'} is not UTF-8: it {wide}.", f"{_SAVE}.")


def wide_encoding(head: bytes) -> str:
    """Say how one sees that a file is UTF-16 or UTF-32; "" if it is neither. head: its first bytes.

    Without a mark, its characters have to be readable and, unless the bytes are no UTF-8, from the first alphabets of
    Unicode: two letters of ASCII are a Chinese one.

    >>> wide_encoding("text".encode("utf-16")), wide_encoding("some text".encode("utf-16-be")), wide_encoding(b"text")
    ('begins with the mark of UTF-16', 'looks like UTF-16', '')
    """
    for codec, mark in _WIDE.items():
        if head.startswith(mark):
            return f"begins with the mark of {codec[:6].upper()}"
    if b"\0" not in head or len(head) < 8:
        return ""
    n_high = sum(map(len, _HIGH.findall(head)))  # in UTF-8, and in a binary file with names in it, there are few
    is_utf8 = len(head.decode("utf-8", "ignore").encode()) > len(head) - 4 or n_high < 0.1 * len(head)
    for codec in _WIDE:
        width = int(codec[4:6]) // 8
        text = head[: len(head) // width * width].decode(codec, "ignore")
        # if the lower byte of a character is 0, the other order of the bytes is more likely
        readable = [one for one in text if ord(one) & 0xFF and (one.isprintable() or one.isspace())]
        first = sum(one < "\u2000" or one in "‘’“”–—…•" for one in readable)
        is_sure = width == 4 or not is_utf8 or first > 0.9 * len(readable)
        if is_sure and len(readable) * width > 0.95 * len(head) - 3:
            return f"looks like {codec[:6].upper()}"
    return ""


def whole_text(data: bytes) -> str | None:
    """Decode bytes; None if they are not whole UTF-8, because half a character is not a character.

    >>> whole_text(b" the"), whole_text(b"\\xc3")
    (' the', None)
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def utf8_widths(points: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Say how many bytes of UTF-8 each code point takes.

    >>> utf8_widths(np.array([0x61, 0xE9, 0x732B, 0x1F44D], np.uint32)).tolist()
    [1, 2, 3, 4]
    """
    widths: NDArray[np.int64] = 1 + (points >= 0x80) + (points >= 0x800) + (points >= 0x10000).astype(np.int64)
    return widths
