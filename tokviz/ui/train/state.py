"""What the Train page keeps for a visitor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from tokviz.ui.uploads import Uploads
from tokviz.ui.visitors.holdings import Holding, Lost, Order
from tokviz.ui.visitors.visitor import PageState

if TYPE_CHECKING:
    from tokviz.rules import Tie
    from tokviz.sample_size import Bootstrap


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


@dataclass(frozen=True, eq=False)
class Resampled:
    """A bootstrap of the corpus of an own tokenizer. name: the tokenizer's."""

    name: str
    result: Bootstrap


@dataclass(eq=False)
class TrainState(PageState):
    """What the Train page keeps for a visitor.

    uploads: of the corpus, which itself is `Visitor.corpus`. resamples: how many to draw. unstable_only: whether the
    table of merges leaves the stable ones out. resampled: by the key of an own tokenizer.
    """

    settings: TrainSettings = field(default_factory=TrainSettings)
    uploads: Uploads = field(default_factory=Uploads)
    resamples: int = 50
    unstable_only: bool = False
    resampled: Mapping[str, Resampled] = field(default_factory=dict)

    def corpus_lost(self) -> None:
        """The uploader no longer shows what is not here."""
        self.uploads.empty()

    def tokenizer_dropped(self, key: str) -> None:
        """What was drawn from its corpus goes with it."""
        self.resampled = {of: one for of, one in self.resampled.items() if of != key}

    def holdings(self) -> Iterable[Holding]:
        """The bootstraps, which may be dropped to make room."""
        for key, one in self.resampled.items():
            yield Holding(Order.WHAT_IF, [one], partial(self.tokenizer_dropped, key), Lost("resamples", one.name))
