"""The visitor: what one person typed, trained and chose.

A visitor has what several pages share: the text, the tokenizers, the corpus, work under way, and a cache. What one page
alone needs is that page's `PageState`, which the visitor keeps for it. All tabs of one browser share one visitor; the
last writer wins. Lists are replaced and never changed in place, because another tab may be reading them.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
import weakref
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from typing import Any, TypeVar

from tokviz.base.errors import SettingError
from tokviz.base.text import Text
from tokviz.base.wording import free_name, tidy_name
from tokviz.catalog.samples import sample
from tokviz.formats.bundled import references
from tokviz.formats.tokviz import dump
from tokviz.split.specials import Reading
from tokviz.tokenizer.hues import palette
from tokviz.tokenizer.peers import AnyTokenizer, Peer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.train import Training
from tokviz.ui.server.cache import Cache
from tokviz.ui.server.machine import listens_to_others
from tokviz.ui.server.sizes import size

# Colour and marker of each own tokenizer: those of the palette that no reference tokenizer has.
OWN_SERIES = tuple(s for s in palette()["series_shapes"] if s not in {row.series for row in references().values()})
NO_ROOM = f"You have {len(OWN_SERIES)} tokenizers of your own."  # said where `Visitor.room` is 0
SAMPLE = "sample"  # `Visitor.plays` where Replay shows the bundled sample
MOST_VIEWS = 100  # text areas of which it is known what they have; those of tabs that were closed are among them
MOST_ASIDE = 4_000_000  # characters of the texts that others replaced; of more, the oldest go
OPENS_WITH = "mixed"  # the sample that a new visitor finds in the text area
FIRST_TEXT = "Why can't it count the r's in strawberry?"  # what the visitor finds there on Tokens

_SAID = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)


def said_shared() -> bool | None:
    """What the environment variable TOKVIZ_SHARED says: whether many people use this server; None if it says nothing.

    SettingError if it has another word.
    """
    word = os.environ.get("TOKVIZ_SHARED", "").strip()
    if word and word.lower() not in _SAID:
        way_out = "Set it to 1 (true, yes, on) if many people use the server, else to 0 (false, no, off)."
        raise SettingError(f"TOKVIZ_SHARED is {word!r}.", way_out)
    return _SAID.get(word.lower())


def shared() -> bool:
    """Whether many people use this server. The library of saved tokenizers is then read-only.

    TOKVIZ_SHARED says so. If it says nothing, a server that other machines can reach counts as shared.
    """
    said = said_shared()
    return listens_to_others() if said is None else said


def why_read_only() -> str:
    """Why the library cannot be changed from the pages; "" if it can be."""
    if not shared():
        return ""
    if said_shared():
        return "Many people use this server, so the library can be read but not changed from here."
    return (
        "Other machines can reach this server, so the library can be read but not changed from here. "
        "The person who runs the server can change that: start it with TOKVIZ_SHARED=0."
    )


@dataclass(eq=False)
class Own:
    """A tokenizer on a visitor's pages. One of others, a peer, has no merges, so Train and Replay do not know of it.

    series: its colour and marker in every chart, from its creation until it is dropped. day: on which it came here.
    here: names it in links between this visitor's pages, which another visitor's cannot follow; `sha256` takes a while.
    """

    key: str
    name: str
    series: str
    tokenizer: AnyTokenizer
    day: date = field(default_factory=date.today)
    here: str = field(default_factory=partial(secrets.token_hex, 8))

    @cached_property
    def sha256(self) -> str:
        """The sha256 of its file, in hexadecimal. A link names it so."""
        return hashlib.sha256(dump(self.tokenizer)).hexdigest() if self.tokenizer.has_merges else self.tokenizer.sha256

    @cached_property
    def n_bytes(self) -> int:
        """Bytes of memory that the tokenizer takes."""
        return size(self.tokenizer)


@dataclass(eq=False)
class Mine(Own):
    """A tokenizer with merges.

    training: None if only the tokenizer is here, for example after it was loaded from a file. saved_as: its file name
    in the library.
    """

    tokenizer: Tokenizer
    training: Training | None = None
    saved_as: str | None = None
    corpus_name: str = ""


class PageState:
    """What one page keeps for a visitor: its fields, its choices, where it stands.

    Each page has one child of this class in its own folder. `Visitor.state` creates it at the page's first visit.
    """

    def tokenizer_added(self, own: Own) -> None:
        """The visitor has a new tokenizer of their own, or a peer. Called when the page next asks for its state."""

    def tokenizer_dropped(self, key: str) -> None:
        """The visitor dropped a tokenizer of their own, or a peer."""

    @property
    def n_bytes(self) -> int:
        """Bytes of memory that the large things take which the page keeps, also the longest texts typed there."""
        return 0


S = TypeVar("S", bound=PageState)


def _opening_text() -> str:
    return sample(OPENS_WITH).text


@dataclass(eq=False)
class Lending:
    """A text that something else can replace, such as a link or another tab, with the way back to it.

    text: what is shown. lent: the last text put there that is not the visitor's own. own_texts: texts of their own that
    such a text replaced, the latest last.
    """

    text: str
    lent: str
    own_texts: list[str] = field(default_factory=list)
    _has: dict[str, int] = field(default_factory=dict)  # text area, in some tab -> hash of the text that it has

    def type(self, text: str, view: str) -> None:
        """Set the text that was typed in a text area. view: the text area, in some tab, that already shows it.

        If it did not have the text before, the person wrote over what they did not see: `back` shows that again.
        """
        if not self.has_text(view):
            self._put_aside()
        self.text = text
        self.no_text(view)
        self.gets_text(view, text)

    def has_text(self, view: str) -> bool:
        """Whether this text area has the text, because it was typed in it or sent to it."""
        return self._has.get(view) == hash(self.text)

    def no_text(self, view: str) -> None:
        """Forget what this text area has: it is about to get a text."""
        self._has.pop(view, None)

    def gets_text(self, view: str, text: str) -> None:
        """Note that a text was sent to this text area, unless something was typed in it since `no_text`."""
        self._has.setdefault(view, hash(text))
        for left in [*self._has][:-MOST_VIEWS]:
            self._has.pop(left, None)

    def lend(self, text: str) -> None:
        """Show a text that is not the visitor's own. Theirs is kept, and `back` shows it again."""
        self._put_aside()
        self.text = self.lent = text

    def back(self) -> None:
        """Show the latest of the visitor's own texts. If one is shown already, it is queued before all the others."""
        if self.own_texts:
            *earlier, text = self.own_texts
            self.own_texts = [*self._own_text, *earlier]
            self.text = text

    @property
    def _own_text(self) -> list[str]:
        return [self.text] if self.text and self.text != self.lent else []

    def _put_aside(self) -> None:
        aside = [*self.own_texts, *self._own_text]
        while sum(map(len, aside[:-1])) > MOST_ASIDE:
            aside = aside[1:]
        self.own_texts = aside


