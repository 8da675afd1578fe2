"""What a visitor keeps, and the order in which it goes when memory is short.

What can be computed or brought again goes first, and typed text goes last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, NamedTuple

LostKind = Literal["file", "what-if", "resamples", "corpus", "training", "tokenizer", "text"]


class Order(IntEnum):
    """What goes first has the lowest number."""

    COMPUTED = 0
    FILE = 1
    WHAT_IF = 2
    CORPUS = 3
    TRAINING = 4
    TOKENIZER = 5
    TEXT = 6


class Lost(NamedTuple):
    """Something that a visitor kept and the server had no room for."""

    kind: LostKind
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """One thing that a visitor keeps.

    things: the objects that it consists of, to be weighed. let_go: removes it from the visitor. lost: what to tell the
    visitor afterwards; None where nothing is missed, because it is computed again when it is needed.
    """

    order: Order
    things: Sequence[object]
    let_go: Callable[[], None]
    lost: Lost | None = None
