"""Checks conditions on facts, as lesson files write them: `big < small and tokens == 16`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from tokviz.teach.lessons.prose import fact_of
from tokviz.teach.lessons.shown import Fact, LessonError

_COMPARISON = re.compile(r"(?P<left>[^<>=!]+?)\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<right>[^<>=!]+)")
_TERM = re.compile(r"(?:(?P<factor>\d+(?:\.\d+)?) \* )?(?P<name>[a-z_]\w*)")
_SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(condition: str, facts: Mapping[str, Fact]) -> bool:
    """Check a condition on facts, "2 * fact", numbers and 'texts'. LessonError if it names no fact, or cannot be read.

    >>> holds("big < small and small == 16", {"big": 10, "small": 16})
    True
    >>> holds("small >= 2 * big", {"big": 10, "small": 16})
    False
    """
    return all(_compare(part.strip(), facts) for part in condition.split(" and "))


def _compare(comparison: str, facts: Mapping[str, Fact]) -> bool:
    found = _COMPARISON.fullmatch(comparison)
    if not found:
        raise LessonError(f"The condition “{comparison}” cannot be read.", "Write it as in tokens < 10.")
    left, right = _value(found["left"], facts), _value(found["right"], facts)
    if isinstance(left, str) != isinstance(right, str):
        raise LessonError(f"The condition “{comparison}” compares a text with a number.")
    return _SIGNS[found["sign"]](left, right)


def _value(term: str, facts: Mapping[str, Fact]) -> int | float | str:
    if len(term) > 1 and term[0] == term[-1] == "'":
        return term[1:-1]
    if re.fullmatch(r"\d+(\.\d+)?", term):
        return float(term)
    found = _TERM.fullmatch(term)
    if not found:
        raise LessonError(f"The term “{term}” cannot be read.", "Write a fact, a number, or a text in single quotes.")
    fact = fact_of(found["name"], facts)
    value = fact.decode("utf-8", "replace") if isinstance(fact, bytes) else fact
    if not found["factor"]:
        return value
    if isinstance(value, str):
        raise LessonError(f"The fact “{found['name']}” is a text, which has no multiple.")
    return float(found["factor"]) * value
