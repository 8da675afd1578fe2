"""A text that is edited, and its seams under some tokenizers, kept by encoding again only what an edit can change.

A *piece* is what is encoded again: from the last safe place before the edit to the first one after it. A place is safe
if neither a chunk nor a special token can cross it. The text is kept as UTF-16-LE, so the browser's offsets are ours
and halves of characters live on their way to becoming whole ones; to a tokenizer such a half is U+FFFD.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import NamedTuple

import numpy as np

from tokviz.encoding import OPEN, SPLIT, Encoding, Ints
from tokviz.errors import InputError, PatternError
from tokviz.specials import Reading, allowed_special, cut_specials
from tokviz.split import PATTERNS
from tokviz.tokenizer import Specials, Tokenizer

TEXT_LIMIT = 1_000_000  # UTF-16 units of a text
NEWLINE = "\n".encode("utf-16-le")


class TooLong(InputError):
    """A text is longer than `TEXT_LIMIT`."""


@dataclass(frozen=True, slots=True)
class Change:
    """The seams of the bytes from `start` to `stop` of the old text give way to `seams`.

    `ids` are those that merges mint which the browser has not met yet; `whole` the tokens in the stretch that no merge
    made, by their first byte in the new text. `error` says why there are no seams, and then all of them are SPLIT;
    `refused` which special token stands first in the whole text, and at which byte, where they are refused.
    """

    start: int
    stop: int
    seams: Ints
    ids: dict[int, int]
    whole: dict[int, int | None]
    error: str | None = None
    refused: tuple[str, int] | None = None


class Standing(NamedTuple):
    """A text, which special tokens are read as such in it, and its encoding under each tokenizer; None where its split
    pattern cannot cut it.
    """

    text: str
    allowed_special: Specials
    shown: list[tuple[Tokenizer, Encoding | None]]


class Edit(NamedTuple):
    """A piece of the text, which begins at byte `start` and `goes_on` or ends with the text, and what was done in it:
    `removed` bytes at byte `before` became `added`. The bytes outside the edit are the same as they were.
    """

    piece: str
    goes_on: bool
    start: int
    before: int
    removed: int
    added: int


class _Side:
    """One tokenizer's side of the text: its seams, its special tokens, and which merge ranks the browser has ids for.

    `specials` are the special tokens looked for, by their text; none where they are read as text. `found` has those in
    the text: their ids by their first bytes.
    """

    def __init__(self, tokenizer: Tokenizer, reading: Reading) -> None:
        self.tokenizer = tokenizer
        self.reading = reading
        self.specials = {} if reading == "text" else tokenizer.special_tokens
        self.seams: Ints = np.empty(0, np.int32)
        self.found: dict[int, int] = {}
        self.met = np.zeros(len(tokenizer.merge_ids), np.bool_)
        self.error: str | None = None
        firsts = {token[0] for token in self.specials}
        self.stand_in = next((letter for letter in ascii_letters if letter not in firsts), "")
        pattern = tokenizer.pattern
        # Whether there are places that no chunk crosses, nor a special token. A pattern of one's own may look as far as
        # it likes; and a special token that begins with U+FFFD may begin wherever half a character stands.
        self.can_be_cut = (
            pattern in PATTERNS
            and pattern != "none"
            and bool(self.stand_in)
            and not any("\n" in token or token[0] == "\ufffd" for token in self.specials)
        )

    def meet(self, seams: Ints) -> dict[int, int]:
        """The ids of merges that these seams speak of for the first time."""
        ranks = seams[(seams >= 0) & (seams < OPEN)]
        new = np.unique(ranks[~self.met[ranks]])
        self.met[new] = True
        return dict(zip(new.tolist(), self.tokenizer.merge_ids[new].tolist(), strict=True))

    def encode(self, text: str, goes_on: bool = False) -> tuple[Ints, dict[int, int]]:
        """Seams and special tokens of a text, or of a piece of one that `goes_on` with something else than a special
        token. Where the split pattern cannot cut it, `error` says why.
        """
        size = len(text.encode())
        try:
            self.error = None
            # A letter stands for what goes on, or the pattern would take the piece's end for the text's.
            encoding = self.tokenizer.explain(text + self.stand_in if goes_on else text, allowed_special(self.reading))
        except PatternError as error:
            self.error = str(error)
            return np.full(size, SPLIT, np.int32), {}
        found = special_places(text, self.specials) if self.reading == "refuse" else encoding.whole
        return encoding.seams[:size], {place: id for place, id in found.items() if id is not None}

    @property
    def refused(self) -> tuple[str, int] | None:
        """The first special token of the text and its first byte, if they are refused and it has one."""
        if self.reading != "refuse" or not self.found:
            return None
        place = min(self.found)
        return next(token for token, id in self.specials.items() if id == self.found[place]), place

    def encoding(self, data: bytes) -> Encoding:
        """The text under this tokenizer, as its seams now stand. data: the text's bytes."""
        whole: dict[int, int | None] = {**self.found} if self.reading == "special" else {}
        return Encoding(data, self.seams, self.tokenizer.alphabet, self.tokenizer.merge_ids, whole)


