"""The two loops that do the work: closing the seams of one chunk, and learning merges from many.

Arrays go in and arrays come out; nothing here knows about text, tokenizers or pages. A *seam* is the boundary between
two neighbouring bytes, and BPE only ever closes seams, so both loops answer with one integer a byte: the rank of the
merge that closed the seam before it.

Learning keeps all distinct chunks side by side in one flat list, `ids`, with GAP between them. A token's id stands at
its first and at its last byte, so its right neighbour begins at `place + size[id]` and its left neighbour's id stands
at `place - 1`: no linked list is needed. Places are byte offsets and not token indexes, because offsets do not move
when earlier tokens merge. That is what keeps "the pair seen first" exact without a fresh scan:
- all copies of a chunk evolve alike and the first copy comes first, so order over distinct chunks, laid out in order
  of first occurrence, is order in the corpus;
- a pair comes to be only in the merge that mints one of its ids; from then on its count only falls and its first
  place only moves right, so a heap entry is never worse than the truth, and is put right when it reaches the top.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush, heapreplace

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import OPEN, SPLIT

GAP = -1
INSIDE = -2
RIGHT = (1 << 32) - 1  # a pair is one integer: left id << 32 | right id


def close_seams(chunk: bytes, ranks: Mapping[bytes, int], left_sizes: Sequence[int] | None) -> list[int]:
    """The seams of one chunk: SPLIT first, then for each byte the rank that closed the seam before it, or OPEN.

    `ranks` gives the rank of the merge that makes these bytes. `left_sizes[rank]` is how many bytes its left part
    has: two tokens merge only if they are that merge's own pair. None asks for tiktoken's way: whatever meets and has
    a rank merges. The lowest rank goes first, the leftmost of equals. Works in n log n on chunks of any length.

    >>> close_seams(b"hug", {b"ug": 0, b"hug": 1}, [1, 1]) == [SPLIT, 1, 0]
    True
    """
    size = len(chunk)
    seams = [OPEN] * size
    seams[0] = SPLIT
    if size == 1:
        return seams
    token_end = list(range(1, size + 1))  # by the offset at which the token starts; 0 where none starts any more
    token_start = list(range(size))  # by the offset of the token's last byte
    heap: list[tuple[int, int, int, int]] = []

    def offer(start: int, middle: int, end: int) -> None:
        rank = ranks.get(chunk[start:end])
        if rank is not None and (left_sizes is None or left_sizes[rank] == middle - start):
            heappush(heap, (rank, start, middle, end))

    for start in range(size - 1):
        offer(start, start + 1, start + 2)
    while heap:
        rank, start, middle, end = heappop(heap)
        if token_end[start] != middle or token_end[middle] != end:
            continue
        seams[middle] = rank
        token_end[start], token_end[middle] = end, 0
        token_start[end - 1] = start
        if start:
            offer(token_start[start - 1], start, end)
        if end < size:
            offer(start, end, token_end[end])
    return seams


class Learner:
    """Learns merges from distinct chunks, a slice at a time. All results are columns, one entry a merge.

    chunks: bytes laid end to end (uint8), `ends` and `counts` of each (int64), in order of first occurrence.
    tie_key: id -> where its byte stands among the bytes, for ties by id; None for ties by first place.
    """

    def __init__(
        self,
        chunks: NDArray[np.uint8],
        ends: NDArray[np.int64],
        counts: NDArray[np.int64],
        *,
        tie_key: Sequence[int] | None,
        min_count: int,
        ban: Collection[bytes],
        rarest: bool,
    ) -> None:
        self.left: list[int] = []
        self.right: list[int] = []
        self.count: list[int] = []
        self.replaced: list[int] = []
        self.tied: list[int] = []
        self.min_count = min_count
        self.ban = frozenset(ban)
        self.rarest = rarest
        self.tie_key = tie_key

        flat = np.insert(chunks.astype(np.int64), np.concatenate([[0], ends]), GAP)
        lengths = np.diff(ends, prepend=0)
        weight = np.insert(np.repeat(counts, lengths), np.concatenate([[0], ends]), 0)
        self._ids: list[int] = flat.tolist()
        self._weight: list[int] = weight.tolist()
        self._seams = np.full(len(flat), OPEN, np.int32)
        self._seams[1 + ends[:-1] + np.arange(1, len(ends))] = SPLIT
        self._seams[1:2] = SPLIT
        self._byte_places = flat >= 0
        self._size = [1] * 256
        self._bytes = [bytes([b]) for b in range(256)]

        self._live: dict[int, int] = {}  # pair -> its count
        self._places: dict[int, list[int]] = {}  # pair -> where it stood when it came to be, left to right
        self._head: dict[int, int] = {}  # pair -> how many of its places are known to be gone
        self._pairs_with: Counter[int] = Counter()  # count -> how many pairs have it
        self._find_pairs(flat, weight)
        self._heap = [] if rarest else [(-c, self._tie(pair), pair) for pair, c in self._live.items()]
        heapify(self._heap)

    @property
    def seams(self) -> NDArray[np.int32]:
        """The seams of the distinct chunks, laid end to end as they came in."""
        return self._seams[self._byte_places]

    @property
    def pairs_left(self) -> bool:
        """Is there any pair left that no ban forbids?"""
        return bool(self._live)

    def learn(self, merges: int, seconds: float) -> bool:
        """Make merges until there are `merges` of them or the time is up. False when no pair can be merged."""
        deadline = time.perf_counter() + seconds
        choose: Callable[[], int | None] = self._rarest if self.rarest else self._most_frequent
        while len(self.count) < merges:
            pair = choose()
            if pair is None:
                return False
            self._merge(pair)
            if time.perf_counter() > deadline:
                break
        return True

    def _find_pairs(self, flat: NDArray[np.int64], weight: NDArray[np.int64]) -> None:
        places = np.flatnonzero((flat[:-1] >= 0) & (flat[1:] >= 0))
        if not len(places):
            return
        pairs = flat[places] << 32 | flat[places + 1]
        order = np.argsort(pairs, kind="stable")
        pairs, places = pairs[order], places[order]
        starts = np.flatnonzero(np.diff(pairs, prepend=-1))
        totals = np.add.reduceat(weight[places], starts)
        for pair, group, total in zip(
            pairs[starts].tolist(), np.split(places, starts[1:]), totals.tolist(), strict=True
        ):
            if not self._banned(pair):
                self._live[pair] = total
                self._places[pair] = group.tolist()
                self._pairs_with[total] += 1

    def _banned(self, pair: int) -> bool:
        return bool(self.ban) and self._bytes[pair >> 32] + self._bytes[pair & RIGHT] in self.ban

    def _first(self, pair: int) -> int:
        """The first place at which a live pair stands now."""
        ids, places = self._ids, self._places[pair]
        left, right = pair >> 32, pair & RIGHT
        step = self._size[left]
        head = self._head.get(pair, 0)
        while ids[places[head]] != left or ids[places[head] + step] != right:
            head += 1
        self._head[pair] = head
        return places[head]

    def _tie(self, pair: int) -> int:
        if self.tie_key is None:
            return self._first(pair)
        left, right = pair >> 32, pair & RIGHT
        key = self.tie_key
        return (key[left] if left < 256 else left) << 32 | (key[right] if right < 256 else right)

    def _most_frequent(self) -> int | None:
        heap, live, by_place = self._heap, self._live, self.tie_key is None
        while heap:
            minus_count, tie, pair = heap[0]
            count = live.get(pair, 0)
            if count < self.min_count:  # counts only fall: it is out for good
                heappop(heap)
                continue
            now = self._first(pair) if by_place else tie
            if count == -minus_count and now == tie:
                return pair
            heapreplace(heap, (-count, now, pair))
        return None

    def _rarest(self) -> int | None:
        """A full look at all pairs: counts only fall, so no heap is right about the rarest."""
        enough = [count for count in self._live.values() if count >= self.min_count]
        if not enough:
            return None
        least = min(enough)
        return min((pair for pair, count in self._live.items() if count == least), key=self._tie)

    def _merge(self, pair: int) -> None:
        ids, weights, size, seams = self._ids, self._weight, self._size, self._seams
        left, right = pair >> 32, pair & RIGHT
        left_size, right_size = size[left], size[right]
        rank = len(self.count)
        new = 256 + rank
        new_size = left_size + right_size
        size.append(new_size)
        self._bytes.append(self._bytes[left] + self._bytes[right])
        change: dict[int, int] = {}
        born: dict[int, list[int]] = {}
        replaced = 0
        new_high, right_high = new << 32, right << 32
        for place in self._places[pair]:
            if ids[place] != left:
                continue
            middle = place + left_size
            if ids[middle] != right:
                continue
            weight = weights[place]
            replaced += weight
            before = ids[place - 1]
            after = ids[middle + right_size]
            ids[middle] = INSIDE
            ids[place] = ids[middle + right_size - 1] = new
            seams[middle] = rank
            if before >= 0:
                # where the token before was minted a moment ago, this takes back the pair it then made with `left`
                gone = before << 32 | left
                change[gone] = change.get(gone, 0) - weight
                made = before << 32 | new
                change[made] = change.get(made, 0) + weight
                born.setdefault(made, []).append(place - size[before])
            if after >= 0:
                gone = right_high | after
                change[gone] = change.get(gone, 0) - weight
                made = new_high | after
                change[made] = change.get(made, 0) + weight
                born.setdefault(made, []).append(place)
        self.left.append(left)
        self.right.append(right)
        self.count.append(self._live[pair])
        self.replaced.append(replaced)
        self.tied.append(self._pairs_with[self._live[pair]])
        self._recount(pair, change, born)

    def _recount(self, merged: int, change: dict[int, int], born: dict[int, list[int]]) -> None:
        live, pairs_with = self._live, self._pairs_with
        self._forget(merged)
        for pair, difference in change.items():
            before = live.get(pair)
            if before is None:
                if pair in born and difference > 0 and not self._banned(pair):
                    live[pair] = difference
                    pairs_with[difference] += 1
                    self._places[pair] = born[pair]
                    if not self.rarest:
                        heappush(self._heap, (-difference, self._tie(pair), pair))
            elif difference == -before:
                self._forget(pair)
            elif difference:
                live[pair] = before + difference
                pairs_with[before] -= 1
                pairs_with[before + difference] += 1

    def _forget(self, pair: int) -> None:
        self._pairs_with[self._live.pop(pair)] -= 1
        del self._places[pair]
        self._head.pop(pair, None)
