"""Split rules: one corpus under several split patterns."""

from __future__ import annotations

from tokviz.ui.visitors.visitor import Visitor


def splits(me: Visitor) -> None:
    """Draw the part."""
