"""Replay without a server: what plays, its merges and its window as the browser reads them, and the file that has them.

A training can play on its corpus, a tokenizer without a corpus on another text, and the merge list of a tokenizer
without a record of its training on that text, reduced to the merges that fire in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokviz.base.drawn import Page
from tokviz.base.wording import count_of
from tokviz.offline import files
from tokviz.offline.data import payload
from tokviz.offline.page import standalone
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.merges import History, MergeRecord
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.train import Training
from tokviz.vocabulary.fired import fired, only_fired

LENGTHS = (500, 1_000, 2_000, 4_000)  # bytes of a window
WIDEST = 2  # a window widened to whole tokens has at most this many times its bytes: one token can have millions
OWN_TEXT_LIMIT = 4_000  # bytes of the visitor's own text
FRAME = 720  # px of its height in a notebook
START = {"step": 0, "start": 0, "length": 2_000, "every": None}  # where a replay begins

T = TypeVar("T")


class Cache(Protocol):
    """Keeps what was computed: a visitor's in the app, `Computed` elsewhere."""

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value under this key; `make` computes it where it is not there."""


class Computed:
    """Keeps each value that was computed.

    >>> computed = Computed()
    >>> computed.get(3, lambda: 3 * 3), computed.get(3, lambda: 0 / 0)
    (9, 9)
    """

    def __init__(self) -> None:
        self._values: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value under this key; `make` computes it where it is not there."""
        if key not in self._values:
            self._values[key] = make()
        found: T = self._values[key]
        return found


