"""What the Replay page keeps for a visitor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tokviz.ui.uploads import Uploads
from tokviz.ui.visitors.holdings import Holding, Lost, Order
from tokviz.ui.visitors.visitor import PageState

if TYPE_CHECKING:
    from tokviz.rules import Tie
    from tokviz.training import Training


@dataclass(frozen=True, slots=True)
class ReplayPlace:
    """Where the player stands.

    of: the key of the tokenizer that plays; None for the sample's. step: merges done. start, length: the window of the
    corpus in bytes. every: whether steps go to every merge or only to those that fire in the window; None leaves that
    to how many there are. presenting: whether the mode for a projector is on.
    """

    of: str | None = None
    step: int = 0
    start: int = 0
    length: int = 2_000
    every: bool | None = None
    presenting: bool = False


@dataclass
class WhatIfFields:
    """The fields of the what-if: which rule changes, and to what. `merge` counts from 1."""

    rule: Literal["ban", "line", "pattern", "tie", "rarest"] = "ban"
    merge: int = 1
    line: str = ""
    times: int = 10
    pattern: str = "none"
    custom: str = ""
    tie: Tie = "lowest"


@dataclass(frozen=True, eq=False)
class WhatIfResult:
    """What a what-if came to. of: the key of the tokenizer it changed (None: the sample's). rule: the rule in words."""

    of: str | None
    rule: str
    training: Training


@dataclass
class Guesses:
    """Predict, then reveal: the last guess (None: none yet), the step and tokenizer it was about, and the score so far.

    `tied` guesses had the winner's count and lost by the tie rule only.
    """

    of: str | None = None
    step: int = 0
    guess: int | None = None
    right: int = 0
    tied: int = 0
    made: int = 0


@dataclass(eq=False)
class ReplayState(PageState):
    """place: where the player stands. text: the visitor's own text, which goes through the same steps. part: the part
    that is open below the player. what_if, result, guesses: what these parts hold. uploads: the uploader of a corpus
    that is missing.
    """

    place: ReplayPlace = ReplayPlace()
    text: str = ""
    part: str = "What if"
    what_if: WhatIfFields = field(default_factory=WhatIfFields)
    result: WhatIfResult | None = None
    guesses: Guesses = field(default_factory=Guesses)
    uploads: Uploads = field(default_factory=Uploads)

    def tokenizer_added(self, key: str) -> None:
        self.place, self.text = ReplayPlace(), ""

    def holdings(self) -> Iterable[Holding]:
        if self.result:
            training, lost = self.result.training, Lost("what-if", self.result.rule)
            yield Holding(Order.WHAT_IF, [training, training.tokenizer], self._drop_result, lost)

    def _drop_result(self) -> None:
        self.result = None