class LiveText:
    """A text that is edited, and its seams under some tokenizers.

    >>> from tokviz import reference
    >>> live = LiveText([reference("gpt2")])
    >>> [change] = live.patch(0, 0, "hello")
    >>> [change] = live.patch(5, 5, " world")
    >>> change.start, change.stop, len(change.seams)
    (5, 5, 6)
    """

    def __init__(self, tokenizers: Sequence[Tokenizer], reading: Reading = "text") -> None:
        self.units = bytearray()
        self.reading = reading
        self.sides = [_Side(tokenizer, reading) for tokenizer in tokenizers]
        # A special token may come to stand where one of these stands, and what is before it ends there like a text.
        self.never_cut_before = frozenset(
            token.encode("utf-16-le")[:2] for side in self.sides for token in side.specials
        )

    def __len__(self) -> int:
        """In UTF-16 units."""
        return len(self.units) // 2

    @property
    def text(self) -> str:
        """The text without halves of characters."""
        return _decoded(self.units)

    def start_with(self, text: str) -> None:
        """Begin with a text that the browser has the tokens of."""
        self.units = bytearray(text.encode("utf-16-le"))
        for side in self.sides:
            side.seams, side.found = side.encode(text)
            side.meet(side.seams)

    def patch(self, start: int, stop: int, insert: str) -> list[Change]:
        """Put `insert` in the place of the units from start to stop; one Change for each tokenizer.

        InputError where there are no such places, TooLong where the text becomes too long.
        """
        return self.encode(self.edit(start, stop, insert))

    def edit(self, start: int, stop: int, insert: str) -> Edit:
        """The first half of `patch`: the text is another, and its seams are still to be made."""
        units = self.units
        if not 0 <= start <= stop <= len(self):
            raise InputError(f"There are no units {start} to {stop} in a text of {len(self)}.")
        new = insert.encode("utf-16-le", "surrogatepass")
        # A half of a character beside the edit may lose the other half, or find one: its bytes change too.
        first = start - 1 if start and _is_high(units, start - 1) else start
        last = stop + 1 if stop < len(self) and _is_low(units, stop) else stop
        before, removed = _bytes_in(units[: 2 * first]), _bytes_in(units[2 * first : 2 * last])
        longer = len(new) // 2 - (stop - start)
        if longer > 0 and len(self) + longer > TEXT_LIMIT:
            raise TooLong(f"A text can have {TEXT_LIMIT:,} characters here.")
        units[2 * start : 2 * stop] = new
        added = _bytes_in(units[2 * first : 2 * (last + longer)])

        never = self.never_cut_before
        low, high = cut_before(units, first, never), cut_after(units, last + longer, never)
        start_byte = before - _bytes_in(units[2 * low : 2 * first])
        piece = _decoded(units[2 * low : 2 * high])
        return Edit(piece, high < len(self), start_byte, before, removed, added)

    def work(self, edit: Edit) -> int:
        """How much there is to encode, in characters or UTF-16 units."""
        return len(edit.piece) if all(side.can_be_cut for side in self.sides) else len(self)

    def encode(self, edit: Edit) -> list[Change]:
        """The second half of `patch`."""
        if all(side.can_be_cut for side in self.sides):
            return [_changed(side, edit) for side in self.sides]
        whole = edit._replace(piece=self.text, goes_on=False, start=0)
        return [_changed(side, edit if side.can_be_cut else whole) for side in self.sides]

    def standing(self) -> Standing:
        """The text as it now stands; what is typed from now on does not change it."""
        text = self.text
        data = text.encode()
        shown = [(side.tokenizer, None if side.error else side.encoding(data)) for side in self.sides]
        return Standing(text, allowed_special(self.reading), shown)


