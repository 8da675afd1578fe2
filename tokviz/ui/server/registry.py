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
from collections.abc import Callable

import streamlit as st

from tokviz.ui.server import limits
from tokviz.ui.server.budget import make_room, shrink, spare_room
from tokviz.ui.server.connections import CONNECTIONS
from tokviz.ui.server.cookie import key_in, new_key
from tokviz.ui.server.holdings import Order
from tokviz.ui.server.visitor import Visitor, shared

MB = limits.MB
PRESENT_S = 600  # a visitor who was seen in the last ten minutes counts as present
STARTED_OVER = 10_000  # keys of visitors who have started over that are remembered, the latest
_MARK = 16  # characters of a hash of the key that a view begins with

_IN_SESSION = "tokviz.visitor"


class Visitors:
    """The visitors of this server by their keys. Whoever was seen last stands last."""

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
        self._making_room = threading.Lock()  # held for long; sockets never wait for it
        self._visitors: dict[str, Visitor] = {}
        self._seen: dict[str, float] = {}  # in the order of `_visitors`
        self._started_over: dict[str, float] = {}  # marks of keys, and when
        self._in_sessions: weakref.WeakKeyDictionary[Visitor, float] = weakref.WeakKeyDictionary()  # when seen

    def __len__(self) -> int:
        return len(self._visitors)

    def of(self, key: str) -> Visitor:
        """The visitor with this key, a new one if there is none. After starting over, it is one that is not kept.

        If the server has too many, those who were away for longest go first. Who is connected never goes.
        """
        with self._lock:
            self._forget_the_gone()
            if _mark(key) in self._started_over:
                return Visitor()
            if key not in self._visitors:
                away = [one for one in self._visitors if not self._connected(one)]
                for one in away[: max(len(self._visitors) + 1 - self.most, 0)]:
                    self._forget(one)
                self._visitors[key] = Visitor()
            return self._see(key)

    def find(self, key: str) -> Visitor | None:
        """The visitor with this key if there is one; this counts as being seen."""
        with self._lock:
            return self._see(key) if key in self._visitors else None

    def counted(self) -> tuple[int, int, int]:
        """How many visitors are connected, how many are away, and how many bytes the server keeps for all of them."""
        with self._lock:
            here = sum(map(self._connected, self._visitors))
            everybody = [*self._visitors.values(), *self._in_sessions]
            return here, len(self._visitors) - here, sum(one.weight for one in everybody)

    @property
    def full(self) -> bool:
        """Whether there is no room for another visitor, because all of them are connected."""
        with self._lock:
            return len(self._visitors) >= self.most and all(map(self._connected, self._visitors))

    def _see(self, key: str) -> Visitor:
        visitor = self._visitors[key] = self._visitors.pop(key)
        self._seen.pop(key, None)
        self._seen[key] = self._now()
        return visitor

    def keep_limits(self, visitor: Visitor) -> None:
        """Weigh this visitor again, and hold them to their limit and all visitors to the server's.

        The others keep the weight of their own last weighing. A visitor without a key, whose browser takes no cookie,
        counts for as long as their session keeps them. Nothing is weighed under the lock that sockets wait for.
        """
        shrink(visitor, self.limit_each)
        away, present = self._people(visitor)
        with self._making_room:
            make_room(away, present, self.limit)

    def why_no_room(self, visitor: Visitor, n_bytes: int) -> str:
        """Why this visitor cannot keep `n_bytes` more, and what they can do; "" if they can.

        To make the room, what absent visitors keep goes, and what can be computed again. Nothing else does.
        """
        shrink(visitor, self.limit_each - n_bytes, Order.COMPUTED)
        if visitor.held + n_bytes > self.limit_each:
            most = f"You can keep {self.limit_each // MB:,} MB on this server, and with this you would have more."
            return f"{most} Remove what you no longer need, or use a shorter file."
        away, present = self._people(visitor)
        with self._making_room:
            enough = spare_room(away, present, self.limit - n_bytes)
        full = "The server's memory is full, and others who are here use it. Try again later, or use a shorter file."
        return "" if enough else full

    def _people(self, visitor: Visitor) -> tuple[list[Visitor], list[Visitor]]:
        """All visitors, this one included: those who are away, and those who are present. The first was seen first."""
        with self._lock:
            if visitor not in self._visitors.values():
                self._in_sessions[visitor] = self._now()
            seen = {one: self._seen[key] for key, one in self._visitors.items()} | dict(self._in_sessions)
            present_since = self._now() - PRESENT_S
        people = sorted(seen, key=seen.__getitem__)
        away = [one for one in people if seen[one] < present_since]
        return away, [one for one in people if seen[one] >= present_since]

    def start_over(self, key: str) -> None:
        """Forget the visitor and their key."""
        with self._lock:
            gone = self._forget(key)
            self._started_over[_mark(key)] = self._now()
            while len(self._started_over) > STARTED_OVER:
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

    def _forget_the_gone(self) -> None:
        oldest = self._now() - limits.KEPT_SECONDS
        for key in [key for key, seen in self._seen.items() if seen < oldest and not self._connected(key)]:
            self._forget(key)
        self._started_over = {mark: when for mark, when in self._started_over.items() if when >= oldest}

    def _forget(self, key: str) -> Visitor | None:
        self._seen.pop(key, None)
        return self._visitors.pop(key, None)


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
        return VISITORS.of(key)
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


def why_no_room(n_bytes: int) -> str:
    """As `Visitors.why_no_room`, for the visitor of this page."""
    return VISITORS.why_no_room(visitor(), n_bytes)


def start_over() -> None:
    """Forget the visitor of this page. The page has to run again afterwards."""
    key = _key()
    if key:
        VISITORS.start_over(key)
    st.session_state.clear()
