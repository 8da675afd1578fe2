"""The formats of an export as radio buttons: what each keeps and loses, or why it is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tokviz.ui.components import component, heard

_component = component("export_choice", "export_choice/export_choice.css")


@dataclass(frozen=True, slots=True)
class Choice:
    """A format. refused: why it cannot hold the tokenizer, "" if it can. remarks: sentences, shown if it is chosen."""

    key: str
    title: str
    files: str
    keeps: str
    loses: str
    remarks: str
    refused: str


def export_choice(choices: Sequence[Choice], chosen: str, *, key: str, on_change: Callable[[], None]) -> None:
    """Draw the formats. The value's "format" is the key of the one that was pressed last; see `pressed_format`."""
    data = {"choices": [asdict(choice) for choice in choices], "chosen": chosen}
    _component(key=key, data=data, on_format_change=on_change)


def pressed_format(value: Any, choices: Sequence[str]) -> str | None:
    """The format in a value of the component, if it is one of these; else None.

    >>> pressed_format({"format": "hf"}, ["hf"]), pressed_format({"format": 5}, ["hf"]), pressed_format(None, ["hf"])
    ('hf', None, None)
    """
    pressed = heard(value, "format", str)
    return pressed if pressed in choices else None