def _changed(side: _Side, edit: Edit) -> Change:
    """Encode the piece, and find the part of it that came out otherwise."""
    piece, goes_on, start, before, removed, added = edit
    fresh, found = side.encode(piece, goes_on)
    size, longer = len(fresh), added - removed
    old = side.seams[start : start + size - longer]
    head = _same(old[: before - start], fresh[: before - start])
    tail = size - (before + added - start)
    tail = _same(old[len(old) - tail :][::-1], fresh[size - tail :][::-1])
    if found or side.found:
        now = {start + place: id for place, id in found.items()}
        # A special token is as its first byte says: that is part of the change where another token begins there now,
        # even if only the rest of it was edited.
        others = [place - start for place, _ in now.items() ^ side.found.items() if start <= place < before]
        head = min([head, *others])
        kept = {place: id for place, id in side.found.items() if place < start}
        moved = {place + longer: id for place, id in side.found.items() if place >= start + len(old)}
        side.found = kept | now | moved
    seams = fresh[head : size - tail]
    first, last = start + head, start + len(old) - tail
    side.seams = np.concatenate([side.seams[:first], seams, side.seams[last:]])
    whole = {place: id for place, id in side.found.items() if first <= place < first + len(seams)}
    shown: dict[int, int | None] = {**whole} if side.reading == "special" else {}
    return Change(first, last, seams, side.meet(seams), shown, side.error, side.refused)


def _same(some: Ints, others: Ints) -> int:
    """How many at the beginning are equal."""
    apart = np.flatnonzero(some != others)
    return int(apart[0]) if len(apart) else len(some)


def special_places(text: str, special_tokens: Mapping[str, int]) -> dict[int, int]:
    """The special tokens in a text: their ids by their first bytes.

    >>> special_places("né<|end|>", {"<|end|>": 256})
    {3: 256}
    """
    found, place = {}, 0
    for stretch, special in cut_specials(text, special_tokens):
        if special:
            found[place] = special_tokens[stretch]
        place += len(stretch.encode())
    return found


def first_refused(tokenizer: Tokenizer, text: str) -> tuple[str, int] | None:
    """The first special token in a text and its first byte; None if there is none.

    >>> from tokviz import reference
    >>> first_refused(reference("gpt2"), "né<|endoftext|>")
    ('<|endoftext|>', 3)
    """
    side = _Side(tokenizer, "refuse")
    side.found = special_places(text, side.specials)
    return side.refused


def beginning(text: str) -> str:
    """As much of a text as the socket takes: all of it, where it is not too long."""
    if 2 * len(text) <= TEXT_LIMIT:
        return text
    units = text.encode("utf-16-le", "replace")
    return text if len(units) <= 2 * TEXT_LIMIT else units[: 2 * TEXT_LIMIT].decode("utf-16-le", "ignore")


def cut_before(units: bytearray, at: int, never: Collection[bytes] = ()) -> int:
    """The nearest place before `at` that no chunk of a named pattern crosses, in UTF-16 units; 0 if there is none.

    That is after a line end that is followed by neither white space nor "/": a chunk with a line end in it goes on
    with nothing else. Both characters lie before `at`. never: units before which there is none.
    """
    end = 2 * at - 2
    while (place := units.rfind(NEWLINE, 0, max(end, 0))) >= 0:
        if place % 2 == 0 and _begins_chunk(units, place // 2 + 1, never):
            return place // 2 + 1
        end = place + 1
    return 0


def cut_after(units: bytearray, at: int, never: Collection[bytes] = ()) -> int:
    """The nearest such place after `at`, or the end of the text."""
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


def _is_high(units: bytearray, at: int) -> bool:
    return 0xD8 <= units[2 * at + 1] < 0xDC


def _is_low(units: bytearray, at: int) -> bool:
    return 0xDC <= units[2 * at + 1] < 0xE0


def _decoded(units: bytes | bytearray) -> str:
    return units.decode("utf-16-le", "replace")


def _bytes_in(units: bytes | bytearray) -> int:
    return len(_decoded(units).encode())
