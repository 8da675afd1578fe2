"""Two vocabularies laid over each other: what they share, and in which order they learned it."""

from __future__ import annotations

from tokviz.ui.visitors.visitor import Visitor


def overlay(me: Visitor) -> None:
    """Draw the part."""
