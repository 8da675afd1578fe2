"""Shows a text, character by character, with the bytes of each in UTF-8."""

from __future__ import annotations

from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Input, Shown

DRAWN = 24  # characters of a text
VALUES = 256
ASCII = 128  # byte values that are characters by themselves


def show(*, text: Input[str], typing: bool = False, hidden: bool = False) -> Shown:
    """Show the bytes of each character. hidden: whether they are kept from the browser, because the task asks for them.

    Facts: `characters`, `bytes`, `widest` and `narrowest` (bytes of the character with most and with fewest), `values`
    (how many values a byte can have), `largest` (of these), `ascii` (how many of them are characters by themselves).

    >>> show(text="né").facts
    {'characters': 2, 'bytes': 3, 'widest': 2, 'narrowest': 1, 'values': 256, 'largest': 255, 'ascii': 128}
    """
    text = checked_text(text)
    encoded = [character.encode() for character in text]
    sizes = [*map(len, encoded)]
    facts: dict[str, Fact] = {
        "characters": len(text),
        "bytes": sum(sizes),
        "widest": max(sizes, default=0),
        "narrowest": min(sizes, default=0),
        "values": VALUES,
        "largest": VALUES - 1,
        "ascii": ASCII,
    }
    data = {
        "text": text,
        "typing": typing,
        "hidden": hidden,
        "characters": [
            {"code": ord(character), "character": data, "bytes": [] if hidden else list(data)}
            for character, data in zip(text, encoded[:DRAWN], strict=False)
        ],
        "count": len(text),
        "bytes": None if hidden else sum(sizes),
    }
    return Shown("bytes", data, facts)
