"""Reads the ids that people paste, and lists those of all ordinary tokens.

Pasted ids are separated by commas, semicolons, spaces, line ends or brackets: "1, 2, 3", "[1,2,3]", a table's column.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tokviz.base.arguments import checked_text
from tokviz.base.errors import InputError, UnknownIdError
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.peers import AnyTokenizer

LIMIT = 100_000  # ids in one text

_WRITTEN = re.compile(r"[^\s,;()\[\]]+")
_ID = re.compile(r"[0-9]{1,10}")


class Written(NamedTuple):
    """Holds an id and its place in the text: its number among the ids, its line, its first character, all from 1."""

    id: int
    number: int
    line: int
    column: int

    @property
    def place(self) -> str:
        """The place in words, for a message.

        >>> Written(300, 2, 1, 5).place
        'number 2 (line 1, character 5)'
        """
        return f"number {self.number:,} (line {self.line:,}, character {self.column:,})"


def read_ids(text: str, most: int = LIMIT) -> list[Written]:
    """Read the ids in a text. InputError names the first word that is no id and its place, or says there are too many.

    most: how many there may be.

    >>> [written.id for written in read_ids("[9906, 11,1917\\n0]")]
    [9906, 11, 1917, 0]
    >>> read_ids("9906 1e3")
    Traceback (most recent call last):
        ...
    tokviz.base.errors.InputError: “1e3”, number 2 (line 1, character 6), is no id. An id is a whole number from 0; ...
    """
    checked_text(text)
    read: list[Written] = []
    line, line_start = 1, 0
    seen = 0
    for found in _WRITTEN.finditer(text):
        line_ends = text.count("\n", seen, found.start())
        if line_ends:
            line, line_start = line + line_ends, text.rfind("\n", seen, found.start()) + 1
        seen = found.start()
        what = found.group()
        written = Written(int(what) if _ID.fullmatch(what) else -1, len(read) + 1, line, found.start() - line_start + 1)
        if written.id < 0:
            shown = what if len(what) <= 20 else f"{what[:20]}…"
            raise InputError(
                f"“{shown}”, {written.place}, is no id.",
                "An id is a whole number from 0; separate ids by commas, spaces or line ends.",
            )
        read.append(written)
        if len(read) > most:
            raise InputError(f"There are more than {most:,} ids.", "Paste them in parts.")
    return read


def explain_written(tokenizer: AnyTokenizer, text: str) -> Encoding:
    """Find the tokens for the ids in a text. InputError as in `read_ids`; UnknownIdError gives the place in the text.

    >>> from tokviz.catalog.references import reference
    >>> explain_written(reference("cl100k_base"), "9906 11 1917 0").data
    b'Hello, world!'
    >>> explain_written(reference("gpt2"), "15496\\n99999")
    Traceback (most recent call last):
        ...
    tokviz.base.errors.UnknownIdError: No token has the id 99999, number 2 (line 2, character 1). The ids of gpt2...
    """
    written = read_ids(text)
    try:
        return tokenizer.explain_ids([one.id for one in written])
    except UnknownIdError as fault:
        at = written[fault.position]
        raise UnknownIdError(
            f"No token has the id {at.id}, {at.place}.",
            f"The ids of {tokenizer.name} go up to {tokenizer.n_vocab - 1:,}"
            f"{', with gaps' if at.id < tokenizer.n_vocab else ''}.",
            id=at.id,
            position=fault.position,
        ) from None


def ordinary_ids(tok: AnyTokenizer) -> list[int]:
    """List the ids of all tokens but the special ones: those of the merges in rank order, look-ups, and bytes last.

    >>> from tokviz import Tokenizer
    >>> ordinary_ids(Tokenizer("hug", merges=[(117, 103), (104, 256)]))[:3]
    [256, 257, 0]
    """
    if not tok.has_merges:
        return [id for id in sorted(tok.vocab) if id not in tok.special_ids and tok.vocab[id]]
    ids = dict.fromkeys([*tok.merge_ids.tolist(), *tok.lookups.values(), *tok.alphabet.tolist()])
    return [id for id in ids if id >= 0]  # no token has a byte that is lacking
