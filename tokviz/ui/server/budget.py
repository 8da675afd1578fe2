"""Keeping visitors within the limits of memory.

Visitors who are away lose everything but their text before anyone who is present loses anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokviz.ui.server.holdings import Order
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.weight import weigh


def shrink(visitor: Visitor, limit: int, last: Order = Order.TEXT) -> None:
    """Let things go, up to and including those of the order `last`, until the rest weighs at most `limit` bytes.

    Each thing goes once. What open tabs, sockets and work under way use does not count, because letting go of anything
    else would not free it.
    """
    at_least = limit  # what is held by now, if nothing that went is in use elsewhere: it can go on without weighing
    for order in Order:
        for holding in visitor.holdings() if order <= last else []:
            if holding.order == order:
                if at_least <= limit:
                    visitor.weigh()
                    at_least = visitor.held
                if at_least <= limit:
                    return
                at_least -= weigh(holding.things)
                holding.let_go()
                if holding.lost:
                    visitor.lose(holding.lost)
    visitor.weigh()


BEFORE_TEXT = range(Order.TEXT)


def make_room(away: Sequence[Visitor], present: Sequence[Visitor], limit: int) -> None:
    """Let things go until all these visitors together weigh at most `limit` bytes.

    away, present: each in the order in which they were last seen, the longest ago first. Weights are those of the last
    weighing.
    """
    rounds = [(away, BEFORE_TEXT), (present, BEFORE_TEXT), (away, (Order.TEXT,)), (present, (Order.TEXT,))]
    _let_go(rounds, (*away, *present), limit)


def spare_room(away: Sequence[Visitor], present: Sequence[Visitor], limit: int) -> bool:
    """As `make_room`, but those who are present lose nothing that they would miss. Returns whether that was enough."""
    return _let_go([(away, BEFORE_TEXT), (present, (Order.COMPUTED,))], (*away, *present), limit) <= limit


def _let_go(rounds: Iterable[tuple[Sequence[Visitor], Iterable[int]]], everybody: Sequence[Visitor], limit: int) -> int:
    """Go round by round, in each of them order by order, until all weigh at most `limit`. Returns what they weigh."""
    total = sum(visitor.weight for visitor in everybody)
    for people, orders in rounds:
        for order in orders:
            for visitor in people:
                if total <= limit:
                    return total
                before = visitor.weight
                shrink(visitor, max(visitor.held - (total - limit), 0), Order(order))
                total += visitor.weight - before
    return total
