"""Finds where the boundaries of several tokenizers differ in one text, and why.

A *region* runs from one boundary that all tokenizers share to the next, if they differ in between.
`comparison/reasons.py` explains why one tokenizer has a boundary inside a token of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from tokviz.base.arguments import checked_text, clamped_span, ids_of, number_in_message, shown, whole_number
from tokviz.base.drawn import Page, html, page
from tokviz.base.errors import SettingError
from tokviz.base.text import clean
from tokviz.comparison.reasons import Cause, Places, Reason, ReasonKind, places_by_kind, reasons_at
from tokviz.split.specials import Specials
from tokviz.tokenizer.encoding import OPEN, SPLIT, Encoding
from tokviz.tokenizer.peers import AnyTokenizer

__all__ = ["Cause", "Comparison", "Difference", "Places", "Reason", "ReasonKind", "compare", "compare_in_pieces"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Describes a token of A, from byte `start` to `end`, in which B has boundaries before the bytes `cuts`.

    a, b: indices of the tokenizers.
    reasons: those at the first cut. They hold at every cut, but at another one "split" may name another cut.
    """

    a: int
    b: int
    start: int
    end: int
    cuts: tuple[int, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Holds the encodings of one text by several tokenizers, in the order given. All have the bytes of the text, over
    which the tokens are laid if a normalizer changed it."""

    tokenizers: tuple[AnyTokenizer, ...]
    encodings: tuple[Encoding, ...]

    def __repr__(self) -> str:
        rows = zip(self.tokenizers, self.encodings, strict=True)
        return f"<Comparison: {'; '.join(f'{tok.name!r}: {encoding.in_short()}' for tok, encoding in rows)}>"

    def _repr_html_(self) -> str:
        """Draw it for Jupyter: the ruler, and folded away the text under each tokenizer, which needs no script."""
        return html(self)

    def ruler(self) -> Page:
        """Make the page of the boundary ruler, which opens without a server. Jupyter shows it; `save` writes it."""
        return page(self)

    @cached_property
    def regions(self) -> list[tuple[int, int]]:
        """(start, end) of each region in bytes, left to right."""
        return [(start, end) for start, end in self.bounds.tolist()]

    @cached_property
    def bounds(self) -> Places:
        """The regions as int64[regions, 2], for long texts, which have a hundred thousand of them."""
        boundaries = [encoding.seams >= OPEN for encoding in self.encodings]
        shared, any_has = np.logical_and.reduce(boundaries), np.logical_or.reduce(boundaries)
        starts = np.flatnonzero(shared)
        ends = np.append(starts, len(shared))[1:]
        regions = np.unique(np.searchsorted(starts, np.flatnonzero(any_has & ~shared), side="right") - 1)
        return np.stack([starts[regions], ends[regions]], axis=1)

    def among(self, rows: Sequence[int]) -> Comparison:
        """Compare only some of the tokenizers. The result has other regions. rows: their indices.

        >>> from tokviz import reference
        >>> three = compare("2008", [reference("gpt2"), reference("cl100k_base"), reference("o200k_base")])
        >>> three.regions, three.among([1, 2]).regions
        ([(0, 4)], [])
        """
        rows = ids_of(rows, "The rows")
        if not rows:
            raise SettingError("There is nothing to compare.", "Name at least one tokenizer.")
        for row in rows:
            self._check_index(row)
        return Comparison(tuple(self.tokenizers[row] for row in rows), tuple(self.encodings[row] for row in rows))

    def window(self, start: int, length: int) -> tuple[int, int]:
        """Widen a piece of the text until all have a boundary and a character starts at both ends; return (start, end).

        start, length: in bytes, clamped to the text. `Encoding.part` gives the same piece of each encoding.

        >>> from tokviz import reference
        >>> compare("In 2008 there", [reference("gpt2"), reference("cl100k_base")]).window(5, 1)
        (2, 7)
        """
        start, end = clamped_span(start, length, len(self.encodings[0].data))
        first = int(self._meeting_places[np.searchsorted(self._meeting_places, start, side="right") - 1])
        return first, int(self._meeting_places[np.searchsorted(self._meeting_places, max(end, first))])

    @cached_property
    def _meeting_places(self) -> Places:
        """The bytes before which all have a boundary and a character starts, and the end of the text."""
        data = np.frombuffer(self.encodings[0].data, np.uint8)
        shared = np.logical_and.reduce([encoding.seams >= OPEN for encoding in self.encodings])
        return np.append(np.flatnonzero(shared & ((data & 0xC0) != 0x80)), len(data))

    def differences(self, start: int, end: int) -> list[Difference]:
        """Find every token that begins in bytes start to end and has a boundary of another tokenizer inside, and why.

        Ordered by pairs (A, B), then from left to right. For short parts of a text: a token and pair takes 0.05 ms.

        >>> from tokviz import reference
        >>> [found] = compare("2008 tokens", [reference("gpt2"), reference("cl100k_base")]).differences(0, 11)
        >>> found.a, found.b, found.start, found.end, found.cuts, [reason.kind for reason in found.reasons]
        (0, 1, 0, 4, (3,), ['split', 'absent'])
        """
        start, end = whole_number(start, "The start"), whole_number(end, "The end")
        found = []
        for a, b in permutations(range(len(self.encodings)), 2):
            mine, theirs = self.encodings[a], self.encodings[b]
            starts = mine.starts
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

    def reason_places(self, a: int, b: int) -> dict[ReasonKind, Places]:
        """Find the boundaries of b inside tokens of a, by kind of reason: int64, bytes in the data, left to right.

        >>> from tokviz import reference
        >>> found = compare("2008 tokens, 1999", [reference("gpt2"), reference("cl100k_base")]).reason_places(0, 1)
        >>> found["split"].tolist(), found["taken"].tolist()
        ([3, 13, 16], [])
        """
        self._check_index(a)
        self._check_index(b)
        return places_by_kind(self.tokenizers[a], self.encodings[a], self.tokenizers[b], self.encodings[b])

    def reasons(self, at: int, a: int, b: int) -> list[Reason]:
        """Find every reason why tokenizer b has a boundary before byte `at` where tokenizer a has none.

        a, b: indices of the tokenizers. SettingError if b has no boundary there, or a has one too.

        >>> from tokviz import Tokenizer
        >>> ab = Tokenizer("ab", [(97, 98)], pattern="none")
        >>> bc = Tokenizer("bc", [(98, 99), (97, 98)], pattern="none")
        >>> compare("abc", [ab, bc]).reasons(1, 0, 1)[0].by
        Cause(at=2, pattern=None, rank=0, token=b'bc', parts=(b'b', b'c'), looked_up=False)
        >>> [reason.kind for reason in compare("abc", [ab, bc]).reasons(2, 1, 0)]
        ['absent']
        """
        at = whole_number(at, "The byte")
        self._check_index(a)
        self._check_index(b)
        size = len(self.encodings[0].data)
        if not 0 < at < size:
            raise SettingError(
                f"Byte {number_in_message(at)} is not inside the text, which has {size:,} bytes.",
                "Ask about another byte: at the two ends of the text all tokenizers agree.",
            )
        if self.encodings[b].seams[at] < OPEN:
            raise SettingError(
                f"{self.tokenizers[b].name} has no boundary before byte {at:,}.",
                "Ask about a byte before which it has one.",
            )
        if self.encodings[a].seams[at] >= OPEN:
            raise SettingError(
                f"{self.tokenizers[a].name} has a boundary before byte {at:,} too.",
                "Ask about a byte before which it has none.",
            )
        return reasons_at(self.tokenizers[a], self.encodings[a], self.tokenizers[b], self.encodings[b], at)

    def _check_index(self, index: int) -> None:
        index = whole_number(index, "The index of a tokenizer")
        if not 0 <= index < len(self.encodings):
            raise SettingError(
                f"There is no tokenizer {number_in_message(index)} in this comparison.",
                f"Use an index from 0 to {len(self.encodings) - 1}.",
            )


def compare(text: str, tokenizers: Iterable[AnyTokenizer], allowed_special: Specials = frozenset()) -> Comparison:
    """Encode a text with several tokenizers, to see where and why their boundaries differ.

    allowed_special: as in `Tokenizer.explain`. Each tokenizer reads its own special tokens as one token, and those of
    others as text. SettingError if there is no tokenizer.

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
    data = clean(checked_text(text)).encode()
    return Comparison(tokenizers, tuple(one.explain(text, allowed_special).over(data) for one in tokenizers))


def compare_in_pieces(text: str, tokenizers: Iterable[AnyTokenizer], size: int) -> Iterator[Comparison]:
    """Compare piece by piece, for texts of many MB. Special tokens are read as text.

    size: about how many bytes a piece has; more if the tokenizers share no boundary for long. A piece ends where all
    have a boundary and a character starts, so its regions and reasons are those of the whole text. `Encoding.start` is
    its place in the text. An empty text has no pieces.

    >>> from tokviz import reference
    >>> pieces = list(compare_in_pieces("In 2008 " * 40_000, [reference("gpt2"), reference("cl100k_base")], 100_000))
    >>> len(pieces), sum(len(piece.reason_places(0, 1)["split"]) for piece in pieces)
    (3, 80000)
    """
    tokenizers, size = _checked(tokenizers), whole_number(size, "The size of a piece", 1)
    data = clean(checked_text(text)).encode()
    starts_character = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    streams = [
        iter([one.explain(text).over(data)]) if one.normalizer else one.explain_in_pieces(text, size)
        for one in tokenizers
    ]
    ahead = [np.empty(0, np.int32) for _ in tokenizers]  # the seams of each, from byte `start` on, that are made so far
    wholes: list[dict[int, int | None]] = [{} for _ in tokenizers]  # `Encoding.whole` of each, by the byte of the text
    bares: list[tuple[int, ...]] = [() for _ in tokenizers]  # `Encoding.bare` of each, for the next piece
    start, goal = 0, size
    while start < len(data):
        for i, stream in enumerate(streams):
            while len(ahead[i]) < min(goal, len(data) - start):
                piece = next(stream)
                ahead[i] = np.append(ahead[i], piece.seams)
                wholes[i] |= {piece.start + at: id for at, id in piece.whole.items()}
                bares[i] += piece.bare
        reach = min(map(len, ahead))
        end = reach
        if start + reach < len(data):
            shared = np.logical_and.reduce([seams[:reach] >= OPEN for seams in ahead])
            end = int(np.flatnonzero(shared & starts_character[start : start + reach])[-1])
        goal = size if end else 2 * reach
        if end:
            encodings, part = [], data[start : start + end]
            for tok, seams, whole, bare in zip(tokenizers, ahead, wholes, bares, strict=True):
                mine, was_open = seams[:end].copy(), bool(seams[0] == OPEN)
                mine[0] = SPLIT
                here = {at - start: id for at, id in whole.items() if at < start + end}
                kinds = tok.special_ids, bare, tok.added_ids, None, tok.units
                encodings.append(Encoding(part, mine, tok.alphabet, tok.merge_ids, here, start, was_open, *kinds))
            yield Comparison(tokenizers, tuple(encodings))
            start, ahead = start + end, [seams[end:] for seams in ahead]
            wholes = [{at: id for at, id in whole.items() if at >= start} for whole in wholes]
            bares = [() for _ in tokenizers]


def _checked(tokenizers: Iterable[AnyTokenizer]) -> tuple[AnyTokenizer, ...]:
    """Return the tokenizers as a tuple; SettingError if there are none, or one is something else."""
    found: list[AnyTokenizer] = []
    for one in tokenizers if isinstance(tokenizers, Iterable) else ():
        if not isinstance(one, AnyTokenizer):
            raise SettingError(f"{shown(one)} is not a tokenizer.", "Pass a list such as [tokviz.reference('gpt2')].")
        found.append(one)
    if not found:
        raise SettingError("There is nothing to compare.", "Pass a list of at least one tokenizer, better two.")
    return tuple(found)
