"""What the Train page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal, get_args

from tokviz.base.arguments import shown
from tokviz.split.cutting import CUSTOM, PATTERNS
from tokviz.tokenizer.origin import Tie
from tokviz.ui.frame.uploads import Uploads
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import Lending, PageState

CORPUS_NAME = "Written corpus"

Way = Literal["upload", "sample", "write"]
WAYS: tuple[Way, ...] = get_args(Way)

OPENS_WITH = """low lower lowest
slow slower slowest
new newer newest
wide wider widest
the slow row, the new window
low and slow, wide and new
"""


EXAMPLE = "story"  # the sample that the page begins with
Number = Annotated[int, range(-(2**32), 2**32 + 1)]  # from a browser


def _fault_in_pattern(pattern: str) -> str:
    return "" if pattern in PATTERNS or pattern == CUSTOM else f"is {shown(pattern)}, which is no split pattern"


@dataclass
class TrainSettings:
    """The values of the fields.

    sample: the key of a sample corpus. pattern: a name of PATTERNS, or "custom" for the regular
    expression `custom`. special: one special token per line. tie, min_count: as in `Rules`.
    """

    sample: str = EXAMPLE
    pattern: Annotated[str, _fault_in_pattern] = "gpt2"
    custom: str = ""
    vocab_size: Number = 1024
    special: str = ""
    tie: Tie = "first"
    min_count: Number = 1


@dataclass(eq=False)
class Written(Lending):
    """The corpus that the visitor writes, and how it is trained.

    text: the corpus. settings: without a sample. step: the chosen step, None for the last. kept: text and settings that
    were kept as a tokenizer, and its key.
    """

    text: str = OPENS_WITH
    lent: str = OPENS_WITH
    settings: TrainSettings = field(default_factory=lambda: TrainSettings(vocab_size=256 + 24, min_count=2))
    step: int | None = None
    kept: tuple[str, TrainSettings, str] | None = None


@dataclass(eq=False)
class TrainState(PageState):
    """What the Train page keeps for a visitor.

    way: how the visitor comes to a corpus. uploads: of the corpus, which itself is `Visitor.corpus`. written: the
    corpus that the visitor writes instead. names: key of a tokenizer -> the name that was typed to save it.
    unfolded: whether the settings are shown on a phone, where they are one line else.
    """

    way: Way = "upload"
    settings: TrainSettings = field(default_factory=TrainSettings)
    uploads: Uploads = field(default_factory=Uploads)
    written: Written = field(default_factory=Written)
    names: dict[str, str] = field(default_factory=dict)
    unfolded: bool = False

    def tokenizer_dropped(self, key: str) -> None:
        self.names.pop(key, None)

    @property
    def n_bytes(self) -> int:
        typed = [(one.custom, one.special) for one in (self.settings, self.written.settings)]
        return size(self.written.text, self.written.own_texts, self.names, typed)
