"""What the Compare page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tokviz.ui.frame.uploads import Uploads
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import Own, PageState

if TYPE_CHECKING:
    from tokviz.ui.compare.counted_file import FileCounts

TABS = ("Figures", "Languages", "Vocabulary size", "Files")
# What a link names: the tabs, and those that the page of an earlier version had. Each is a tab and a fold that is open.
PLACES = {
    **{tab.lower().replace(" ", "-"): (tab, "") for tab in TABS},
    "cost": ("Figures", "prices"),
    "waste": ("Figures", "expensive"),
    "models": ("Figures", "prices"),
    "train-and-test": ("Files", "trained_on"),
}


@dataclass
class Folds:
    """Says which folds of the tabs are open."""

    lengths: bool = False
    more: bool = False
    definitions: bool = False
    prices: bool = False
    expensive: bool = False
    expensive_in_file: bool = False
    trained_on: bool = False


@dataclass(frozen=True, slots=True)
class RulerPlace:
    """Where the reader was on the ruler.

    sum: of the text (see `sum_of` of tokenview) in which start is a place: the first byte of the disagreement that was
    looked at, or before it. pair: the keys of the two that a link has explained, None if the page chooses them.
    """

    sum: int = 0
    start: int = 0
    pair: tuple[str, str] | None = None


@dataclass(eq=False)
class CompareState(PageState):
    """Keeps what a visitor chose on Compare.

    chosen: the names of what is compared, of models or tokenizers: see `choosing`. ruler: where the reader was on it.
    tab: the open tab. folds: those that are open. files: the files counted. What was picked: size (of the vocabulary),
    length (bytes), language (its code), cell (tokenizer, test text). spoken_to: the model whose prices in other
    languages are shown. expensive_under: the key of the tokenizer whose expensive places are shown; group: the key of
    the group whose chunks are shown. file: the name of the file in view; byte: the place in it. pair: the keys of two
    tokenizers, of which the second splits tokens of the first in the file; reason: the kind of reason whose example is
    shown.
    """

    chosen: list[str] = field(default_factory=lambda: ["gpt2", "cl100k_base", "o200k_base"])
    ruler: RulerPlace = RulerPlace()
    tab: str = TABS[0]
    folds: Folds = field(default_factory=Folds)
    files: list[FileCounts] = field(default_factory=list)
    uploads: Uploads = field(default_factory=Uploads)
    size: int | None = None
    length: int | None = None
    language: str | None = None
    cell: tuple[str, str] | None = None
    spoken_to: str = "gpt-4o"
    expensive_under: str = ""
    group: str = ""
    file: str | None = None
    byte: int | None = None
    pair: tuple[str, str] | None = None
    reason: str | None = None

    def show(self, place: str) -> None:
        """Open the tab and the fold that a link names so: see PLACES."""
        self.tab, fold = PLACES[place]
        if fold:
            self.folds = Folds(**{fold: True})

    def tokenizer_added(self, own: Own) -> None:
        self.chosen = [own.key, *self.chosen]

    def tokenizer_dropped(self, key: str) -> None:
        self.chosen = [chosen for chosen in self.chosen if chosen != key]

    @property
    def n_bytes(self) -> int:
        return size(self.files)
