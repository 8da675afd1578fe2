"""Says what is drawn: blocks and their cells, as records. A lesson or a page makes them; ui/kit/blocks.js draws them.

A block takes a row of the page: a field, a table, the tokens of a text. A cell is a part of a block: words, a number, a
token. Words, code and strong words are those of base/sentences.py; bytes are a token; None is “–”; a sequence of cells
is one cell with these parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tokviz.base.sentences import Code

Tone = Literal["info", "good", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Chip:
    """Draws a token.

    data: its bytes.
    words: the words behind it, such as "id 17".
    id, called: its id and what links call its tokenizer, if the chip leads to the token's card.
    under: whether the words are below it.
    """

    data: bytes
    words: str = ""
    id: int | None = None
    called: str = ""
    under: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    """Draws a pair of tokens and, behind an arrow, the token that it makes.

    made: whether the arrow and that token are drawn.
    ids, called: of the pair, if its tokens lead to their cards.
    """

    left: bytes
    right: bytes
    made: bool = True
    ids: tuple[int, int] | None = None
    called: str = ""


@dataclass(frozen=True, slots=True)
class Visible:
    """Draws text in the font of code, with a mark for each invisible character. sought: whether it is looked for."""

    text: str
    sought: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """Draws an outcome: ✓ if it is good, × if it is bad, ! for a warning, and the words."""

    tone: Tone
    text: str


@dataclass(frozen=True, slots=True)
class Quiet:
    """Draws words in a colour that stays behind the others."""

    text: str


@dataclass(frozen=True, slots=True)
class Veiled:
    """Draws words in place of what a task asks for. A file that is saved has the answer, and not these words."""

    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """Draws a bar, and behind it the words or the number.

    share: of the room that the bar fills, from 0 to 1.
    """

    share: float
    text: str | int = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Draws the mark of a tokenizer in its colour, and its name.

    series: a name of the palette, such as "yours".
    note: the words that appear when the reader points at it. A screen reader reads them if the text is only a figure.
    """

    series: str
    text: str
    note: str = ""


Cell = Any
"""str | int | float | None | bytes | Strong | Code | Goto | Visible | Chip | Merge | Mark | Quiet | Veiled | Bar |
Series | Block, or a sequence of these."""


@dataclass(frozen=True, slots=True)
class Field:
    """Takes a text or a number from the reader.

    name: of the input that a change is for.
    value: what is in it at first. What the reader types stays, whatever value comes later.
    label: its name for screen readers; drawn before it if it is a number or a slider, or `titled`.
    lines: its height, in lines of text.
    takes: what it takes.
    ends: lowest and highest value of a slider, and its step.
    words: the value of the slider in words.
    """

    name: str
    value: str | float
    label: str = "Text"
    lines: int = 1
    takes: Literal["text", "number", "slider"] = "text"
    ends: tuple[float, float, float] = (0, 1, 0.1)
    words: str = ""
    titled: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """Offers several values, of which the reader chooses one.

    name: of the input that a press is for.
    options: each value with what is drawn for it.
    value: the one that is chosen.
    blocks: for each option the blocks that it shows. If there are some, a press shows them and asks nobody.
    """

    name: str
    options: Sequence[tuple[str, Cell]]
    value: str
    label: str
    blocks: Sequence[Sequence[Block]] = ()


@dataclass(frozen=True, slots=True)
class Button:
    """Sends a value when it is pressed.

    name, value: the input, and what it becomes.
    text: what is drawn on it. It has no tokens that are links.
    label: for screen readers, if the text is not enough.
    """

    name: str
    value: str | int | None
    text: Cell
    label: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """Copies a text when it is pressed. is_query: whether the text is a query, and the link to this page is copied."""

    text: str
    label: str = "Copy"
    is_query: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """Draws cells one behind the other.

    tone: "head" above something; "title" a heading; "quiet"; "live" if screen readers say what changes; "text" if the
        cells are parts of one sentence.
    level: of the heading.
    """

    cells: Sequence[Cell]
    tone: Literal["", "head", "title", "quiet", "live", "text"] = ""
    level: int = 3


@dataclass(frozen=True, slots=True)
class Table:
    """Draws a table. The first cell of each row names it. A column of numbers is set to the right.

    titles: of the columns. Without them the table has no head.
    rows: a row of one cell, among others, is the heading of those below it.
    marked: which rows have a colour of their own, by their numbers from 0.
    wide: which columns a phone leaves out, likewise.
    """

    titles: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    label: str = ""
    marked: Sequence[int] = ()
    wide: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class List:
    """Draws a list.

    title, foot: the words above it and below it.
    numbered: whether each item has its number.
    marked: which items have a colour of their own, by their numbers from 0.
    none: the words in place of an empty list.
    across: how many items are side by side where there is room.
    framed: whether it has a border.
    """

    items: Sequence[Cell]
    title: str = ""
    numbered: bool = False
    marked: Sequence[int] = ()
    none: Cell = ""
    foot: str = ""
    across: int = 1
    framed: bool = False


@dataclass(frozen=True, slots=True)
class Tokens:
    """Draws a text in tokens that can be pointed at.

    encoding: an `Encoding`; None draws the line above alone.
    label: for screen readers.
    head: the cells of a line above it.
    beside: whether that line is beside the tokens where there is room.
    ids: whether each token is drawn as its id.
    home: whether the colour of a token is that of its bytes, wherever it occurs.
    under: cells between the head and the tokens.
    """

    encoding: Any
    label: str
    head: Sequence[Cell] = ()
    ids: bool = False
    home: bool = False
    beside: bool = False
    under: Sequence[Cell] = ()


@dataclass(frozen=True, slots=True)
class Columns:
    """Draws a small column for each item, as many beside each other as there is room.

    names: of the cells of each column, before the first one; none if they need no names.
    """

    items: Sequence[Sequence[Cell]]
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Chips:
    """Draws tokens or other cells in a row that goes on in the next line.

    items: the cells, or an `Encoding` whose tokens are drawn.
    ids: whether each token of an encoding is drawn as its id.
    more: how many there are besides.
    """

    items: Any
    ids: bool = False
    label: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True)
class Note:
    """Says what happened in bold, and after it the way out."""

    tone: Tone
    what: str
    way_out: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Draws blocks side by side, at most `across` in a row. If it is 1, each block is below the one before.

    framed: whether each has a border. Those that are groups have their parts in line with those of their neighbours.
    """

    blocks: Sequence[Block]
    across: int = 2
    framed: bool = False


@dataclass(frozen=True, slots=True)
class Fold:
    """Hides blocks until the reader opens it by its title."""

    title: str
    blocks: Sequence[Block]


Block = (
    Field | Choice | Button | Copy | Line | Table | List | Tokens | Columns | Chips | Note | Group | Fold | Bar | Code
)
