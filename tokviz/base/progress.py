"""Says how far work in steps is. The last step has its result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class WorkProgress(Generic[T]):
    """Says how far work is: `done` of `of` in a stage. result: only in the last step."""

    stage: str
    done: int
    of: int
    result: T | None = None


def result_of(steps: Iterable[WorkProgress[T]]) -> T:
    """Run steps to their end, and return the result.

    >>> result_of([WorkProgress("read", 1, 2), WorkProgress("read", 2, 2, "text")])
    'text'
    """
    result = None
    for step in steps:
        result = step.result
    if result is None:
        raise RuntimeError("work ended without a result")
    return result
