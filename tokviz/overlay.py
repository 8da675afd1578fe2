"""Two vocabularies laid over each other: what they share, and in which order each of them learned it.

Tokens are compared by their bytes, because equal ids mean nothing across two vocabularies. Special tokens are compared
apart, by their text. A merge is known by the token that it makes, and its rank is its place in the learned order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.merges import same_at_start
from tokviz.peers import AnyTokenizer, Peer
from tokviz.wording import capital, count_of, percent

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TokenList:
    """The tokens of a tokenizer without its special tokens. The *place* of a token is its index in this list.

    tokens: the bytes of each, none of them twice. Of a Tokenizer they are the 256 single bytes, then the tokens of its
    merges in rank order, then look-ups beyond the merges of one that was cut. Of a peer they are in the order of their
    ids. ids: int64, the id of each. merges: how many of the tokens have a rank; 0 for a peer, because nobody knows its
    merges. again: id -> place, of the ids of a peer whose bytes a lower id has too.
    """

    tokenizer: AnyTokenizer
    tokens: tuple[bytes, ...]
    ids: NDArray[np.int64]
    merges: int
    again: Mapping[int, int]

    def __len__(self) -> int:
        return len(self.tokens)

    def rank(self, place: int) -> int | None:
        """The rank of the merge that makes this token; None if there is none."""
        return place - 256 if 256 <= place < 256 + self.merges else None

    @property
    def made(self) -> tuple[bytes, ...]:
        """The tokens of the merges, in rank order."""
        return self.tokens[256 : 256 + self.merges]


def tokens_of(tokenizer: AnyTokenizer) -> TokenList:
    """The tokens of a tokenizer as a list.

    >>> from tokviz import Tokenizer
    >>> listed = tokens_of(Tokenizer("hug", merges=[(117, 103), (104, 256)]))
    >>> listed.made, listed.ids[256:].tolist(), listed.rank(257)
    ((b'ug', b'hug'), [256, 257], 1)
    """
    vocab = tokenizer.vocab
    if isinstance(tokenizer, Peer):
        place_of: dict[bytes, int] = {}
        ids: list[int] = []
        again: dict[int, int] = {}
        for id in sorted(vocab.keys() - tokenizer.special_ids):
            if vocab[id] in place_of:
                again[id] = place_of[vocab[id]]
            elif vocab[id]:
                place_of[vocab[id]] = len(ids)
                ids.append(id)
        return TokenList(tokenizer, tuple(place_of), np.array(ids, np.int64), 0, again)
    ids = [*tokenizer.alphabet.tolist(), *tokenizer.merge_ids.tolist()]
    there = set(ids)
    ids += [id for id in tokenizer.lookups.values() if id not in there]
    tokens = tuple(map(vocab.__getitem__, ids))
    return TokenList(tokenizer, tokens, np.array(ids, np.int64), len(tokenizer.merge_ids), {})


class Specials(NamedTuple):
    """The special tokens of two tokenizers, each group in alphabetical order."""

    shared: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Overlay:
    """Two vocabularies, a and b.

    shared: int64, a row for each token in both: its place in a and its place in b, in the order of a. only_a, only_b:
    the places of the tokens that only one of them has.

    >>> from tokviz import Tokenizer
    >>> hug, bug = Tokenizer("hug", merges=[(117, 103), (104, 256)]), Tokenizer("bug", merges=[(117, 103), (98, 256)])
    >>> two = overlay(hug, bug)
    >>> len(two.shared), two.only_a.tolist(), two.ranks.tolist()
    (257, [257], [[0, 0]])
    """

    a: TokenList
    b: TokenList
    shared: Places
    only_a: Places
    only_b: Places
    specials: Specials

    @cached_property
    def ranks(self) -> Places:
        """int64, a row for each token that a merge makes in both: its rank in a and its rank in b."""
        ranks = self.shared - 256
        return ranks[((ranks >= 0) & (ranks < [self.a.merges, self.b.merges])).all(axis=1)]

    @property
    def ranked(self) -> bool:
        """Are the merges of both known, so that their ranks can be compared?"""
        return bool(self.a.merges and self.b.merges)

    @cached_property
    def pairs_in_order(self) -> tuple[int, int]:
        """How many pairs of shared merges come in the same order in both, and how many pairs there are.

        Kendall's tau is twice their share less 1: M. G. Kendall, "A new measure of rank correlation", Biometrika 30,
        1938.

        >>> from tokviz import Tokenizer
        >>> forth, back = [(97, 98), (98, 99), (99, 100)], [(99, 100), (97, 98), (98, 99)]
        >>> overlay(Tokenizer("forth", forth), Tokenizer("back", back)).pairs_in_order
        (1, 3)
        """
        n = len(self.ranks)
        pairs = n * (n - 1) // 2
        return pairs - _inversions(np.argsort(np.argsort(self.ranks[:, 1]))), pairs

    @property
    def same_tokens(self) -> bool:
        """Have both the same tokens, apart from special tokens? Their order may differ."""
        return not len(self.only_a) and not len(self.only_b)


def overlay(a: AnyTokenizer, b: AnyTokenizer) -> Overlay:
    """Lay two vocabularies over each other."""
    of_a, of_b = tokens_of(a), tokens_of(b)
    there = {token: place for place, token in enumerate(of_b.tokens)}
    in_b = np.array([there.get(token, -1) for token in of_a.tokens], np.int64)
    shared = np.flatnonzero(in_b >= 0)
    alone = np.ones(len(of_b), bool)
    alone[in_b[shared]] = False
    specials = Specials(
        tuple(sorted(a.special_tokens.keys() & b.special_tokens.keys())),
        tuple(sorted(a.special_tokens.keys() - b.special_tokens.keys())),
        tuple(sorted(b.special_tokens.keys() - a.special_tokens.keys())),
    )
    both = np.column_stack([shared, in_b[shared]])
    return Overlay(of_a, of_b, both, np.flatnonzero(in_b < 0), np.flatnonzero(alone), specials)


# -- ranks against each other --


class RankBins(NamedTuple):
    """The ranks of shared merges against each other, in bins.

    counts: int64, counts[row, column]: how many merges have their rank in b in the row and their rank in a in the
    column. rows, columns: the first rank of each bin, and at the end the first rank after the last bin.
    """

    counts: NDArray[np.int64]
    columns: list[int]
    rows: list[int]

    def of(self, ranks: Places, column: int, row: int) -> Places:
        """The rows of `ranks` that fall into this bin."""
        low = np.array([self.columns[column], self.rows[row]])
        high = np.array([self.columns[column + 1], self.rows[row + 1]])
        return ranks[((ranks >= low) & (ranks < high)).all(axis=1)]


def rank_bins(two: Overlay) -> RankBins:
    """The ranks of the shared merges in bins on log scales, two bins for each doubling of the rank.

    Ranks start at 0, so the bins are of rank + 1: bin i reaches from 2^(i/2) to 2^((i+1)/2). Some of the first have no
    whole number in them and stay empty.
    """
    columns, rows = _edges(two.a.merges), _edges(two.b.merges)
    counts = np.zeros((len(rows) - 1, len(columns) - 1), np.int64)
    if len(two.ranks):
        column, row = (
            np.searchsorted(edges, ranks, side="right") - 1
            for edges, ranks in zip((columns, rows), two.ranks.T, strict=True)
        )
        np.add.at(counts, (row, column), 1)
    return RankBins(counts, columns, rows)


def _edges(merges: int) -> list[int]:
    """The first rank of each bin, and the first rank after the last bin. There is no rank beyond the merges.

    >>> _edges(5), _edges(4), _edges(0)
    ([0, 1, 1, 2, 3, 5], [0, 1, 1, 2, 3, 4], [0])
    """
    edges = [0]
    while edges[-1] < merges:
        edges.append(min(isqrt(2 ** len(edges) - 1), merges))  # the smallest n with n >= 2^(i/2), less 1
    return edges


class Moved(NamedTuple):
    """The shared merges whose ranks differ most: rows of (rank in a, rank in b), those that moved farthest first."""

    earlier: Places
    later: Places


def most_moved(two: Overlay, n: int, *, texts: bool = True) -> Moved:
    """The n shared merges that come earlier in b by the largest factor, and the n that come later there.

    The factor is (rank in a + 1) / (rank in b + 1), so that a first merge has one too. Of equal factors, the lowest
    rank in a is first. texts: leave out tokens that are not whole UTF-8, such as the first half of a character.
    """
    ranks = two.ranks
    factor = (ranks[:, 0] + 1) / (ranks[:, 1] + 1)  # quotients of numbers below 2^26 are equal only if they are exactly
    order = {"earlier": np.argsort(-factor, kind="stable"), "later": np.argsort(factor, kind="stable")}
    beyond = {"earlier": factor > 1, "later": factor < 1}
    found = {}
    for way, places in order.items():
        moved = (place for place in places.tolist() if beyond[way][place])
        found[way] = [*islice((one for one in moved if not texts or _is_text(two.a.made[ranks[one, 0]])), n)]
    return Moved(ranks[found["earlier"]], ranks[found["later"]])


def _is_text(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


# -- the order of merges --


class OrderParting(NamedTuple):
    """The first merge in which two learned orders differ.

    rank: the merges before it are the same. a, b: the tokens that the two make there; None if one has no more merges.
    parts_a, parts_b: what they make the same token of, if only that differs; else empty.
    """

    rank: int
    a: bytes | None
    b: bytes | None
    parts_a: tuple[bytes, ...] = ()
    parts_b: tuple[bytes, ...] = ()


def order_parting(two: Overlay) -> OrderParting | None:
    """Where the merge orders of two tokenizers part; None if they never do. A peer counts as one without merges.

    A tokenizer from a rank file joins any two tokens whose bytes together have a rank. So its merge is its token, and
    the parts are compared only if both tokenizers list their pairs.

    >>> from tokviz import Tokenizer
    >>> bug = Tokenizer("bug", merges=[(117, 103), (98, 256)])
    >>> order_parting(overlay(bug, Tokenizer("hug", merges=[(117, 103), (104, 256)])))
    OrderParting(rank=1, a=b'bug', b=b'hug', parts_a=(), parts_b=())
    """
    made = two.a.made, two.b.made
    rank = same_at_start(*made)
    pairs = [_pairs(tokenizer) for tokenizer in (two.a.tokenizer, two.b.tokenizer)]
    by_pairs = same_at_start(*pairs)
    if all(pairs) and by_pairs < rank:
        return OrderParting(by_pairs, made[0][by_pairs], made[1][by_pairs], pairs[0][by_pairs], pairs[1][by_pairs])
    if rank == len(made[0]) == len(made[1]):
        return None
    next_a, next_b = (tokens[rank] if rank < len(tokens) else None for tokens in made)
    return OrderParting(rank, next_a, next_b)


def _pairs(tokenizer: AnyTokenizer) -> list[tuple[bytes, bytes]]:
    """The pairs that a tokenizer lists, in rank order; none if it merges by bytes, or is a peer."""
    if isinstance(tokenizer, Peer) or tokenizer.by_bytes:
        return []
    return [(tokenizer.vocab[left], tokenizer.vocab[right]) for left, right in tokenizer.merges]


def _inversions(order: Places) -> int:
    """How many pairs of a permutation of 0 to n - 1 stand in falling order.

    Two numbers first differ in one binary digit. So the numbers are sorted digit by digit from the highest. Among those
    that were equal so far, each 1 before a 0 is an inversion.
    """
    found = 0
    for digit in reversed(range(len(order).bit_length())):
        ones = (order >> digit) & 1
        before = np.cumsum(ones) - ones
        equal_so_far = order >> (digit + 1)
        starts = np.flatnonzero(np.diff(equal_so_far, prepend=-1))
        before -= np.repeat(before[starts], np.diff(starts, append=len(order)))
        found += int(before[ones == 0].sum())
        order = order[np.argsort(order >> digit, kind="stable")]
    return found


# -- in words --


def finding(two: Overlay, a: str, b: str) -> str:
    """What the two vocabularies have in common, in a sentence without its full stop. a, b: their names.

    >>> from tokviz import Tokenizer
    >>> hug, bug = Tokenizer("hug", merges=[(117, 103), (104, 256)]), Tokenizer("bug", merges=[(117, 103), (98, 256)])
    >>> print(finding(overlay(hug, bug), "hug", "bug").replace("\u00a0", " "))
    99.6 % of hug is also in bug; the only shared merge comes at the same rank there
    """
    shared, merges = len(two.shared), len(two.ranks)
    if two.same_tokens:
        what = f"{a} and {b} have the same {count_of(shared, 'token')}"
        if merges and (two.ranks[:, 0] == two.ranks[:, 1]).all():
            return f"{what}, learned in the same order"
    elif not shared:
        return f"{a} and {b} have no token in common"
    elif two.ranked and not merges:
        return f"{a} and {b} share the 256 single bytes, and no merge"
    elif shared == len(two.a):
        what = f"All of {a} is also in {b}"
    else:
        what = f"{percent(shared / len(two.a))} of {a} is also in {b}"
    return f"{what}; {_where_they_come(two.ranks)} there" if merges else what


def _where_they_come(ranks: Places) -> str:
    """How the ranks of most shared merges changed from a to b."""
    change = np.sign(ranks[:, 1] - ranks[:, 0])
    number = {
        word: int((change == sign).sum()) for word, sign in (("later", 1), ("earlier", -1), ("at the same rank", 0))
    }
    word = max(number, key=number.__getitem__)
    if len(ranks) == 1:
        return f"the only shared merge comes {word}"
    if number[word] == len(ranks):
        return f"{_all_of(len(ranks))} shared merges come {word}"
    return f"{percent(number[word] / len(ranks))} of the shared merges come {word}"


def order_found(two: Overlay) -> str:
    """How alike the two learned orders are, as a sentence; "" if fewer than two merges are shared."""
    same, pairs = two.pairs_in_order
    if not pairs:
        return ""
    if same == pairs:
        return f"{capital(_all_of(len(two.ranks)))} shared merges come in the same order in both."
    return f"Of all pairs of shared merges, {percent(same / pairs)} come in the same order in both."


def _all_of(n: int) -> str:
    return "both" if n == 2 else f"all {n:,}"


def parting_found(parting: OrderParting | None, a: str, b: str) -> str:
    """Where two merge orders part, as a sentence. The tokens stand beside it. a, b: the names of the tokenizers.

    >>> parting_found(OrderParting(3, b" t", b"er"), "cl100k_base", "o200k_base")
    'The first 3 merges are the same in both. Merge 4 is the first that differs.'
    """
    if parting is None:
        return "All merges are the same in both, in the same order."
    rank = parting.rank
    if not rank:
        start = ""
    elif rank == 1:
        start = "The first merge is the same in both. "
    else:
        start = f"The first {rank:,} merges are the same in both. "
    for ended, goes_on, token in ((a, b, parting.a), (b, a, parting.b)):
        if token is None:
            return f"{start}Then {ended} has no more, and {goes_on} goes on." if rank else f"{ended} has no merges."
    if parting.parts_a:
        return f"{start}Merge {rank + 1:,} makes the same token of different parts."
    return f"{start}Merge {rank + 1:,} is the first that differs." if rank else "The first merge already differs."
