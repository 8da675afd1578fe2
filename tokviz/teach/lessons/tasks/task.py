"""Defines what every task does: what the browser gets at the start, and how an answer is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tokviz.base.errors import InputError
from tokviz.base.sentences import SentencePart
from tokviz.teach.lessons.shown import Shown

State = Literal["not done", "not yet", "done"]


@dataclass(frozen=True, eq=False)
class Judged:
    """Says what an answer is worth. state: "not done" says nothing against it, as for a text that is still empty.

    says: the hint or the reason, computed from this answer.
    data: what the task's drawing shows of it, such as counts.
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


def not_an_answer() -> InputError:
    """Make the error for what is no answer, which the page itself never sends."""
    return InputError("This is not an answer to this task.", "Reload the page.")


def choice_in(answer: Any, options: Sequence[Any]) -> int:
    """Return the number of the chosen option. Raises InputError if there is no such option.

    >>> choice_in(1, "ab")
    1
    """
    if isinstance(answer, bool) or not isinstance(answer, int) or not 0 <= answer < len(options):
        raise not_an_answer()
    return answer
