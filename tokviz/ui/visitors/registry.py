"""The visitors of this server, by the keys in their cookies, and the limits on what they keep.

A visitor is kept for `KEPT_S` after a page or a socket last asked for them, so their work outlives a reload, a dropped
connection and a closed tab. A browser that takes no cookie has its visitor in the session.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable

import streamlit as st

from tokviz.ui.visitors.budget import make_room, shrink, spare_room
from tokviz.ui.visitors.cookie import KEPT_S, key_in, new_key
from tokviz.ui.visitors.holdings import Order
from tokviz.ui.visitors.visitor import Visitor, shared

MB = 1_000_000
SERVER_LIMIT = 1_000 * MB  # all visitors together; one alone may have it all
SHARED_VISITOR_LIMIT = 32 * MB  # each visitor, where many share the server
PRESENT_S = 600  # a visitor who was seen in the last ten minutes counts as present

_IN_SESSION = "tokviz.visitor"


class Visitors:
    """The visitors of this server by their keys. Whoever was seen last stands last."""

    def __init__(self, limit: int, limit_each: int, now: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit
        self.limit_each = limit_each
        self._now = now
        self._lock = threading.Lock()
        self._making_room = threading.Lock()  # held for long; sockets never wait for it
        self._visitors: dict[str, Visitor] = {}
        self._seen: dict[str, float] = {}  # in the order of `_visitors`
        self._moved: dict[str, str] = {}
        self._left: dict[str, float] = {}  # the views of visitors who have started over, and when
        self._in_sessions: weakref.WeakKeyDictionary[Visitor, float] = weakref.WeakKeyDictionary()  # when seen

    def __len__(self) -> int:
        return len(self._visitors)

    def of(self, key: str) -> Visitor:
        """The visitor with this key, a new one if there is none."""
        with self._lock:
            self._forget_the_gone()
            key = self._moved.get(key, key)
            if key not in self._visitors:
                self._visitors[key] = Visitor()
            return self._see(key)

    def find(self, key: str) -> Visitor | None:
        """The visitor with this key if there is one; this counts as being seen."""
        with self._lock:
            key = self._moved.get(key, key)
            return self._see(key) if key in self._visitors else None

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
        """Forget the visitor. Open tabs get a new visitor under a new key, which the next load of a page sets."""
        with self._lock:
            old, new = self._moved.get(key, key), new_key()
            gone = self._visitors.pop(old, None)
            self._seen.pop(old, None)
            self._moved |= {moved: new for moved, to in self._moved.items() if to == old} | {old: new}
            self._seen[new] = self._now()
            if gone:
                self._left |= dict.fromkeys(gone.views, self._now())
                self._visitors[new] = gone.successor()
        for work in gone.works.values() if gone else ():
            work.cancel()

    def has_left(self, view: str) -> bool:
        """Whether this text area was drawn for a visitor who has started over: it still shows their text."""
        with self._lock:
            return view in self._left

    def current(self, key: str) -> str:
        """The key that is valid for a browser that came with `key`."""
        with self._lock:
            return self._moved.get(key, key)

    def _forget_the_gone(self) -> None:
        oldest = self._now() - KEPT_S
        for key in [key for key, seen in self._seen.items() if seen < oldest]:
            del self._seen[key]
            self._visitors.pop(key, None)
            self._moved = {moved: to for moved, to in self._moved.items() if to != key}
        self._left = {view: left for view, left in self._left.items() if left >= oldest}


VISITORS = Visitors(SERVER_LIMIT, SHARED_VISITOR_LIMIT if shared() else SERVER_LIMIT)


def _key() -> str | None:
    return key_in(st.context.cookies)


def visitor() -> Visitor:
    """The visitor whose page this is."""
    key = _key()
    if key:
        return VISITORS.of(key)
    if _IN_SESSION not in st.session_state:
        st.session_state[_IN_SESSION] = Visitor()
    here: Visitor = st.session_state[_IN_SESSION]
    return here


def keep_limits() -> None:
    """Hold the visitor of this page, and all visitors together, to the limits."""
    VISITORS.keep_limits(visitor())


def why_no_room(n_bytes: int) -> str:
    """As `Visitors.why_no_room`, for the visitor of this page."""
    return VISITORS.why_no_room(visitor(), n_bytes)


def start_over() -> None:
    """Forget the visitor of this page, and move their browser to a new key. The page has to run again afterwards."""
    key = _key()
    if key:
        VISITORS.start_over(key)
    st.session_state.clear()
