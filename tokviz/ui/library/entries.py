"""The tokenizers there are, as entries of the Library page."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Literal

from tokviz import library
from tokviz.catalog import reference, reference_name, references
from tokviz.corpus_match import origin
from tokviz.errors import TokvizError
from tokviz.split import PATTERNS
from tokviz.text import clean
from tokviz.tokenizer import Tokenizer
from tokviz.ui.shelf import saved_name
from tokviz.ui.tokenizers import REFERENCES
from tokviz.ui.visitors.visitor import Mine, Visitor

READING_S = 0.3  # a run spends so long on saved files that were not read before; the next run goes on

Group = Literal["yours", "saved", "bundled"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A tokenizer on the Library page.

    key: stands for it in the address. kind: in a word or two. size: as `Tokenizer.n_vocab` counts, None if it is not
    known. pattern: the name of its split pattern, or "custom". origin: where it comes from. day: on which it was saved
    or came here. open: makes the tokenizer; call `tokenizer_of` instead, which keeps it. series: its colour and marker
    if it is on every page, else "". mine: the visitor's own tokenizer that this is, or None. saved: its name in the
    library, None if it is not in there. stamp: changes with its content. fault: why it cannot be opened. unread: its
    file was not read yet, so that not all of this is known.
    """

    key: str
    group: Group
    name: str
    kind: str
    size: int | None
    pattern: str
    origin: str
    day: date | None
    open: Callable[[], Tokenizer]
    series: str = ""
    mine: Mine | None = None
    saved: str | None = None
    stamp: object = None
    fault: TokvizError | None = None
    unread: bool = False


def entries(me: Visitor) -> list[Entry]:
    """All tokenizers there are, in the order of the page."""
    opened = {mine.saved_as: mine for mine in me.trained if saved_name(mine)}
    taken = {name: mine for mine in me.trained if (name := reference_name(mine.tokenizer))}
    mine = [_own(one) for one in me.trained if one not in opened.values() and one not in taken.values()]
    saved = [_saved(one, opened.get(one.name)) for one in library.saved(READING_S)]
    return [*mine, *saved, *(_bundled(name, taken.get(name)) for name in references())]


def find(me: Visitor, key: str) -> Entry | None:
    """The entry with this key, or None."""
    return next((entry for entry in entries(me) if entry.key == key), None)


def tokenizer_of(me: Visitor, entry: Entry) -> Tokenizer:
    """The tokenizer of an entry, read when it is first asked for. FormatError if its file is damaged."""
    return me.cache.get(("library", entry.key, entry.stamp), entry.open)


def key_of_saved(name: str) -> str:
    """The key of a saved tokenizer. A name can have any characters, and some that no address can have.

    >>> key_of_saved("my model")
    'saved-76eeb051b539'
    """
    return f"saved-{hashlib.sha256(os.fsencode(name)).hexdigest()[:12]}"


def _own(mine: Mine) -> Entry:
    tokenizer = mine.tokenizer
    return Entry(
        mine.key,
        "yours",
        mine.name,
        _kind(tokenizer.history is not None or tokenizer.made_from is not None),
        tokenizer.n_vocab,
        _pattern(tokenizer.pattern),
        origin(tokenizer) or mine.corpus_name,
        mine.day,
        lambda: tokenizer,
        mine.series,
        mine,
        stamp=tokenizer,
    )


def _saved(saved: library.Saved, mine: Mine | None) -> Entry:
    about = saved.about or library.About()
    return Entry(
        key_of_saved(saved.name),
        "saved",
        clean(saved.name),
        "damaged" if about.fault else _kind(about.trained) if saved.about else "",
        about.size,
        _pattern(about.pattern),
        clean(about.origin),
        saved.day,
        partial(library.open_saved, saved.name),
        mine.series if mine else "",
        mine,
        saved.name,
        saved,
        about.fault,
        unread=saved.about is None,
    )


def _bundled(name: str, mine: Mine | None) -> Entry:
    row = references()[name]
    return Entry(
        name,
        "bundled",
        row.title,
        "reference",
        row.n_vocab,
        row.pattern,
        row.source.partition(",")[0],
        None,
        partial(reference, name),
        name if name in REFERENCES else mine.series if mine else "",
        mine,
    )


def _kind(trained: bool) -> str:
    return "trained" if trained else "from a file"


def _pattern(pattern: str) -> str:
    return pattern if pattern in PATTERNS or not pattern else "custom"
