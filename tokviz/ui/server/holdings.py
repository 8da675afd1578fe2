"""What a visitor keeps, and the order in which it goes when memory is short.

What can be computed or brought again goes first, and typed text goes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LONG = 10_000  # characters of a field of a page, from which on it can be let go

LostKind = Literal["file", "what-if", "corpus", "training", "unkept", "tokenizer", "text"]


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


def long_fields(state: object) -> Iterator[Holding]:
    """The long texts that were typed in the fields of a page, each as a holding that sets the field back.

    state: what a page keeps: a dataclass. Dataclasses, lists and dicts in it are looked through too.
    """
    if isinstance(state, list | dict):
        for part in list(state.values() if isinstance(state, dict) else state):
            yield from long_fields(part)
    elif _has_fields(state):
        for field in fields(state):
            value = getattr(state, field.name, None)
            if isinstance(value, str) and len(value) >= LONG:
                usual = "" if field.default is MISSING else field.default
                yield Holding(Order.TEXT, [value], partial(setattr, state, field.name, usual), Lost("text", ""))
            else:
                yield from long_fields(value)


def _has_fields(state: object) -> TypeGuard[DataclassInstance]:
    """Whether this is one of the records in which pages keep what was typed."""
    kind = type(state)
    frozen = kind.__setattr__ is not object.__setattr__
    return is_dataclass(kind) and not frozen and kind.__module__.startswith("tokviz.ui.")
