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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import permutations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tokviz.arguments import clamped_span, ids_of, shown, text_of, whole_number
from tokviz.encoding import OPEN, SPLIT, Encoding
from tokviz.errors import SettingError
from tokviz.text import clean
from tokviz.tokenizer import Specials, Tokenizer

Kind = Literal["split", "special", "absent", "taken", "unreachable", "other model"]
Places = NDArray[np.int64]


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


@dataclass(frozen=True, slots=True)
class Difference:
    """A token of A, from byte `start` to `end`, inside which B has boundaries, at the bytes `cuts`; and why.

    a, b: indices of the tokenizers. The reasons are those at the first of the cuts; they hold at all of them, but that
    "split" names the cut of the pattern that is nearest to the one asked about.
    """

    a: int
    b: int
    start: int
    end: int
    cuts: tuple[int, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, eq=False)
class Comparison:
    """A text under several tokenizers, in the order given. All encodings are of the same bytes."""

    tokenizers: tuple[Tokenizer, ...]
    encodings: tuple[Encoding, ...]

    @cached_property
    def regions(self) -> list[tuple[int, int]]:
        """(start, end) in bytes, left to right: from one boundary that all share to the next, where they differ."""
        return [(start, end) for start, end in self.bounds.tolist()]

    @cached_property
    def bounds(self) -> Places:
        """The regions as int64[regions, 2], for texts that have a hundred thousand of them."""
        boundaries = [encoding.seams >= OPEN for encoding in self.encodings]
        shared, any_has = np.logical_and.reduce(boundaries), np.logical_or.reduce(boundaries)
        starts = np.flatnonzero(shared)
        ends = np.append(starts, len(shared))[1:]
        regions = np.unique(np.searchsorted(starts, np.flatnonzero(any_has & ~shared), side="right") - 1)
        return np.stack([starts[regions], ends[regions]], axis=1)

    def among(self, rows: Sequence[int]) -> Comparison:
        """The same text under some of the tokenizers only, so with other regions.

        >>> from tokviz import reference
        >>> three = compare("2008", [reference("gpt2"), reference("cl100k_base"), reference("o200k_base")])
        >>> three.regions, three.among([1, 2]).regions
        ([(0, 4)], [])
        """
        rows = ids_of(rows, "The rows")
        if not rows:
            raise SettingError("There is nothing to compare.", "Name at least one tokenizer, better two.")
        for row in rows:
            self._check_index(row)
        return Comparison(tuple(self.tokenizers[row] for row in rows), tuple(self.encodings[row] for row in rows))

    def window(self, start: int, length: int) -> tuple[int, int]:
        """(start, end) of a piece of the text, widened to places where all have a boundary and a character starts.

        start, length: bytes, clamped to what there is. `Encoding.part` gives this very piece of each encoding.

        >>> from tokviz import reference
        >>> compare("In 2008 there", [reference("gpt2"), reference("cl100k_base")]).window(5, 1)
        (2, 7)
        """
        start, end = clamped_span(start, length, len(self.encodings[0].data))
        first = int(self._meeting_places[np.searchsorted(self._meeting_places, start, side="right") - 1])
        return first, int(self._meeting_places[np.searchsorted(self._meeting_places, max(end, first))])

    @cached_property
    def _meeting_places(self) -> Places:
        """Where all have a boundary and a character starts; the end of the text is one too."""
        data = np.frombuffer(self.encodings[0].data, np.uint8)
        shared = np.logical_and.reduce([encoding.seams >= OPEN for encoding in self.encodings])
        return np.append(np.flatnonzero(shared & ((data & 0xC0) != 0x80)), len(data))

    def differences(self, start: int, end: int) -> list[Difference]:
        """Every token that starts in these bytes and inside which another tokenizer has a boundary, with the reasons.

        By ordered pairs (A, B), then from left to right. For what is in sight, and no more: a token and a pair take
        a twentieth of a millisecond.

        >>> from tokviz import reference
        >>> [found] = compare("2008 tokens", [reference("gpt2"), reference("cl100k_base")]).differences(0, 11)
        >>> found.a, found.b, found.start, found.end, found.cuts, [reason.kind for reason in found.reasons]
        (0, 1, 0, 4, (3,), ['split', 'absent'])
        """
        start, end = whole_number(start, "The start"), whole_number(end, "The end")
        found = []
        for a, b in permutations(range(len(self.encodings)), 2):
            mine, theirs = self.encodings[a], self.encodings[b]
            starts = np.append(0, mine.ends)[:-1]
            first, last = np.searchsorted(starts, [start, end]).tolist()
            if first == last:
                continue
            begin, stop = int(starts[first]), int(mine.ends[last - 1])
            cuts = begin + np.flatnonzero((theirs.seams[begin:stop] >= OPEN) & (mine.seams[begin:stop] < OPEN))
            tokens, firsts = np.unique(np.searchsorted(starts, cuts, side="right") - 1, return_index=True)
            for token, at in zip(tokens.tolist(), np.split(cuts, firsts[1:]), strict=False):
                reasons = tuple(self.reasons(int(at[0]), a, b))
                place = int(starts[token]), int(mine.ends[token])
                found.append(Difference(a, b, *place, tuple(at.tolist()), reasons))
        return found

    def reasons_counted(self, a: int, b: int) -> dict[Kind, int]:
        """At how many boundaries that tokenizer b has and tokenizer a has not each kind of reason holds.

        Several can hold at one boundary. Equal to asking `reasons` at each of them; for whole texts.

        >>> from tokviz import reference
        >>> counted = compare("2008 tokens", [reference("gpt2"), reference("cl100k_base")]).reasons_counted(0, 1)
        >>> {kind: n for kind, n in counted.items() if n}
        {'split': 1, 'absent': 1}
        """
        return {kind: len(places) for kind, places in self.reason_places(a, b).items()}

    def reason_places(self, a: int, b: int) -> dict[Kind, Places]:
        """The boundaries that tokenizer b has and tokenizer a has not, by each kind of reason that holds there.

        int64, byte offsets in the encodings' data, left to right.

        >>> from tokviz import reference
        >>> found = compare("2008 tokens, 1999", [reference("gpt2"), reference("cl100k_base")]).reason_places(0, 1)
        >>> found["split"].tolist(), found["taken"].tolist()
        ([3, 13, 16], [])
        """
        self._check_index(a)
        self._check_index(b)
        mine, theirs, tokenizer = self.encodings[a], self.encodings[b], self.tokenizers[b]
        size = len(mine.data)

        # A's tokens that B cuts, and which of them each cut goes through
        ends = mine.ends
        starts = np.append(0, ends)[:-1]
        places = np.flatnonzero((theirs.seams >= OPEN) & (mine.seams < OPEN))
        cut, which = np.unique(np.searchsorted(starts, places, side="right") - 1, return_inverse=True)
        starts, ends = starts[cut], ends[cut]

        special_start, special_end = _spans(theirs, tokenizer, special=True)
        cuts = theirs.seams == SPLIT
        by_pattern = cuts.copy()
        by_pattern[special_start] = False
        by_pattern[special_end[special_end < size]] = False

        def inside(places: NDArray[np.bool_]) -> NDArray[np.bool_]:
            sums = _sums(places)
            more: NDArray[np.bool_] = sums[ends] > sums[starts + 1]
            return more

        mine_special, _ = _spans(mine, self.tokenizers[a], special=True)
        present, made = _made_alone(tokenizer, mine, starts, ends, cut)
        closed = np.append((theirs.seams >= 0) & (theirs.seams < OPEN), False)
        holds: dict[Kind, NDArray[np.bool_]] = {
            "split": inside(by_pattern),
            "special": np.isin(starts, mine_special) | _touches(special_start, special_end, starts, ends),
            "absent": ~present,
            "taken": made & ~inside(cuts) & (closed[starts] | closed[ends]),
            "unreachable": present & ~made,
            "other model": _touches(*_spans(theirs, tokenizer, special=False), starts, ends),
        }
        return {kind: places[holds[kind][which]] for kind in get_args(Kind)}

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
        at = whole_number(at, "The byte")
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

    def _check_index(self, index: int) -> None:
        index = whole_number(index, "The index of a tokenizer")
        if not 0 <= index < len(self.encodings):
            raise SettingError(
                f"There is no tokenizer {index} in this comparison.",
                f"Use an index from 0 to {len(self.encodings) - 1}.",
            )

    def _check(self, at: int, a: int, b: int) -> None:
        self._check_index(a)
        self._check_index(b)
        size = len(self.encodings[0].data)
        if not 0 < at < size:
            raise SettingError(
                f"Byte {at:,} is not inside the text, which has {size:,} bytes.",
                "At its two ends all tokenizers agree.",
            )
        if self.encodings[b].seams[at] < OPEN:
            raise SettingError(
                f"{self.tokenizers[b].name} has no boundary before byte {at:,}.", "Ask where it has one."
            )
        if self.encodings[a].seams[at] >= OPEN:
            raise SettingError(
                f"{self.tokenizers[a].name} has a boundary before byte {at:,} too.", "Ask where it has none."
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
    tokenizers = _checked(tokenizers)
    return Comparison(tokenizers, tuple(tokenizer.explain(text, allowed_special) for tokenizer in tokenizers))


def compare_in_pieces(text: str, tokenizers: Iterable[Tokenizer], size: int) -> Iterator[Comparison]:
    """As `compare`, special tokens read as text, but piece by piece, for texts of many MB.

    size: each piece has about so many bytes, more where no boundary is shared for long. It ends where all have a
    boundary and a character starts, so its regions and reasons are those of the whole; `Encoding.start` says where it
    lies. An empty text has no pieces.

    >>> from tokviz import reference
    >>> pieces = list(compare_in_pieces("In 2008 " * 40_000, [reference("gpt2"), reference("cl100k_base")], 100_000))
    >>> len(pieces), sum(piece.reasons_counted(0, 1)["split"] for piece in pieces)
    (3, 80000)
    """
    tokenizers, size = _checked(tokenizers), whole_number(size, "The size of a piece", 1)
    data = clean(text_of(text)).encode()
    starts_character = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    streams = [tokenizer.explain_in_pieces(text, size) for tokenizer in tokenizers]
    ahead = [np.empty(0, np.int32) for _ in tokenizers]  # the seams of each from `start` on, as far as it has come
    start, goal = 0, size
    while start < len(data):
        for i, stream in enumerate(streams):
            while len(ahead[i]) < min(goal, len(data) - start):
                ahead[i] = np.append(ahead[i], next(stream).seams)
        reach = min(map(len, ahead))
        if start + reach == len(data):
            end = reach
        else:
            shared = np.logical_and.reduce([seams[:reach] >= OPEN for seams in ahead])
            end = int(np.flatnonzero(shared & starts_character[start : start + reach])[-1])
        goal = size if end else 2 * reach
        if end:
            yield Comparison(tokenizers, tuple(map(partial(_first, data, start, end), tokenizers, ahead)))
            start, ahead = start + end, [seams[end:] for seams in ahead]


def _checked(tokenizers: Iterable[Tokenizer]) -> tuple[Tokenizer, ...]:
    """The tokenizers as a tuple; SettingError if there are none, or one is something else."""
    found = tuple(tokenizers) if isinstance(tokenizers, Iterable) else ()
    if not found:
        raise SettingError("There is nothing to compare.", "Pass a list of at least one tokenizer, better two.")
    for one in found:
        if not isinstance(one, Tokenizer):
            raise SettingError(f"{shown(one)} is not a tokenizer.", "Pass a list such as [tokviz.reference('gpt2')].")
    return found


def _first(data: bytes, start: int, size: int, tokenizer: Tokenizer, seams: NDArray[np.int32]) -> Encoding:
    """The first bytes of what lies ahead, as a text of its own."""
    mine = seams[:size].copy()
    mine[0] = SPLIT
    piece = data[start : start + size]
    return Encoding(piece, mine, tokenizer.alphabet, tokenizer.merge_ids, start=start, cut=bool(seams[0] == OPEN))


def _tokens_over(encoding: Encoding, tokenizer: Tokenizer, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """(start, end, is it special) of each token that shares bytes with the span."""
    special_ids = frozenset(tokenizer.special_tokens.values())
    first = int(np.searchsorted(encoding.ends, start, side="right"))
    last = int(np.searchsorted(encoding.ends, end, side="left"))
    begin = int(encoding.ends[first - 1]) if first else 0
    for stop in encoding.ends[first : last + 1].tolist():
        yield begin, stop, encoding.whole.get(begin) in special_ids
        begin = stop


# -- for whole texts: the same with arrays --


def _sums(places: NDArray[np.bool_]) -> Places:
    """int64[n + 1]: how many of the places come before each byte."""
    return np.append(0, np.cumsum(places))


def _spans(encoding: Encoding, tokenizer: Tokenizer, special: bool) -> tuple[Places, Places]:
    """(starts, ends) of the tokens that no merge made: the special tokens, or all the others."""
    special_ids = frozenset(tokenizer.special_tokens.values())
    starts = np.array(sorted(at for at, id in encoding.whole.items() if (id in special_ids) == special), np.int64)
    return starts, encoding.ends[np.searchsorted(encoding.ends, starts, side="right")]


def _touches(span_starts: Places, span_ends: Places, starts: Places, ends: Places) -> NDArray[np.bool_]:
    """Which of the tokens share bytes with a span; the spans do not overlap, and come in order."""
    if not len(span_starts):
        return np.zeros(len(starts), np.bool_)
    first_after = np.searchsorted(span_ends, starts, side="right")
    there = first_after < len(span_starts)
    return there & (span_starts[np.minimum(first_after, len(span_starts) - 1)] < ends)


def _made_alone(
    tokenizer: Tokenizer, encoding: Encoding, starts: Places, ends: Places, tokens: Places
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each of these tokens: has the tokenizer their bytes as a token of a merge, and do its merges make it alone?

    Bytes with one id are looked up once.
    """
    ids = encoding.ids[tokens].astype(np.int64)
    ids[ids < 0] = -1 - np.flatnonzero(ids < 0)  # bytes that no token covers are looked up one by one
    _, firsts, which = np.unique(ids, return_index=True, return_inverse=True)
    distinct = [encoding.data[starts[i] : ends[i]] for i in firsts.tolist()]
    present = np.array([tokenizer.rank_of(token) is not None for token in distinct], np.bool_)
    made = present.copy()
    made[present] = [len(tokenizer.merged(distinct[i])) == 1 for i in np.flatnonzero(present).tolist()]
    return present[which], made[which]
