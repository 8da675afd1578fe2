"""What the Train page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tokviz.ui.uploads import Uploads
from tokviz.ui.visitors.visitor import PageState

if TYPE_CHECKING:
    from tokviz.training import Tie


@dataclass
class TrainSettings:
    """The fields of the page. sample: the key of a sample corpus. special: one special token a line."""

    sample: str = "story"
    pattern: str = "gpt2"
    custom: str = ""
    vocab_size: int = 1024
    special: str = ""
    tie: Tie = "first"
    min_count: int = 1


@dataclass(eq=False)
class TrainState(PageState):
    """settings: the fields. uploads: the uploader of the corpus, which itself is `Visitor.corpus`."""

    settings: TrainSettings = field(default_factory=TrainSettings)
    uploads: Uploads = field(default_factory=Uploads)
