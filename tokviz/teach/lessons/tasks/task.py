"""Defines what every task does: what the browser gets at the start, and how an answer is judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tokviz.base.errors import InputError
from tokviz.base.sentences import SentencePart, Strong
from tokviz.base.typed import Misfit, read
from tokviz.teach.lessons.shown import Shown

State = Literal["not done", "not yet", "done"]


@dataclass(frozen=True, eq=False)
class Judged:
    """Says what an answer is worth. state: "not done" says nothing against it, as for a text that is still empty.

    says: the hint or the reason, computed from this answer.
    data: what the task's drawing shows of it, such as counts; in `start` of a task too, "blocks" are records of
        base/blocks.py, and all else is JSON.
    shown: the view after the answer, None if it stays as it is.
    """

    state: State
    says: Sequence[SentencePart]
    data: Mapping[str, Any] = field(default_factory=dict)
    shown: Shown | None = None


class Task(Protocol):
    """Asks something in a step. No part of what `start` gives may tell the answer."""

    def start(self) -> Mapping[str, Any]:
        """Return what the browser gets before the first answer."""

    def judge(self, answer: Any) -> Judged:
        """Judge an answer, which can be any JSON. Raises InputError if it is not an answer to this task."""


def judged_right(
    because: Iterable[SentencePart], data: Mapping[str, Any] | None = None, shown: Shown | None = None
) -> Judged:
    """Judge an answer to be right. because: the reason, which follows the word "Right."."""
    return Judged("done", [Strong("Right."), " ", *because], data or {}, shown)


def answer_as(kind: Any, answer: Any) -> Any:
    """Read an answer as this type (see base/typed.py). Raises InputError if it is none, which the page never sends.

    >>> answer_as(list[int], [1, 2])
    [1, 2]
    """
    try:
        return read(answer, kind)
    except Misfit:
        raise InputError("This is not an answer to this task.", "Reload the page.") from None
