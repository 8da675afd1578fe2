"""Keeps the seams of an edited text under several tokenizers. An edit encodes again only what it can change.

That is a *piece* of the text: from the last safe place before the edit to the first one after it. A place is safe if
neither a chunk nor a special or added token can cross it. We keep the text as UTF-16-LE, so that offsets are the
browser's own, and so that half a surrogate pair can wait for its other half. Tokenizers see such a half as U+FFFD.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from string import ascii_letters
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.text import clean
from tokviz.split.cutting import PATTERNS, is_quick
from tokviz.split.specials import Reading, allowed_special, special_places
from tokviz.tokenizer.encoding import SPLIT, Encoding, Ints, is_closed
from tokviz.tokenizer.peers import AnyTokenizer

MUCH = 10**9  # characters: more than is ever encoded while others wait
SHORT_SPECIALS = 200  # characters of all special tokens together; beyond, each takes time at each place of a text
FEW_SPECIALS = 10_000  # a tokenizer can have this many without a moment's wait when they are only counted
PLACE_BYTES = 150  # of memory, for each token in `_Side.whole`
NEWLINE = "\n".encode("utf-16-le")

Wholes = dict[int, int | None]  # first byte -> id


class TooLong(InputError):
    """A text would become longer than it may be."""


@dataclass(frozen=True, slots=True)
class SeamChange:
    """Records what an edit changed under one tokenizer: `seams` replace those of the old bytes `start` to `stop`.

    seams: int32, one a byte.
    ids: rank -> id, of the merges that appear for the first time.
    whole: first byte in the new text -> id, of the tokens in `seams` that no merge made, as in an Encoding.
    special_ids, added_ids: the ids in `whole` of special and added tokens.
    error: why the text cannot be encoded; every seam is then SPLIT.
    refused: the first special token of the whole text and its first byte, if special tokens are refused.
    bare: the number of tokens of the whole text that have no bytes.
    changed: if a normalizer changes the whole text: the new text, to which all places then refer, and int32, one a byte
        of it, the byte of the typed text from which it comes.
    """

    start: int
    stop: int
    seams: Ints
    ids: dict[int, int]
    whole: dict[int, int | None]
    special_ids: list[int] = field(default_factory=list)
    added_ids: list[int] = field(default_factory=list)
    error: TokvizError | None = None
    refused: tuple[str, int] | None = None
    bare: int = 0
    changed: tuple[str, Ints] | None = None


class Standing(NamedTuple):
    """Holds a text at one moment, and its encoding under each tokenizer.

    An encoding is None if the split pattern of its tokenizer cannot cut the text.
    """

    text: str
    shown: list[tuple[AnyTokenizer, Encoding | None]]


class Edit(NamedTuple):
    """Records what an edit did to a text, and the piece of the new text that has to be encoded again.

    goes_on: whether the text goes on after the piece.
    start: the byte at which the piece begins.
    before, removed, added: at byte `before` of the text, `removed` bytes became `added` bytes; no others changed.
    """

    piece: str
    goes_on: bool
    start: int
    before: int
    removed: int
    added: int


class _Side:
    """Keeps the text under one tokenizer: seams, tokens that no merge made, and the ranks whose ids the browser has.

    specials: text -> id, of the special and added tokens to look for. Special tokens read as text are among them only
        if there are added tokens.
    whole, bare: as in an Encoding.
    refusable: first byte -> id, of the special tokens in the text, if they are refused.
    """

    def __init__(self, tokenizer: AnyTokenizer, reading: Reading) -> None:
        self.tokenizer = tokenizer
        self.reading = reading
        self.specials = tokenizer.cut_tokens if tokenizer.added_tokens or reading != "text" else {}
        self.seams: Ints = np.empty(0, np.int32)
        self.whole: Wholes = {}
        self.bare: tuple[int, ...] = ()  # of a peer, which encodes the whole text each time
        self.refusable: Wholes = {}
        self.changed: tuple[str, Ints] | None = None
        self.met = np.zeros(len(tokenizer.merge_ids), np.bool_)
        self.error: TokvizError | None = None
        firsts = {token[0] for token in self.specials}
        self.stand_in = next((letter for letter in ascii_letters if letter not in firsts), "")
        pattern = tokenizer.pattern
        # Other expressions, and those of peers, may take seconds for a short text; so may many special tokens.
        self.quick = (
            pattern is not None
            and is_quick(pattern)
            and sum(map(len, self.specials)) <= SHORT_SPECIALS
            and len(tokenizer.special_tokens) <= FEW_SPECIALS
        )
        # Are there places that neither a chunk nor a special token crosses? A custom pattern may look arbitrarily far
        # ahead, and so may a peer; a special token that begins with U+FFFD may begin at any half of a surrogate pair.
        self.can_be_cut = (
            pattern in PATTERNS
            and pattern != "none"
            and bool(self.stand_in)
            and not tokenizer.normalizer
            and not any("\n" in token or token[0] == "\ufffd" for token in self.specials)
        )

    def meet(self, seams: Ints) -> dict[int, int]:
        """Mark the merges in these seams as met, and return rank -> id of those that are new."""
        ranks = seams[is_closed(seams)]
        new = np.unique(ranks[~self.met[ranks]])
        self.met[new] = True
        return dict(zip(new.tolist(), self.tokenizer.merge_ids[new].tolist(), strict=True))

    def encode(self, text: str, goes_on: bool = False) -> tuple[Ints, Wholes, Wholes]:
        """Encode a text or a piece of one: return its seams, its `whole` and its `refusable`.

        goes_on: the text goes on after this piece, and not with a special token.

        If it cannot be encoded, `self.error` says why and every seam is SPLIT.
        """
        size = len(text.encode())
        try:
            self.error = None
            # A letter replaces the rest of the text; without it the pattern would match the end of the text here.
            encoding = self.tokenizer.explain(text + self.stand_in if goes_on else text, allowed_special(self.reading))
        except TokvizError as error:
            self.error, self.bare, self.changed = error.without_frames(), (), None
            return np.full(size, SPLIT, np.int32), {}, {}
        typed, self.changed = encoding.typed, None
        if typed is not None:
            size, self.changed = len(encoding.data), (encoding.data.decode(), typed)
        whole = {place: id for place, id in encoding.whole.items() if place < size}
        self.bare = encoding.bare
        kinds = self.tokenizer.special_tokens, self.tokenizer.added_tokens
        refusable = special_places(text, *kinds) if self.reading == "refuse" else {}
        return encoding.seams[:size], whole, {**refusable}

    @property
    def n_bytes(self) -> int:
        """The bytes of memory that the text takes under this tokenizer, without the tokenizer itself."""
        places = len(self.whole) + len(self.bare) + len(self.refusable)
        changed = 5 * len(self.changed[1]) if self.changed else 0
        return self.seams.nbytes + self.met.nbytes + changed + PLACE_BYTES * places

    @property
    def refused(self) -> tuple[str, int] | None:
        """The first special token of the text and its first byte, if special tokens are refused."""
        if not self.refusable:
            return None
        place = min(self.refusable)
        return next(token for token, id in self.specials.items() if id == self.refusable[place]), place

    def encoding(self, data: bytes) -> Encoding:
        """Return the text with its present seams under this tokenizer. data: the bytes of the text."""
        tokenizer = self.tokenizer
        text, typed = self.changed or (None, None)
        return Encoding(
            data if text is None else text.encode(),
            self.seams,
            tokenizer.alphabet,
            tokenizer.merge_ids,
            {**self.whole},
            special_ids=tokenizer.special_ids,
            bare=self.bare,
            added_ids=tokenizer.added_ids,
            typed=typed,
            units=tokenizer.units,
        )


class EditedText:
    """Holds a text that is being edited, as UTF-16-LE. limit: its most UTF-16 units, None for any number.

    >>> edited = EditedText("naive")
    >>> edited.replace(2, 3, "ï")
    >>> edited.text, len(edited)
    ('naïve', 5)
    """

    def __init__(self, text: str = "", limit: int | None = None) -> None:
        self.units = bytearray(text.encode("utf-16-le", "surrogatepass"))
        self.limit = limit

    def __len__(self) -> int:
        """Return the length of the text in UTF-16 units."""
        return len(self.units) // 2

    @property
    def n_bytes(self) -> int:
        """The bytes of memory that the text takes."""
        return len(self.units)

    @property
    def text(self) -> str:
        """The text, with U+FFFD for each half of a surrogate pair."""
        return _decoded(self.units)

    def replace(self, start: int, stop: int, insert: str) -> None:
        """Replace the UTF-16 units from start to stop by `insert`.

        InputError if the text has no such units, TooLong if it would become too long.
        """
        self.units[2 * start : 2 * stop] = self._checked(start, stop, insert)

    def _checked(self, start: int, stop: int, insert: str) -> bytes:
        """Return the new units as bytes, after a check that the text has the old ones and does not become too long."""
        if not 0 <= start <= stop <= len(self):
            raise InputError(
                f"There are no units {start} to {stop} in a text of {len(self)} UTF-16 units.",
                f"Choose 0 <= start <= stop <= {len(self)}.",
            )
        new = insert.encode("utf-16-le", "surrogatepass")
        longer = len(new) // 2 - (stop - start)
        if self.limit is not None and longer > 0 and len(self) + longer > self.limit:
            raise TooLong(f"The text would be longer than {self.limit:,} UTF-16 units.", "Insert less.")
        return new


class LiveText(EditedText):
    """Holds a text that is being edited, and its seams under several tokenizers.

    reading: how special tokens are read.

    >>> from tokviz import reference
    >>> live = LiveText([reference("gpt2")])
    >>> [change] = live.patch(0, 0, "hello")
    >>> [change] = live.patch(5, 5, " world")
    >>> change.start, change.stop, len(change.seams)
    (5, 5, 6)
    """

    def __init__(self, tokenizers: Sequence[AnyTokenizer], reading: Reading = "text", limit: int | None = None) -> None:
        super().__init__(limit=limit)
        self.reading = reading
        self.sides = [_Side(tokenizer, reading) for tokenizer in tokenizers]
        # A special token may appear at any of these units, and the text before it would then end there.
        self.never_cut_before = frozenset(
            token.encode("utf-16-le")[:2] for side in self.sides for token in side.specials
        )

    def start_with(self, text: str) -> None:
        """Begin with a text whose tokens the browser already has."""
        self.units = bytearray(text.encode("utf-16-le", "surrogatepass"))
        for side in self.sides:
            side.seams, side.whole, side.refusable = side.encode(clean(text))
            side.meet(side.seams)

    def patch(self, start: int, stop: int, insert: str) -> list[SeamChange]:
        """Replace the UTF-16 units from start to stop by `insert`. Return one SeamChange for each tokenizer.

        InputError if the text has no such units, TooLong if it would become too long.
        """
        return self.encode(self.edit(start, stop, insert))

    @property
    def n_bytes(self) -> int:
        """The bytes of memory that the text takes with its seams."""
        return len(self.units) + sum(side.n_bytes for side in self.sides)

    @property
    def is_quick(self) -> bool:
        """Whether the time to encode the text depends only on its length."""
        return all(side.quick for side in self.sides)

    @property
    def can_be_cut(self) -> bool:
        """Whether an edit changes only tokens near it, so that a piece of the text is enough."""
        return all(side.can_be_cut for side in self.sides)

    def edit(self, start: int, stop: int, insert: str) -> Edit:
        """Change the text, but not yet its seams: the first half of `patch`."""
        units, new = self.units, self._checked(start, stop, insert)
        # Beside the edit, half a surrogate pair may lose its other half or gain one. Then its bytes change too.
        first = start - 1 if start and 0xD8 <= units[2 * start - 1] < 0xDC else start
        last = stop + 1 if stop < len(self) and 0xDC <= units[2 * stop + 1] < 0xE0 else stop
        before, removed = _bytes_in(units[: 2 * first]), _bytes_in(units[2 * first : 2 * last])
        longer = len(new) // 2 - (stop - start)
        units[2 * start : 2 * stop] = new
        added = _bytes_in(units[2 * first : 2 * (last + longer)])

        never = self.never_cut_before
        low, high = cut_before(units, first, never), cut_after(units, last + longer, never)
        start_byte = before - _bytes_in(units[2 * low : 2 * first])
        piece = _decoded(units[2 * low : 2 * high])
        return Edit(piece, high < len(self), start_byte, before, removed, added)

    def work(self, edit: Edit) -> int:
        """Return how much there is to encode, in characters (of a piece) or UTF-16 units (of the whole text).

        MUCH if a custom pattern or a peer cuts it, or if there are many special tokens.
        """
        if not self.is_quick:
            return MUCH
        return len(edit.piece) if self.can_be_cut else len(self)

    def encode(self, edit: Edit) -> list[SeamChange]:
        """Make the new seams: the second half of `patch`."""
        whole = edit if self.can_be_cut else edit._replace(piece=self.text, goes_on=False, start=0)
        return [_changed(side, edit if side.can_be_cut else whole) for side in self.sides]

    def standing(self) -> Standing:
        """Return the present text and its encodings. Later edits do not change them."""
        text = self.text
        data = text.encode()
        shown = [(side.tokenizer, None if side.error else side.encoding(data)) for side in self.sides]
        return Standing(text, shown)


def _changed(side: _Side, edit: Edit) -> SeamChange:
    """Encode the piece again, and return the part of it whose seams changed."""
    piece, goes_on, start, before, removed, added = edit
    before_it = side.changed
    fresh, whole, refusable = side.encode(piece, goes_on)
    if before_it or side.changed:  # then an edit of the typed text says nothing of places in the changed one
        start, before, removed, added = 0, 0, len(side.seams), len(fresh)
    size, longer = len(fresh), added - removed
    old = side.seams[start : start + size - longer]
    head = equal_at_start(old[: before - start], fresh[: before - start])
    tail = size - (before + added - start)
    tail = equal_at_start(old[len(old) - tail :][::-1], fresh[size - tail :][::-1])
    if whole or side.whole:
        # The first byte of a token that no merge made carries its id, which may change where no seam does.
        moved = _replaced(side.whole, {}, before, removed, added)
        side.whole = _replaced(side.whole, whole, start, len(old), size)
        others = [place - start for place, _ in moved.items() ^ side.whole.items()]
        head = min([head, *(place for place in others if place < before - start)])
        tail = min([tail, *(size - place - 1 for place in others if place >= before + added - start)])
    side.refusable = refusable if side.changed else _replaced(side.refusable, refusable, start, len(old), size)
    seams = fresh[head : size - tail]
    first, last = start + head, start + len(old) - tail
    side.seams = np.concatenate([side.seams[:first], seams, side.seams[last:]])
    shown = {place: id for place, id in side.whole.items() if first <= place < first + len(seams)}
    by, ids, error = side.tokenizer, side.meet(seams), side.error
    specials, more = (sorted(cut.intersection(shown.values())) for cut in (by.special_ids, by.added_ids))
    counts = side.refused, len(side.bare), side.changed
    return SeamChange(first, last, seams, ids, shown, specials, more, error, *counts)


def _replaced(places: Wholes, fresh: Wholes, start: int, removed: int, added: int) -> Wholes:
    """Return the places after an edit: `added` bytes with fresh places replaced the `removed` bytes from `start` on."""
    before = {place: id for place, id in places.items() if place < start}
    after = {place + added - removed: id for place, id in places.items() if place >= start + removed}
    return before | {start + place: id for place, id in fresh.items()} | after


def equal_at_start(some: NDArray[Any], others: NDArray[Any]) -> int:
    """Count the equal numbers at the beginning of two arrays of one length."""
    apart = np.flatnonzero(some != others)
    return int(apart[0]) if len(apart) else len(some)


def beginning(text: str, most: int) -> str:
    """Return the first `most` UTF-16 units of a text: all of it if it is not longer."""
    if 2 * len(text) <= most:
        return text
    units = text.encode("utf-16-le", "replace")
    return text if len(units) <= 2 * most else units[: 2 * most].decode("utf-16-le", "ignore")


def cut_before(units: bytearray, at: int, never: Collection[bytes] = ()) -> int:
    """Find the nearest place before `at` that no chunk of a named pattern crosses, in UTF-16 units; 0 if there is none.

    A place is safe after a line end, unless white space or "/" follows: in the named patterns, nothing else can follow
    a line end inside a chunk. Both characters must lie before `at`. never: units before which no place is safe.
    """
    end = 2 * at - 2
    while (place := units.rfind(NEWLINE, 0, max(end, 0))) >= 0:
        if place % 2 == 0 and _begins_chunk(units, place // 2 + 1, never):
            return place // 2 + 1
        end = place + 1
    return 0


def cut_after(units: bytearray, at: int, never: Collection[bytes] = ()) -> int:
    """Find the nearest safe place after `at`, as in `cut_before`, or the end of the text."""
    start = 2 * at
    while (place := units.find(NEWLINE, start)) >= 0:
        if place % 2 == 0 and place + 2 < len(units) and _begins_chunk(units, place // 2 + 1, never):
            return place // 2 + 1
        start = place + 1
    return len(units) // 2


def _begins_chunk(units: bytearray, at: int, never: Collection[bytes]) -> bool:
    unit = bytes(units[2 * at : 2 * at + 2])
    character = chr(int.from_bytes(unit, "little"))
    return not character.isspace() and character != "/" and unit not in never


def _decoded(units: bytes | bytearray) -> str:
    return units.decode("utf-16-le", "replace")


def _bytes_in(units: bytes | bytearray) -> int:
    return len(_decoded(units).encode())
