"""What the Compare page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from tokviz.ui.frame.uploads import Uploads
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import PageState

if TYPE_CHECKING:
    from tokviz.ui.compare.counted_file import FileCounts

Tab = Literal["Figures", "Vocabulary size", "Languages", "Train and test", "Files", "Waste", "Cost"]
TABS: tuple[Tab, ...] = get_args(Tab)


@dataclass(frozen=True, slots=True)
class RulerPlace:
    """What the ruler shows.

    of: the sha256 of the text that start and region are places in. start: the first byte shown of a long text. region:
    the first byte of the disagreement in view, None for the first one. pair: the keys of the two that are explained,
    None if the page chooses them.
    """

    of: str = ""
    start: int = 0
    region: int | None = None
    pair: tuple[str, str] | None = None


@dataclass(eq=False)
class CompareState(PageState):
    """Keeps what a visitor chose on Compare.

    chosen: the keys of the tokenizers compared. ruler: what it shows. tab: the open tab. files: the files counted.
    model: the model whose price and window are used. What was picked in a chart: size (vocabulary size), length
    (tokenizer, bytes), language (its code), cell (tokenizer, test text). file: the name of the file in view; byte: the
    place in it. pair: the keys of two tokenizers, of which the second splits tokens of the first in the file; reason:
    the kind of reason whose example is shown. priced: the name of the file whose cost is shown, "" for the text.
    spoken_to: the model whose costs in other languages are shown. waste_of: the name of the file on Waste, "" for the
    text; waste_with: the key of its tokenizer; group: the key of the group whose chunks are shown.
    """

    chosen: list[str] = field(default_factory=lambda: ["gpt2", "cl100k_base", "o200k_base"])
    ruler: RulerPlace = RulerPlace()
    tab: str = TABS[0]
    files: list[FileCounts] = field(default_factory=list)
    uploads: Uploads = field(default_factory=Uploads)
    model: str = "gpt-4o"
    size: int | None = None
    length: tuple[str, int] | None = None
    language: str | None = None
    cell: tuple[str, str] | None = None
    file: str | None = None
    byte: int | None = None
    pair: tuple[str, str] | None = None
    reason: str | None = None
    priced: str = ""
    spoken_to: str = "gpt-4o"
    waste_of: str = ""
    waste_with: str = ""
    group: str = ""

    def tokenizer_added(self, key: str) -> None:
        self.chosen = [key, *self.chosen]

    peer_added = tokenizer_added

    def tokenizer_dropped(self, key: str) -> None:
        self.chosen = [chosen for chosen in self.chosen if chosen != key]

    @property
    def n_bytes(self) -> int:
        return size(self.files)
