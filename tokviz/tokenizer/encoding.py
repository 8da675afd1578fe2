"""Describes what a tokenizer did to a text: the bytes, the seams between them, and everything that follows from both.

    seams[i] = the rank of the merge that closed the seam before byte i
               WHOLE if no merge closed it, but one token covers it (special tokens, added tokens, look-ups)
               OPEN  if no merge ever closed it: a boundary between two tokens of one chunk
               SPLIT if no merge may close it: a boundary between chunks, or beside a special or added token

OPEN and SPLIT are above every rank, so after the first k merges a boundary is exactly `seams >= k`, and no step needs a
replay or a snapshot. `ui/tokenview/encoding.js` reads seams by the same rules; a test compares the two.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tokviz.base.arguments import clamped_span, number_in_message, whole_number
from tokviz.base.drawn import html
from tokviz.base.errors import SettingError
from tokviz.base.text import whole_text
from tokviz.base.wording import counted
from tokviz.kernels import OPEN, SPLIT, WHOLE

__all__ = ["OPEN", "SPLIT", "WHOLE", "Encoding", "Node", "Token"]

Ints = NDArray[np.int32]
TOKENS_SHOWN = 8  # in a line
BYTES_AS_IDS: Ints = np.arange(256, dtype=np.int32)
BYTES_AS_IDS.flags.writeable = False


@dataclass(frozen=True, slots=True)
class Token:
    """Describes one token of an encoding.

    id: None if the bytes belong to no token.
    data: its bytes.
    start, end: byte offsets in the data of the encoding.
    rank: the rank of the merge that made it; None if none did.
    chunk: the number of its chunk, from 0.
    special, added: whether it is a special token, an added token.
    """

    id: int | None
    data: bytes
    start: int
    end: int
    rank: int | None
    chunk: int
    special: bool
    added: bool = False

    @property
    def text(self) -> str | None:
        """The token as text; None if its bytes are not whole UTF-8, because half a character is not a character."""
        return whole_text(self.data)


@dataclass(frozen=True, slots=True)
class Node:
    """Describes a node of a merge tree: the bytes from `start` to `end`, which merge `rank` made from its parts.

    A single byte, or a token that no merge made, is a leaf: it has no parts, and its rank is None. Nodes are equal if
    their bytes, ids and ranks are.
    """

    start: int
    end: int
    id: int | None
    rank: int | None
    _encoding: Encoding = field(repr=False, compare=False)
    _middle: int = field(default=0, repr=False, compare=False)  # where its second part begins

    @property
    def parts(self) -> tuple[()] | tuple[Node, Node]:
        """The two tokens that the merge joined; nothing for a leaf.

        They are made when they are asked for: the whole tree of a token of 4 MB has 8 million nodes.
        """
        if self.rank is None:
            return ()
        return self._encoding.node(self.start, self._middle), self._encoding.node(self._middle, self.end)

    def walk(self) -> Iterator[Node]:
        """Yield the node and all nodes below it, parents first, left before right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.parts))


