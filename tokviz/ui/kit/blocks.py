"""Reads what was pressed or typed in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tokviz.base.blocks import Block, Button, Cell, Choice, Field, Fold, Group, Table
from tokviz.base.typed import Misfit, half_character, read

LONGEST = 100_000  # characters of what is typed in a field


class Press(NamedTuple):
    """What the reader put in.

    name: of the field, the choice or the button.
    value: of the type that the block has.
    """

    name: str
    value: Any


def press_in(value: Any, blocks: Sequence[Block]) -> Press | None:
    """Read one press from what the browser says. None if it is nothing that these blocks offer.

    >>> press_in({"name": "again", "value": 2}, [Button("again", 2, "Draw again")])
    Press(name='again', value=2)
    >>> press_in({"name": "again", "value": 2}, [Table([], [["first", Button("again", 2, "Draw again")]])])
    Press(name='again', value=2)
    >>> press_in({"name": "again", "value": "x"}, [Button("again", 2, "Draw again")])
    """
    try:
        press = read(value, Press)
    except Misfit:
        return None
    return press if any(_takes(block, press) for block in blocks) else None


def _takes(block: Block | Cell, press: Press) -> bool:
    """Say whether this block, or one inside it, can send such a press."""
    name, value = press
    match block:
        case Table(rows=rows):
            return any(_takes(cell, press) for row in rows for cell in row)
        case Choice(blocks=inner) if block.name != name:
            return any(_takes(each, press) for some in inner for each in some)
        case Group(blocks=each_in) | Fold(blocks=each_in):
            return any(_takes(each, press) for each in each_in)
        case Field(takes="slider", ends=(least, most, _)):
            return block.name == name and type(value) in (int, float) and least <= value <= most
        case Field():
            return block.name == name and isinstance(value, str) and len(value) <= LONGEST and not half_character(value)
        case Choice(options=options):
            return value in [each for each, _ in options]
        case Button():
            return block.name == name and type(value) is type(block.value) and value == block.value
    return False
