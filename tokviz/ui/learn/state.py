"""What is kept of a learner: which step is open, what is done, and what was answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tokviz.base.text import clean
from tokviz.ui.server import limits
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import PageState

KeptKind = Literal["answer", "right", "inputs"]

KEPT_LIMIT = 300_000  # of all of them; the oldest go first


@dataclass(eq=False)
class LearnState(PageState):
    """step: the id of the step that is shown, "" for the first of the course. done: the ids of the steps whose task is
    done, or which have none and were left by Next. kept: what the learner did last in each step, as JSON: the answer
    to its task, the last right one, and the inputs of its view. plan: the key of the lesson plan that was open last, ""
    for none. planning: whether it is shown, and not the step."""

    step: str = ""
    plan: str = ""
    planning: bool = False
    done: frozenset[str] = frozenset()
    kept: Mapping[tuple[KeptKind, str], str] = field(default_factory=dict)

    def keep(self, kind: KeptKind, step: str, value: Any) -> None:
        """Keep what the learner did last in a step, if it is not too long."""
        try:
            told = clean(json.dumps(value, allow_nan=False, ensure_ascii=False))
        except ValueError:  # NaN is no JSON for a browser
            return
        kept = {place: before for place, before in self.kept.items() if place != (kind, step)}
        if len(told) <= limits.FIELD_UNITS:  # of JSON: an answer, or the inputs of one step
            kept[kind, step] = told
        while sum(map(len, kept.values())) > KEPT_LIMIT:
            del kept[next(iter(kept))]
        self.kept = kept

    def recall(self, kind: KeptKind, step: str) -> Any:
        """What the learner did last in a step. KeyError if nothing is kept."""
        return json.loads(self.kept[kind, step])

    @property
    def n_bytes(self) -> int:
        return size(*self.kept.values())
