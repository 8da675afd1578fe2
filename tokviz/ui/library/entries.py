"""The tokenizers there are, as entries of the Library page."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from operator import attrgetter
from typing import Literal

from tokviz.base.errors import TokvizError
from tokviz.base.text import clean
from tokviz.base.wording import vocabulary_size
from tokviz.catalog import saved as library
from tokviz.catalog.packages import is_installed, open_packaged
from tokviz.catalog.references import reference, references
from tokviz.formats.bundled import Packaged, packaged
from tokviz.split.cutting import PATTERNS
from tokviz.tokenizer.peers import AnyTokenizer, size_in_words, with_merges
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.frame.shelf import saved_name
from tokviz.ui.library.state import LibraryState
from tokviz.ui.server import peer_process
from tokviz.ui.server.visitor import Mine, Own, Visitor

READING_S = 0.3  # a run spends so long on saved files that were not read before; the next run goes on

Group = Literal["yours", "saved", "bundled", "installed", "to install"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A tokenizer on the Library page.

    key: tells it from the others. kind: in a word or two. size: in words, "" if it is not known. pattern: the name
    of its split pattern, or "custom". origin: where it comes from. day: on which it was saved or came here. open:
    makes the tokenizer; call `opened` instead, which keeps it. series: its colour and marker if the pages have it,
    else "". own: what the visitor has of it on the other pages. saved: its name in the library, None if it is not
    in there. stamp: changes with its content. fault: why it cannot be opened. unread: its file was not read yet, so
    that not all of this is known. remarks: what else is to know about it. command: installs its package.
    """

    key: str
    group: Group
    name: str
    kind: str
    size: str
    pattern: str
    origin: str
    day: date | None
    open: Callable[[], AnyTokenizer]
    series: str = ""
    own: Own | None = None
    saved: str | None = None
    stamp: object = None
    fault: TokvizError | None = None
    unread: bool = False
    remarks: tuple[str, ...] = ()
    command: str = ""

    @property
    def mine(self) -> Mine | None:
        """What the visitor has of it on the other pages, if it is no peer."""
        return self.own if isinstance(self.own, Mine) else None

    @property
    def address(self) -> str:
        """What the address of the page calls it. The key of a visitor's own means another tokenizer to others."""
        return self.own.sha256 if self.own and self.group == "yours" else self.key


def entries(me: Visitor) -> list[Entry]:
    """All tokenizers there are, in the order of the page."""
    saved_as = {mine.saved_as: mine for mine in me.trained if saved_name(mine)}
    own = {one.key: one for one in me.tokenizers}
    # the key of a bundled tokenizer, or of one in a package -> what the visitor opened from it
    others = {entry: own[key] for key, entry in me.state(LibraryState).opened.items() if key in own}
    yours = [one for one in me.tokenizers if one not in saved_as.values() and one not in others.values()]
    return [
        *map(_own, yours),
        *(_saved(one, saved_as.get(one.name)) for one in library.saved(READING_S)),
        *(_here(_bundled(name), others.get(name)) for name in references()),
        *sorted((_here(_packaged(row), others.get(row.key)) for row in packaged().values()), key=attrgetter("group")),
    ]


def find(me: Visitor, key: str) -> Entry | None:
    """The entry with this key, or None."""
    return next((entry for entry in entries(me) if entry.key == key), None)


def opened(me: Visitor, entry: Entry) -> AnyTokenizer:
    """The tokenizer of an entry, read when it is first asked for. FormatError if it cannot be read."""
    if entry.group in ("yours", "bundled"):  # which the visitor has, or all share
        return entry.open()
    return me.cache.get(("library", entry.key, entry.stamp), entry.open)


def opened_with_merges(me: Visitor, entry: Entry) -> Tokenizer:
    """As `opened`, for an entry that is no peer: SettingError if it is one."""
    return with_merges(opened(me, entry))


def key_of_saved(name: str) -> str:
    """The key of a saved tokenizer. A name can have any characters, and some that no address can have.

    >>> key_of_saved("my model")
    'saved-76eeb051b539'
    """
    return f"saved-{hashlib.sha256(os.fsencode(name)).hexdigest()[:12]}"


def _here(entry: Entry, own: Own | None) -> Entry:
    """The entry with what the visitor has of it on the other pages."""
    return replace(entry, series=own.series, own=own) if own else entry


def _own(own: Own) -> Entry:
    tokenizer = own.tokenizer
    if not tokenizer.has_merges:
        kind, pattern, corpus = tokenizer.kind, "", ""
    else:
        kind, pattern = _kind(tokenizer.history is not None or tokenizer.made_from is not None), tokenizer.pattern
        corpus = tokenizer.origin.words
    entry = Entry(
        own.key,
        "yours",
        own.name,
        kind,
        size_in_words(tokenizer),
        _pattern(pattern),
        corpus or (own.corpus_name if isinstance(own, Mine) else ""),
        own.day,
        lambda: tokenizer,
        stamp=tokenizer,
    )
    return _here(entry, own)


def _saved(saved: library.Saved, mine: Mine | None) -> Entry:
    about = saved.about or library.About()
    entry = Entry(
        key_of_saved(saved.name),
        "saved",
        library.title(saved.name),
        "damaged" if about.fault else _kind(about.trained) if saved.about else "",
        about.size,
        _pattern(about.pattern),
        clean(about.origin),
        saved.day,
        partial(library.open_saved, saved.name),
        saved=saved.name,
        stamp=saved,
        fault=about.fault,
        unread=saved.about is None,
    )
    return _here(entry, mine)


def _bundled(name: str) -> Entry:
    row = references()[name]
    return Entry(
        name,
        "bundled",
        row.title,
        "reference",
        vocabulary_size(*row.size),
        row.pattern,
        row.source.partition(",")[0],
        None,
        partial(reference, name),
        row.series,
        remarks=(f"Used by {row.used_by}.", f"Source: {row.source}."),
    )


def _packaged(row: Packaged) -> Entry:
    here = is_installed(row.key)
    return Entry(
        row.key,
        "installed" if here else "to install",
        row.title,
        row.kind,
        vocabulary_size(*row.size),
        _pattern(row.pattern or ""),
        f"{row.package} {row.version}",
        None,
        partial(open_packaged, row.key, reader=peer_process.opened),
        remarks=(
            *filter(None, [row.note]),
            f"Licence: {row.licence}.",
            f"Source: {row.source}, {row.date.isoformat()}.",
        ),
        command="" if here else row.command,
    )


def _kind(trained: bool) -> str:
    return "trained" if trained else "from a file"


def _pattern(pattern: str) -> str:
    return pattern if pattern in PATTERNS or not pattern else "custom"
