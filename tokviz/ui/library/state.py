"""What the Library page keeps for a visitor."""

from __future__ import annotations

from dataclasses import dataclass, field

from tokviz.base.errors import TokvizError
from tokviz.formats.snippets import python_text
from tokviz.tokenizer.special_edits import SpecialRow, free_id, read_rows, rows_of
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.library.found_files import Found
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import PageState

ALL = "all"
EDITED = 30  # special tokens that can be edited; a tokenizer can have a thousand


@dataclass
class SpecialEdit:
    """The special tokens of one tokenizer. base: those that it has. text: the lines that the visitor made of them."""

    base: list[SpecialRow]
    text: str

    @property
    def n_bytes(self) -> int:
        """Bytes of memory that it takes."""
        return 4 * len(self.text) + 1_000 * len(self.base)

    @property
    def written(self) -> dict[str, str]:
        """Text of a special token that no line can hold -> what the line has in its place."""
        texts = (row.text for row in self.base)
        return {text: python_text(text) for text in texts if not text.isprintable() or text != text.strip()}

    def rows(self, tokenizer: Tokenizer) -> list[SpecialRow]:
        """What the lines say. Those beyond the ones that are drawn follow as they are."""
        meant = {line: text for text, line in self.written.items()}
        found = [row._replace(text=meant.get(row.text, row.text)) for row in read_rows(self.text)]
        rows = [*found, *self.base[EDITED:]]
        for number, row in enumerate(found):
            if not row.id:
                rows[number] = row._replace(id=str(free_id(tokenizer, rows)))
        return rows


@dataclass(eq=False)
class LibraryState(PageState):
    """shown: the group that is listed, or ALL. found: the files that were dropped and are neither added nor left yet.
    refused: why the others of the last drop cannot be opened, until one is added. drops: how many drops there were.
    opened: the key of an own tokenizer -> that of the entry which it was opened from. names: the key of an entry -> the
    new name that was typed for it. format: the one to export to, on every tokenizer that has it. edits: the key of an
    entry -> its special tokens as they are edited. made: the key of the tokenizer that such a change made.
    """

    shown: str = ALL
    found: list[Found] = field(default_factory=list)
    refused: list[TokvizError] = field(default_factory=list)
    drops: int = 0
    opened: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    format: str = "hf"
    edits: dict[str, SpecialEdit] = field(default_factory=dict)
    made: str | None = None

    def edit(self, key: str, tokenizer: Tokenizer) -> SpecialEdit:
        """The lines of the entry with this key. They begin anew if its tokenizer is another one than before."""
        base = rows_of(tokenizer)
        if key not in self.edits or self.edits[key].base != base:
            edit = self.edits[key] = SpecialEdit(base, "")
            edit.text = "\n".join(f"{edit.written.get(row.text, row.text)} {row.id}" for row in base[:EDITED])
        return self.edits[key]

    def leave(self, gone: Found) -> None:
        """Let these files go."""
        self.found = [found for found in self.found if found is not gone]

    def tokenizer_dropped(self, key: str) -> None:
        self.opened = {own: entry for own, entry in self.opened.items() if own != key}

    @property
    def n_bytes(self) -> int:
        return size(self.found, *self.edits.values())