@dataclass(frozen=True, eq=False)
class Encoding:
    """Holds a text as a tokenizer encodes it.

    data: the n bytes of the text in UTF-8.
    seams: int32[n], see the top of this module; seams[0] is SPLIT.
    alphabet: int32[256], byte -> id.
    merge_ids: int32, rank -> the id that the merge mints.
    whole: start byte -> id, for the tokens that no merge made; None if no token covers the bytes.
    start: the byte offset of `data` in the text it was taken from.
    cut: whether the boundary there was OPEN, so that this piece begins in the middle of a chunk.
    special_ids, added_ids: ids of the tokenizer's special and added tokens; other tokens in `whole` are look-ups.
    bare: the ids of tokens without bytes, which some peers make. They count, but have no place.
    typed: int32[n], never falling: the byte of the typed text from which each byte comes; None if no normalizer
        changed the text.
    units: the number of first merges that are characters (see `tokviz.tokenizer.merge_table`). No step is before these.

    >>> import tokviz
    >>> encoding = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer.explain("aaab")
    >>> encoding.ids.tolist(), encoding.at(1).ids.tolist()
    ([258], [256, 97, 98])
    """

    data: bytes
    seams: Ints
    alphabet: Ints = field(default_factory=lambda: BYTES_AS_IDS, repr=False)
    merge_ids: Ints = field(default_factory=lambda: np.empty(0, np.int32), repr=False)
    whole: dict[int, int | None] = field(default_factory=dict)
    start: int = 0
    cut: bool = False
    special_ids: frozenset[int] = field(default=frozenset(), repr=False)
    bare: tuple[int, ...] = ()
    added_ids: frozenset[int] = field(default=frozenset(), repr=False)
    typed: Ints | None = field(default=None, repr=False)
    units: int = 0

    def __len__(self) -> int:
        """Count the tokens, those without bytes too. Bytes that no token covers are a span, but no token."""
        return len(self.starts) - sum(id is None for id in self.whole.values()) + len(self.bare)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Encoding):
            return NotImplemented
        return (
            self.data == other.data
            and self.whole == other.whole
            and np.array_equal(self.seams, other.seams)
            and np.array_equal(self.ids, other.ids)
            and self.bare == other.bare
            and (self.typed is None) == (other.typed is None)
            and (self.typed is None or other.typed is None or np.array_equal(self.typed, other.typed))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Encoding: {self.in_short()}>"

    def in_short(self) -> str:
        """Say in a line how many tokens there are, and list the first of them.

        >>> from tokviz import Tokenizer
        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).explain("hugs").in_short()
        "2 tokens: 'hug', 's'"
        """
        places = zip(self.starts[:TOKENS_SHOWN].tolist(), self.ends[:TOKENS_SHOWN].tolist(), strict=True)
        return counted([self.data[start:end] for start, end in places], len(self), "token")

    def _repr_html_(self) -> str:
        """Draw it for Jupyter: the tokens in their colours."""
        return html(self)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """int64, one per span: the byte offset in `data` at which it starts."""
        return np.flatnonzero(self.seams >= OPEN)

    @cached_property
    def ranks(self) -> Ints:
        """int32, one per span: the rank of the merge that made it, or -1."""
        if not len(self.seams):
            return np.empty(0, np.int32)
        inside = np.where(self.seams >= OPEN, np.int32(-1), self.seams)
        return np.maximum.reduceat(inside, self.starts)

    @cached_property
    def ids(self) -> Ints:
        """int32, one per span: the id of the token; -1 if no token covers the bytes."""
        first_bytes = np.frombuffer(self.data, np.uint8)[self.starts]
        ids = self.alphabet[first_bytes]
        merged = self.ranks >= 0
        ids[merged] = self.merge_ids[self.ranks[merged]]
        if self.whole:
            places = np.searchsorted(self.starts, list(self.whole))
            ids[places] = [-1 if id is None else id for id in self.whole.values()]
        return ids

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """int64, one per span: the byte offset in `data` at which it ends."""
        return np.append(self.starts, len(self.data))[1:]

    def at(self, k: int) -> Encoding:
        """Return the same text after only the first k merges; a k beyond the last merge gives all of them.

        Equal to `tokenizer.truncated(256 + k).explain(text)`. Special tokens and look-ups are whole at every step.
        SettingError if k is below 0.

        >>> from tokviz import Tokenizer
        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).explain("hug").at(1).ids.tolist()
        [104, 256]
        """
        k = max(min(whole_number(k, "The step", 0), OPEN), self.units)
        later = (self.seams >= k) & (self.seams < OPEN)
        return replace(self, seams=np.where(later, np.int32(OPEN), self.seams))

    def tree(self, i: int) -> Node:
        """Return the root of token i's merge tree: its bytes split at the seam of the highest rank, each side likewise.

        SettingError if there is no token i; tokens are counted from 0.

        >>> import tokviz
        >>> tree = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer.explain("aaab").tree(0)
        >>> [(node.start, node.end, node.rank) for node in tree.walk()]
        [(0, 4, 2), (0, 3, 1), (0, 2, 0), (0, 1, None), (1, 2, None), (2, 3, None), (3, 4, None)]
        """
        i = whole_number(i, "The token")
        n = len(self.starts)
        if not 0 <= i < n:
            raise SettingError(
                f"There is no token {number_in_message(i)}: this text has {n:,}.", "Count tokens from 0."
            )
        start, end = int(self.starts[i]), int(self.ends[i])
        return Node(start, end, self.whole[start], None, self) if start in self.whole else self.node(start, end)

    def node(self, start: int, end: int) -> Node:
        """Return the node of a merge tree that has these bytes. They are one byte, or a merge made them."""
        if end == start + 1:
            return Node(start, end, int(self.alphabet[self.data[start]]), None, self)
        middle = start + 1 + int(np.argmax(self.seams[start + 1 : end]))  # ranks rise towards the root
        rank = int(self.seams[middle])
        if rank < self.units:
            return Node(start, end, int(self.merge_ids[rank]), None, self)
        return Node(start, end, int(self.merge_ids[rank]), rank, self, middle)

    def joined_at(self, at: int) -> tuple[bytes, bytes]:
        """Return the bytes of the two tokens that a merge joined at the seam before byte `at`.

        All seams inside both tokens closed earlier. SettingError if no merge closed this seam.

        >>> from tokviz import Tokenizer
        >>> Tokenizer("abc", [(97, 98), (256, 99)], pattern="none").explain("xabc").joined_at(3)
        (b'ab', b'c')
        """
        seams, at = self.seams, whole_number(at, "The byte")
        if not (0 < at < len(seams) and 0 <= seams[at] < OPEN):
            raise SettingError(
                f"No merge closed a seam before byte {number_in_message(at)}.",
                "Ask about a byte inside a merged token.",
            )
        rank, start, end = seams[at], at - 1, at + 1
        while seams[start] < rank:
            start -= 1
        while end < len(seams) and seams[end] < rank:
            end += 1
        return self.data[start:at], self.data[at:end]

    def tokens(self) -> list[Token]:
        """List the tokens in order, each with its bytes, place and chunk.

        >>> from tokviz import Tokenizer
        >>> [token.data for token in Tokenizer("hug", merges=[(117, 103), (104, 256)]).explain("hugs").tokens()]
        [b'hug', b's']
        """
        chunks = np.cumsum(self.seams[self.starts] == SPLIT) - 1
        columns = self.starts, self.ends, self.ids, self.ranks, chunks
        return [
            Token(
                id=None if id < 0 else id,
                data=self.data[start:end],
                start=start,
                end=end,
                rank=None if rank < 0 else rank,
                chunk=chunk,
                special=start in self.whole and id in self.special_ids,
                added=start in self.whole and id in self.added_ids,
            )
            for start, end, id, rank, chunk in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def part(self, start: int, length: int) -> Encoding:
        """Return a piece of the encoding, widened to the nearest boundaries of both tokens and characters.

        start, length: in bytes, clamped to the text.

        The seams are copied, not encoded again: a piece that begins in the middle of a chunk would be encoded
        differently. Its first seam becomes SPLIT; `cut` says whether it was OPEN.

        >>> from tokviz import Tokenizer
        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).explain("a hug").part(3, 1).data
        b'hug'
        """
        start, end = clamped_span(start, length, len(self.data))
        size = len(self.data)
        character_starts = (np.frombuffer(self.data, np.uint8) & 0xC0) != 0x80
        first, last = _widened(np.where(character_starts, self.seams, WHOLE), OPEN, start, end)
        seams = self.seams[first:last].copy()
        was_open = bool(len(seams) and (seams[0] == OPEN or (first == 0 and self.cut)))
        seams[:1] = SPLIT
        return replace(
            self,
            data=self.data[first:last],
            seams=seams,
            whole={at - first: id for at, id in self.whole.items() if first <= at < last},
            start=self.start + first,
            cut=was_open,
            bare=self.bare if last - first == size else (),
            typed=None if self.typed is None else self.typed[first:last],
        )

    def short_part(self, start: int, length: int, most: int) -> tuple[Encoding, int | None]:
        """Return a piece like `part` of at most `most` bytes, if need be as it is at the last step k where it fits.

        Also return k; None if the piece has all steps. At each step up to k the piece is that of this encoding; its
        tokens of step k never merge. A piece is longer than `most` only if it is at step 0, because `length` or a token
        that no merge made is longer.

        >>> from tokviz import Tokenizer
        >>> encoding = Tokenizer("hug", merges=[(117, 103), (104, 256)]).explain("a hug")
        >>> piece, step = encoding.short_part(3, 1, 2)
        >>> piece.data, step, piece.ids.tolist()
        (b'ug', 1, [256])
        """
        piece = self.part(start, length)
        if len(piece.data) <= most:
            return piece, None
        start, end = clamped_span(start, length, len(self.data))
        before = piece.start - self.start
        start, end = start - before, end - before
        # Up to the step we look for, the piece is short, so only the seams nearby decide: there can be millions.
        left, right = max(start - most - 1, 0), end + most + 1
        character_starts = (np.frombuffer(piece.data, np.uint8)[left:right] & 0xC0) != 0x80
        near = np.where(character_starts, piece.seams[left:right], WHOLE)
        near[:1] = SPLIT

        def size(k: int) -> int:
            first, last = _widened(near, k, start - left, end - left)
            return last - first

        step = max(bisect_right(range(len(self.merge_ids)), most, key=size) - 1, 0)
        return piece.at(step).part(start, end - start), step

    def changes(self, text: bytes) -> list[tuple[int, bytes, bytes]]:
        """List what a normalizer changed in the typed text: (first byte, what was there, what is there now).

        text: the typed text in UTF-8.

        >>> from tokviz import Tokenizer
        >>> from tokviz.split.normalizing import Normalizer, Step
        >>> normalizer = Normalizer((Step("lowercase"), Step("strip left"), Step("prepend", by="_")))
        >>> Tokenizer("bytes", [], normalizer=normalizer).explain(" a BC").changes(b" a BC")
        [(0, b' ', b'_'), (3, b'BC', b'bc')]
        """
        if self.typed is None:
            return []
        typed = np.append(self.typed, np.int32(len(text)))
        other = np.concatenate([[False], ~self._kept(text), [False]])
        edges = np.flatnonzero(other[1:] != other[:-1]).reshape(-1, 2).tolist()
        found = [(int(typed[a]), text[typed[a] : typed[b]], self.data[a:b]) for a, b in edges]
        if not typed[0]:
            return found
        if found and edges[0][0] == 0:  # what was taken off the beginning, and what came in its place
            return [(0, text[: typed[edges[0][1]]], found[0][2]), *found[1:]]
        return [(0, text[: typed[0]], b""), *found]

    def _kept(self, text: bytes) -> NDArray[np.bool_]:
        """Mark the bytes, bool[n], that are as typed and whose next byte comes from the next typed byte."""
        typed = np.append(self.typed, np.int32(len(text)))  # type: ignore[arg-type]  # it is there
        same = np.frombuffer(text + b"\0", np.uint8)[typed[:-1]] == np.frombuffer(self.data, np.uint8)
        kept: NDArray[np.bool_] = same & (np.diff(typed) == 1)
        return kept

    def over(self, text: bytes) -> Encoding:
        """Lay the tokens over the typed text: each is where its characters come from, as a Peer's tokens are.

        text: the typed text in UTF-8.

        A token whose bytes are all in the text keeps its tree. Any other has none. If no byte is its own, because
        another token has them too or the normalizer put them there, it is in `bare`.

        >>> from tokviz import Tokenizer
        >>> from tokviz.split.normalizing import Normalizer, Step
        >>> tok = Tokenizer("bytes", [], normalizer=Normalizer((Step("lowercase"), Step("prepend", by="_"))))
        >>> found = tok.explain("Ab").over(b"Ab")
        >>> found.data, found.ids.tolist(), found.bare
        (b'Ab', [97, 98], (95,))
        """
        if self.typed is None:
            return self
        typed = np.append(self.typed, np.int32(len(text)))
        starts, kinds, ids = self.starts, self.seams[self.starts], self.ids
        first = typed[starts]
        has = np.diff(first, append=len(text)) > 0
        seams = np.full(len(text) + 1, WHOLE, np.int32)
        np.maximum.at(seams, first, kinds)
        whole: dict[int, int | None] = {}
        if len(starts):
            kept = has & np.logical_and.reduceat(self._kept(text), starts)
            inside = np.repeat(kept, self.ends - starts)
            np.maximum.at(seams, self.typed[inside], self.seams[inside])
            for place in np.flatnonzero(has & (~kept | np.isin(starts, [*self.whole]))).tolist():
                whole[int(first[place])] = None if ids[place] < 0 else int(ids[place])
        if text and (not len(starts) or first[0]):
            seams[0], whole[0] = SPLIT, None
        bare = (*self.bare, *ids[~has & (ids >= 0)].tolist())
        return replace(self, data=text, seams=seams[:-1], whole=whole, bare=bare, typed=None)

    @cached_property
    def tokens_at(self) -> NDArray[np.int64]:
        """int64[merges + 1]: the number of tokens at each step, from no merges to all merges."""
        return tokens_at(len(self), count_closed(self.seams, len(self.merge_ids)))


def joined(parts: Sequence[Encoding]) -> Encoding:
    """Join encodings by one tokenizer, at least one, end to end. Each stays a text of its own.

    >>> from tokviz import Tokenizer
    >>> joined([Tokenizer("ab", [(97, 98)]).explain(text) for text in ("ab", "bab")]).ids.tolist()
    [256, 98, 256]
    """
    if len(parts) == 1:
        return parts[0]
    whole: dict[int, int | None] = {}
    start = 0
    for part in parts:
        whole.update((start + place, id) for place, id in part.whole.items())
        start += len(part.data)
    data, seams = b"".join(part.data for part in parts), np.concatenate([part.seams for part in parts])
    typed = [part.typed for part in parts if part.typed is not None]
    return replace(parts[0], data=data, seams=seams, whole=whole, typed=np.concatenate(typed) if typed else None)


def is_closed(seams: Ints) -> NDArray[np.bool_]:
    """Tell for each seam whether a merge closed it."""
    return np.logical_and(seams >= 0, seams < OPEN)


def count_closed(seams: Ints, merges: int, weights: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Count the seams that each merge closed, int64[merges]: how often each merge made its token.

    seams: int32, of an encoding.
    merges: the number of merges of the tokenizer.
    weights: int64, how often each seam counts; None for once.

    >>> from tokviz import Tokenizer
    >>> count_closed(Tokenizer("hug", merges=[(117, 103), (104, 256)]).explain("hug bug").seams, 2).tolist()
    [2, 1]
    """
    closed = is_closed(seams)
    counts = np.bincount(seams[closed], None if weights is None else weights[closed], merges)
    return counts.astype(np.int64, copy=False)  # sums below 2^53, so floats are exact


def tokens_at(tokens: int, closed: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the tokens of a text at each step, int64[merges + 1].

    tokens: the number of tokens after all merges.
    closed: int64[merges], the seams that each merge closed.
    """
    return tokens + int(closed.sum()) - np.cumsum(np.append(0, closed))


def _widened(seams: Ints, k: int, start: int, end: int) -> tuple[int, int]:
    """Find the nearest boundaries around a span at step k. The end of the text is a boundary."""
    places = np.append(np.flatnonzero(seams >= k), len(seams))
    first = int(places[np.searchsorted(places, start, side="right") - 1])
    return first, int(places[np.searchsorted(places, max(end, first))])
