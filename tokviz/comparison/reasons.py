"""Finds the reasons why tokenizer B has a boundary inside a token of tokenizer A, in one text.

    split        B's split pattern cuts inside A's token
    special      a special or added token is in the way: A's token is one, or one of B shares bytes with it
    absent       A's token is not in B's vocabulary
    taken        B has the token and its merges can make it, but here an earlier merge took bytes at its edge
    unreachable  B has the token, but its merges do not make it: even alone, its bytes become several tokens, unless
                 they are a whole chunk that B looks up
    normalizer   a normalizer, of A or of B, changes the text there before it is cut
    other model  B has a token there that no merge made and that is not special: a look-up, WordPiece, Unigram

There is always a reason. Let w be A's token across the boundary. If w is neither special nor cut by B's pattern, and
B's tokens there are single bytes or made by merges, of the text as it was typed, then w is absent, unreachable or
taken. If B lacks w, it is absent.
If B's merges do not make w from its bytes alone, it is unreachable. Otherwise, suppose no merge closed a seam at an
edge of w. Then no merge joined bytes across an edge, so inside w the merges happened as for w alone (lowest rank first,
leftmost first), and made w. But B has a boundary inside w. So a merge did close a seam at an edge before w was
complete: w was taken. That merge ranks below the one that makes w, or it is the same merge further left: in 'aaa' the
first 'aa' takes a byte that the second needs. If both edges were closed, the lower rank came first, because the parts
of a token rank below it. That merge is named. All tokens of a peer are of another model: its merges are not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tokviz.tokenizer.encoding import OPEN, SPLIT, Encoding, is_closed
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer

ReasonKind = Literal["split", "special", "absent", "taken", "unreachable", "normalizer", "other model"]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cause:
    """Describes what causes a boundary. Which fields are set depends on the kind of reason:

    split: pattern, a name or regex; at, the byte of its cut inside A's token, nearest to the boundary asked about.
    special, normalizer, other model: token, the bytes of B's token or of A's own one; at, its first byte.
    taken: rank, of the merge that closed the seam at an edge of A's token; at, that edge; token, what that merge makes;
        parts, the two tokens that it joined.
    unreachable: parts, the tokens that B's merges make of the bytes alone; looked_up, whether B looks the bytes up
        where they are a whole chunk.
    absent: none.
    """

    at: int | None = None
    pattern: str | None = None
    rank: int | None = None
    token: bytes | None = None
    parts: tuple[bytes, ...] = ()
    looked_up: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """Says why B has a boundary inside a token of A. token: the bytes of A's token. by: what causes the boundary."""

    kind: ReasonKind
    token: bytes
    by: Cause


def reasons_at(a: AnyTokenizer, of_a: Encoding, b: AnyTokenizer, of_b: Encoding, at: int) -> list[Reason]:
    """Find every reason that holds before byte `at`, where B has a boundary and A none. of_a, of_b: their encodings.

    >>> ab, bc = Tokenizer("ab", [(97, 98)], pattern="none"), Tokenizer("bc", [(98, 99), (97, 98)], pattern="none")
    >>> [(reason.kind, reason.by.at) for reason in reasons_at(ab, ab.explain("abc"), bc, bc.explain("abc"), 1)]
    [('taken', 2)]
    """
    start, end, special = next(_tokens_over(of_a, a, at, at + 1))
    token = of_b.data[start:end]
    others = list(_tokens_over(of_b, b, start, end))
    found: list[tuple[ReasonKind, Cause]] = []

    beside_specials = {edge for first, last, is_special in others if is_special for edge in (first, last)}
    cuts = start + 1 + np.flatnonzero(of_b.seams[start + 1 : end] == SPLIT)
    by_pattern = [cut for cut in cuts.tolist() if cut not in beside_specials]
    if by_pattern and b.has_merges:
        nearest = min(by_pattern, key=lambda cut: abs(cut - at))
        found.append(("split", Cause(nearest, pattern=b.pattern)))

    if special:
        found.append(("special", Cause(start, token=token)))
    found += [
        ("special", Cause(first, token=of_b.data[first:last])) for first, last, is_special in others if is_special
    ]

    if b.has_merges:  # those of a peer are not known
        found += _by_merges(b, of_b, token, start, end, cut=bool(len(cuts)))

    if _made_by(a, of_a, start) == "normalizer":
        found.append(("normalizer", Cause(start, token=token)))
    for first, last, _ in others:
        if kind := _made_by(b, of_b, first):
            found.append((kind, Cause(first, token=of_b.data[first:last])))
    return [Reason(kind, token, by) for kind, by in found]


def _made_by(tokenizer: AnyTokenizer, encoding: Encoding, start: int) -> Literal["normalizer", "other model"] | None:
    """What made a token that no merge made and that is not special; None for any other."""
    id = encoding.whole.get(start, -1)
    if id == -1 or id in tokenizer.cut_ids:
        return None
    return "normalizer" if tokenizer.normalizer and id not in tokenizer.lookups.values() else "other model"


def _by_merges(
    b: Tokenizer, of_b: Encoding, token: bytes, start: int, end: int, *, cut: bool
) -> list[tuple[ReasonKind, Cause]]:
    """Find why the merges of b do not make this token of its bytes. cut: whether the split pattern cuts it."""
    if not _has(b, token):
        return [("absent", Cause())]
    if len(parts := b.merged(token)) > 1:
        return [("unreachable", Cause(parts=tuple(parts), looked_up=token in b.lookups))]
    edges = [edge for edge in (start, end) if edge < len(of_b.data) and 0 <= of_b.seams[edge] < OPEN]
    if cut or not edges:
        return []
    edge = min(edges, key=lambda edge: int(of_b.seams[edge]))
    left, right = of_b.joined_at(edge)
    return [("taken", Cause(edge, rank=int(of_b.seams[edge]), token=left + right, parts=(left, right)))]


