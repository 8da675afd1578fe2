"""Texts that do harm where they are taken for something else: 1,000 short ones in families, and huge ones.

A payload calls `ran()`, which a page of the tests defines, or loads from HOST, which does not exist. A test that shows
a text then sees in its browser whether either of them happened. All texts are the same in each run.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from tests.hostile import characters, languages, markup  # noqa: F401, as they are read, the families come in
from tests.hostile.families import FAMILIES, HOST, THERE

__all__ = ["FAMILIES", "HOST", "HUGE", "THERE", "texts"]


@cache
def texts() -> tuple[str, ...]:
    """All short texts, family after family. None is there twice.

    >>> len(texts()) > 1_000, len(FAMILIES)
    (True, 25)
    """
    return tuple(dict.fromkeys(text for family in FAMILIES.values() for text in family()))


HUGE: dict[str, Callable[[], str]] = {
    "a million spaces": lambda: " " * 1_000_000,
    "a million letters in one word": lambda: "a" * 1_000_000,
    "a million different letters without a break": lambda: "".join(
        random.Random(5).choices("abcdefgh漢é", k=1_000_000)
    ),
    "100,000 lines": lambda: "a line\n" * 100_000,
    "100,000 empty lines": lambda: "\n" * 100_000,
    "10,000 marks on one letter": lambda: "a" + "\u0301" * 10_000,
    "marks of 100 kinds on one letter": lambda: "a" + "".join(map(chr, range(0x300, 0x364))) * 100,
    "one emoji of 10,000 people": lambda: "\u200d".join("👩" * 10_000),
    "20,000 flags": lambda: "🇳🇵" * 20_000,
    "100,000 turns of direction": lambda: "\u202ea\u202c" * 33_000,
    "10,000 open isolates": lambda: "\u2067" * 10_000 + "a",
    "100,000 zeros of code": lambda: "\0" * 100_000,
    "100,000 halves": lambda: "\ud83d" * 100_000,
    "50,000 tags": lambda: "<b>" * 50_000,
    "50,000 brackets": lambda: "[" * 50_000,
    "30,000 stars": lambda: "*a **" * 30_000,
    "100,000 line separators": lambda: "\u2028" * 100_000,
    "10,000 stacked syllables": lambda: "क" + "\u094d\u0937" * 10_000,
}
