"""What the Library page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass, field

from tokviz.base.errors import TokvizError
from tokviz.ui.library.found_files import Found
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import PageState

ALL = "all"


@dataclass(eq=False)
class LibraryState(PageState):
    """shown: the group that is listed, or ALL. found: the files that were dropped and are neither added nor left yet.
    refused: why the others of the last drop cannot be opened, until one is added. drops: how many drops there were.
    opened: the key of an own tokenizer -> that of the entry which it was opened from. names: the key of an entry -> the
    new name that was typed for it.
    """

    shown: str = ALL
    found: list[Found] = field(default_factory=list)
    refused: list[TokvizError] = field(default_factory=list)
    drops: int = 0
    opened: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def leave(self, gone: Found) -> None:
        """Let these files go."""
        self.found = [found for found in self.found if found is not gone]

    def tokenizer_dropped(self, key: str) -> None:
        self.opened = {own: entry for own, entry in self.opened.items() if own != key}

    @property
    def n_bytes(self) -> int:
        return size(self.found)
