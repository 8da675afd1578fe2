"""Shows a text, character by character, with the bytes of each in UTF-8."""

from __future__ import annotations

from tokviz.base.blocks import Chip, Columns, Line, Quiet, Veiled
from tokviz.base.sentences import Code, Strong
from tokviz.base.wording import count_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, typed, view

DRAWN = 24  # characters of a text
VALUES = 256
ASCII = 128  # byte values that are characters by themselves


@view("text", name="bytes")
def bytes_of_text(*, text: str, typing: bool = False, hidden: bool = False) -> Shown:
    """Show the bytes of each character. hidden: whether they are kept from the browser, because the task asks for them.

    Facts: `characters`, `bytes`, `values` (how many values a byte can have), `largest` (of these), `ascii` (how many of
    them are characters by themselves).

    >>> bytes_of_text(text="né").facts
    {'characters': 2, 'bytes': 3, 'values': 256, 'largest': 255, 'ascii': 128}
    """
    text = checked_text(text)
    encoded = [character.encode() for character in text]
    size = sum(map(len, encoded))
    facts: dict[str, Fact] = {
        "characters": len(text),
        "bytes": size,
        "values": VALUES,
        "largest": VALUES - 1,
        "ascii": ASCII,
    }
    bytes_in_all = Veiled("The bytes are hidden until you answer") if hidden else Strong(count_of(size, "byte"))
    columns = [
        [Chip(data), Quiet(f"U+{ord(character):04X}"), [Code("?")] if hidden else [Code(str(byte)) for byte in data]]
        for character, data in zip(text, encoded[:DRAWN], strict=False)
    ]
    rest = [Line([Quiet(f"and {len(text) - DRAWN:,} more")])] if len(text) > DRAWN else []
    head = Line([Strong(count_of(len(text), "character")), bytes_in_all], "head")
    return Shown(facts, [*typed(text, typing, lines=1), head, Columns(columns), *rest])
