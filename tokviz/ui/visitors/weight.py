"""How many bytes of memory an object takes, with everything that it alone keeps alive.

The walk reads what is there and creates nothing: a value that is computed at first use weighs nothing before that.
Objects that all visitors share (reference tokenizers, classes, locks) weigh nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from tokviz.encoding import Encoding
from tokviz.tokenizer import Tokenizer

SAMPLED = 1_000  # a longer container is weighed by a sample of its entries
SAMPLE = 200  # entries
CONTAINERS = (dict, list, tuple, set, frozenset, MappingProxyType)
OF_THE_TOKENIZER = frozenset({"alphabet", "merge_ids"})  # arrays that an Encoding shares with its tokenizer


def weigh(things: Iterable[object]) -> int:
    """Bytes of memory that these objects take together; what several of them share counts once.

    A tokenizer counts only if it is itself one of `things`: what merely refers to one does not own it.

    >>> import numpy as np
    >>> table = np.zeros(1_000_000, np.int32)
    >>> round(weigh([table, [table]]), -6)
    4000000
    """
    return _Scale().weigh(things)


class _Scale:
    def __init__(self) -> None:
        self.seen: set[int] = set()

    def weigh(self, things: Iterable[object]) -> int:
        return int(sum(self._weigh(thing, own_tokenizer=True) for thing in things))

    def _weigh(self, thing: object, own_tokenizer: bool = False) -> float:
        if thing is None or id(thing) in self.seen:
            return 0
        if isinstance(thing, Tokenizer) and not own_tokenizer:
            return 0
        self.seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            if thing.base is not None:
                return self._weigh(thing.base)
            return thing.nbytes
        if isinstance(thing, str | bytes | bytearray | int | float):
            return sys.getsizeof(thing)
        if isinstance(thing, CONTAINERS):
            return self._weigh_container(thing)
        if hasattr(thing, "memory_usage"):  # a pandas table
            return float(thing.memory_usage(deep=True).sum())
        if type(thing).__module__.partition(".")[0] not in ("tokviz", "tiktoken"):
            return 0
        left_out = OF_THE_TOKENIZER if isinstance(thing, Encoding) else frozenset()
        fields = {name: value for name, value in _fields(thing) if name not in left_out}
        return sys.getsizeof(thing) + sum(self._weigh(value) for value in fields.values())

    def _weigh_container(self, container: Collection[object]) -> float:
        # list() copies the entries in one go, so that another thread may go on changing the container
        entries: list[object] = list(container)
        size = sys.getsizeof(dict(container) if isinstance(container, MappingProxyType) else container)
        if isinstance(container, Mapping):
            values = list(container.values())
            return size + self._weigh_entries(entries) + self._weigh_entries(values)
        return size + self._weigh_entries(entries)

    def _weigh_entries(self, entries: list[object]) -> float:
        if len(entries) <= SAMPLED:
            return sum(map(self._weigh, entries))
        step = len(entries) / SAMPLE
        sample = [entries[int(i * step)] for i in range(SAMPLE)]
        return sum(map(self._weigh, sample)) * len(entries) / SAMPLE


def _fields(thing: object) -> Iterator[tuple[str, Any]]:
    yield from list(getattr(thing, "__dict__", {}).items())
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith("__") and hasattr(thing, name):
                yield name, getattr(thing, name)
