"""The visitors of this server, by the keys in their cookies, and the limits on what they keep.

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
from collections.abc import Callable

import streamlit as st

from tokviz.ui.server import limits
from tokviz.ui.server.connections import CONNECTIONS
from tokviz.ui.server.cookie import key_in, new_key
from tokviz.ui.server.visitor import Visitor, shared

MB = limits.MB
PRESENT_S = 600  # a visitor who was seen in the last ten minutes counts as present
REMEMBERED = 10_000  # keys of visitors who have started over, or whose work was let go; the latest
_MARK = 16  # characters of a hash of the key that a view begins with

_IN_SESSION = "tokviz.visitor"
_RAN = "tokviz.ran"


class Visitors:
    """The visitors of this server by their keys. Whoever was seen last stands last.

    limit, limit_each: bytes that all visitors together, and each, may keep. most: how many are kept who did something.
    """

    def __init__(
        self,
        limit: int,
        limit_each: int,
        now: Callable[[], float] = time.monotonic,
        most: int = limits.VISITORS,
        connected: Callable[[str], bool] = CONNECTIONS.has,
    ) -> None:
        self.limit = limit
        self.limit_each = limit_each
        self.most = most
        self._now = now
        self._connected = connected
        self._lock = threading.Lock()
        self._visitors: dict[str, Visitor] = {}
        self._seen: dict[str, float] = {}  # in the order of `_visitors`
        self._addresses: dict[str, str] = {}  # of the same visitors
        self._started_over: dict[str, float] = {}  # marks of keys, and when
        self._let_go: dict[str, bool] = {}  # marks of keys
        # What each kept when a page of theirs ran last; those without a key, whose sessions keep them, among them.
        self._sizes: weakref.WeakKeyDictionary[Visitor, int] = weakref.WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._visitors)

    def of(self, key: str, address: str = "") -> Visitor:
        """The visitor with this key, a new one if there is none. After starting over, it is one that is not kept.

        address: of their machine. If the server has too many visitors, some who are away go: those of the address that
        has most, and of these who was seen longest ago. Who did nothing but to open a page counts apart. So nobody can
        make others go by opening many pages. Who is connected never goes.
        """
        with self._lock:
            self._forget_the_gone()
            if _mark(key) in self._started_over:
                return Visitor()
            if key not in self._visitors:
                self._visitors[key] = Visitor()
                self._visitors[key].let_go = self._let_go.pop(_mark(key), False)
            is_new = key not in self._addresses
            self._addresses[key] = address or self._addresses.get(key, "")
            seen = self._see(key)
            if is_new:
                self._make_place()
            return seen

    def find(self, key: str) -> Visitor | None:
        """The visitor with this key if there is one; this counts as being seen."""
        with self._lock:
            return self._see(key) if key in self._visitors else None

    def counted(self) -> tuple[int, int, int]:
        """How many visitors are connected, how many are away, and how many bytes the server keeps for all of them."""
        with self._lock:
            here = sum(map(self._connected, self._visitors))
            return here, len(self._visitors) - here, self._total()

    @property
    def full(self) -> bool:
        """Whether there is no room for another visitor, because all who did something are connected."""
        with self._lock:
            active = self._who(active=True)
            return len(active) >= self.most and all(map(self._connected, active))

    def keep_limits(self, visitor: Visitor) -> None:
        """Hold this visitor's cache to what is left of their limit, and all visitors to the server's.

        Nothing but the cache goes of somebody who is present.
        """
        n_bytes = visitor.n_bytes
        visitor.cache.shrink(max(self.limit_each - n_bytes, 0))
        with self._lock:
            self._sizes[visitor] = n_bytes
            self._make_place()
            self._make_room(self.limit)

    def why_no_room(self, visitor: Visitor, n_bytes: int) -> str:
        """Why this visitor cannot keep `n_bytes` more, and what they can do; "" if they can.

        To make the room, caches go, and then the work of those who are away.
        """
        own = visitor.n_bytes
        if own + n_bytes > self.limit_each:
            most = f"You can keep {self.limit_each // MB:,} MB on this server, and this would be more."
            return f"{most} Remove what you do not need, or use something shorter."
        visitor.cache.shrink(self.limit_each - own - n_bytes)
        with self._lock:
            self._sizes[visitor] = own
            enough = self._make_room(self.limit - n_bytes)
        full = "The server's memory is full, and others who are here use it. Try later, or with something shorter."
        return "" if enough else full

    def _make_room(self, limit: int) -> bool:
        """Let go until all together keep at most `limit` bytes; returns whether they do. The lock is held.

        First go the caches of those who are away, and then all that they have; who was seen longest ago comes first.
        """
        since = self._now() - PRESENT_S
        away = [one for one in self._away() if self._seen[one] < since and not self._visitors[one].at_work]
        for key in away:
            if self._total() <= limit:
                return True
            self._visitors[key].cache.shrink(0)
        for key in away:
            if self._total() <= limit:
                return True
            self._let_go_of(key)
        return self._total() <= limit

    def _make_place(self) -> None:
        """Let go of who is away, until at most `most` are left who did something, and as many others. The lock is
        held."""
        for active in (True, False):
            kept = self._who(active)
            of_address = Counter(self._addresses[one] for one in kept)
            while len(kept) > self.most and (away := [one for one in kept if not self._connected(one)]):
                gone = max(away, key=lambda one: of_address[self._addresses[one]])
                of_address[self._addresses[gone]] -= 1
                kept.remove(gone)
                self._let_go_of(gone)

    def _who(self, active: bool) -> list[str]:
        """The keys of those who did something, or of the others; who was seen longest ago comes first."""
        return [key for key, one in self._visitors.items() if one.active == active]

    def _total(self) -> int:
        return sum(n_bytes + one.cache.n_bytes for one, n_bytes in [*self._sizes.items()])

    def _away(self) -> list[str]:
        """The keys of those who are not connected; who was seen longest ago comes first."""
        return [key for key in self._visitors if not self._connected(key)]

    def start_over(self, key: str) -> None:
        """Forget the visitor and their key."""
        with self._lock:
            gone = self._forget(key)
            self._started_over[_mark(key)] = self._now()
            while len(self._started_over) > REMEMBERED:
                del self._started_over[next(iter(self._started_over))]
        for work in gone.works.values() if gone else ():
            work.cancel()

    def has_started_over(self, key: str) -> bool:
        """Whether the visitor with this key has started over. A page that came with it must be loaded again."""
        with self._lock:
            return _mark(key) in self._started_over

    def has_left(self, view: str) -> bool:
        """Whether this text area was drawn for a visitor who has started over: it still shows their text."""
        with self._lock:
            return view[:_MARK] in self._started_over

    def current(self, key: str) -> str:
        """The key for a browser that came with `key`: another one if its visitor has started over."""
        return new_key() if self.has_started_over(key) else key

    def _see(self, key: str) -> Visitor:
        visitor = self._visitors[key] = self._visitors.pop(key)
        self._seen.pop(key, None)
        self._seen[key] = self._now()
        return visitor

    def _forget_the_gone(self) -> None:
        oldest = self._now() - limits.KEPT_SECONDS
        for key in [key for key, seen in self._seen.items() if seen < oldest and not self._connected(key)]:
            self._forget(key)
        self._started_over = {mark: when for mark, when in self._started_over.items() if when >= oldest}

    def _let_go_of(self, key: str) -> None:
        """Forget a visitor who is away. When they come back, they are told, if there is something to miss."""
        gone = self._forget(key)
        if gone and (gone.active or gone.let_go):
            self._let_go[_mark(key)] = True
            while len(self._let_go) > REMEMBERED:
                del self._let_go[next(iter(self._let_go))]

    def _forget(self, key: str) -> Visitor | None:
        self._seen.pop(key, None)
        self._addresses.pop(key, None)
        gone = self._visitors.pop(key, None)
        if gone:
            self._sizes.pop(gone, None)
        return gone


def _mark(key: str) -> str:
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
    if _IN_SESSION not in st.session_state:
        st.session_state[_IN_SESSION] = Visitor()
    here: Visitor = st.session_state[_IN_SESSION]
    return here


def started_over() -> bool:
    """Whether this page came with a key that leads nowhere any more, so that it has to be loaded again."""
    key = _key()
    return key is not None and VISITORS.has_started_over(key)


def new_view() -> str:
    """A name for a text area of this page, from which `Visitors.has_left` can tell whose it is."""
    return _mark(_key() or "") + secrets.token_hex(8)


def keep_limits() -> None:
    """Hold the visitor of this page, and all visitors together, to the limits."""
    VISITORS.keep_limits(visitor())


def note_run() -> None:
    """A page runs. If it is not the first run of the session, the visitor has done something."""
    if st.session_state.setdefault(_RAN, False):
        visitor().active = True
    st.session_state[_RAN] = True


def why_no_room(n_bytes: int) -> str:
    """As `Visitors.why_no_room`, for the visitor of this page."""
    return VISITORS.why_no_room(visitor(), n_bytes)


def start_over() -> None:
    """Forget the visitor of this page. The page has to run again afterwards."""
    key = _key()
    if key:
        VISITORS.start_over(key)
    st.session_state.clear()
