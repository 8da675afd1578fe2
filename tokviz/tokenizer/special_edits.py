"""Checks special tokens that were written by hand: what is wrong with each line, and which id is free?

A row is a text and an id as they were typed. `Tokenizer.with_special_tokens` would refuse the whole set at its first
fault; a list needs the fault of each line, and a way out that can be typed at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from tokviz.base.wording import visible
from tokviz.tokenizer.tokenizer import Tokenizer

HIGHEST_ID = 2**31 - 1  # as `tokviz.split.specials.check_special_ids` has it: an id is an int32
SHOWN = 40  # characters of a text in a message


class SpecialRow(NamedTuple):
    """Holds a special token as it was typed."""

    text: str
    id: str


def rows_of(tokenizer: Tokenizer) -> list[SpecialRow]:
    """List the special tokens that the tokenizer has, in the order of their ids.

    >>> rows_of(Tokenizer("bytes", [], special_tokens={"<|b|>": 257, "<|a|>": 256}))
    [SpecialRow(text='<|a|>', id='256'), SpecialRow(text='<|b|>', id='257')]
    """
    return [
        SpecialRow(text, str(id)) for text, id in sorted(tokenizer.special_tokens.items(), key=lambda item: item[1])
    ]


def read_rows(written: str) -> list[SpecialRow]:
    """Read lines of a text, a space and an id. A line of one word has no id: "".

    >>> read_rows("<|a|> 256\\n\\n<|b|>")
    [SpecialRow(text='<|a|>', id='256'), SpecialRow(text='<|b|>', id='')]
    """
    lines = (line.strip().rpartition(" ") for line in written.splitlines() if line.strip())
    return [SpecialRow(text or id, id if text else "") for text, _, id in lines]


def first_id(tokenizer: Tokenizer) -> int:
    """Return the id after the highest that a byte or merge has. Special tokens usually begin here.

    >>> first_id(Tokenizer("ab", [(97, 98)]))
    257
    """
    return int(max(tokenizer.alphabet.max(), tokenizer.merge_ids.max(initial=0))) + 1


def free_id(tokenizer: Tokenizer, rows: Iterable[SpecialRow]) -> int:
    """Find the next free id: the lowest from `first_id` on that no row and no added token has.

    >>> free_id(Tokenizer("bytes", []), [SpecialRow("<|a|>", "256"), SpecialRow("<|b|>", "258")])
    257
    """
    taken = {parsed(row.id) for row in rows} | tokenizer.added_ids
    return next(id for id in count(first_id(tokenizer)) if id not in taken)


def parsed(typed: str) -> int | None:
    """Read an id that was typed; None if it is no whole number from 0 on. Commas between thousands are left out.

    >>> parsed(" 1,024 "), parsed("-1"), parsed("12a"), parsed("1,2")
    (1024, None, None, None)
    """
    digits = re.sub(r"(?<=\d),(?=\d{3}(?:,|$))", "", typed.strip())
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 10 else None


def faults(tokenizer: Tokenizer, rows: Sequence[SpecialRow]) -> list[str]:
    """Say what is wrong with each row, and the way out; "" if nothing is.

    Of two rows with the same text or the same id, the later one is at fault.

    >>> tok = Tokenizer("hug", [(117, 103)])
    >>> faults(tok, [SpecialRow("<|a|>", "257"), SpecialRow("<|b|>", "256"), SpecialRow("<|a|>", "258")])[1]
    'The id 256 is taken by the token “ug”, which merge 1 makes. The next free id is 259.'
    """
    free = f"The next free id is {free_id(tokenizer, rows):,}."
    texts: set[str] = set()
    owners: dict[int, str] = {}
    found = []
    for row in rows:
        id = parsed(row.id)
        if not row.text:
            fault = "A special token needs a text. Write one, or remove the line."
        elif row.text in texts:
            fault = f"{_quoted(row.text)} is there twice. Remove one of the lines."
        elif row.text in tokenizer.added_tokens:
            fault = f"{_quoted(row.text)} is an added token, which is always cut out. Write another text."
        elif id is None:
            fault = f"{_quoted(row.id.strip())} is no id. An id is a whole number from 0 on. {free}"
        elif id > HIGHEST_ID:
            fault = f"The id {id:,} is too high. The highest that an id can be is {HIGHEST_ID:,}. {free}"
        else:
            owner = f"the special token {_quoted(owners[id])}" if id in owners else _owner(tokenizer, id)
            fault = f"The id {id:,} is taken by {owner}. {free}" if owner else ""
            owners.setdefault(id, row.text)
        texts.add(row.text)
        found.append(fault)
    return found


def special_tokens_in(rows: Iterable[SpecialRow]) -> dict[str, int]:
    """Collect the special tokens of rows without faults, as `Tokenizer.with_special_tokens` takes them."""
    return {row.text: id for row in rows if (id := parsed(row.id)) is not None}


def _owner(tokenizer: Tokenizer, id: int) -> str:
    """Name the ordinary or added token that has an id, for a sentence; "" if none has it."""
    bytes_of_id = np.flatnonzero(tokenizer.alphabet == id)
    if len(bytes_of_id):
        return f"the token of the byte {bytes_of_id[0]:02X}"
    ranks = np.flatnonzero(tokenizer.merge_ids == id)
    if id in tokenizer.added_ids:
        return f"the added token {_quoted(visible(tokenizer.vocab[id]))}"
    if not len(ranks):
        return ""
    return f"the token {_quoted(visible(tokenizer.vocab[id]))}, which merge {ranks[0] + 1:,} makes"


def _quoted(text: str) -> str:
    return f"“{text if len(text) <= SHOWN else text[: SHOWN - 1] + '…'}”"
