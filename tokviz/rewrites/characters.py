"""Characters in the place of others that tokenizers have seen less often."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from tokviz.rewrites.source import Kind, Made, Source

# Quotes, dashes and spaces as word processors write them. A dash between figures becomes a hyphen too.
_ASCII = {
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u200a\u202f", " "),
    "…": "...",
    "•": "*",
}
# They join nothing and separate nothing that can be seen. Joiners stay, because scripts and emoji need them.
_INVISIBLE = dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")


def _replaced(text: str, characters: Mapping[str, str]) -> str:
    """One search for each character: in a long text that is much quicker than str.translate, which looks up each."""
    for before, after in characters.items():
        text = text.replace(before, after)
    return text


def _ascii(source: Source) -> Made:
    return Made(_replaced(source.text, _ASCII), "Which quotes, dashes and spaces the text had, also inside strings.")


def _composed(source: Source) -> Made:
    loss = "Which form each character had. It looks the same, but names of files and keys compare unequal."
    return Made(unicodedata.normalize("NFC", source.text), loss)


def _visible(source: Source) -> Made:
    return Made(_replaced(source.text, _INVISIBLE), "Where a long word may be broken.")


KINDS = (
    Kind("ascii", "ASCII quotes and dashes", 'Writes " for “, - for –, ... for …, and plain spaces.', _ascii),
    Kind("nfc", "Composed characters", "Writes é as one character where it was e and an accent (NFC).", _composed),
    Kind(
        "invisible",
        "No invisible characters",
        "Takes out soft hyphens, spaces of no width and byte order marks.",
        _visible,
    ),
)
