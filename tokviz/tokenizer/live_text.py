"""Keeps the encodings of an edited text under several tokenizers, and tells what an edit changed.

Each edit encodes the whole text again, and what is equal at both ends is cut off. We keep the text as UTF-16-LE, so
that offsets are the browser's own, and so that half a surrogate pair can wait for its other half. Tokenizers see such a
half as U+FFFD.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.text import clean
from tokviz.split.cutting import is_quick
from tokviz.split.specials import Reading, allowed_special, special_places
from tokviz.tokenizer.encoding import SPLIT, Encoding, Ints, is_closed
from tokviz.tokenizer.peers import AnyTokenizer

SHORT_SPECIALS = 200  # characters of all special tokens together; beyond, each takes time at each place of a text
FEW_SPECIALS = 10_000  # a tokenizer can have this many without a moment's wait when they are only counted
PLACE_BYTES = 150  # of memory, for each token in `Encoding.whole`


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


class Side:
    """Keeps the text under one tokenizer: its encoding, and the ranks whose ids the browser has.

    error: why the text cannot be encoded. Every seam of the encoding is SPLIT then.
    quick: whether the time to encode a text depends only on its length. Other expressions, and those of peers, may take
        seconds for a short text; so may many special tokens.
    """

    def __init__(self, tokenizer: AnyTokenizer, reading: Reading) -> None:
        self.tokenizer = tokenizer
        self.reading = reading
        self.encoding = Encoding(b"", np.empty(0, np.int32))
        self.met = np.zeros(len(tokenizer.merge_ids), np.bool_)
        self.error: TokvizError | None = None
        specials = tokenizer.cut_tokens if tokenizer.added_tokens or reading != "text" else {}
        self.quick = (
            tokenizer.pattern is not None
            and is_quick(tokenizer.pattern)
            and sum(map(len, specials)) <= SHORT_SPECIALS
            and len(tokenizer.special_tokens) <= FEW_SPECIALS
        )

    def encode(self, text: str) -> SeamChange:
        """Encode the text, and tell what changed since it was last done."""
        old, by = self.encoding, self.tokenizer
        try:
            new, self.error = by.explain(text, allowed_special(self.reading)), None
        except TokvizError as error:
            data, self.error = text.encode(), error.without_frames()
            new = Encoding(data, np.full(len(data), SPLIT, np.int32))
        self.encoding = new
        start, stop = _equal_ends(old, new)
        seams = new.seams[start : len(new.seams) - stop]
        whole = {place: id for place, id in new.whole.items() if start <= place < start + len(seams)}
        specials, more = (sorted(cut.intersection(whole.values())) for cut in (by.special_ids, by.added_ids))
        changed = None if new.typed is None else (new.data.decode(), new.typed)
        counts = self._refused(text), len(new.bare), changed
        end = len(old.seams) - stop
        return SeamChange(start, end, seams, self._meet(seams), whole, specials, more, self.error, *counts)

    def _meet(self, seams: Ints) -> dict[int, int]:
        """Mark the merges in these seams as met, and return rank -> id of those that are new."""
        ranks = seams[is_closed(seams)]
        new = np.unique(ranks[~self.met[ranks]])
        self.met[new] = True
        return dict(zip(new.tolist(), self.tokenizer.merge_ids[new].tolist(), strict=True))

    def _refused(self, text: str) -> tuple[str, int] | None:
        """Find the first special token of the text and its first byte, if special tokens are refused."""
        kinds = self.tokenizer.special_tokens, self.tokenizer.added_tokens
        places = special_places(text, *kinds) if self.reading == "refuse" and self.error is None else {}
        if not places:
            return None
        place = min(places)
        return next(token for token, id in self.tokenizer.cut_tokens.items() if id == places[place]), place

    @property
    def n_bytes(self) -> int:
        """The bytes of memory that the text takes under this tokenizer, without the tokenizer itself."""
        now = self.encoding
        arrays = [now.seams, self.met, *([] if now.typed is None else [now.typed])]
        places = len(now.whole) + len(now.bare)
        return len(now.data) + sum(array.nbytes for array in arrays) + PLACE_BYTES * places


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
    """Holds a text that is being edited, and its encodings under several tokenizers.

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
        self.sides = [Side(tokenizer, reading) for tokenizer in tokenizers]

    def start_with(self, text: str) -> None:
        """Begin with a text whose tokens the browser already has."""
        self.units = bytearray(text.encode("utf-16-le", "surrogatepass"))
        for side in self.sides:
            side.encode(clean(text))

    def patch(self, start: int, stop: int, insert: str) -> list[SeamChange]:
        """Replace the UTF-16 units from start to stop by `insert`. Return one SeamChange for each tokenizer.

        InputError if the text has no such units, TooLong if it would become too long.
        """
        self.replace(start, stop, insert)
        text = self.text
        return [side.encode(text) for side in self.sides]

    @property
    def n_bytes(self) -> int:
        """The bytes of memory that the text takes with its encodings."""
        return len(self.units) + sum(side.n_bytes for side in self.sides)

    @property
    def is_quick(self) -> bool:
        """Whether the time to encode the text depends only on its length."""
        return all(side.quick for side in self.sides)


def _equal_ends(old: Encoding, new: Encoding) -> tuple[int, int]:
    """Count the bytes at the beginning and at the end where nothing changed: text, seams, and tokens of no merge.

    Where a normalizer changes the text there are none, because what is typed may differ where its result does not.
    """
    if old.typed is not None or new.typed is not None:
        return 0, 0
    n = min(len(old.seams), len(new.seams))
    pairs = (old.seams, new.seams), [np.frombuffer(one.data, np.uint8) for one in (old, new)]
    head = min(equal_at_start(a[:n], b[:n]) for a, b in pairs)
    tail = min(equal_at_start(a[::-1][: n - head], b[::-1][: n - head]) for a, b in pairs)
    if old.whole or new.whole:
        # The first byte of a token that no merge made carries its id, which may change where no seam does.
        end, longer = len(old.seams) - tail, len(new.seams) - len(old.seams)
        moved = {place + longer * (place >= end): id for place, id in old.whole.items() if not head <= place < end}
        others = [place for place, _ in moved.items() ^ new.whole.items()]
        tail = min([tail, *(len(new.seams) - place - 1 for place in others if place >= end + longer)])
        head = min([head, *(place for place in others if place < head)])
    return head, tail


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


def _decoded(units: bytes | bytearray) -> str:
    return units.decode("utf-16-le", "replace")
