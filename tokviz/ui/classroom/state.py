"""What the Class page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tokviz.ui.visitors.visitor import PageState

Role = Literal["teacher", "student"]


@dataclass
class OwnQuestion:
    """The teacher's own question, as far as it is typed. options: one answer a line. right: its line, None for none."""

    title: str = ""
    options: str = ""
    right: int | None = None


class ClassState(PageState):
    """What the Class page keeps; the room itself is kept in tokviz/rooms.

    role: None before the visitor has chosen to teach or to join. code: that came with a link, "" for none. training:
    the key of the tokenizer whose merges the class predicts, None for the sample. step: the step of the prediction.
    task: the id of the lesson step whose task is to be asked, "" for none. own: the question that is being typed.
    """

    def __init__(self) -> None:
        self.role: Role | None = None
        self.code = ""
        self.training: str | None = None
        self.step = 0
        self.task = ""
        self.own = OwnQuestion()

    def tokenizer_dropped(self, key: str) -> None:
        """Predict the sample's merges instead."""
        if self.training == key:
            self.training, self.step = None, 0
