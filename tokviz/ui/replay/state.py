"""What the Replay page keeps for a visitor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tokviz.ui.frame.uploads import Uploads
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import Mine, Own, PageState

if TYPE_CHECKING:
    from tokviz.training.rules import Tie
    from tokviz.training.train import Training


@dataclass(frozen=True, slots=True)
class ReplayPlace:
    """Where the player is.

    of: the key of the tokenizer that plays; None for the sample's. step: merges done. start, length: the window of the
    corpus in bytes. every: whether steps go to every merge or only to those that fire in the window; None lets the
    number of merges decide. presenting: whether presenter mode is on. predicting: whether the reader predicts each
    merge before it is shown.
    """

    of: str | None = None
    step: int = 0
    start: int = 0
    length: int = 2_000
    every: bool | None = None
    presenting: bool = False
    predicting: bool = False


@dataclass
class WhatIfFields:
    """The fields of the what-if: the rule that changes and its new value.

    merge: the merge to ban, from 1. It follows the player; `step` is the last step that it followed.
    """

    rule: Literal["ban", "line", "pattern", "tie", "rarest"] = "ban"
    merge: int = 1
    step: int = 0
    line: str = ""
    times: int = 10
    pattern: str = "none"
    custom: str = ""
    tie: Tie = "lowest"


@dataclass(frozen=True, eq=False)
class WhatIfResult:
    """The result of a what-if. of: the key of the tokenizer it changed (None: the sample). rule: the rule in words.

    n_bytes: of memory that it takes beside the training that it changed, whose corpus it may share.
    """

    of: str | None
    rule: str
    training: Training
    n_bytes: int = 0


@dataclass(eq=False)
class ReplayState(PageState):
    """What the Replay page keeps for a visitor.

    place: where the player is. moved: how often something else than the player set it, as a link does. text: the
    visitor's own text, under the same merges. what_if, result: the fields and the result of the what-if. answers:
    the predicted option and the verdict, by the key of the tokenizer and the step. uploads: of a missing corpus.
    """

    place: ReplayPlace = ReplayPlace()
    moved: int = 0
    text: str = ""
    what_if: WhatIfFields = field(default_factory=WhatIfFields)
    result: WhatIfResult | None = None
    answers: Mapping[tuple[str | None, int], tuple[int | None, str]] = field(default_factory=dict)
    uploads: Uploads = field(default_factory=Uploads)

    def move(self, place: ReplayPlace) -> None:
        """Have the player go to a place."""
        self.place, self.moved = place, self.moved + 1

    def tokenizer_added(self, own: Own) -> None:
        """Start the new tokenizer at step 0, without the visitor's own text."""
        if isinstance(own, Mine):
            self.move(ReplayPlace())
            self.text = ""

    @property
    def n_bytes(self) -> int:
        return size(self.result, dict(self.uploads.texts), self.text, self.what_if.line)
