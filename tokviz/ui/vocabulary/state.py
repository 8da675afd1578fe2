"""What the Vocabulary page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

from tokviz.ui.frame.uploads import Uploads
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import Mine, Own, PageState
from tokviz.vocabulary.search import SearchBy, Sort, Use

if TYPE_CHECKING:
    from tokviz.base.text import Text

PagePart = Literal["one", "odd", "overlay", "splits"]
PARTS: tuple[PagePart, ...] = get_args(PagePart)


@dataclass(frozen=True, slots=True)
class ListChoice:
    """Which tokens are listed, and in which order.

    search: what is searched for; by: how it is read. kind: one of `KINDS` of tokviz/vocabulary/table.py. length: in
    bytes. script: as the bars name it. "", 0: any. use: whether they are used. odd: the key of a set of tokens, "" for
    none; see token_sets.py. sort, down: by what they are sorted, and whether the highest comes first. token: the id of
    the token whose card is shown, None for the first of the list.
    """

    search: str = ""
    by: SearchBy = "text"
    kind: str = ""
    length: int = 0
    script: str = ""
    use: Use = "any"
    odd: str = ""
    sort: Sort = "id"
    down: bool = False
    token: int | None = None


@dataclass
class OverlayChoice:
    """Two vocabularies that are laid over each other. a, b: the keys of their tokenizers."""

    a: str = "cl100k_base"
    b: str = "o200k_base"


@dataclass
class SplitSettings:
    """What the part "splits" compares.

    own: a split pattern of the visitor's own; "" for none. explained: the pattern that is explained piece by piece, as
    the page calls it.
    """

    own: str = ""
    explained: str = "gpt2"


@dataclass(eq=False)
class VocabularyState(PageState):
    """part: the part of the page that is shown. of: the key of the tokenizer looked into. listed: which of its tokens.

    over: what is laid over each other. chosen_in: the part in which the list, or the token whose card is shown, was
    chosen. use_in: where use is counted, "" for what is usual; see `tokviz.ui.vocabulary.use`. use_file: the uploaded
    file. splits: what is compared in the part "splits".
    """

    part: PagePart = "one"
    of: str = "o200k_base"
    listed: ListChoice = ListChoice()
    over: OverlayChoice = field(default_factory=OverlayChoice)
    chosen_in: PagePart = "one"
    use_in: str = ""
    use_file: Text | None = None
    use_uploads: Uploads = field(default_factory=Uploads)
    splits: SplitSettings = field(default_factory=SplitSettings)

    def show(self, of: str, listed: ListChoice) -> None:
        """List these tokens of the tokenizer with this key. The page offers the way back to the part that is shown."""
        self.chosen_in = self.part
        self.part, self.of, self.listed = "one", of, listed

    def look_at(self, token: int) -> None:
        """Show the card of the token with this id, in the list as it is."""
        self.show(self.of, replace(self.listed, token=token))

    def tokenizer_added(self, own: Own) -> None:
        if isinstance(own, Mine):
            self.of, self.listed = own.key, ListChoice()

    def tokenizer_dropped(self, key: str) -> None:
        if self.of == key:
            self.of, self.listed = "o200k_base", ListChoice()
        if key in (self.over.a, self.over.b):
            self.over = OverlayChoice()

    @property
    def n_bytes(self) -> int:
        others = (text for text in self.use_uploads.texts.values() if text is not self.use_file)
        return size(self.use_file, *others)
