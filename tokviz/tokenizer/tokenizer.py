"""Defines the byte-level BPE tokenizer: alphabet, merges in learned order, split pattern, special and added tokens.

alphabet       byte -> id. GPT-2 does not number its bytes 0 to 255, so the alphabet is data.
merges         rank -> (left id, right id); merge_ids: rank -> the id it mints. Nothing computes 256 + rank.
encode         cut out added and special tokens, cut the rest into chunks, close the seams of each, read ids off them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import accumulate, groupby
from os import PathLike
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokviz.base.arguments import bytes_of, checked_text, ends_of, ids_of, path_of, whole_number
from tokviz.base.drawn import Page, as_file, html, page
from tokviz.base.errors import FormatError, PatternError
from tokviz.base.files import write
from tokviz.base.frozen import FrozenDict
from tokviz.base.text import clean, utf8
from tokviz.kernels import OPEN, SPLIT, WHOLE
from tokviz.kernels.encoding import Chunks, NoChunk
from tokviz.split.cutting import check_pattern, chunks_of, cut_data, cut_each, cut_in_pieces, left_out
from tokviz.split.normalizing import Normalizer, checked_normalizer
from tokviz.split.pipeline import stages_of
from tokviz.split.specials import (
    NONE,
    CutFirst,
    SpecialIds,
    Specials,
    check_special_ids,
    cut_specials,
    cut_stretches,
    special_finder,
)
from tokviz.tokenizer.encoding import Encoding, Ints, joined
from tokviz.tokenizer.merge_table import FirstMerges, MergeTable, tokens_of
from tokviz.tokenizer.merges import History, MergeRecord
from tokviz.tokenizer.origin import Origin

__all__ = ["MergeRecord", "Specials", "Tokenizer"]

T = TypeVar("T")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Tokenizer(CutFirst):
    """Encodes texts by byte-level BPE. What it returns is read-only; `truncated` and others make new tokenizers.

    name: for messages and pages; half a character in it becomes U+FFFD.
    pattern: a name or a regular expression (see `tokviz.split.cutting`).
    special_tokens: text -> id, cut out of a text where they are allowed.
    added_tokens: text -> id, always cut out.
    history: the MergeRecords of its training, or None.
    origin: the settings and texts of its training, as far as they are known.
    normalizer: changes a text before it is cut; None if nothing does.

    >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)], pattern="none")
    >>> tok.encode("hug a bug")
    [257, 32, 97, 32, 98, 256]
    >>> tok.decode([257, 115])
    'hugs'
    """

    name: str
    pattern: str
    special_tokens: SpecialIds
    added_tokens: SpecialIds
    history: History | None
    origin: Origin
    normalizer: Normalizer | None
    _vocabulary: FirstMerges

    # Peers have these too (see `tokviz.tokenizer.peers`): are the merges known, and what kind is it?
    has_merges: ClassVar[Literal[True]] = True
    kind: ClassVar[str] = ""

    def __init__(
        self,
        name: str,
        merges: Iterable[Sequence[int]] | FirstMerges,
        *,
        pattern: str = "gpt2",
        special_tokens: SpecialIds | None = None,
        added_tokens: SpecialIds = NONE,
        alphabet: Sequence[int] | Ints | None = None,
        merge_ids: Sequence[int] | Ints | None = None,
        history: Iterable[MergeRecord] | None = None,
        made_from: Mapping[str, Any] | Origin | None = None,
        normalizer: Normalizer | None = None,
    ) -> None:
        """Check the arguments and set the fields.

        merges: (left id, right id) in rank order; a FirstMerges also has the alphabet and the merge_ids.
        alphabet: 256 ids, byte -> id, -1 for a byte that no token has; None means 0 to 255.
        merge_ids: rank -> the id that the merge mints; None means 256, 257, and so on.

        Raises FormatError if the merges contradict themselves, SpecialTokenError if special or added tokens do,
        PatternError if the pattern does not compile, SettingError if JSON cannot hold made_from, if no training could
        have recorded it, or if the normalizer is not a valid Normalizer.
        """
        if not isinstance(merges, FirstMerges):
            merges = FirstMerges(MergeTable.of_pairs(merges, alphabet, merge_ids))
        records = history if history is None or isinstance(history, History) else History.of(history)
        if records is not None and len(records) != len(merges.merge_ids):
            what = f"The history records {len(records):,} merges, but there are {len(merges.merge_ids):,}."
            raise FormatError(what, "Give one record a merge.")
        specials = {} if special_tokens is None else check_special_ids(special_tokens, merges)
        added = check_special_ids(added_tokens, merges, specials)
        origin, name = Origin.of(made_from), clean(checked_text(name, "The name"))
        pattern, normalizer = check_pattern(pattern, read=True), checked_normalizer(normalizer, {**specials, **added})
        if merges.table.in_characters and any(stage.of_bytes for stage in stages_of(pattern)):
            what = "The pipeline cuts bytes, and this tokenizer merges characters."
            raise PatternError(what, "Choose a pattern that cuts between characters.")
        cut_first = FrozenDict(specials), FrozenDict(added)
        values = (name, pattern, *cut_first, records, origin, normalizer, merges)
        for field, value in zip(fields(self), values, strict=True):
            object.__setattr__(self, field.name, value)  # how a frozen dataclass sets its own fields

    @classmethod
    def learned(
        cls,
        name: str,
        history: History,
        *,
        pattern: str,
        special_tokens: SpecialIds,
        made_from: Mapping[str, Any] | None,
    ) -> Self:
        """Make the tokenizer of a training. Its pairs and the bytes of its tokens are made when first asked for."""
        merges = FirstMerges(MergeTable.of_history(history))
        return cls(name, merges, pattern=pattern, special_tokens=special_tokens, history=history, made_from=made_from)

    @classmethod
    def from_ranks(
        cls, name: str, ids: Mapping[bytes, int], *, pattern: str, special_tokens: SpecialIds, no_lookups: bool = False
    ) -> Self:
        """Make a tokenizer from the ranks of a tiktoken file.

        It encodes as tiktoken does, by the bytes of tokens alone. Its pairs are recovered when `merges` is first asked
        for, and its `lookups` found when it first encodes.

        ids: token bytes -> id, with all 256 single bytes.
        no_lookups: it is known to have none.

        Raises FormatError if a byte has no id, or two tokens have the same.

        >>> ids = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"abc": 257}
        >>> Tokenizer.from_ranks("abc", ids, pattern="none", special_tokens={}).merges
        ((97, 98), (256, 99))
        """
        table = MergeTable.of_ranks(ids, no_lookups=no_lookups)
        return cls(name, FirstMerges(table), pattern=pattern, special_tokens=special_tokens)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name!r}: {self.vocab_size:,} tokens, pattern {self.pattern!r}>"

    def _repr_html_(self) -> str:
        """Draw it for Jupyter: what it is, and the tokens of its first and last merges."""
        return html(self)

    @property
    def made_from(self) -> Mapping[str, Any] | None:
        """What is known of its training, as a model file has it; None for nothing. `origin` has it as fields."""
        return self.origin.said  # type: ignore[no-any-return]

    @property
    def alphabet(self) -> Ints:
        """int32[256]: byte -> id; -1 for a byte that no token has."""
        return self._vocabulary.alphabet

    @property
    def merge_ids(self) -> Ints:
        """int32: rank -> the id that the merge mints."""
        return self._vocabulary.merge_ids

    @property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """(left id, right id) in rank order; (-1, -1) for a look-up. For a reference, the first call takes seconds."""
        return self._vocabulary.merges

    @property
    def lookups(self) -> Mapping[bytes, int]:
        """The tokens of a rank file that no pair of earlier tokens makes: bytes -> id. See
        `tokviz.tokenizer.merge_table`.

        >>> ids = {bytes([byte]): byte for byte in range(256)} | {b"xyz": 256}
        >>> tok = Tokenizer.from_ranks("whole", ids, pattern="gpt2", special_tokens={})
        >>> dict(tok.lookups), tok.encode("xyz xyz")
        ({b'xyz': 256}, [256, 32, 120, 121, 122])
        """
        return MappingProxyType(self._vocabulary.table.lookups)

    @property
    def rank_file(self) -> dict[bytes, int]:
        """Token bytes -> id, of all tokens that encoding needs, as `from_ranks` takes them.

        A truncated tokenizer has the tokens of the whole one here: its look-ups, if any, are made of them.
        """
        return self._vocabulary.table.ids_by_bytes

    @property
    def characters(self) -> tuple[int, list[bytes], list[int], list[list[int]] | None]:
        """`units`, the bytes and ids of all tokens by rank, and the pairs of all tokens but the units.

        `MergeTable.of_characters` takes them. A truncated tokenizer has those of the whole one here.
        """
        table = self._vocabulary.table
        pairs = None if table.by_bytes else [[*pair] for pair in table.merges[table.units :]]
        return table.units, table.token_bytes, table.merge_ids.tolist(), pairs

    @property
    def by_bytes(self) -> bool:
        """Whether any two tokens merge whose bytes together are a token, as in tiktoken, or only listed pairs do."""
        return self._vocabulary.table.by_bytes

    @property
    def vocab_size(self) -> int:
        """256 + merges, among them the look-ups of a rank file; special and added tokens are not counted."""
        return len(self._vocabulary)

    @property
    def n_vocab(self) -> int:
        """The highest id + 1, as tiktoken counts: gaps, special and added tokens are counted."""
        highest = self.alphabet.max(), self.merge_ids.max(initial=0)
        return int(max(*highest, *self.lookups.values(), *self._vocabulary.table.spare, *self.cut_ids)) + 1

    @cached_property
    def vocab(self) -> Mapping[int, bytes]:
        """id -> the bytes of that token, special and added tokens included."""
        cut_first = {id: token.encode() for token, id in self.cut_tokens.items()}
        return MappingProxyType(self._vocabulary.bytes_by_id() | cut_first)

    def rank_of(self, token: bytes) -> int | None:
        """Return the rank of the merge that makes these bytes; None if there is none, as for single and special tokens.

        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).rank_of(b"hug")
        1
        """
        return self._vocabulary.rank_of(bytes_of(token))

    def rank_of_pair(self, left: bytes, right: bytes) -> int | None:
        """Return the rank of the merge that joins these two tokens when they are neighbours; None if none does.

        A reference tokenizer merges as tiktoken does: any two tokens whose bytes together have a rank.

        >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)])
        >>> tok.rank_of_pair(b"h", b"ug"), tok.rank_of_pair(b"hu", b"g")
        (1, None)
        """
        rank = self._vocabulary.rank_of(bytes_of(left) + bytes_of(right))
        made_of_them = rank is None or self.by_bytes or self.vocab[self.merges[rank][0]] == left
        return rank if made_of_them else None

    def merged(self, data: bytes) -> list[bytes]:
        """Merge these bytes and return the tokens: without split pattern, special tokens or neighbours.

        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)], pattern="none").merged(b"hughu")
        [b'hug', b'h', b'u']
        """
        if not bytes_of(data):
            return []
        starts = np.flatnonzero(self._vocabulary.encoder.seams(data, np.array([len(data)])) >= OPEN).tolist()
        return [data[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]

    def last_seams(self) -> NDArray[np.int64]:
        """Return rank -> the byte at which the merge joins two parts of its token; see `FirstMerges.last_seams`."""
        return self._vocabulary.last_seams()

    def encode(
        self, text: str, allowed_special: Specials = frozenset(), disallowed_special: Specials = "all"
    ) -> list[int]:
        """Return the ids of a text. The parameters are those of tiktoken.

        allowed_special: the special tokens that are read as one token; "all" means all of them.
        disallowed_special: those that raise SpecialTokenError if the text has one; "all" means all not allowed.

        A special token that is neither is ordinary text. An added token is always one token. InputError if the text is
        not a string.

        >>> tok = Tokenizer("bytes", [], special_tokens={"<|end|>": 256})
        >>> tok.encode("a<|end|>", allowed_special="all")
        [97, 256]
        >>> tok.encode("a<|end|>")
        Traceback (most recent call last):
            ...
        tokviz.base.errors.SpecialTokenError: The text contains the special token '<|end|>' at byte 1. To read...
        """
        stretches, _ = self._stretches(text, allowed_special, disallowed_special)
        return self._encoded(stretches).tolist()  # type: ignore[no-any-return]

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of a text; special tokens are read as ordinary text.

        >>> Tokenizer("bytes", [], special_tokens={"<s>": 256}, added_tokens={"  ": 257}).encode_ordinary("  <s>")
        [257, 60, 115, 62]
        """
        return self.encode_array(text).tolist()  # type: ignore[no-any-return]

    def encode_array(self, text: str, threads: int | None = None) -> Ints:
        """Return the ids of `encode_ordinary` as an int32 array, which is quicker for long texts.

        threads: how many may share a long text; None means one for each core. The ids are the same.
        """
        if threads is not None:
            whole_number(threads, "The number of threads", 1)
        if not self.added_tokens and not self.normalizer:
            return self._of_chunks(self._ids, utf8(text), threads)
        return self._encoded(self._stretches(text)[0], threads)

    def _encoded(self, stretches: Iterable[tuple[bytes, int | None]], threads: int | None = None) -> Ints:
        """Return the ids of stretches, each a text of its own."""
        pieces = [
            self._of_chunks(self._ids, data, threads, self._cut_for_ids) if id is None else np.array([id], np.int32)
            for data, id in stretches
        ]
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def _stretches(
        self, text: str, allowed_special: Specials = (), disallowed_special: Specials = (), aligned: bool = False
    ) -> tuple[list[tuple[bytes, int | None]], Ints | None]:
        """Cut a text into stretches as it is encoded. If aligned, also the `typed` of its Encoding."""
        arguments = text, self.special_tokens, allowed_special, disallowed_special, self.added_tokens
        return self.normalizer.cut(*arguments, aligned) if self.normalizer else (cut_stretches(*arguments), None)

    @cached_property
    def _cut_for_ids(self) -> str:
        """A pattern that gives the same ids as `pattern`, and lets the encoder remember more chunks.

        If a text is one chunk of characters, and no token has a space after other characters, it cuts before spaces.
        """
        if not self.in_characters or self.pattern != "none" or b" " in self.lacked:
            return self.pattern
        crosses = any(b" " in token.lstrip(b" ") for token in self._vocabulary.table.token_bytes)
        return self.pattern if crosses else " *[^ ]+| +"

    def _of_chunks(
        self,
        get: Callable[[bytes, Chunks, int | None], T],
        data: bytes,
        threads: int | None = None,
        pattern: str | None = None,
    ) -> T:
        """Cut a text and return its ids or seams, whichever `get` gives."""
        try:
            return get(data, chunks_of(data, pattern or self.pattern), threads)
        except NoChunk:
            return get(data, cut_data(data, pattern or self.pattern), threads)

    @cached_property
    def _leaves_out(self) -> bool:
        """Whether the pattern is a pipeline that leaves characters out."""
        return any(stage.behavior == "removed" for stage in stages_of(self.pattern))

    def _seams(
        self, data: bytes, chunks: Chunks, threads: int | None = None, stops: Sequence[int] = ()
    ) -> tuple[Ints, dict[int, int | None]]:
        """Return what `FirstMerges.seams` does, but that no token has what the pattern leaves out.

        stops: where each of many texts in `data` ends. What is left out of two of them is two spans.
        """
        seams, whole = self._vocabulary.seams(data, chunks, threads)
        if not self._leaves_out:
            return seams, whole
        gone = left_out(data, self.pattern)
        goes_on = np.append(False, gone)
        goes_on[[*stops]] = False
        starts = np.flatnonzero(gone & ~goes_on[:-1])
        seams[gone], seams[starts] = WHOLE, SPLIT
        return seams, {at: id for at, id in whole.items() if not gone[at]} | dict.fromkeys(starts.tolist())

    def _ids(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """Return what `FirstMerges.ids` does, but none for what the pattern leaves out."""
        if not self._leaves_out:
            return self._vocabulary.ids(data, chunks, threads)
        ids = self._encoding(data, *self._seams(data, chunks, threads)).ids
        return ids[ids >= 0]

    def explain(
        self, text: str, allowed_special: Specials = frozenset(), disallowed_special: Specials = ()
    ) -> Encoding:
        """Return the Encoding of a text: its bytes and seams, from which ids, places and merge trees are read.

        Lone surrogates become U+FFFD, as in tiktoken. Special and added tokens are as in `encode`, but no special token
        is disallowed by default.

        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).explain("hugs").ids.tolist()
        [257, 115]
        """
        return self._explained(*self._stretches(text, allowed_special, disallowed_special, aligned=True))

    def show(self, text: str, allowed_special: Specials = frozenset()) -> Page:
        """Make a page of the tokens of a text, which opens without a server: a press on a token opens its card.

        Jupyter shows it in a frame; `save` writes it to a file. allowed_special: as in `explain`.

        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).show("hugs").title
        'Tokens of hug'
        """
        return page(self, self.explain(text, allowed_special))

    def _explained(
        self, stretches: Sequence[tuple[bytes, int | None]], typed: Ints | None = None, start: int = 0
    ) -> Encoding:
        """Encode stretches, each as a text of its own. start: the byte at which they begin in a text."""
        pieces: list[Ints] = []
        whole: dict[int, int | None] = {}
        offset = 0
        for data, special in stretches:
            if special is None:
                seams, looked_up = self._of_chunks(self._seams, data)
                pieces.append(seams)
                whole.update((offset + start, id) for start, id in looked_up.items())
            else:
                whole[offset] = special
                pieces.append(np.array([SPLIT] + [WHOLE] * (len(data) - 1), np.int32))
            offset += len(data)
        if len(pieces) == 1:
            return self._encoding(stretches[0][0], pieces[0], whole, start, typed)
        return self._encoding(b"".join(data for data, _ in stretches), np.concatenate(pieces), whole, start, typed)

    def _encoding(
        self, data: bytes, seams: Ints, whole: dict[int, int | None], start: int = 0, typed: Ints | None = None
    ) -> Encoding:
        kinds = self.special_ids, (), self.added_ids
        return Encoding(data, seams, self.alphabet, self.merge_ids, whole, start, False, *kinds, typed, self.units)

    @property
    def spare(self) -> Mapping[int, bytes]:
        """id -> bytes, of tokens that no text becomes; they can be decoded."""
        return MappingProxyType({**self._vocabulary.table.spare})

    @property
    def unknown(self) -> int | None:
        """The id of the token for what the vocabulary lacks; None if it lacks nothing, or that becomes nothing."""
        return self._vocabulary.table.unknown

    @property
    def lacks(self) -> dict[str, Any]:
        """What becomes of bytes and characters that no token has, as a MergeTable takes it; {} if it lacks none."""
        table = self._vocabulary.table
        return {"unknown": table.unknown, "fuses": table.fuses} if table.lacked else {}

    @property
    def lacked(self) -> bytes:
        """The bytes that no token has."""
        return self._vocabulary.table.lacked

    @property
    def in_characters(self) -> bool:
        """Whether a text is characters before any merge, as in SentencePiece's BPE, or bytes."""
        return self._vocabulary.table.in_characters

    @property
    def units(self) -> int:
        """The number of first merges that are characters, as in SentencePiece's BPE; 0 for bytes alone.

        See `tokviz.tokenizer.merge_table`.
        """
        return self._vocabulary.table.units

    def explain_in_pieces(self, text: str, size: int, start: int = 0) -> Iterator[Encoding]:
        """Yield the Encoding of a text piece by piece, for texts of many MB. Special tokens are read as text.

        size: the fewest bytes in a piece, except the last. A piece has whole chunks; its `start` says where it lies.
        start: the first piece begins with the chunk that contains this byte.

        >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)])
        >>> [(piece.start, piece.data, len(piece)) for piece in tok.explain_in_pieces("hug a hug", 1_000_000, start=5)]
        [(5, b' hug', 2)]
        """
        size, start = whole_number(size, "The size of a piece", 1), whole_number(start, "The start", 0)
        return self._pieces(clean(checked_text(text)), size, start)

    def _pieces(self, text: str, size: int, start: int) -> Iterator[Encoding]:
        waiting: list[Encoding] = []  # too short alone
        for part in self._in_parts(text, size, start):
            waiting.append(part)
            if part.start + len(part.data) - waiting[0].start >= size:
                yield joined(waiting)
                waiting = []
        if waiting:
            yield joined(waiting)

    def _in_parts(self, text: str, size: int, start: int) -> Iterator[Encoding]:
        """Yield the pieces, cut at added tokens too; each added token is a part of its own."""
        stretches: Iterable[tuple[str, bytes, int | None]]
        if self.normalizer:
            cuts, typed = self._stretches(text, aligned=True)
            stretches = ((data.decode(), data, id) for data, id in cuts)
        else:
            found, typed = cut_specials(text, self.added_tokens, self.special_tokens), None
            stretches = ((s, s.encode(), self.added_tokens[s] if is_added else None) for s, is_added in found)
        at = 0
        for stretch, data, id in stretches:
            begin, at = at, at + len(data)
            if at <= start:
                continue
            if id is not None:
                yield self._explained([(data, id)], None if typed is None else typed[begin:at], begin)
                continue
            for first, ends in cut_in_pieces(stretch, self.pattern, size, max(start - begin, 0)):
                stop = int(ends[-1])
                here = None if typed is None else typed[begin + first : begin + stop]
                seams = self._seams(data[first:stop], ends - first)
                yield self._encoding(data[first:stop], *seams, begin + first, here)

    def explain_chunks(self, data: bytes, ends: NDArray[np.int64]) -> Encoding:
        """Encode chunks that are cut already.

        data: the chunks end to end.
        ends: int64, one a chunk, the byte of `data` at which it ends. InputError if they do not cover `data`.

        >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)])
        >>> tok.explain_chunks(b"hughu", np.array([3, 5])).ids.tolist()
        [257, 104, 117]
        """
        return self._encoding(data, *self._seams(bytes_of(data, "The data"), ends_of(ends, len(data))))

    def explain_each(self, texts: Sequence[bytes]) -> Encoding:
        """Encode many texts, each by itself, and return them end to end. Special tokens are read as text.

        The normalizer is not applied: the texts are pieces of texts that it changed already.

        >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)])
        >>> tok.explain_each([b"hug", b"h", b"ug"]).ids.tolist()
        [257, 104, 256]
        """
        if not self.added_tokens:
            return self._each(texts)
        find = special_finder(frozenset(self.added_tokens)).search
        kinds = self.special_tokens, (), (), self.added_tokens
        parts = [self.explain("")]
        for is_cut, some in groupby(texts, lambda text: find(text.decode()) is not None):
            run = [*some]
            uncut = [] if is_cut else [self._each(run)]
            parts += uncut or [self._explained(cut_stretches(text.decode(), *kinds)) for text in run]
        return joined(parts)

    def _each(self, texts: Sequence[bytes]) -> Encoding:
        """Do what `explain_each` does, and cut no added token out."""
        data, stops = b"".join(texts), [*accumulate(map(len, texts))]
        return self._encoding(data, *self._seams(data, cut_each(texts, self.pattern), stops=stops))

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of ids.

        UnknownIdError names an id that no token has; InputError, a value that is no whole number.

        >>> Tokenizer("bytes", []).decode_bytes([97, 300])
        Traceback (most recent call last):
            ...
        tokviz.base.errors.UnknownIdError: No token has the id 300 (position 1). The ids go up to 255.
        """
        return b"".join(tokens_of(ids_of(ids), self.vocab))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids. Bytes that are not whole UTF-8 become U+FFFD; `decode_bytes` is exact.

        With a normalizer, this is the changed text without the spaces that it puts before a text. Errors as in
        `decode_bytes`.
        """
        text = self.decode_bytes(ids).decode("utf-8", "replace")
        for _ in range(self.normalizer.taken_off if self.normalizer else 0):
            text = text.removeprefix(" ")
        return text

    def explain_ids(self, ids: Iterable[int]) -> Encoding:
        """Return the Encoding that has these ids as its tokens, even if their text would be encoded differently.

        Its bytes need not be UTF-8. Errors as in `decode_bytes`.

        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).explain_ids([104, 117, 103]).ids.tolist()
        [104, 117, 103]
        """
        ids = ids_of(ids)
        return self._encoding(*self._vocabulary.of_tokens(ids, tokens_of(ids, self.vocab), self.cut_ids))

    def truncated(self, vocab_size: int) -> Tokenizer:
        """Return the tokenizer as it was at a smaller vocabulary. Special tokens, added tokens and look-ups stay.

        SettingError unless 256 (and its units) <= vocab_size <= the present size.

        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).truncated(257).encode("hug")
        [104, 256]
        """
        what, least = f"The vocabulary size to cut {self.name} to", 256 + self.units
        vocab_size = whole_number(vocab_size, what, least, self.vocab_size)
        k = vocab_size - 256
        return self._with(
            merges=FirstMerges(self._vocabulary.table, k),
            history=None if self.history is None else self.history[:k],
            made_from=self.origin.saying(truncated_to=vocab_size),
        )

    def with_special_tokens(self, special_tokens: SpecialIds) -> Tokenizer:
        """Return a copy with these special tokens, text -> id, instead of its own. Added tokens stay.

        SpecialTokenError if one is empty, or an id is taken.

        >>> Tokenizer("bytes", []).with_special_tokens({"<|end|>": 256}).encode("<|end|>", allowed_special="all")
        [256]
        """
        specials = check_special_ids(special_tokens, self._vocabulary)
        normalizer = self.normalizer
        if normalizer:
            there, fields = [*specials, *self.added_tokens], ("after", "before", "behind", "alone")
            normalizer = normalizer._replace(**{key: getattr(normalizer, key).intersection(there) for key in fields})
        return self._with(special_tokens=specials, normalizer=normalizer)

    def with_normalizer(self, normalizer: Normalizer | None) -> Tokenizer:
        """Return a copy with this normalizer, which changes a text before it is cut; None means without one.

        SettingError if it is not a valid Normalizer, PatternError if it has an expression that no automaton can match.

        >>> from tokviz.split.normalizing import Normalizer, Step
        >>> Tokenizer("bytes", []).with_normalizer(Normalizer((Step("lowercase"),))).encode("A")
        [97]
        """
        return self._with(normalizer=normalizer)

    def with_added_tokens(self, added_tokens: SpecialIds) -> Tokenizer:
        """Return a copy with these added tokens, text -> id, instead of its own. Errors as in `with_special_tokens`.

        >>> Tokenizer("bytes", []).with_added_tokens({"<think>": 256}).encode("a<think>")
        [97, 256]
        """
        return self._with(added_tokens=added_tokens)

    def renamed(self, name: str) -> Tokenizer:
        """Return a copy under another name.

        >>> Tokenizer("bytes", []).renamed("plain").name
        'plain'
        """
        return self._with(name=name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the arguments of the tokenizer, without what it has made since to encode faster."""
        return partial(Tokenizer, **self._parts()), ()

    def _with(self, **changed: Any) -> Tokenizer:
        return Tokenizer(**self._parts() | changed)

    def _parts(self) -> dict[str, Any]:
        """Return the arguments that make this tokenizer."""
        names = "name", "pattern", "special_tokens", "added_tokens", "history", "normalizer"
        parts = {name: getattr(self, name) for name in names}
        return {"merges": self._vocabulary, "made_from": self.origin, **parts}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model file, whole or not at all; `tokviz.load` reads it again.

        SettingError if the file cannot be written, InputError if the path is not a path.
        """
        write(path_of(path), as_file(self))
