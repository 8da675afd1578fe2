"""Several tokenizers, one text: where their boundaries differ, and why.

All seams lie over the same bytes. A *region* runs from one boundary that all tokenizers share to the next, and is
told only if they differ inside. A *reason* says why B cuts before a byte where A has a token right across it:

    split        B's split pattern cuts inside A's token
    special      a special token is in the way: A's token is one, or one of B's shares bytes with it
    absent       A's token is not in B's vocabulary
    taken        it is, and B's merges can make it, but here an earlier merge took bytes at one of its edges
    unreachable  it is, but no merges lead to it: B makes several tokens of it even where it stands alone
    other model  B has a token there that no merge made and that is not special: a look-up, WordPiece, Unigram
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tokviz.encoding import OPEN, SPLIT, Encoding
from tokviz.errors import SettingError
from tokviz.tokenizer import Specials, Tokenizer

Kind = Literal["split", "special", "absent", "taken", "unreachable", "other model"]


@dataclass(frozen=True, slots=True)
class By:
    """What decides. `at` is the byte offset where it does; of the rest, what the kind calls for is set.

    split: `pattern` (name or regex), `at` its cut inside the token, the one nearest to the boundary asked about.
    special: `token`, the bytes of the special token, `at` its start. other model: `token` and `at` likewise.
    taken: `rank` of the merge that closed the seam at `at`, an edge of A's token, and the `token` that merge makes.
    unreachable: `parts`, the tokens B makes of the bytes alone. absent: nothing.
    """

    at: int | None = None
    pattern: str | None = None
    rank: int | None = None
    token: bytes | None = None
    parts: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why B has a boundary where A has a token across it: `token`, the bytes of A's token, and `by`, what decides."""

    kind: Kind
    token: bytes
    by: By


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A text under several tokenizers, in the order given; regions are (start, end) in bytes, left to right."""

    tokenizers: tuple[Tokenizer, ...]
    encodings: tuple[Encoding, ...]
    regions: list[tuple[int, int]]

    def reasons(self, at: int, a: int, b: int) -> list[Reason]:
        """Why tokenizer b has a boundary before byte `at` and tokenizer a has not: every reason that holds.

        a, b: indices of tokenizers. SettingError where b has no boundary there, or a has one too.

        There is always at least one. Let w be A's token across the boundary, not special, in one chunk of B and of
        bytes that merges made there (else split, special or other model). If B lacks w, it is absent; if B's merges
        do not make w of w alone, it is unreachable. Else suppose the seams at both edges of w stayed open. Then no
        merge had a part on each side of an edge, so inside w the merges went as they go in w alone, lowest rank
        first, leftmost of equals, until w was one token. But B has a boundary inside it. So a merge that reaches
        across an edge closed the seam there before w was whole: w was taken. Its rank is below that of w's own merge,
        or it is that merge, further left: in 'aaa' the first 'aa' takes what the second needs. Parts rank below what
        they make, so of two closed edges the one with the lower rank came first, and it is the one named.

        >>> from tokviz import Tokenizer
        >>> ab = Tokenizer("ab", [(97, 98)], pattern="none")
        >>> bc = Tokenizer("bc", [(98, 99), (97, 98)], pattern="none")
        >>> compare("abc", [ab, bc]).reasons(1, 0, 1)[0].by
        By(at=2, pattern=None, rank=0, token=b'bc', parts=())
        >>> [reason.kind for reason in compare("abc", [ab, bc]).reasons(2, 1, 0)]
        ['absent']
        """
        self._check(at, a, b)
        theirs, tokenizer = self.encodings[b], self.tokenizers[b]
        start, end, special = next(_tokens_over(self.encodings[a], self.tokenizers[a], at, at + 1))
        token = theirs.data[start:end]
        others = list(_tokens_over(theirs, tokenizer, start, end))
        found: list[tuple[Kind, By]] = []

        beside_specials = {edge for first, last, is_special in others if is_special for edge in (first, last)}
        cuts = start + 1 + np.flatnonzero(theirs.seams[start + 1 : end] == SPLIT)
        by_pattern = [cut for cut in cuts.tolist() if cut not in beside_specials]
        if by_pattern:
            nearest = min(by_pattern, key=lambda cut: abs(cut - at))
            found.append(("split", By(nearest, pattern=tokenizer.pattern)))

        if special:
            found.append(("special", By(start, token=token)))
        for first, last, is_special in others:
            if is_special:
                found.append(("special", By(first, token=theirs.data[first:last])))

        if tokenizer.rank_of(token) is None:
            found.append(("absent", By()))
        elif len(parts := tokenizer.merged(token)) > 1:
            found.append(("unreachable", By(parts=tuple(parts))))
        elif not len(cuts):
            edges = [edge for edge in (start, end) if edge < len(theirs.data) and 0 <= theirs.seams[edge] < OPEN]
            if edges:
                edge = min(edges, key=lambda edge: int(theirs.seams[edge]))
                rank = int(theirs.seams[edge])
                made = tokenizer.vocab[int(tokenizer.merge_ids[rank])]
                found.append(("taken", By(edge, rank=rank, token=made)))

        for first, last, is_special in others:
            if first in theirs.whole and not is_special:
                found.append(("other model", By(first, token=theirs.data[first:last])))
        return [Reason(kind, token, by) for kind, by in found]

    def _check(self, at: int, a: int, b: int) -> None:
        for index in (a, b):
            if not 0 <= index < len(self.encodings):
                raise SettingError(f"There is no tokenizer {index} here; there are 0 to {len(self.encodings) - 1}.")
        size = len(self.encodings[0].data)
        if not 0 < at < size:
            raise SettingError(
                f"Byte {at:,} is not inside the text, which has {size:,} bytes. At its two ends all tokenizers agree."
            )
        if self.encodings[b].seams[at] < OPEN:
            raise SettingError(f"{self.tokenizers[b].name} has no boundary before byte {at:,}. Ask where it has one.")
        if self.encodings[a].seams[at] >= OPEN:
            raise SettingError(
                f"{self.tokenizers[a].name} has a boundary before byte {at:,} too. Ask where it has none."
            )


def compare(text: str, tokenizers: Iterable[Tokenizer], allowed_special: Specials = frozenset()) -> Comparison:
    """A text under several tokenizers, and where they differ.

    allowed_special: as in `Tokenizer.encode`; each tokenizer reads those of its own as one token, the others as text.

    >>> from tokviz import reference
    >>> compared = compare("2008 tokens", [reference("gpt2"), reference("cl100k_base")])
    >>> [encoding.ends.tolist() for encoding in compared.encodings]
    [[4, 11], [3, 4, 11]]
    >>> compared.regions
    [(0, 4)]
    >>> [(reason.kind, reason.token, reason.by.at) for reason in compared.reasons(3, 0, 1)]
    [('split', b'2008', 3), ('absent', b'2008', None)]
    """
    tokenizers = tuple(tokenizers)
    if not tokenizers:
        raise SettingError("There is nothing to compare. Name at least one tokenizer, better two.")
    encodings = tuple(tokenizer.explain(text, allowed_special) for tokenizer in tokenizers)
    return Comparison(tokenizers, encodings, _regions(encodings))


def _regions(encodings: tuple[Encoding, ...]) -> list[tuple[int, int]]:
    """From one boundary that all share to the next, where some have a boundary inside and some have not."""
    boundaries = [encoding.seams >= OPEN for encoding in encodings]
    shared, any_has = np.logical_and.reduce(boundaries), np.logical_or.reduce(boundaries)
    starts = np.flatnonzero(shared)
    ends = np.append(starts, len(shared))[1:]
    regions = np.unique(np.searchsorted(starts, np.flatnonzero(any_has & ~shared), side="right") - 1)
    return list(zip(starts[regions].tolist(), ends[regions].tolist(), strict=True))


def _tokens_over(encoding: Encoding, tokenizer: Tokenizer, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """(start, end, is it special) of each token that shares bytes with the span."""
    special_ids = frozenset(tokenizer.special_tokens.values())
    first = int(np.searchsorted(encoding.ends, start, side="right"))
    last = int(np.searchsorted(encoding.ends, end, side="left"))
    begin = int(encoding.ends[first - 1]) if first else 0
    for stop in encoding.ends[first : last + 1].tolist():
        yield begin, stop, encoding.whole.get(begin) in special_ids
        begin = stop
