"""Wraps tokenizers that are not plain byte-level BPE: WordPiece, Unigram, SentencePiece, BPE behind a normalizer.

A *peer* encodes with the package that it is made for. It gives an `Encoding` as a Tokenizer does, but without merges:
all its tokens are in `Encoding.whole`, and all seams inside them are WHOLE.

The encoding has the bytes of the text as it was given, so that tokenizers can be compared on it and it can be edited.
If a normalizer changed the text before it was cut, a token is placed where its characters came from. So there are

    gaps                    bytes that no token covers, such as WordPiece's spaces: a WHOLE span whose id is None
    tokens without bytes    such as the "▁" that SentencePiece puts before a text, or the second half of a letter that
                            the normalizer took apart: they have no place, and are in `Encoding.bare`
    tokens of half letters  an unknown character can be several tokens, one a byte, which start in the middle of it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tokviz.base.arguments import checked_text, ids_of, shown, whole_number
from tokviz.base.errors import InputError, SettingError
from tokviz.base.text import clean
from tokviz.base.wording import vocabulary_size
from tokviz.split.cutting import byte_offsets
from tokviz.split.specials import CutFirst, SpecialIds, Specials, allowed_and_refused, cut_stretches, refuse
from tokviz.tokenizer.encoding import BYTES_AS_IDS, OPEN, SPLIT, WHOLE, Encoding, Ints
from tokviz.tokenizer.merge_table import tokens_of
from tokviz.tokenizer.tokenizer import Tokenizer

REPLACED = "\ufffd".encode()
NEAR = 2  # bytes between two tokens in a decoded text
MOST_WAITING = 100  # tokens that were not found in it, after which the next one is looked for
WHOLE_LIMIT = 2_000_000  # bytes of a text that is counted as a file; the package needs about a hundred times as much


class PeerCut(NamedTuple):
    """Holds what a package makes of a text: for each token its id, its place (first character, the one after its last),
    and the number of its word. The characters are counted in the text before normalization."""

    ids: Sequence[int]
    places: Sequence[tuple[int, int]]
    words: Sequence[int | None]


class Package(Protocol):
    """Defines what a peer needs of the package that it is made for."""

    def cut(self, text: str, specials: bool) -> tuple[Sequence[int], Sequence[tuple[int, int]], Sequence[int | None]]:
        """Cut a text into tokens, as in a PeerCut. specials: are the special tokens in it read as such?"""

    def normalized(self, text: str) -> str:
        """Normalize a text as `cut` does before it cuts."""

    def decode(self, ids: list[int]) -> str:
        """Decode ids that are in the vocabulary."""


@dataclass(frozen=True, eq=False, repr=False)
class Peer(CutFirst):
    """Wraps a tokenizer that only its own package can run. It cannot be changed.

    kind: in the field's words, such as "WordPiece".
    vocab: id -> the bytes of the text that the token means, without marks such as "##", and with a space for "▁".
    special_tokens: text -> id, of those that can be found in a text.
    apart: the ids of the tokens that begin a word, if decoding puts a space before these.
    sha256: of its file.
    unknown: the id of the token for all that the vocabulary does not have; None if there is none.
    added_tokens: text -> id, of those that the package cuts out of every text.
    why: what tokviz does not honour in its file, and the way out; None if it knows no merges of this kind.
    """

    name: str
    kind: str
    vocab: Mapping[int, bytes]
    special_tokens: SpecialIds
    apart: frozenset[int]
    sha256: str
    package: Package
    unknown: int | None = None
    added_tokens: SpecialIds = field(default_factory=dict)
    why: tuple[str, str] | None = None

    # What may be asked of any tokenizer.
    has_merges: ClassVar[Literal[False]] = False
    pattern: ClassVar[None] = None
    units: ClassVar[int] = 0
    normalizer: ClassVar[None] = None  # none that is known
    alphabet: ClassVar[Ints] = BYTES_AS_IDS  # that of its encodings, from which no id is read
    merge_ids: ClassVar[Ints] = np.empty(0, np.int32)  # no merges are known

    def __repr__(self) -> str:
        return f"<Peer {self.name!r}: {self.kind}, {len(self.vocab):,} tokens>"

    if not TYPE_CHECKING:  # so that the check of types still finds what a peer does not have

        def __getattr__(self, name: str) -> Any:
            """Raise SettingError for what only a Tokenizer has: the function that asks for it needs merges."""
            missing = not name.startswith("_") and name not in self.__dataclass_fields__
            if missing and (hasattr(Tokenizer, name) or name in Tokenizer.__dataclass_fields__):
                with_merges(self)
            raise AttributeError(f"A Peer has no {name}.", name=name, obj=self)

    @property
    def n_vocab(self) -> int:
        """The highest id + 1."""
        return max(self.vocab, default=-1) + 1

    @property
    def vocab_size(self) -> int:
        """The number of tokens."""
        return len(self.vocab)

    def rank_of(self, token: bytes) -> None:
        """Return None: no merge is known to make these bytes."""

    def encode(
        self, text: str, allowed_special: Specials = frozenset(), disallowed_special: Specials = "all"
    ) -> list[int]:
        """Encode a text to ids, without the tokens that the package can put around it, such as [CLS].

        The package reads either all special tokens of a text as such or none: SettingError if only some of them are
        allowed. SpecialTokenError if the text contains a disallowed one.
        """
        return list(self._cut(clean(checked_text(text)), allowed_special, disallowed_special).ids)

    def encode_ordinary(self, text: str) -> list[int]:
        """Encode a text to ids; special tokens are read as ordinary text."""
        return self.encode(text, disallowed_special=())

    def encode_array(self, text: str, threads: int | None = None) -> Ints:
        """Do as `encode_ordinary`, but return int32[tokens]. threads: the package decides itself how many work."""
        if threads is not None:
            whole_number(threads, "The number of threads", 1)
        return np.array(self.encode_ordinary(text), np.int32)

    def explain(
        self, text: str, allowed_special: Specials = frozenset(), disallowed_special: Specials = ()
    ) -> Encoding:
        """Make the Encoding of a text. Special tokens are as in `encode`, but none is disallowed by default."""
        text = clean(checked_text(text))
        return self._encoding(text, self._cut(text, allowed_special, disallowed_special))

    def normalized(self, text: str, specials: bool = False) -> str | None:
        """Return the text that the package cuts instead, if its normalizer changes more than spaces; else None.

        specials: are special tokens read as such? They are not normalized.
        """
        text = clean(checked_text(text))
        stretches = cut_stretches(text, self.special_tokens, "all" if specials else (), ())
        parts = [(data.decode(), special is not None) for data, special in stretches]
        found = "".join(part if special else self.package.normalized(part) for part, special in parts)
        return None if _spaceless(found) == _spaceless(text) else found

    def explain_in_pieces(self, text: str, size: int, start: int = 0) -> Iterator[Encoding]:
        """Do as `Tokenizer.explain_in_pieces`, but in one piece: the package cuts a text only as a whole.

        InputError if it has more than WHOLE_LIMIT bytes.
        """
        whole_number(size, "The size of a piece", 1)
        n_bytes = self.check_size(text)
        if not whole_number(start, "The start", 0) or start < n_bytes:  # an empty text may have tokens without bytes
            yield self.explain(text).part(start, n_bytes)

    def check_size(self, text: str) -> int:
        """Count the bytes of the text. InputError if it has more than WHOLE_LIMIT."""
        n_bytes = len(clean(checked_text(text)).encode())
        if n_bytes > WHOLE_LIMIT:
            raise InputError(
                f"{self.name} can only read a text as a whole. This one has {n_bytes:,} bytes; the limit for that is "
                f"{WHOLE_LIMIT:,}.",
                "Choose a shorter text.",
            )
        return n_bytes

    def decode(self, ids: Iterable[int]) -> str:
        """Decode ids to text, as the package does. UnknownIdError names an id that no token has."""
        ids = ids_of(ids)
        tokens_of(ids, self.vocab)
        return self.package.decode(ids)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Decode ids to UTF-8. Bytes that are no character stay, where `decode` has U+FFFD."""
        ids = ids_of(ids)
        text = self.decode(ids)
        return self.explain_ids(ids).data if "\ufffd" in text else text.encode("utf-8", "replace")

    def explain_ids(self, ids: Iterable[int]) -> Encoding:
        """Make the Encoding of the text that decoding gives, with gaps where no token is. Errors as in `decode`."""
        ids = ids_of(ids)
        tokens = tokens_of(ids, self.vocab)
        if self.unknown in ids:  # sentencepiece does not decode it to its name
            unknown = self.package.decode([self.unknown]).encode("utf-8", "replace")
            tokens = [unknown if id == self.unknown else token for id, token in zip(ids, tokens, strict=True)]
        spans = _decoded(self.package.decode(ids).encode("utf-8", "replace"), tokens)
        data = b"".join(part for _, part in spans)
        ends = np.cumsum([len(part) for _, part in spans], dtype=np.int64)
        starts = np.append(0, ends)[:-1]
        seams = np.full(len(data), WHOLE, np.int32)
        seams[starts] = SPLIT
        there = {place for place, _ in spans}
        whole = dict(zip(starts.tolist(), (None if place is None else ids[place] for place, _ in spans), strict=True))
        bare = tuple(id for place, id in enumerate(ids) if place not in there)
        return Encoding(data, seams, whole=whole, special_ids=self.special_ids, bare=bare, added_ids=self.added_ids)

    def renamed(self, name: str) -> Peer:
        """Copy the peer under another name."""
        return replace(self, name=checked_text(name, "The name"))

    def _cut(self, text: str, allowed_special: Specials, disallowed_special: Specials) -> PeerCut:
        mine = frozenset(self.special_tokens)
        allowed, refused = allowed_and_refused(mine, allowed_special, disallowed_special)
        refuse(text, allowed.union(self.added_tokens), refused)
        if allowed and allowed != mine:
            there = frozenset(token for token in mine if token in text)
            if there & allowed and there - allowed:
                raise SettingError(
                    f"{self.name} reads either all special tokens of a text as such, or none.",
                    "Allow all of them, or none.",
                )
            allowed &= there
        return PeerCut(*self.package.cut(text, bool(allowed)))

    def _encoding(self, text: str, cut: PeerCut) -> Encoding:
        data = text.encode()
        tokens = [self.vocab.get(id, b"") for id in cut.ids]
        if b"".join(tokens) == data:
            ends = np.cumsum([*map(len, tokens)], dtype=np.int64)
            starts = np.append(0, ends)[: len(ends)]
        else:
            starts, ends = _places(text, data, cut.places, tokens)
        has_bytes = ends > starts
        seams = np.full(len(data), WHOLE, np.int32)
        whole: dict[int, int | None] = {}
        end, word, cut_first = 0, None, True  # of the token before
        for place in np.flatnonzero(has_bytes).tolist():
            start, id = int(starts[place]), cut.ids[place]
            if start > end:
                whole[end], seams[end] = None, SPLIT
            together = start == end and cut.words[place] == word and not cut_first and id not in self.cut_ids
            whole[start], seams[start] = id, OPEN if together else SPLIT
            end, word, cut_first = int(ends[place]), cut.words[place], id in self.cut_ids
        if end < len(data):
            whole[end], seams[end] = None, SPLIT
        bare = tuple(id for id, there in zip(cut.ids, has_bytes.tolist(), strict=True) if not there)
        return Encoding(data, seams, whole=whole, special_ids=self.special_ids, bare=bare, added_ids=self.added_ids)


