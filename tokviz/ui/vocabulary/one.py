"""One vocabulary: the list of its tokens, and the biography of one of them."""

from __future__ import annotations

from tokviz.ui.visitors.visitor import Visitor


def one(me: Visitor) -> None:
    """Draw the part."""
