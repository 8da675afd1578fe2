"""Writes bytes as GPT-2's files do: one visible character for each.

A byte that is a visible character of Latin-1 is written as this character. The others, in order, are the characters
from U+0100 on: a space is Ġ, a line end is Ċ. Source: openai/gpt-2, src/encoder.py, bytes_to_unicode.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping

_VISIBLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
GPT2_BYTES = (*_VISIBLE, *sorted({*range(256)}.difference(_VISIBLE)))  # in GPT-2's order
BYTES: Mapping[str, int] = {
    chr(byte if place < len(_VISIBLE) else 0x100 + place - len(_VISIBLE)): byte for place, byte in enumerate(GPT2_BYTES)
}
CHARACTERS = tuple(sorted(BYTES, key=BYTES.__getitem__))  # byte -> character
_IN_ORDER = "".join(CHARACTERS)


def characters_of(data: bytes) -> str:
    """Write bytes as such a file does.

    >>> characters_of(b" the\\n")
    'ĠtheĊ'
    """
    return codecs.charmap_decode(data, "strict", _IN_ORDER)[0]
