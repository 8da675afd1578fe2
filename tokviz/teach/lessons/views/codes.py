"""Writes a text as numbers in several ways, and shows what comes back from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tokviz.base.blocks import Cell, Field, Mark, Table, Visible
from tokviz.base.sentences import Code
from tokviz.base.wording import count_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, view

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


@view("text")
def codes(*, text: str) -> Shown:
    """Show the numbers of a text in each way.

    Facts: `characters`, `bytes`, `beyond` (code points above 255, which no byte can be), `lost` (characters that ASCII
    does not have), `replaced` and `ignored`: what comes back from ASCII.

    >>> codes(text="caf\u00e9").facts
    {'characters': 4, 'bytes': 5, 'beyond': 0, 'lost': 1, 'replaced': 'caf?', 'ignored': 'caf'}
    """
    text = checked_text(text)
    rows: list[list[Cell]] = []
    backs = []
    for way in WAYS:
        numbers = way.numbers(text)
        back = way.back(numbers)
        backs.append(back)
        more = f" and {len(numbers) - MOST:,} more" if len(numbers) > MOST else ""
        good = back == text and max(numbers, default=0) < 256
        outcome = Mark("good" if good else "bad", _note(numbers, back == text))
        rows.append([Code(way.title), " ".join(map(str, numbers[:MOST])) + more, [Visible(back), outcome]])
    facts: dict[str, Fact] = {
        "characters": len(text),
        "bytes": len(text.encode()),
        "beyond": sum(ord(character) > 255 for character in text),
        "lost": sum(not character.isascii() for character in text),
        "replaced": backs[2],
        "ignored": backs[3],
    }
    return Shown(facts, [Field("text", text), Table([], rows)])


def _note(numbers: list[int], same: bool) -> str:
    beyond = sum(number > 255 for number in numbers)
    if beyond:
        return f"{count_of(beyond, 'number')} above 255"
    return "comes back" if same else "is lost"
