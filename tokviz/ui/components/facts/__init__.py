"""Facts as a list of names and values. They can stand behind a badge, which says the outcome, and be folded away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

from tokviz.ui.components import component

Tone = Literal["good", "bad", "warn", "waits"]

_component = component("facts", "token_view/panel.css", "facts/facts.css")


class ValuePart(NamedTuple):
    """A piece of a value. code: in the font of code. marked: it stands out, as the place that a fact is about."""

    text: str
    code: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and its value."""

    name: str
    value: Sequence[ValuePart]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a badge says: Outcome("good", "same ids") reads "✓ same ids"."""

    tone: Tone
    text: str


def facts(label: str, rows: Sequence[Fact], *, key: str, badge: Outcome | None = None, folded: str = "") -> None:
    """Draw them as plain text: nothing in them is markup.

    label: what a screen reader calls the list. folded: if there is one, the facts open with a press on these words.
    """
    data = {
        "label": label,
        "badge": asdict(badge) if badge else None,
        "folded": folded,
        "rows": [{"name": row.name, "value": [part._asdict() for part in row.value]} for row in rows],
    }
    _component(key=key, data=data)
