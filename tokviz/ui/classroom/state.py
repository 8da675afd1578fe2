"""What a teacher has chosen and typed for questions that are not in a room yet. It outlives a reload."""

from __future__ import annotations

from dataclasses import dataclass, field

from tokviz.ui.server.visitor import SAMPLE, PageState

ANSWERS = ("a", "b", "c", "d", "e", "f")  # the fields of `OwnDraft`


@dataclass
class PredictionDraft:
    """Predictions of a training. of: the key of the tokenizer, or SAMPLE. first: the first merge to predict, from 1.
    many: of how many merges in a row."""

    of: str = SAMPLE
    first: int = 1
    many: int = 3


@dataclass
class OwnDraft:
    """A question of the teacher's own. a to f: the answers, "" for none. right: which is right, "" for none of them."""

    title: str = ""
    a: str = ""
    b: str = ""
    c: str = ""
    d: str = ""
    e: str = ""
    f: str = ""
    right: str = ""

    @property
    def answers(self) -> dict[str, str]:
        """Field -> text of each answer that is not empty."""
        texts = {name: str(getattr(self, name)).strip() for name in ANSWERS}
        return {name: text for name, text in texts.items() if text}


@dataclass(eq=False)
class DraftState(PageState):
    """kind: which kind of question is being chosen. task: the id of a lesson step, "" for the first."""

    kind: str = "prediction"
    prediction: PredictionDraft = field(default_factory=PredictionDraft)
    task: str = ""
    own: OwnDraft = field(default_factory=OwnDraft)

    def tokenizer_dropped(self, key: str) -> None:
        """Let go of a training that is no longer here."""
        if self.prediction.of == key:
            self.prediction = PredictionDraft()
