"""Decodes the bytes of a text where they come in, and records what was done to them.

tokviz works on the UTF-8 bytes of a text. Three things can be wrong with a text: its bytes are not UTF-8, a byte order
mark comes before them, or a Python string contains lone surrogates, halves of a character that UTF-8 cannot write. Each
of them is reported, never silently repaired.
"""

from __future__ import annotations

import codecs
import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokviz.base.arguments import checked_text, shown
from tokviz.base.errors import InputError, SettingError

REPLACEMENT = "\ufffd"
HEAD = 4096  # bytes at the start of a file from which its kind is guessed


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
    counts them. Line ends stay as they are.

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
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as fault:
        if not repair:
            offset = fault.start + len(raw) - len(body)
            line = raw.count(b"\n", 0, offset) + 1
            raise not_utf8(raw[:HEAD], raw[offset], name, offset, line) from None
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


def not_utf8(head: bytes, byte: int, name: str, offset: int, line: int) -> InputError:
    """Make the error for a byte that is not UTF-8. head: the file's first bytes, by which its kind is guessed."""
    begins = 0xC2 <= byte <= 0xF4
    kind = "begins a character whose other bytes are missing" if begins else "cannot begin a character"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        way_out = "It starts with the mark of UTF-16. Save it as UTF-8 and try again"
    elif b"\0" in head:
        way_out = "It looks like a binary file. Choose a text file"
    else:
        way_out = "It may be Latin-1. Save it as UTF-8 and try again"
    return InputError(
        f"{name or 'The text'} is not UTF-8: byte {offset:,} (line {line:,}) is {byte:02X}, which {kind}.",
        f"{way_out}, or replace unreadable bytes with U+FFFD.",
        offset=offset,
    )


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
