"""The next merges that would help a corpus most under a vocabulary, and the exact saving of each.

A next merge is appended after all merges that there are, so it applies to the tokens that these leave. It joins two
neighbouring tokens of a chunk wherever they stand, from left to right and without overlap: in 'aaa' it joins 'aa' once.
Its *saving* is the number of places where it does so, because each place then has one token less. So a saving is what
encoding the corpus again with that merge appended shows.

A rank file (`Tokenizer.by_bytes`) merges whatever meets and spells a token. There a next merge can have consequences if
the vocabulary has look-ups, tokens that no pair of tokens makes: if the new token and its neighbour spell one, they
merge at once. These merges count towards the saving.

    each on its own   every merge is the first that is appended; two of them may want the same tokens
    in turn           each is appended after those before it, and saves the most at that point; so their savings add up

All copies of a chunk become the same tokens, so only the distinct chunks are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from tokviz.arguments import whole_number
from tokviz.chunk_counts import ChunkCounts
from tokviz.errors import SettingError
from tokviz.tokenizer import Tokenizer

Longs = NDArray[np.int64]
RIGHT = 0xFFFFFFFF  # the bits of a pair that are its right id
LISTED = 100_000  # pairs; there may be millions, of which nearly all would save a token or two


@dataclass(frozen=True, slots=True)
class NextMerge:
    """A merge that could be appended: the bytes of the two tokens that it joins. saved: the tokens that it saves."""

    left: bytes
    right: bytes
    saved: int

    @property
    def token(self) -> bytes:
        """The bytes of the token that it makes."""
        return self.left + self.right


def best_merges(counts: ChunkCounts, tokenizer: Tokenizer, n: int) -> list[NextMerge]:
    """The n merges that would save the most tokens, each on its own, the largest saving first.

    counts: of the corpus, from `count_chunks` with the pattern of the tokenizer; SettingError for another pattern.

    >>> from tokviz import count_chunks, reference
    >>> counts = count_chunks("The tokenizer, our tokenizer, is a tokenizer.", "gpt2")
    >>> best_merges(counts, reference("gpt2"), 1)
    [NextMerge(left=b' token', right=b'izer', saved=3)]
    """
    return _Tokens(counts, tokenizer).best(whole_number(n, "The number of merges", 0))


def merges_in_turn(counts: ChunkCounts, tokenizer: Tokenizer, n: int) -> list[NextMerge]:
    """Up to n merges in turn: each is appended after those before it, and saves the most tokens at that point.

    counts: as in `best_merges`.
    """
    tokens = _Tokens(counts, tokenizer)
    return [merge for _ in range(whole_number(n, "The number of merges", 0)) for merge in tokens.append_best()]


class _Tokens:
    """The tokens of the distinct chunks, and what each pair of neighbours would save.

    ids, chunk: int64, an entry a token: its id, and the number of its chunk. Only chunks of at least two tokens are
    here, and the tokens of each stand together. A pair is one number: left id << 32 | right id.
    """

    def __init__(self, counts: ChunkCounts, tokenizer: Tokenizer) -> None:
        if counts.pattern != tokenizer.pattern:
            raise SettingError(
                f"The chunks were cut by the pattern {counts.pattern!r}, and {tokenizer.name} has another one.",
                "Count the chunks with the pattern of the tokenizer.",
            )
        self._tokenizer = tokenizer
        self._times = counts.counts
        encoding = tokenizer.explain_chunks(counts.data.tobytes(), counts.ends)
        chunk = np.searchsorted(counts.ends, encoding.ends)
        several = np.bincount(chunk, minlength=len(counts))[chunk] > 1
        self._ids, self._chunk = encoding.ids[several].astype(np.int64), chunk[several]
        self._appended: dict[int, bytes] = {}  # id -> the bytes of its token
        self._parts = _parts(tokenizer.lookups)
        self._list_pairs(LISTED)

    def _list_pairs(self, most: float) -> None:
        """List the pairs of neighbours, those that would save most and about `most` of them.

        A saving only falls while merges are appended, unless they have consequences. So none of the other pairs can
        save more than the listed ones as long as these save `_least`.
        """
        pairs, saved = self._savings(np.arange(len(self._ids)))
        self._least = int(np.sort(saved)[-int(most)]) + 1 if len(saved) > most and not self._parts else 1
        self._saved: dict[int, int] = {}  # pair -> the places where it would be joined
        self._heap: list[tuple[int, int]] = []  # (-saved, pair); an entry may be too good by now, but never too bad
        self._with_consequences: set[int] = set()  # the pairs that are not in the heap
        listed = saved >= self._least
        self._change(dict(zip(pairs[listed].tolist(), saved[listed].tolist(), strict=True)))

    def best(self, n: int) -> list[NextMerge]:
        """The n pairs that would save the most."""
        heap = [*self._heap, *((-self._exactly(pair), pair) for pair in self._with_consequences)]
        heapify(heap)
        found: list[NextMerge] = []
        while heap and len(found) < n:
            saved, pair = heappop(heap)
            if self._is_new(pair):
                found.append(self._merge(pair, -saved))
        if len(found) < n and self._least > 1:
            self._list_pairs(inf)
            return self.best(n)
        return found

    def append_best(self) -> Iterator[NextMerge]:
        """Append the merge that saves the most, and yield it. Nothing is yielded if there is none."""
        heap = self._heap
        while heap:
            saved, pair = heap[0]
            now = self._saved[pair]
            if not now or not self._is_new(pair):
                heappop(heap)
            elif now < -saved:
                heapreplace(heap, (-now, pair))
            else:
                break
        if self._least > 1 and (not heap or -heap[0][0] < self._least):
            self._list_pairs(inf)
            yield from self.append_best()
            return
        others = [(-self._exactly(pair), pair) for pair in self._with_consequences if self._is_new(pair)]
        saved, pair = min([*heap[:1], *others], default=(0, 0))
        if saved:
            merge = self._merge(pair, -saved)
            self._append(pair, merge.token)
            yield merge

    def _merge(self, pair: int, saved: int) -> NextMerge:
        return NextMerge(self._bytes(pair >> 32), self._bytes(pair & RIGHT), saved)

    def _bytes(self, id: int) -> bytes:
        return self._appended.get(id) or self._tokenizer.vocab[id]

    def _is_new(self, pair: int) -> bool:
        """Whether no token has the bytes of this pair. No vocabulary can have two tokens with the same bytes."""
        token = self._merge(pair, 0).token
        known = self._tokenizer.rank_of(token) is not None or token in self._tokenizer.lookups
        return not known and token not in self._appended.values()

    def _append(self, pair: int, token: bytes) -> None:
        """Join a pair wherever it stands, and correct what the pairs around would save."""
        at = self._places(pair)
        if pair in self._with_consequences:
            rows = np.flatnonzero(np.isin(self._chunk, self._chunk[at]))
        else:
            rows = self._around(at)
        before = self._savings_by_pair(rows)
        new = self._tokenizer.n_vocab + len(self._appended)
        self._appended[new] = token
        if pair in self._with_consequences:
            joined = [(self._id_of(token), chunk) for chunk, tokens in self._after(pair) for token in tokens]
            added = np.array(joined, np.int64).reshape(-1, 2)
            kept = len(self._ids) - len(rows)
            self._ids = np.append(np.delete(self._ids, rows), added[:, 0])
            self._chunk = np.append(np.delete(self._chunk, rows), added[:, 1])
            rows = np.arange(kept, len(self._ids))
        else:
            self._ids[at] = new
            self._ids, self._chunk = np.delete(self._ids, at + 1), np.delete(self._chunk, at + 1)
            rows = rows[~np.isin(rows, at + 1)]
            rows -= np.searchsorted(at + 1, rows)
        change = self._savings_by_pair(rows)
        for changed, saved in before.items():
            change[changed] = change.get(changed, 0) - saved
        self._change(change)

    def _change(self, change: Mapping[int, int]) -> None:
        """Note what pairs would save more or less than before."""
        for pair, more in change.items():
            if more < 0 and pair not in self._saved:  # it is not listed
                continue
            now = self._saved[pair] = self._saved.get(pair, 0) + more
            if more > 0 and self._parts and self._merge(pair, 0).token in self._parts:
                self._with_consequences.add(pair)
            elif more > 0:
                heappush(self._heap, (-now, pair))

    def _savings_by_pair(self, rows: Longs) -> dict[int, int]:
        pairs, saved = self._savings(rows)
        return dict(zip(pairs.tolist(), saved.tolist(), strict=True))

    def _savings(self, rows: Longs) -> tuple[Longs, Longs]:
        """The pairs of neighbours among these tokens, and at how many places each would be joined. rows: where the
        tokens are."""
        ids, chunk = self._ids[rows], self._chunk[rows]
        beside = (np.diff(rows) == 1) & (chunk[1:] == chunk[:-1])
        pairs = ids[:-1] << 32 | ids[1:]
        places = _without_overlap(np.flatnonzero(beside), pairs[beside])
        distinct, same = np.unique(pairs[places], return_inverse=True)
        saved = np.bincount(same, self._times[chunk[places]], len(distinct)).astype(np.int64)
        return distinct, saved

    def _places(self, pair: int) -> Longs:
        """The places of the left tokens of a pair, wherever it would be joined."""
        ids, chunk = self._ids, self._chunk
        here = (ids[:-1] == pair >> 32) & (ids[1:] == pair & RIGHT) & (chunk[:-1] == chunk[1:])
        found = np.flatnonzero(here)
        return _without_overlap(found, np.full(len(found), pair))

    def _around(self, at: Longs) -> Longs:
        """The places whose pairs may change if the pairs at these places are joined: up to the neighbours on both
        sides, and all of a run of equal tokens."""
        near = np.zeros(len(self._ids), np.bool_)
        for distance in (-1, 0, 1, 2):
            near[np.clip(at + distance, 0, len(near) - 1)] = True
        run = np.cumsum(np.append(True, self._ids[1:] != self._ids[:-1])) - 1
        return np.flatnonzero((np.bincount(run, near) > 0)[run])

    def _exactly(self, pair: int) -> int:
        """What a pair would save, with the merges that follow from it."""
        after = [(chunk, len(tokens)) for chunk, tokens in self._after(pair)]
        chunks = np.array([chunk for chunk, _ in after], np.int64)
        before = np.bincount(self._chunk, minlength=len(self._times))[chunks]
        return int((before - [n for _, n in after]) @ self._times[chunks])

    def _after(self, pair: int) -> Iterator[tuple[int, list[bytes]]]:
        """For each chunk with this pair its number, and its tokens after the pair is joined and all that follows."""
        token = self._merge(pair, 0).token
        ranks = {token: rank for rank, token in enumerate(self._appended.values(), self._tokenizer.vocab_size)}
        ranks.setdefault(token, len(ranks) + self._tokenizer.vocab_size)
        for chunk in np.unique(self._chunk[self._places(pair)]).tolist():
            tokens = [self._bytes(id) for id in self._ids[self._chunk == chunk].tolist()]
            while options := [
                (rank, place)
                for place, (left, right) in enumerate(pairwise(tokens))
                if (rank := ranks.get(left + right, self._tokenizer.rank_of(left + right))) is not None
            ]:
                _, place = min(options)
                tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
            yield chunk, tokens

    def _id_of(self, token: bytes) -> int:
        if len(token) == 1:
            return int(self._tokenizer.alphabet[token[0]])
        rank = self._tokenizer.rank_of(token)
        if rank is not None:
            return int(self._tokenizer.merge_ids[rank])
        return next(id for id, appended in self._appended.items() if appended == token)


def _without_overlap(places: Longs, pairs: Longs) -> Longs:
    """The places where a pair is joined. pairs: that at each place.

    Only a pair of equal tokens can overlap: of a row of such places, every other one is joined.
    """
    if not len(places):
        return places
    goes_on = (np.diff(places) == 1) & (pairs[1:] == pairs[:-1])
    starts = np.append(True, ~goes_on)
    index = np.arange(len(places))
    begun = np.maximum.accumulate(np.where(starts, index, 0))
    found: Longs = places[(index - begun) % 2 == 0]
    return found


def _parts(lookups: Iterable[bytes]) -> frozenset[bytes]:
    """All beginnings and ends of these tokens, each shorter than its token."""
    cuts = ((token, cut) for token in lookups for cut in range(1, len(token)))
    return frozenset(part for token, cut in cuts for part in (token[:cut], token[cut:]))