AnyTokenizer = Tokenizer | Peer


def size_in_words(tokenizer: AnyTokenizer) -> str:
    """Say how large the vocabulary of a tokenizer is.

    >>> size_in_words(Tokenizer("hug", merges=[(117, 103), (104, 256)], special_tokens={"<s>": 300}))
    '258 tokens, 1 special'
    """
    special, added = len(tokenizer.special_ids), len(tokenizer.added_ids)
    return vocabulary_size(len(tokenizer.vocab) - special - added, special, added)


def with_merges(value: object) -> Tokenizer:
    """Check that a value is a tokenizer whose merges are known. SettingError if it is a peer, or no tokenizer."""
    if isinstance(value, Tokenizer):
        return value
    what = f"{shown(value)} is not a tokenizer."
    if isinstance(value, Peer):
        if value.why:
            raise SettingError(f"The merges of {value.name} are not known: {value.why[0]}", value.why[1])
        what = f"{value.name} is a tokenizer of the kind {value.kind}, of which no merges are known."
    raise SettingError(what, "Choose a byte-level BPE tokenizer, such as tokviz.reference('gpt2').")


def _places(
    text: str, data: bytes, places: Sequence[tuple[int, int]], tokens: Sequence[bytes]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the first byte of each token, and the one after its last, in order and without overlap: int64[tokens] each.

    places: as in a PeerCut. Several tokens can claim the same characters. If the bytes of some of them in a row are
    those of these characters, each of these takes its own; else the first that claims a character takes all of it.
    """
    claimed = byte_offsets(text)[np.clip(np.array(places, np.int64).reshape(-1, 2), 0, len(text))]
    starts, ends = claimed[:, 0].copy(), claimed[:, 1].copy()
    first, reached = 0, 0
    while first < len(tokens):
        reach, last = int(ends[first]), first + 1
        while last < len(tokens) and (starts[last] < reach or starts[last] == reach == starts[first]):
            reach, last = max(reach, int(ends[last])), last + 1
        begin = max(reached, int(starts[first]))
        reach = max(reach, begin)
        if last > first + 1 or begin > starts[first]:
            taken = _by_their_bytes(data, begin, reach, tokens[first:last])
            at = begin
            for place in range(first, last):
                starts[place] = at = max(at, int(starts[place])) if taken is None else at
                ends[place] = at = max(at, int(ends[place])) if taken is None else at + taken[place - first]
        first, reached = last, reach
    return starts, ends


def _by_their_bytes(data: bytes, start: int, end: int, tokens: Sequence[bytes]) -> list[int] | None:
    """Count the bytes from start to end that each token takes if it takes no others than its own; None if some of
    the bytes are left."""
    taken = []
    for token in tokens:
        fits = start + len(token) <= end and data.startswith(token, start)
        taken.append(len(token) if fits else 0)
        start += taken[-1]
    return taken if start == end else None


def _decoded(text: bytes, tokens: Sequence[bytes]) -> list[tuple[int | None, bytes]]:
    """Cut the text that a package decodes tokens to into pieces: the place of the token, or None, and its bytes.

    A package may leave out the space before a token, or put spaces and marks between tokens. What a token is written as
    instead lies between the tokens around it; where that is U+FFFD, its piece has the token itself.
    """
    spans, at, waiting = list[tuple[int | None, bytes]](), 0, list[int]()
    unseen = min({*range(256)} - {*b"".join(tokens)}, default=None)  # no token of a byte is found in U+FFFD
    searched = text if unseen is None else text.replace(REPLACED, bytes([unseen] * len(REPLACED)))

    def settle(end: int) -> None:
        """Share the text up to here among the tokens that wait."""
        instead = text[at:end].decode("utf-8", "surrogateescape")
        parts = [tokens[place] for place in waiting]
        if b"".join(parts).decode("utf-8", "replace") != instead:
            each = -(-len(instead) // (len(parts) or 1)) or 1
            pieces = [instead[start : start + each] for start in range(0, len(instead), each)]
            parts = [piece.encode("utf-8", "surrogateescape") for piece in pieces]
        places: Sequence[int | None] = waiting or [None]
        spans.extend(zip(places, parts, strict=False))
        waiting.clear()

    for place, token in enumerate(tokens):
        reach = at + NEAR + sum(len(tokens[one]) + NEAR for one in waiting[:MOST_WAITING])
        forms = [form for form in (token, token.lstrip(b" ")) if form]
        near = [(start, form) for form in forms if (start := searched.find(form, at, reach + len(form))) >= 0]
        if near:
            start, form = min(near, key=lambda one: one[0])
            settle(start)
            spans.append((place, form))
            at = start + len(form)
        elif token:
            waiting.append(place)
    settle(len(text))
    return [(place, part) for place, part in spans if part]


def _spaceless(text: str) -> str:
    return "".join(text.replace("▁", " ").split())