@dataclass(eq=False)
class Visitor(Lending):
    """All that one visitor keeps here.

    text: what Tokens and Compare show. specials: how special tokens are read. pin: the token pinned on Tokens: the key
    of its tokenizer, a byte of it (None: nothing is pinned), and the vocabulary size shown (None: all). tokenizers:
    their own, oldest first. current: the key of the own tokenizer that Replay shows;
    other: the name of a reference that it shows instead. corpus: the texts that Train trains on. trouble: where the
    last press of a button failed, and how. active: whether they did anything here but to open a page. let_go: whether
    the server let their work go while they were away; then the page that says so, from when it does.
    """

    text: str = field(default_factory=_opening_text)
    lent: str = field(default_factory=_opening_text)
    specials: Reading = "text"
    pin: tuple[str, int | None, int | None] | None = None
    tokenizers: list[Own] = field(default_factory=list)
    current: str | None = None
    other: str | None = None
    corpus: list[Text] = field(default_factory=list)
    trouble: tuple[str, Exception] | None = None
    active: bool = False
    let_go: str | bool = False
    works: dict[str, Any] = field(default_factory=dict)  # place -> what is under way there; see tokviz.ui.frame
    cache: Cache = field(default_factory=Cache)
    live_texts: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)  # those of open sockets
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    page: threading.Semaphore = field(default_factory=threading.Semaphore, repr=False)  # of which one is drawn
    _states: dict[type[PageState], PageState] = field(default_factory=dict)
    _met: dict[type[PageState], set[str]] = field(default_factory=dict)  # the keys of which each was told
    _added: int = 0

    # -- what a page keeps --

    def state(self, kind: type[S]) -> S:
        """What the page with this kind of state keeps. It is told here of the tokenizers that are new to it."""
        with self.lock:
            if kind not in self._states:
                self._states[kind] = kind()
            found, met = self._states[kind], self._met.get(kind, set())
            self._met[kind] = {own.key for own in self.tokenizers}
            for own in self.tokenizers:
                if own.key not in met:
                    found.tokenizer_added(own)
        if not isinstance(found, kind):
            raise TypeError(f"{found!r} is not a {kind.__name__}")
        return found

    # -- the text --

    def type(self, text: str, view: str) -> None:
        """Set the text that was typed, by somebody who thereby has done something here."""
        super().type(text, view)
        self.active = True

    def lend(self, text: str) -> None:
        """Show a text that is not the visitor's own, with no token pinned."""
        super().lend(text)
        self.pin = None

    def back(self) -> None:
        """Show the latest of the visitor's own texts, with no token pinned."""
        super().back()
        self.pin = None

    # -- the tokenizers --

    @property
    def plays(self) -> str:
        """What Replay shows: the key of an own tokenizer, the name of a reference, or SAMPLE."""
        return self.other or self.current or SAMPLE

    @plays.setter
    def plays(self, key: str) -> None:
        if self.own(key):
            self.current, self.other = key, None
        else:
            self.other = key

    @property
    def trained(self) -> list[Mine]:
        """Those of the tokenizers that have merges."""
        return [one for one in self.tokenizers if isinstance(one, Mine)]

    @property
    def room(self) -> int:
        """How many more tokenizers of their own the visitor can have. At 0, say so before another is trained."""
        return len(OWN_SERIES) - len(self.tokenizers)

    def own(self, key: str | None) -> Mine | None:
        """The own tokenizer with this key, or None. It is None for a peer too."""
        return next((mine for mine in self.trained if mine.key == key), None)

    def add(self, name: str, tokenizer: Tokenizer, training: Training | None = None, *, corpus_name: str = "") -> Mine:
        """Keep a tokenizer under a free name; Replay shows it from now on. SettingError when there is no room."""
        with self.lock:
            mine = Mine(*self._new_place(name), tokenizer, training=training, corpus_name=corpus_name)
            self.current, self.other = mine.key, None
            self.tokenizers = [*self.tokenizers, mine]
            return mine

    def add_peer(self, name: str, tokenizer: Peer) -> Own:
        """Keep a tokenizer of others under a free name, for Tokens and Compare. SettingError when there is no room."""
        with self.lock:
            peer = Own(*self._new_place(name), tokenizer)
            self.tokenizers = [*self.tokenizers, peer]
            return peer

    def free_name(self, name: str, of: Mine | None = None) -> str:
        """The name, with a number behind it if another tokenizer of the visitor's has it. of: the one that gets it."""
        return free_name(name, [one.name for one in self.tokenizers if one is not of])

    def _new_place(self, name: str) -> tuple[str, str, str]:
        """A new key, a name that is free, and the first series that is."""
        taken = {one.series for one in self.tokenizers}
        free = [series for series in OWN_SERIES if series not in taken]
        if not free:
            raise SettingError(NO_ROOM, "Remove one to make room.")
        self._added += 1
        return f"mine{self._added}", self.free_name(name), free[0]

    def drop(self, key: str) -> None:
        """Let an own tokenizer or a peer go; its colour is free again. Replay then shows the newest that is left."""
        with self.lock:
            self.cache.shrink(0)  # what is computed of it would keep it in memory
            self.tokenizers = [one for one in self.tokenizers if one.key != key]
            if self.current == key:
                self.current = self.trained[-1].key if self.trained else None
            for state in self._states.values():
                state.tokenizer_dropped(key)

    def rename(self, key: str, name: str) -> None:
        """Give an own tokenizer or a peer another name. SettingError if it is empty, or another of theirs has it."""
        name = tidy_name(name) if name.strip() else ""
        if not name:
            raise SettingError("The name is empty.", "Type a name.")
        with self.lock:
            if any(other.name == name for other in self.tokenizers if other.key != key):
                raise SettingError(f"You have another tokenizer with the name “{name}”.", "Choose another name.")
            for own in self.tokenizers:
                if own.key == key and own.name != name:
                    self.cache.shrink(0)
                    own.name, own.tokenizer = name, own.tokenizer.renamed(name)
                    vars(own).pop("sha256", None)  # the name is in the file

    # -- memory --

    @property
    def n_bytes(self) -> int:
        """Bytes of memory that everything here takes but the cache."""
        with self.lock:
            kept = [*self._states.values(), *self.works.values(), *self.tokenizers, *self.own_texts, *self.live_texts]
            read = [thing for work in self.works.values() for thing in work.reads]
            once = {id(thing): thing for thing in (*self.corpus, *(mine.training for mine in self.trained), *read)}
            return size(self.text, *kept, *once.values())

    @property
    def at_work(self) -> bool:
        """Whether work of theirs is waiting or under way."""
        return any(not work.over for work in [*self.works.values()])
