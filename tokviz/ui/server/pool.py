"""The threads that work on what sockets are asked, in fair turns, so that the event loop waits for none of it."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from tokviz.split.cutting import is_quick
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.server import limits

T = TypeVar("T")


class Pool:
    """Threads that work for many visitors, for each of them in at most `each` threads at the same time.

    at_once: how many threads. Visitors who wait take turns: after one piece of work a visitor is the last of them.

    >>> pool = Pool("example", at_once=2, each=1)
    >>> pool.submit("a visitor's key", lambda: 3 * 3).result()
    9
    """

    def __init__(self, name: str, at_once: int, each: int) -> None:
        self._at_once, self._each = at_once, each
        self._threads = ThreadPoolExecutor(at_once, name)
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = {}  # the next visitor stands first
        self._under_way: Counter[str] = Counter()

    async def do(self, visitor: str, work: Callable[[], T]) -> T:
        """Do this in a thread when it is the visitor's turn; what it returns or raises. visitor: their key."""
        return await asyncio.wrap_future(self.submit(visitor, work))

    def submit(self, visitor: str, work: Callable[[], T]) -> Future[T]:
        """As `do`, for callers outside of an event loop. Work that is cancelled before its turn is not done."""
        future: Future[T] = Future()
        with self._lock:
            self._waiting.setdefault(visitor, deque()).append((future, work))
            self._begin()
        return future

    def _begin(self) -> None:
        """Give the threads that are free to those whose turn it is. The lock is held."""
        while self._under_way.total() < self._at_once:
            visitor = next((one for one in self._waiting if self._under_way[one] < self._each), None)
            if visitor is None:
                return
            mine = self._waiting.pop(visitor)
            future, work = mine.popleft()
            if mine:
                self._waiting[visitor] = mine  # behind all others
            if future.set_running_or_notify_cancel():
                self._under_way[visitor] += 1
                self._threads.submit(self._work, visitor, future, work)

    def _work(self, visitor: str, future: Future[T], work: Callable[[], T]) -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # whoever asked gets it
            future.set_exception(error)
        with self._lock:
            self._under_way -= Counter({visitor: 1})
            self._begin()


# What is typed takes less than a tenth of a second, and never waits for questions, of which some take several.
TYPING = Pool("typing", 4, 1)
# A million characters take a second and some hundred megabytes. One at a time they hold up nobody who types, and each
# is weighed before the next one begins.
LARGE_TEXTS = Pool("large texts", 1, 1)
ANSWERS = Pool("answers", limits.ANSWERS_AT_ONCE, limits.ANSWERS_A_VISITOR)
OWN_EXPRESSIONS = Pool("own expressions", limits.EXPRESSIONS_AT_ONCE, 1)
# Packages of others work on one text after the other. A visitor who waits for them holds up nobody who uses none.
PEERS = Pool("typing under peers", 2, 1)
PEER_ANSWERS = Pool("answers about peers", 2, 1)
RELATIONS = Pool("relations", 1, 1)  # the family of a reference keeps a core busy for seconds


def pool_about(tokenizer: AnyTokenizer | None) -> Pool:
    """The pool for questions about a visitor's own tokenizer, or about a reference, which None stands for.

    An expression of the visitor's own may take seconds for a few characters, and so may the package of a peer.
    """
    if tokenizer is not None and not tokenizer.has_merges:
        return PEER_ANSWERS
    return ANSWERS if tokenizer is None or is_quick(tokenizer.pattern) else OWN_EXPRESSIONS
