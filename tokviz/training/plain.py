"""Trains byte-pair encoding in plain Python: the text to read, and what trains while the kernels are being compiled.

A training counts how often each two tokens are side by side. The pair that wins becomes a new token, in all places.
Then the counts change, because the new token has new neighbours. Tokens have ids: 0 to 255 are the bytes.

    chunks aab, ab  ->  the pair (97, 98) occurs twice, (97, 97) once  ->  256 is ab  ->  chunks 97 256, 256

The split pattern has cut the corpus into chunks before, and special tokens were taken out. No pair crosses the end of a
chunk, so each distinct chunk is here once, with the number of times that it occurs. The chunks lie end to end, and a
*place* is a byte in this row. The *seam* in front of it is SPLIT where a chunk begins, OPEN between two tokens, and
within a token the number of the merge that closed it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from tokviz.kernels import OPEN, SPLIT

Pair = tuple[int, int]  # the ids of two tokens side by side


class PlainTrainer:
    """Learns merges from distinct chunks.

    chunks: in the order in which they first occur.
    times: how often each of them occurs.
    tie_key: of pairs that occur equally often, the lowest ids win, where byte b counts as tie_key[b]; None: the first.
    min_count: a pair that occurs less often does not merge.
    ban: bytes that no new token may have.
    rarest: the rarest pair wins, not the most frequent one.

    >>> trainer = PlainTrainer([b"aab", b"ab"], [1, 1])
    >>> [*trainer.learn(1)], trainer.tokens[256]
    ([(97, 98, 2, 2, 1)], b'ab')
    """

    def __init__(
        self,
        chunks: Sequence[bytes],
        times: Sequence[int],
        *,
        tie_key: Sequence[int] | None = None,
        min_count: int = 1,
        ban: Collection[bytes] = (),
        rarest: bool = False,
    ) -> None:
        self.tie_key, self.min_count, self.ban, self.rarest = tie_key, min_count, ban, rarest
        self.tokens = [bytes([byte]) for byte in range(256)]  # id -> its bytes
        self.ids = [*b"".join(chunks)]  # by the place where a token begins: its id
        self.begins = [*range(len(self.ids))]  # by the place of the last byte of a token: where it begins
        self.times = [n for chunk, n in zip(chunks, times, strict=True) for _ in chunk]
        self.seams = [SPLIT if at == 0 else OPEN for chunk in chunks for at in range(len(chunk))]
        self.counts: dict[Pair, int] = defaultdict(int)
        self.places: dict[Pair, set[int]] = defaultdict(set)
        for place in self.begins:
            self._count(place, 1)

    def learn(self, merges: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Make this many merges, or as many as there are. Yields the record of each: left id, right id, how often the
        pair occurs, how often it is replaced, and how many pairs occur as often."""
        for _ in range(merges):
            frequent = [count for count in self.counts.values() if count >= self.min_count]
            if not frequent:
                break
            best = min(frequent) if self.rarest else max(frequent)
            tied = [pair for pair, count in self.counts.items() if count == best]
            winner = min(tied, key=self.first_place if self.tie_key is None else self._sorted_ids)
            yield *winner, best, self.merge(winner), len(tied)

    def merge(self, pair: Pair) -> int:
        """Make a pair a token, in all places from left to right. Returns how often it is replaced in the corpus."""
        new, replaced = len(self.tokens), 0
        self.tokens.append(self.tokens[pair[0]] + self.tokens[pair[1]])
        for place in sorted(self.places[pair]):
            if place not in self.places[pair]:  # in aaa, the first two have just merged
                continue
            middle, last = place + len(self.tokens[pair[0]]), place + len(self.tokens[new]) - 1
            before = [] if self.seams[place] == SPLIT else [self.begins[place - 1]]
            for there in (*before, place, middle):
                self._count(there, -1)
            self.ids[place], self.begins[last], self.seams[middle] = new, place, new - 256
            for there in (*before, place):
                self._count(there, 1)
            replaced += self.times[place]
        return replaced

    def first_place(self, pair: Pair) -> int:
        """Find the first place of a pair, which is its first place in the corpus too."""
        return min(self.places[pair])

    def _sorted_ids(self, pair: Pair) -> list[int]:
        return [self.tie_key[id] if self.tie_key and id < 256 else id for id in pair]

    def _count(self, place: int, sign: int) -> None:
        """Count the pair that begins at a place, if there is one; with the sign -1, take it back."""
        left = self.ids[place]
        middle = place + len(self.tokens[left])
        if middle == len(self.ids) or self.seams[middle] == SPLIT:
            return
        pair = left, self.ids[middle]
        if self.ban and self.tokens[left] + self.tokens[pair[1]] in self.ban:
            return
        self.counts[pair] += sign * self.times[place]
        (self.places[pair].add if sign > 0 else self.places[pair].remove)(place)
        if not self.counts[pair]:
            del self.counts[pair], self.places[pair]
