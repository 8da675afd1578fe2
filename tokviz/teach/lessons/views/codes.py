"""Writes a text as numbers in several ways, and shows what comes back from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tokviz.base.wording import count_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Input, Shown

MOST = 24  # numbers that are drawn


class Way(NamedTuple):
    """Defines a way to write a text as numbers. title: in code. numbers: those of a text. back: the numbers' text."""

    title: str
    numbers: Callable[[str], list[int]]
    back: Callable[[list[int]], str]


def _encoded(*how: str) -> Way:
    """Make the way that gives the bytes of the text, by its method `encode` with these arguments."""
    arguments = ", ".join(f'"{word}"' for word in how)
    return Way(f"text.encode({arguments})", lambda text: [*text.encode(*how)], lambda numbers: bytes(numbers).decode())


WAYS = (
    _encoded("utf-8"),
    Way("[ord(c) for c in text]", lambda text: [*map(ord, text)], lambda numbers: "".join(map(chr, numbers))),
    _encoded("ascii", "replace"),
    _encoded("ascii", "ignore"),
)


def show(*, text: Input[str]) -> Shown:
    """Show the numbers of a text in each way.

    Facts: `characters`, `bytes`, `beyond` (code points above 255, which no byte can be), `lost` (characters that ASCII
    does not have), `replaced` and `ignored`: what comes back from ASCII.

    >>> show(text="caf\u00e9").facts
    {'characters': 4, 'bytes': 5, 'beyond': 0, 'lost': 1, 'replaced': 'caf?', 'ignored': 'caf'}
    """
    text = checked_text(text)
    rows: list[dict[str, Any]] = []
    for way in WAYS:
        numbers = way.numbers(text)
        back = way.back(numbers)
        rows.append(
            {
                "title": way.title,
                "numbers": numbers[:MOST],
                "more": max(0, len(numbers) - MOST),
                "back": back,
                "same": back == text and max(numbers, default=0) < 256,
                "note": _note(numbers, back == text),
            }
        )
    facts: dict[str, Fact] = {
        "characters": len(text),
        "bytes": len(text.encode()),
        "beyond": sum(ord(character) > 255 for character in text),
        "lost": sum(not character.isascii() for character in text),
        "replaced": rows[2]["back"],
        "ignored": rows[3]["back"],
    }
    return Shown("codes", {"text": text, "rows": rows}, facts)


def _note(numbers: list[int], same: bool) -> str:
    beyond = sum(number > 255 for number in numbers)
    if beyond:
        return f"{count_of(beyond, 'number')} above 255"
    return "comes back" if same else "is lost"