def _has(tokenizer: Tokenizer, token: bytes) -> bool:
    """Is there a merge that makes these bytes, or a look-up?"""
    return tokenizer.rank_of(token) is not None or token in tokenizer.lookups


def _tokens_over(encoding: Encoding, tokenizer: AnyTokenizer, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whether it is special or added) of each token that shares bytes with the span."""
    first = int(np.searchsorted(encoding.ends, start, side="right"))
    last = int(np.searchsorted(encoding.ends, end, side="left"))
    begin = int(encoding.ends[first - 1]) if first else 0
    for stop in encoding.ends[first : last + 1].tolist():
        yield begin, stop, encoding.whole.get(begin) in tokenizer.cut_ids
        begin = stop


# -- for whole texts: the same with arrays --


def places_by_kind(a: AnyTokenizer, of_a: Encoding, b: AnyTokenizer, of_b: Encoding) -> dict[ReasonKind, Places]:
    """Find the boundaries of B inside tokens of A for each kind of reason that holds there: int64, left to right.

    of_a, of_b: the encodings of the same text by A and B. The kinds at each boundary are those that `reasons_at` gives.

    >>> ab, bc = Tokenizer("ab", [(97, 98)], pattern="none"), Tokenizer("bc", [(98, 99), (97, 98)], pattern="none")
    >>> found = places_by_kind(ab, ab.explain("abcabc"), bc, bc.explain("abcabc"))
    >>> {kind: places.tolist() for kind, places in found.items() if len(places)}
    {'taken': [1, 4]}
    """
    size = len(of_a.data)

    # A's tokens that B cuts, and for each cut which of these tokens it is in
    starts, ends = of_a.starts, of_a.ends
    places = np.flatnonzero((of_b.seams >= OPEN) & (of_a.seams < OPEN))
    cut, which = np.unique(np.searchsorted(starts, places, side="right") - 1, return_inverse=True)
    starts, ends = starts[cut], ends[cut]

    specials = special_start, special_end = _spans(of_b, b, None)
    cuts = of_b.seams == SPLIT
    by_pattern = cuts.copy()
    by_pattern[special_start] = False
    by_pattern[special_end[special_end < size]] = False

    def inside(places: NDArray[np.bool_]) -> NDArray[np.bool_]:
        sums = np.append(0, np.cumsum(places))  # how many of the places come before each byte
        more: NDArray[np.bool_] = sums[ends] > sums[starts + 1]
        return more

    holds: dict[ReasonKind, NDArray[np.bool_]] = {
        "special": np.isin(starts, _spans(of_a, a, None)[0]) | _touches(*specials, starts, ends),
        "normalizer": np.isin(starts, _spans(of_a, a, "normalizer")[0])
        | _touches(*_spans(of_b, b, "normalizer"), starts, ends),
        "other model": _touches(*_spans(of_b, b, "other model"), starts, ends),
    }
    if b.has_merges:
        present, made = _made_alone(b, of_a, starts, ends, cut)
        closed = np.append(is_closed(of_b.seams), False)
        holds |= {
            "split": inside(by_pattern),
            "absent": ~present,
            "taken": made & ~inside(cuts) & (closed[starts] | closed[ends]),
            "unreachable": present & ~made,
        }
    never = np.zeros(len(starts), np.bool_)
    return {kind: places[holds.get(kind, never)[which]] for kind in get_args(ReasonKind)}


def _spans(encoding: Encoding, tokenizer: AnyTokenizer, made_by: str | None) -> tuple[Places, Places]:
    """Return (starts, ends) of tokens that no merge made: special and added ones (None), or what `_made_by` says."""
    found = [at for at in encoding.whole if _made_by(tokenizer, encoding, at) == made_by]
    starts = np.array(sorted(found), np.int64)
    return starts, encoding.ends[np.searchsorted(encoding.ends, starts, side="right")]


def _touches(span_starts: Places, span_ends: Places, starts: Places, ends: Places) -> NDArray[np.bool_]:
    """Tell which of the tokens share bytes with a span. The spans are in order and do not overlap."""
    if not len(span_starts):
        return np.zeros(len(starts), np.bool_)
    first_after = np.searchsorted(span_ends, starts, side="right")
    there = first_after < len(span_starts)
    return there & (span_starts[np.minimum(first_after, len(span_starts) - 1)] < ends)


def _made_alone(
    tokenizer: Tokenizer, encoding: Encoding, starts: Places, ends: Places, tokens: Places
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell of each token whether the tokenizer has it, and whether its merges make it of these bytes alone.

    Tokens with the same id are looked up once. Those that no merge made can have other bytes each time.
    """
    ids = encoding.ids[tokens].astype(np.int64)
    numbers: dict[bytes, int] = {}
    for i in np.flatnonzero(np.isin(starts, list(encoding.whole))).tolist():
        ids[i] = -1 - numbers.setdefault(encoding.data[starts[i] : ends[i]], len(numbers))
    _, firsts, which = np.unique(ids, return_index=True, return_inverse=True)
    distinct = [encoding.data[starts[i] : ends[i]] for i in firsts.tolist()]
    present = np.array([_has(tokenizer, token) for token in distinct], np.bool_)
    made = present.copy()
    made[present] = [len(tokenizer.merged(distinct[i])) == 1 for i in np.flatnonzero(present).tolist()]
    return present[which], made[which]
