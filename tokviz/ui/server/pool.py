"""The threads that work on what sockets are asked, in fair turns, so that the event loop waits for none of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakValueDictionary

from tokviz.split.cutting import is_quick
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.server import limits

T = TypeVar("T")


class Pool:
    """Threads that work for many visitors, for each of them in at most `each` threads at the same time.

    at_once: how many threads. Visitors who wait take turns, because each has only so many places among those who wait.
    """

    def __init__(self, name: str, at_once: int, each: int) -> None:
        self._threads, self._each = ThreadPoolExecutor(at_once, name), each
        self._places: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def do(self, visitor: str, work: Callable[[], T]) -> T:
        """Do this in a thread when it is the visitor's turn; what it returns or raises. visitor: their key.

        Work that is cancelled before its turn is not done. After that it goes on, and counts until it ends.

        >>> asyncio.run(Pool("example", at_once=2, each=1).do("a visitor's key", lambda: 3 * 3))
        9
        """
        place = self._places.setdefault(visitor, asyncio.Semaphore(self._each))
        async with place:
            future = self._threads.submit(work)
            try:
                return await asyncio.wrap_future(future)
            except asyncio.CancelledError:
                if not future.cancel():
                    await asyncio.wait([asyncio.wrap_future(future)])
                raise


# What is typed takes less than a tenth of a second, and never waits for questions, of which some take several.
TYPING = Pool("typing", 4, 1)
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
