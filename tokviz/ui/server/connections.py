"""Who is connected: how many sockets each visitor and each address has open, and when that is enough."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from tokviz.ui.server import limits

OF_A_PAGE = 4  # sockets that a page may open; without room for them it is not served


class Connections:
    """The open sockets of the server. key: of the visitor, None if the browser has none. address: of the machine.

    >>> connections = Connections()
    >>> with connections.open("k", "192.0.2.1"), connections.open(None, "192.0.2.1"):
    ...     len(connections), connections.has("k"), connections.has("another")
    (2, True, False)
    >>> len(connections), connections.has("k")
    (0, False)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._visitors: Counter[str] = Counter()
        self._addresses: Counter[str] = Counter()
        self._people: dict[str, Counter[str]] = defaultdict(Counter)  # address -> its visitors and their sockets
        self._all = 0

    def __len__(self) -> int:
        return self._all

    def has(self, key: str) -> bool:
        """Whether this visitor is connected."""
        return key in self._visitors

    @contextmanager
    def open(self, key: str | None, address: str) -> Iterator[None]:
        """Count a socket for as long as it is open."""
        self._count(key, address, 1)
        try:
            yield
        finally:
            self._count(key, address, -1)

    def _count(self, key: str | None, address: str, change: int) -> None:
        with self._lock:
            self._all += change
            counted = [(self._addresses, address)]
            if key is not None:
                counted += [(self._visitors, key), (self._people[address], key)]
            for counts, name in counted:
                counts[name] += change
                if not counts[name]:
                    del counts[name]
            if not self._people[address]:
                del self._people[address]

    def enough(self, key: str | None, address: str, more: int = 1, reserve: float = 0.0) -> str:
        """Who has so many sockets that `more` are too many: "visitor", "address", "server", or "" for nobody. So has an
        address from which too many visitors come, each with a key of their own.

        reserve: the part of the server's sockets, and of the address's, that is left to pages that are open already.
        """
        share = 1 - reserve
        if key is not None and self._visitors[key] + more > limits.CONNECTIONS_A_VISITOR:
            return "visitor"
        people = self._people.get(address, ())
        if key is not None and key not in people and len(people) >= limits.VISITORS_AN_ADDRESS:
            return "address"
        if self._addresses[address] + more > limits.CONNECTIONS_AN_ADDRESS * share:
            return "address"
        return "server" if self._all + more > limits.CONNECTIONS * share else ""


CONNECTIONS = Connections()
