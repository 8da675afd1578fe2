"""What a visitor keeps, in the order in which it goes when memory is short.

What can be computed or brought again goes first, and typed text goes last. Visitors who are away lose everything but
their text before anyone who is present loses anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from tokviz.ui.visitors.visitor import Visitor

LostKind = Literal["file", "what-if", "corpus", "training", "tokenizer", "text"]


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


def shrink(visitor: Visitor, limit: int, last: Order = Order.TEXT) -> None:
    """Let things go, up to and including those of the order `last`, until the visitor weighs at most `limit` bytes."""
    while visitor.weigh() > limit:
        holding = min(visitor.holdings(), key=lambda holding: holding.order, default=None)
        if holding is None or holding.order > last:
            return
        holding.let_go()
        if holding.lost:
            visitor.lost = [*visitor.lost, holding.lost]


def make_room(away: Sequence[Visitor], present: Sequence[Visitor], limit: int) -> None:
    """Let things go until all these visitors together weigh at most `limit` bytes.

    away, present: each in the order in which they were last seen, the longest ago first. Weights are those of the last
    weighing.
    """
    total = sum(visitor.weight for visitor in (*away, *present))
    for until in (range(Order.TOKENIZER + 1), (Order.TEXT,)):
        for people in (away, present):
            for order in until:
                for visitor in people:
                    if total <= limit:
                        return
                    before = visitor.weight
                    shrink(visitor, max(before - (total - limit), 0), Order(order))
                    total += visitor.weight - before