@dataclass(frozen=True, slots=True)
class Playing:
    """A tokenizer whose merges play.

    key: the tokenizer's; None for the sample. training: None if only the tokenizer is here, and its merges then play on
    `text`. cache: the visitor's.
    """

    key: str | None
    tokenizer: Tokenizer
    training: Training | None
    corpus_name: str
    text: str = ""
    cache: Cache = field(default_factory=Computed)

    @property
    def others(self) -> bool:
        """Whether there is only a merge list, as of a reference tokenizer: the merges that fire in `text` play."""
        return self.training is None and self.tokenizer.history is None

    @property
    def n_bytes(self) -> int | None:
        """The size of the corpus in bytes (of the text for a merge list); None if it is not known."""
        if self.training:
            return self.training.n_bytes
        if self.others:
            return len(self._whole.data)
        return self.tokenizer.origin.n_bytes

    @property
    def n_merges(self) -> int:
        """The number of merges that play."""
        return len(self._fired[0].merge_ids if self.others else self.tokenizer.merge_ids)

    @property
    def tokens_before(self) -> int:
        """Tokens before the first merge: of the corpus, or of the text if nothing is recorded about the corpus."""
        if self.training:
            return self.training.tokens_at(0)
        history = self.tokenizer.history
        return history[0].tokens_after + history[0].replaced if history else int(self._whole.tokens_at[0])

    @property
    def reach(self) -> int:
        """The number of bytes, from the start, that windows can show."""
        return self.training.kept_bytes if self.training else len(self._whole.data)

    @property
    def _whole(self) -> Encoding:
        if self.others:
            return self._fired[0]
        return self.cache.get(("encoded", self.tokenizer, self.text, "text"), lambda: self.tokenizer.explain(self.text))

    @property
    def columns(self) -> dict[str, Any]:
        """The merges in columns, as the browser reads them."""
        if self.others:
            return self._fired[1]
        return self.cache.get(("columns", self.tokenizer), lambda: merge_columns(self.tokenizer.history or ()))

    @property
    def id(self) -> str:
        """Names what plays for the browser. The same merges can play on their corpus or on another text."""
        on = None if self.training else self.text
        return hashlib.sha256(repr((self.columns["id"], self.key, on)).encode()).hexdigest()[:16]

    @property
    def _fired(self) -> tuple[Encoding, dict[str, Any]]:
        return self.cache.get(("fired", self.tokenizer, self.text), lambda: _only_fired(self.tokenizer, self.text))

    def window(self, start: int, length: int) -> dict[str, Any]:
        """The part of the corpus or the text from byte `start`, `length` bytes long.

        As the browser reads it: see `window_data`. Tokens merge in it until they are too long to draw.
        """
        if not self.training:
            return window_data(*self._whole.short_part(start, length, WIDEST * length))
        wide = self.training.window(start, length)
        return window_data(*wide.short_part(max(start, 0) - wide.start, length, WIDEST * length))

    def data(self, place: Mapping[str, Any], *, live: bool = True, text: str = "", called: str = "") -> dict[str, Any]:
        """What the browser gets to play it.

        place: as `agreed` of place.py says it; the browser goes there if its stamp is new, and keeps its own place if
        not. live: whether there is a server to ask. text: the visitor's own text, of which the first OWN_TEXT_LIMIT
        bytes are sent. called: what links call the tokenizer, "" if its tokens lead nowhere.
        """
        return {
            **self.columns,
            "id": self.id,
            "of": self.key,
            "title": self.tokenizer.name,
            "corpus_name": self.corpus_name,
            "tokens_before": int(self.tokens_before),
            "n_bytes": self.n_bytes,
            "reach": int(self.reach),
            "corpus_here": self.training is not None or self.others,  # the window lies in it, and not in another text
            "live": live,
            "others": self.others,
            "can_predict": live and self.training is not None,
            "place": dict(place),
            "window": self.window(place["start"], place["length"]),
            "text": payload(self.tokenizer.explain(text).part(0, OWN_TEXT_LIMIT)) if text else None,
            "called": called,
        }

    def fires_next(self, k: int, after: int) -> int | None:
        """The first byte from `after` on where the merge of rank k closes a seam; after the last one, the first of all.

        None if this merge fires nowhere.

        >>> from tokviz import train
        >>> training = train("the cat in the hat", vocab_size=259)
        >>> playing = Playing(None, training.tokenizer, training, "cats")
        >>> [training.tokenizer.vocab[record.id] for record in training.merges]
        [b'th', b'the', b'at']
        >>> playing.fires_next(2, 0), playing.fires_next(2, 7), playing.fires_next(2, 18)
        (6, 17, 6)
        """
        places = self._places(k)
        later = places[places >= after]
        return int(later[0]) if len(later) else int(places[0]) if len(places) else None

    def _places(self, k: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The bytes where the merge of rank k fires, at most one per chunk, in the order of the corpus."""
        if not self.training:
            return np.flatnonzero(self._whole.seams == k)
        ends, kept = self.training.counts.ends, self.training.kept
        seams = np.flatnonzero(self.training.seams == k)
        if kept is None or not len(seams):
            return np.empty(0, np.int64)
        chunks, firsts = np.unique(np.searchsorted(ends, seams, side="right"), return_index=True)
        inside = np.full(len(ends) + 1, -1, np.int64)  # where in each chunk; the last entry is for special tokens
        inside[chunks] = seams[firsts] - np.where(chunks > 0, ends[chunks - 1], 0)
        where = inside[np.maximum(kept.order, -1)]
        found = np.flatnonzero(where >= 0)
        places: np.ndarray[Any, np.dtype[np.int64]] = kept.starts[found] + where[found]
        return places


def _only_fired(tokenizer: Tokenizer, text: str) -> tuple[Encoding, dict[str, Any]]:
    """A text under a merge list, with ranks counted over the merges that fire, and these merges in columns.

    Their counts are those of the text: the corpus is not known.
    """

    def id_of(token: bytes) -> int:
        rank = tokenizer.rank_of(token)
        return int(tokenizer.alphabet[token[0]] if rank is None else tokenizer.merge_ids[rank])

    whole = tokenizer.explain(text)
    merges = [
        MergeRecord(rank, id_of(left), id_of(right), id, times, times, 1, tokens_after)
        for rank, left, right, id, times, tokens_after in fired(whole)
    ]
    return only_fired(whole), merge_columns(merges, [merge.rank for merge in merges])


def window_data(window: Encoding, drawn_to: int | None = None) -> dict[str, Any]:
    """A window as the browser reads it: an encoding, where it starts, and whether its start cuts a chunk.

    drawn_to: the last step of which it has the tokens; None if it has those of all steps.
    """
    return {**payload(window, live=True), "start": window.start, "cut": window.cut, "drawn_to": drawn_to}


def merge_columns(records: Sequence[MergeRecord], ranks: Sequence[int] | None = None) -> dict[str, Any]:
    """The merges as the browser reads them, about ten bytes each: columns of numbers, and an `id` of all of them.

    ranks: the true rank of each merge, ascending, if these are only some merges of a list. Ids, counts and ranks are
    stored as differences from the merge before, replacements as how many fewer they are than the count. So most numbers
    take one byte.
    """
    table = np.array(records.table if isinstance(records, History) else records, np.int64)
    table = table.reshape(-1, len(MergeRecord._fields))
    column = {name: table[:, MergeRecord._fields.index(name)] for name in _COLUMNS}
    columns = {
        "left": varints(column["left"]),
        "right": varints(column["right"]),
        "id": varints(_folded(np.diff(column["id"], prepend=0))),
        "count": varints(_folded(np.diff(column["count"], prepend=0))),
        "unreplaced": varints(column["count"] - column["replaced"]),
        "tied": varints(column["tied"]),
    }
    if ranks is not None:
        column["rank"] = np.array(ranks, np.int64)
        columns["rank"] = varints(_folded(np.diff(column["rank"], prepend=0)))
    whole = json.dumps(columns, sort_keys=True).encode()
    return {"id": hashlib.sha256(whole).hexdigest()[:16], "columns": columns}


_COLUMNS = ("left", "right", "id", "count", "replaced", "tied")


def _folded(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Map whole numbers to those from 0: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    return np.where(values < 0, -2 * values - 1, 2 * values)


def varints(values: NDArray[np.int64]) -> str:
    """Numbers from 0 as base64 of their `varint_bytes`."""
    return base64.b64encode(varint_bytes(values)).decode("ascii")


def varint_bytes(values: NDArray[np.int64]) -> bytes:
    """Numbers from 0, seven bits a byte, low bits first; the eighth bit says that more bytes follow.

    >>> varint_bytes(np.array([1, 300])).hex()
    '01ac02'
    """
    places = 7 * np.arange(9)
    bits = values[:, None] >> places
    follow = (bits >> 7) > 0
    written = np.concatenate([np.ones((len(values), 1), np.bool_), follow[:, :-1]], axis=1)
    return bytes(((bits & 0x7F) | np.where(follow, 0x80, 0)).astype(np.uint8)[written])


def replay_page(
    shown: Playing, place: Mapping[str, Any] = START, text: str = "", ways: Mapping[str, str] | None = None
) -> Page:
    """The replay as a page that opens at a place, as `Playing.data` has it.

    text: the visitor's own. ways: as of `standalone`. The page contains the window in view, all merges, and the first
    OWN_TEXT_LIMIT bytes of this text.
    """
    place = {**place, "presenting": False, "predicting": False, "stamp": 0, "own": bool(text)}
    merges = count_of(shown.n_merges, "merge")
    over = f"on the corpus “{shown.corpus_name}”" if shown.training else "as they fire in a text"
    title = f"Replay: {shown.tokenizer.name}"
    file = standalone(
        shown.data(place, live=False, text="" if shown.others else text),
        title=title,
        lead=f"{merges}, one by one, {over}. Arrow keys step, Space plays. Made with tokviz; it needs no network.",
        style=files.stylesheet(*files.REPLAY),
        script=files.script("replay/replay.js"),
        ways=ways,
    )
    return Page(title, file, FRAME)
