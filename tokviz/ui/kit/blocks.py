"""Turns blocks into what the browser gets, and reads what was pressed or typed in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from tokviz.base.blocks import Block, Button, Cell, Chip, Choice, Field, Fold, Group, Series, Table
from tokviz.base.typed import Misfit, half_character, read
from tokviz.tokenizer.encoding import Encoding
from tokviz.ui.kit.data import glyph, payload

MOST_BYTES = 1_000  # of a token that are sent to the browser
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


def data_of(value: Any) -> Any:
    """Turn blocks and cells into what the browser gets: the fields of each record, and its kind.

    Bytes are a token, an `Encoding` is sent as components send it, and a series has its mark.

    >>> data_of([Field("text", "so", lines=2)])[0]["kind"], data_of(b"so")["data"]
    ('field', '736f')
    """
    match value:
        case bytes():
            return data_of(Chip(value))
        case Encoding():
            return payload(value)
        case str() | int() | float() | None:
            return value
    if not is_dataclass(value):
        return [*map(data_of, value)]
    said = {field.name: getattr(value, field.name) for field in fields(value)}
    data = {name: _plain(each) if isinstance(each, bytes) else data_of(each) for name, each in said.items()}
    if isinstance(value, Chip):  # a page has many of them: what is not said of one is left out
        data = {name: said for name, said in data.items() if said not in ("", None, False)}
        data |= {"data": data.get("data", ""), "size": len(value.data)}
    if isinstance(value, Series):
        data["glyph"] = glyph(value.series)
    return {"kind": type(value).__name__.lower(), **data}


def _plain(token: bytes) -> str:
    return token[:MOST_BYTES].hex()
