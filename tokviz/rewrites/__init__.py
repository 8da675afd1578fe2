"""Rewrites: changes to a text or a file after which it costs fewer tokens, each measured by encoding it again.

A rewrite is called lossless if whatever reads the text then reads the same data: every parser of JSON reads minified
JSON as it read the JSON before. For other texts nothing tells which white space or characters a reader needs, so their
rewrites say what is lost. Most rewrites exclude each other or overlap, so their savings cannot be added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tokviz.arguments import text_of
from tokviz.errors import InputError, TokvizError, UnknownNameError
from tokviz.peers import AnyTokenizer
from tokviz.rewrites import characters, data_formats, json_text, lines
from tokviz.rewrites.source import Kind, Source
from tokviz.text import clean

KINDS: tuple[Kind, ...] = (*json_text.KINDS, *data_formats.KINDS, *lines.KINDS, *characters.KINDS)
MOST_BYTES = 20_000_000  # of a text; all its rewrites are encoded, each as long as the text
HEAD = 600  # characters of a rewritten text that a rewrite keeps

__all__ = ["HEAD", "KINDS", "MOST_BYTES", "Kind", "Refused", "Rewrite", "Rewrites", "each", "measured", "rewritten"]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite of one text under one tokenizer.

    key: of its kind, for `rewritten`. name, what: its name, and what it does, as a sentence. loss: what is lost, as a
    sentence; "" if the rewrite is lossless. ending: of the name of a file with the new text, "" for the ending that it
    had. bytes_before, bytes_after, tokens_before, tokens_after: of the text. characters_after, head: of the new text,
    how many characters it has and the first HEAD of them.
    """

    key: str
    name: str
    what: str
    loss: str
    ending: str
    bytes_before: int
    bytes_after: int
    tokens_before: int
    tokens_after: int
    characters_after: int
    head: str

    @property
    def lossless(self) -> bool:
        """Whether a reader of the new text gets the same data."""
        return not self.loss

    @property
    def saved(self) -> int:
        """How many tokens the rewrite saves; below 0 if it costs more."""
        return self.tokens_before - self.tokens_after


class Refused(NamedTuple):
    """A rewrite that cannot be made of this text. why: one or two sentences."""

    name: str
    why: str


class Rewrites(NamedTuple):
    """The rewrites of a text. saving: those that save tokens, the largest saving first. others: those that save
    nothing or cost more, the least cost first. refused: those that cannot be made."""

    saving: tuple[Rewrite, ...]
    others: tuple[Rewrite, ...]
    refused: tuple[Refused, ...]


def measured(text: str, tokenizer: AnyTokenizer, name: str = "") -> Rewrites:
    r"""All rewrites that change the text, each measured with the tokenizer; special tokens are read as text.

    name: of the file, whose ending can tell what it is. Raises InputError if the text is longer than MOST_BYTES, and
    the errors of a tokenizer that cannot read it.

    >>> import tokviz
    >>> found = measured('{\n    "a": [1.0, 2],\n    "b": null\n}', tokviz.reference("gpt2"))
    >>> [(one.name, one.lossless, one.saved) for one in found.saving[:2]]
    [('JSON without white space', True, 12), ('JSON with one space', True, 10)]
    """
    return sorted_by_saving(each(text, tokenizer, name))


def sorted_by_saving(found: Iterable[Rewrite | Refused | None]) -> Rewrites:
    """What `each` yields, in the order in which it is shown."""
    rows = list(found)
    made = sorted((row for row in rows if isinstance(row, Rewrite)), key=lambda row: -row.saved)
    return Rewrites(
        tuple(row for row in made if row.saved > 0),
        tuple(row for row in made if row.saved <= 0),
        tuple(row for row in rows if isinstance(row, Refused)),
    )


def each(text: str, tokenizer: AnyTokenizer, name: str = "") -> Iterator[Rewrite | Refused | None]:
    """As `measured`, one for each of KINDS, so that whoever asks can show progress; None if it changes nothing."""
    text = clean(text_of(text))
    size = len(text.encode())
    if size > MOST_BYTES:
        what = f"{name or 'The text'} has {size:,} bytes, and rewrites are measured up to {MOST_BYTES:,}."
        raise InputError(what, "Take a part of it.")
    source = Source(text, name)
    tokens = len(tokenizer.encode_array(text))
    for kind in KINDS:
        try:
            made = kind.make(source)
        except InputError as fault:
            yield Refused(kind.name, str(fault))
            continue
        if made is None or made.text == text:
            yield None
            continue
        try:
            tokens_after = len(tokenizer.encode_array(made.text))
        except TokvizError as fault:  # such as a split pattern that does not cover the new characters
            yield Refused(kind.name, f"The tokenizer cannot read the new text. {fault}")
            continue
        yield Rewrite(
            kind.key,
            kind.name,
            kind.what,
            made.loss,
            kind.ending,
            size,
            len(made.text.encode()),
            tokens,
            tokens_after,
            len(made.text),
            made.text[:HEAD],
        )


def rewritten(text: str, key: str, name: str = "") -> str:
    """The text after the rewrite with this key. name: as in `measured`.

    Raises UnknownNameError if no rewrite has the key, InputError if this one cannot be made of the text.

    >>> rewritten("“Well – yes…”", "ascii")
    '"Well - yes..."'
    """
    kind = next((kind for kind in KINDS if kind.key == key), None)
    if kind is None:
        raise UnknownNameError(f"No rewrite is called {key!r}.", f"There are {', '.join(one.key for one in KINDS)}.")
    text = clean(text_of(text))
    made = kind.make(Source(text, name))
    return text if made is None else made.text
