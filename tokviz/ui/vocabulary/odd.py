"""Odd tokens of one vocabulary: candidates for tokens that models hardly ever see."""

from __future__ import annotations

from tokviz.ui.visitors.visitor import Visitor


def odd(me: Visitor) -> None:
    """Draw the part."""
