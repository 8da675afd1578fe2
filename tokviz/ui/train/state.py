"""What the Train page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tokviz.ui.uploads import Uploads
from tokviz.ui.visitors.visitor import PageState

if TYPE_CHECKING:
    from tokviz.rules import Tie


@dataclass
class TrainSettings:
    """The values of the fields.

    sample: the key of a sample corpus, None if none is chosen. pattern: a name of PATTERNS, or "custom" for the regular
    expression `custom`. special: one special token per line. tie, min_count: as in `Rules`.
    """

    sample: str | None = None
    pattern: str = "gpt2"
    custom: str = ""
    vocab_size: int = 1024
    special: str = ""
    tie: Tie = "first"
    min_count: int = 1


@dataclass(eq=False)
class TrainState(PageState):
    """What the Train page keeps for a visitor. uploads: of the corpus, which itself is `Visitor.corpus`."""

    settings: TrainSettings = field(default_factory=TrainSettings)
    uploads: Uploads = field(default_factory=Uploads)

    def corpus_lost(self) -> None:
        """The uploader no longer shows what is not here."""
        self.uploads.empty()
