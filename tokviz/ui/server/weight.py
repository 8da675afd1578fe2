"""How many bytes of memory an object takes, with everything that it alone keeps alive.

The walk reads what is there and creates nothing: a value that is computed at first use weighs nothing before that.
Objects that all visitors share (reference tokenizers, what `share` has marked, classes, locks) weigh nothing.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from types import GeneratorType, MappingProxyType
from typing import Any, TypeVar

import numpy as np
import tiktoken

from tokviz.catalog.references import reference_name
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.peers import Peer
from tokviz.tokenizer.tokenizer import Tokenizer

SAMPLED = 1_000  # a longer container is weighed by a sample of its entries
SAMPLE_ENTRIES = 50
PLAIN = (str, bytes, bytearray, int, float)
CONTAINERS = (dict, list, tuple, set, frozenset, MappingProxyType)
# What an Encoding shares with its tokenizer.
OF_THE_TOKENIZER = frozenset({"alphabet", "merge_ids", "special_ids", "added_ids"})
# What tiktoken keeps where Python does not see it, as measured: its regex engine, one for each of 128 threads, and two
# tables of the tokens.
TIKTOKEN = 700_000  # bytes
TIKTOKEN_TOKEN = 270  # bytes a token
# Bytes a token, in the package of a peer, wherever that runs; measured: 500 to 690 in tokenizers, 250 in sentencepiece.
PEER_TOKEN = 600

T = TypeVar("T")
_shared: weakref.WeakSet[Any] = weakref.WeakSet()


def share(thing: T) -> T:
    """Mark an object that is made once for all visitors, so that it weighs nothing; returns the object."""
    _shared.add(thing)
    return thing


def weigh(things: Iterable[object]) -> int:
    """Bytes of memory that these objects take together; what several of them share counts once.

    >>> import numpy as np
    >>> table = np.zeros(1_000_000, np.int32)
    >>> round(weigh([table, [table]]), -6)
    4000000
    """
    return int(_Scale().weigh_all(things))


def weigh_in_turn(*groups: Iterable[object]) -> list[int]:
    """As `weigh`, for several groups; what two groups share counts in the first of them.

    >>> import numpy as np
    >>> table = np.zeros(1_000_000, np.int32)
    >>> [round(size, -6) for size in weigh_in_turn([table], [table, bytes(2_000_000)])]
    [4000000, 2000000]
    """
    scale = _Scale()
    return [int(scale.weigh_all(group)) for group in groups]


class _Scale:
    def __init__(self) -> None:
        self.seen = {id(thing) for thing in _shared}

    def weigh_all(self, things: Iterable[object]) -> float:
        seen, total = self.seen, 0.0
        for thing in things:
            if type(thing) in PLAIN and id(thing) not in seen:  # most things are plain: do not call for them
                seen.add(id(thing))
                total += sys.getsizeof(thing)
            else:
                total += self._weigh(thing)
        return total

    def _weigh(self, thing: object) -> float:
        if thing is None or id(thing) in self.seen:
            return 0
        self.seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            return self._weigh_array(thing)
        if isinstance(thing, PLAIN):
            return sys.getsizeof(thing)
        if isinstance(thing, CONTAINERS):
            return self._weigh_container(thing)
        if isinstance(thing, GeneratorType):  # work under way keeps its corpus in one
            return self._weigh_generator(thing)
        if hasattr(thing, "memory_usage"):  # a pandas table
            return float(thing.memory_usage(deep=True).sum())
        if type(thing).__module__.partition(".")[0] not in ("tokviz", "tiktoken"):
            return 0
        if isinstance(thing, Tokenizer) and reference_name(thing):
            return 0
        if isinstance(thing, Peer):
            return sys.getsizeof(thing) + PEER_TOKEN * len(thing.vocab) + self.weigh_all([thing.vocab, thing.package])
        left_out = OF_THE_TOKENIZER if isinstance(thing, Encoding) else frozenset()
        size = sys.getsizeof(thing)
        if isinstance(thing, tiktoken.Encoding):
            size += TIKTOKEN + TIKTOKEN_TOKEN * len(thing._mergeable_ranks)
        return size + self.weigh_all(value for name, value in _fields(thing) if name not in left_out)

    def _weigh_generator(self, generator: GeneratorType[Any, Any, Any]) -> float:
        frame = generator.gi_frame
        return self.weigh_all([*(frame.f_locals.values() if frame else ()), generator.gi_yieldfrom])

    def _weigh_array(self, array: np.ndarray[Any, Any]) -> float:
        """What a view looks at counts whole, and once."""
        base = array.base
        if isinstance(base, np.ndarray | bytes | bytearray):
            return sys.getsizeof(array) + self._weigh(base)
        return max(sys.getsizeof(array), array.nbytes)  # memory that a kernel made has a base, which has no size

    def _weigh_container(self, container: Any) -> float:
        size = _size_of_proxy(container) if isinstance(container, MappingProxyType) else sys.getsizeof(container)
        if isinstance(container, Mapping):
            return size + self._weigh_entries(container) + self._weigh_entries(container.values())
        return size + self._weigh_entries(container)

    def _weigh_entries(self, entries: Any) -> float:
        n = len(entries)
        if n <= SAMPLED:
            return self.weigh_all(list(entries))  # a copy in one go: another thread may change the container
        sample = _sample(entries)
        # A token's bytes are in several tables at once, each of which is sampled elsewhere: each counts its part.
        total = 0.0
        for entry in sample:
            if type(entry) in PLAIN:
                total += sys.getsizeof(entry) / max(sys.getrefcount(entry) - OWN_REFERENCES, 1)
            else:
                total += self._weigh(entry)
        return total * n / len(sample)


OWN_REFERENCES = 3  # to an entry while it is weighed: the sample's, the loop's, that of the call


def _sample(entries: Any) -> list[object]:
    """Some entries of a long container: at equal distances, or from both ends where there are no places."""
    n = len(entries)
    if isinstance(entries, Sequence):
        return list(entries[:: -(-n // SAMPLE_ENTRIES)])
    step = SAMPLED // SAMPLE_ENTRIES
    sample = list(islice(entries, 0, SAMPLED // 2, step))
    if not isinstance(entries, set | frozenset):
        sample += islice(reversed(entries), 0, SAMPLED // 2, step)
    return sample


def _size_of_proxy(proxy: MappingProxyType[Any, Any]) -> float:
    """The dict behind a read-only view cannot be reached. This is what CPython makes for so many entries."""
    slots = 8
    while slots * 2 // 3 < len(proxy):
        slots *= 2
    index = 1 if slots <= 1 << 8 else 2 if slots <= 1 << 16 else 4  # bytes
    return sys.getsizeof({}) + slots * index + slots * 2 // 3 * 24


def _fields(thing: object) -> Iterator[tuple[str, Any]]:
    yield from list(getattr(thing, "__dict__", {}).items())
    for name in _slots(type(thing)):  # type: ignore[arg-type]  # a class can be hashed
        if hasattr(thing, name):
            yield name, getattr(thing, name)


@cache
def _slots(kind: type) -> tuple[str, ...]:
    found: list[str] = []
    for one in kind.__mro__:
        slots = one.__dict__.get("__slots__", ())
        found += (slots,) if isinstance(slots, str) else slots
    return tuple(name for name in found if not name.startswith("__"))
