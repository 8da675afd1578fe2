"""The visitors of this server, by the keys in their cookies: where they are, and the limits on what they keep.

A visitor is kept as long as a page of theirs is open, and then for `limits.KEPT_SECONDS`, so their work outlives a
reload, a dropped connection and a closed tab. A browser that takes no cookie has its visitor in the session. Only the
run of a page makes a visitor: a request alone, such as that of a crawler, makes none.

Who starts over is forgotten, and their key leads nowhere from then on. The next load of a page gives the browser a new
key, so pages that are open have to be loaded again; `started_over` tells them.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

import streamlit as st

from tokviz.ui.server import limits
from tokviz.ui.server.cookie import key_in, new_key
from tokviz.ui.server.session import forget_session, in_session
from tokviz.ui.server.visitor import Visitor, shared

MB = limits.MB
PRESENT_S = 600  # a visitor who was seen in the last ten minutes counts as present
REMEMBERED = 10_000  # keys of visitors who have started over, or whose work was let go; the latest
OF_A_PAGE = 4  # sockets that a page may open; without room for them it is not served
_MARK = 16  # characters of a hash of the key that a view begins with


@dataclass(eq=False)
class _Kept:
    """A visitor, the address of their machine, and when they were last seen."""

    visitor: Visitor
    address: str
    seen: float


class Visitors:
    """The visitors of this server, and who has sockets open.

    Threads of pages hold the lock for a while, so what the event loop asks for does without. It alone counts sockets.

    limit, limit_each: bytes that all visitors together, and each, may keep. most: how many are kept who are away.

    >>> people = Visitors(limit=MB, limit_each=MB)
    >>> with people.connected("k", "192.0.2.1"), people.connected(None, "192.0.2.1"):
    ...     people.sockets
    2
    """

    def __init__(
        self, limit: int, limit_each: int, now: Callable[[], float] = time.monotonic, most: int = limits.VISITORS
    ) -> None:
        self.limit, self.limit_each, self.most, self._now = limit, limit_each, most, now
        self._lock = threading.Lock()
        self._kept: dict[str, _Kept] = {}
        self._sockets = Counter[tuple[str | None, str]]()  # that are open, of each key and address
        self._gone: dict[str, bool] = {}  # marks of keys; whether they started over, or else were let go
        # What each kept when a page of theirs ran last; those without a key, whose sessions keep them, among them.
        self._sizes: weakref.WeakKeyDictionary[Visitor, int] = weakref.WeakKeyDictionary()

    # -- who is there --

    def of(self, key: str, address: str = "") -> Visitor:
        """The visitor with this key, a new one if there is none. After starting over, it is one that is not kept.

        address: of their machine.
        """
        with self._lock:
            if self._gone.get(mark(key)):
                return Visitor()
            kept = self._kept.get(key)
            if kept:
                kept.address, kept.seen = address, self._now()
                return kept.visitor
            new = Visitor()
            new.let_go = self._gone.pop(mark(key), None) is not None
            self._kept[key] = _Kept(new, address, self._now())
            self._make_room(self.limit)
            return new

    def find(self, key: str) -> Visitor | None:
        """The visitor with this key if there is one; this counts as being seen."""
        kept = self._kept.get(key)
        if kept:
            kept.seen = self._now()
        return kept.visitor if kept else None

    @contextmanager
    def connected(self, key: str | None, address: str) -> Iterator[None]:
        """Count a socket for as long as it is open. key: of the visitor, None if the browser has none."""
        self._sockets[key, address] += 1
        try:
            yield
        finally:
            self.find(key or "")  # they were seen just now, before they count as away
            self._sockets -= Counter({(key, address): 1})

    @property
    def sockets(self) -> int:
        """How many sockets are open."""
        return self._sockets.total()

    def enough(self, key: str | None, address: str, more: int = 1, reserve: float = 0.0) -> str:
        """Who cannot have `more` sockets: "visitor", "address", "server", or "" for nobody. Nor can an address from
        which too many visitors come, each with a key of their own.

        reserve: the part of the server's sockets, and of the address's, that is left to pages that are open already.
        """
        own = sum(n for (whose, _), n in self._sockets.items() if whose == key)
        here = [n for (_, where), n in self._sockets.items() if where == address]
        share = 1 - reserve
        if key and own + more > limits.CONNECTIONS_A_VISITOR:
            return "visitor"
        if key and not own and len(here) >= limits.VISITORS_AN_ADDRESS:
            return "address"
        if sum(here) + more > limits.CONNECTIONS_AN_ADDRESS * share:
            return "address"
        return "server" if self.sockets + more > limits.CONNECTIONS * share else ""

    def counted(self) -> tuple[int, int, int]:
        """How many visitors are connected, how many are away, and how many bytes the server keeps for all of them."""
        with self._lock:
            away = len(self._away())
            return len(self._kept) - away, away, self._total()

    # -- what they keep --

    def keep_limits(self, visitor: Visitor) -> None:
        """Hold what this visitor keeps, and what all keep, to the limits."""
        self.why_no_room(visitor, 0)

    def why_no_room(self, visitor: Visitor, n_bytes: int) -> str:
        """Why this visitor cannot keep `n_bytes` more, and what they can do; "" if they can.

        To make room, the server deletes their cache, then the caches of visitors who are away, then their work. A
        visitor who is present loses nothing but the cache.
        """
        own = visitor.n_bytes
        visitor.cache.shrink(max(self.limit_each - own - n_bytes, 0))
        with self._lock:
            self._sizes[visitor] = own
            enough = self._make_room(self.limit - n_bytes)
        if own + n_bytes > self.limit_each:
            most = f"You can keep {self.limit_each // MB:,} MB on this server, and this would be more."
            return f"{most} Remove what you do not need, or use something shorter."
        full = "The server's memory is full, and others who are here use it. Try later, or with something shorter."
        return "" if enough else full

    def _make_room(self, limit: int) -> bool:
        """Let go until all together keep at most `limit` bytes, and `most` are away; whether there is the room then.

        First go the caches of those who are away, and then all that they have. Of those who are present or at work
        nothing goes for want of memory. The lock is held.
        """
        away, over = self._away(), self._total() - limit
        before, oldest = self._now() - PRESENT_S, self._now() - limits.KEPT_SECONDS
        rest = {key for key, one in away.items() if one.seen < before and not one.visitor.at_work}
        for key, one in away.items():
            if over > 0 and key in rest:
                over -= one.visitor.cache.n_bytes
                one.visitor.cache.shrink(0)
        for n, (key, one) in enumerate(away.items()):
            in_time = one.seen >= oldest
            if not in_time or n + self.most < len(away) or (over > 0 and key in rest):
                over -= self._sizes.get(one.visitor, 0) + one.visitor.cache.n_bytes
                self._forget(key)
                if in_time and (one.visitor.active or one.visitor.let_go):  # when they come back, they are told
                    self._note(key, started_over=False)
        return over <= 0

    def _away(self) -> dict[str, _Kept]:
        """Those who are not connected, by their keys, in the order in which they go: first those who did nothing but to
        open a page, then those of the address that has most. So nobody can make others go by opening many pages. Of
        these, who was seen longest ago comes first."""
        here = {key for key, _ in [*self._sockets]}
        away = {key: one for key, one in self._kept.items() if key not in here}
        of_address = Counter(one.address for one in away.values())

        def order(key: str) -> tuple[bool, int, float]:
            return away[key].visitor.active, -of_address[away[key].address], away[key].seen

        return {key: away[key] for key in sorted(away, key=order)}

    def _total(self) -> int:
        return sum(n_bytes + one.cache.n_bytes for one, n_bytes in [*self._sizes.items()])

    # -- who is gone --

    def start_over(self, key: str) -> None:
        """Forget the visitor and their key."""
        with self._lock:
            gone = self._forget(key)
            self._note(key, started_over=True)
        for work in gone.works.values() if gone else ():
            work.cancel()

    def has_started_over(self, key: str) -> bool:
        """Whether the visitor with this key has started over. A page that came with it must be loaded again."""
        return self.has_left(mark(key))

    def has_left(self, view: str) -> bool:
        """Whether this text area was drawn for a visitor who has started over: it still shows their text."""
        return self._gone.get(view[:_MARK], False)

    def current(self, key: str) -> str:
        """The key for a browser that came with `key`: another one if its visitor has started over."""
        return new_key() if self.has_started_over(key) else key

    def _note(self, key: str, started_over: bool) -> None:
        self._gone[mark(key)] = started_over
        while len(self._gone) > REMEMBERED:
            del self._gone[next(iter(self._gone))]

    def _forget(self, key: str) -> Visitor | None:
        kept = self._kept.pop(key, None)
        if kept:
            self._sizes.pop(kept.visitor, None)
        return kept.visitor if kept else None


def mark(key: str) -> str:
    """The beginning of a hash of a key. It tells whose something is, and nothing leads from it to the key."""
    return hashlib.sha256(f"tokviz view {key}".encode()).hexdigest()[:_MARK]


# One visitor alone may have all, where only one is.
VISITORS = Visitors(limits.SERVER_MB * MB, (limits.VISITOR_MB if shared() else limits.SERVER_MB) * MB)


def _key() -> str | None:
    return key_in(st.context.cookies)


def visitor() -> Visitor:
    """The visitor whose page this is."""
    key = _key()
    if key and not VISITORS.has_started_over(key):
        return VISITORS.of(key, st.context.ip_address or "")
    return in_session("tokviz.visitor", Visitor)


def started_over() -> bool:
    """Whether this page came with a key that leads nowhere any more, so that it has to be loaded again."""
    key = _key()
    return key is not None and VISITORS.has_started_over(key)


def new_view() -> str:
    """A name for a text area of this page, from which `Visitors.has_left` can tell whose it is."""
    return mark(_key() or "") + secrets.token_hex(8)


def note_run() -> None:
    """A page runs. If it is not the first run of the session, the visitor has done something."""
    if next(in_session("tokviz.runs", count)):
        visitor().active = True


def why_no_room(n_bytes: int) -> str:
    """As `Visitors.why_no_room`, for the visitor of this page."""
    return VISITORS.why_no_room(visitor(), n_bytes)


def start_over() -> None:
    """Forget the visitor of this page. The page has to run again afterwards."""
    key = _key()
    if key:
        VISITORS.start_over(key)
    forget_session()
