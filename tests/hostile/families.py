"""Families of hostile texts: each is a function that yields its texts, found by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

HOST = "hostile.example"  # no such host can exist (RFC 2606)
THERE = f"http://{HOST}/x"

Family = Callable[[], Iterator[str]]
FAMILIES: dict[str, Family] = {}


def family(texts: Family) -> Family:
    """Make a function a family."""
    FAMILIES[texts.__name__] = texts
    return texts
