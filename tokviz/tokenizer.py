"""A byte-level BPE tokenizer: an alphabet, merges in the order they were learned, a split pattern, special tokens.

    alphabet       byte -> id. GPT-2 orders its byte ids otherwise than 0 to 255, so it is data.
    merges         rank -> (left id, right id); merge_ids: rank -> the id it mints. Nothing computes 256 + rank.
    encode         cut out special tokens, cut the rest into chunks, close the seams of each, read ids off the seams.

A tokenizer is never changed in place; `truncated`, `renamed` and `with_special_tokens` make new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from regex import __version__ as regex_version

from tokviz import saving
from tokviz.encoding import BYTES_AS_IDS, Encoding, Ints
from tokviz.errors import (
    FormatError,
    InputError,
    SettingError,
    SpecialTokenError,
    TokvizError,
    UnknownIdError,
)
from tokviz.kernels import OPEN, SPLIT, WHOLE, Encoder, Ranks
from tokviz.merges import History, MergeRecord, build, places_of, recover
from tokviz.specials import Specials, check_special_ids, cut_specials, refuse
from tokviz.split import PATTERNS, check_pattern, cut_data, cut_in_batches
from tokviz.text import clean

__all__ = ["MergeRecord", "Tokenizer", "load"]


class Tokenizer:
    """A byte-level BPE tokenizer.

    merges: (left id, right id) in rank order. pattern: a name or a regular expression (see `tokviz.split`).
    special_tokens: text -> id. alphabet: 256 ids, byte -> id. merge_ids: what each merge mints; 256, 257, ... if None.
    history: the MergeRecords of its training (kept as a `History`). made_from: its settings and texts, JSON-able.
    Raises FormatError where merges contradict themselves, SpecialTokenError where special tokens do.

    >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)], pattern="none")
    >>> tok.encode("hug a bug")
    [257, 32, 97, 32, 98, 256]
    >>> tok.decode([257, 115])
    'hugs'
    """

    def __init__(
        self,
        name: str,
        merges: Iterable[Sequence[int]],
        *,
        pattern: str = "gpt2",
        special_tokens: Mapping[str, int] | None = None,
        alphabet: Sequence[int] | Ints | None = None,
        merge_ids: Sequence[int] | Ints | None = None,
        history: Sequence[MergeRecord] | None = None,
        made_from: Mapping[str, Any] | None = None,
    ) -> None:
        pairs = [(int(left), int(right)) for left, right in merges]
        self._set_up(name, pattern, alphabet, range(256, 256 + len(pairs)) if merge_ids is None else merge_ids)
        self._merges: list[tuple[int, int]] | None = pairs
        self._token_bytes = build(self.alphabet, self.merge_ids, pairs)
        self._by_bytes = False
        self.special_tokens = check_special_ids(special_tokens, self._id_places) if special_tokens else {}
        self.history = history if history is None or isinstance(history, History) else History.of(history)
        self.made_from = None if made_from is None else dict(made_from)
        if self.history is not None and len(self.history) != len(pairs):
            raise FormatError(f"The history tells of {len(self.history):,} merges, but there are {len(pairs):,}.")

    @classmethod
    def learned(
        cls, name: str, history: History, *, pattern: str, special_tokens: Mapping[str, int], made_from: dict[str, Any]
    ) -> Self:
        """The tokenizer that a training came to. Its pairs and the bytes of its tokens are made when first asked for.

        Nothing is left to check: merges are recorded in learned order, and no two make the same bytes. For what stands
        between two boundaries that last evolves alike wherever it stands, so where the same bytes come up again, the
        first of the two merges has joined them already.
        """
        self = cls.__new__(cls)
        self._set_up(name, pattern, None, np.arange(256, 256 + len(history), dtype=np.int32))
        self._merges = None
        self._by_bytes = False
        self.special_tokens = check_special_ids(special_tokens, self._id_places) if special_tokens else {}
        self.history = history
        self.made_from = made_from
        return self

    @classmethod
    def from_ranks(
        cls, name: str, ids: Mapping[bytes, int], *, pattern: str, special_tokens: Mapping[str, int]
    ) -> Self:
        """A tokenizer from tiktoken's kind of file: token bytes -> id, all 256 single bytes among them.

        It encodes as tiktoken does, by the ids alone; the pairs are recovered when `merges` is first asked for.
        """
        alphabet = [ids.get(bytes([b]), -1) for b in range(256)]
        if min(alphabet) < 0:
            raise FormatError(f"{name}: byte {alphabet.index(-1):02X} has no id.", "All 256 single bytes need one.")
        by_id = sorted((id, token) for token, id in ids.items() if len(token) > 1)
        self = cls.__new__(cls)
        self._set_up(name, pattern, alphabet, [id for id, _ in by_id])
        self._merges = None
        self._token_bytes = [token for _, token in by_id]
        self._by_bytes = True  # whatever meets and spells a token merges
        self.special_tokens = check_special_ids(special_tokens, self._id_places)
        self.history = None
        self.made_from = None
        return self

    def _set_up(
        self, name: str, pattern: str, alphabet: Sequence[int] | Ints | None, merge_ids: Sequence[int] | Ints
    ) -> None:
        self.name = name
        self.pattern = check_pattern(pattern)
        try:
            self.alphabet: Ints = BYTES_AS_IDS if alphabet is None else np.asarray(alphabet, np.int32)
            self.merge_ids: Ints = np.asarray(merge_ids, np.int32)
        except OverflowError:
            raise FormatError(f"An id is out of range: ids go from 0 to {2**31 - 1:,}.") from None
        if len(self.alphabet) != 256:
            raise FormatError(f"The alphabet has {len(self.alphabet)} ids; there are 256 bytes.")
        ids = np.concatenate([self.alphabet, self.merge_ids])
        in_line = np.array_equal(ids, np.arange(len(ids)))
        if not in_line and (ids.min() < 0 or len(np.unique(ids)) != len(ids)):
            raise FormatError("Two tokens have the same id, or an id is below 0.", "Each token needs an id of its own.")

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name!r}: {self.vocab_size:,} tokens, pattern {self.pattern!r}>"

    @cached_property
    def _id_places(self) -> dict[int, int]:
        """id -> byte (below 256) or 256 + rank. Not for ids themselves: they are data."""
        ids = np.concatenate([self.alphabet, self.merge_ids]).tolist()
        return dict(zip(ids, range(len(ids)), strict=True))

    @cached_property
    def _token_bytes(self) -> list[bytes]:
        """rank -> the bytes that the merge makes."""
        return build(self.alphabet, self.merge_ids, self.merges)

    @cached_property
    def _ranks(self) -> dict[bytes, int]:
        return {token: rank for rank, token in enumerate(self._token_bytes)}

    @property
    def merges(self) -> list[tuple[int, int]]:
        """(left id, right id) in rank order. For a reference tokenizer they are recovered once, in a second or two."""
        if self._merges is None and self._by_bytes:
            self._merges = recover(self.alphabet, self.merge_ids, self._token_bytes, self._ranks)
        elif self._merges is None and self.history is not None:
            self._merges = [*zip(self.history.column("left"), self.history.column("right"), strict=True)]
        return self._merges or []

    @property
    def vocab_size(self) -> int:
        """256 + merges, special tokens not counted."""
        return 256 + len(self.merge_ids)

    @property
    def n_vocab(self) -> int:
        """The highest id + 1, as tiktoken counts: gaps and special tokens included."""
        ids: list[int] = [*self.alphabet.tolist(), *self.merge_ids.tolist(), *self.special_tokens.values()]
        return max(ids) + 1

    @cached_property
    def vocab(self) -> dict[int, bytes]:
        """id -> the bytes of that token, special tokens included."""
        vocab = {int(id): bytes([b]) for b, id in enumerate(self.alphabet)}
        vocab.update(zip(self.merge_ids.tolist(), self._token_bytes, strict=True))
        vocab.update((id, token.encode()) for token, id in self.special_tokens.items())
        return vocab

    def rank_of(self, token: bytes) -> int | None:
        """The rank of the merge that makes these bytes; None where there is none, as for single and special tokens.

        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).rank_of(b"hug")
        1
        """
        return self._ranks.get(token)

    def rank_of_pair(self, left: bytes, right: bytes) -> int | None:
        """The rank of the merge that joins these two tokens where they are neighbours; None where none does.

        A reference tokenizer merges as tiktoken does: whatever two tokens meet, if their bytes together have a rank.

        >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)])
        >>> tok.rank_of_pair(b"h", b"ug"), tok.rank_of_pair(b"hu", b"g")
        (1, None)
        """
        rank = self._ranks.get(left + right)
        if rank is None or self._by_bytes or self.vocab[self.merges[rank][0]] == left:
            return rank
        return None

    def merged(self, data: bytes) -> list[bytes]:
        """The tokens that the merges alone make of these bytes: no split pattern, no special tokens, no neighbours.

        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)], pattern="none").merged(b"hughu")
        [b'hug', b'h', b'u']
        """
        if not data:
            return []
        seams = self._encoder.seams(data, np.array([len(data)]))
        starts = np.flatnonzero(seams >= OPEN).tolist()
        return [data[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]

    def encode(
        self, text: str, allowed_special: Specials = frozenset(), disallowed_special: Specials = "all"
    ) -> list[int]:
        """Text to ids. The two parameters mean what tiktoken means by them.

        A special token in the text is one token where it is allowed, raises SpecialTokenError where it is disallowed,
        and is ordinary text where it is neither. "all" stands for all of them, in `disallowed_special` for all that
        are not allowed.

        >>> tok = Tokenizer("bytes", [], special_tokens={"<|end|>": 256})
        >>> tok.encode("a<|end|>", allowed_special="all")
        [97, 256]
        >>> tok.encode("a<|end|>")
        Traceback (most recent call last):
            ...
        tokviz.errors.SpecialTokenError: The text contains the special token '<|end|>' at byte 1. To read...
        """
        pieces = [
            [special] if special is not None else self._encoder.ids(data, cut_data(data, self.pattern)).tolist()
            for data, special in self._stretches(text, allowed_special, disallowed_special)
        ]
        return pieces[0] if len(pieces) == 1 else list(chain.from_iterable(pieces))

    def encode_ordinary(self, text: str) -> list[int]:
        """Text to ids, special tokens read as ordinary text."""
        return self.encode(text, disallowed_special=())

    def encode_array(self, text: str) -> Ints:
        """As `encode_ordinary`, as an int32 array, for bulk."""
        ((data, _),) = self._stretches(text, (), ())
        return self._encoder.ids(data, cut_data(data, self.pattern))

    def explain(
        self, text: str, allowed_special: Specials = frozenset(), disallowed_special: Specials = ()
    ) -> Encoding:
        """Text to an Encoding: its bytes and seams, from which ids, places and merge trees are read.

        Lone surrogates become U+FFFD, as in tiktoken. Special tokens as in `encode`, but none is disallowed by default.
        """
        pieces: list[Ints] = []
        whole: dict[int, int | None] = {}
        offset = 0
        for data, special in (stretches := self._stretches(text, allowed_special, disallowed_special)):
            if special is None:
                pieces.append(self._encoder.seams(data, cut_data(data, self.pattern)))
            else:
                whole[offset] = special
                pieces.append(np.array([SPLIT] + [WHOLE] * (len(data) - 1), np.int32))
            offset += len(data)
        if len(pieces) == 1:
            return Encoding(stretches[0][0], pieces[0], self.alphabet, self.merge_ids, whole)
        joined = b"".join(data for data, _ in stretches)
        return Encoding(joined, np.concatenate(pieces), self.alphabet, self.merge_ids, whole)

    def explain_in_pieces(self, text: str, size: int, start: int = 0) -> Iterator[Encoding]:
        """As `explain`, special tokens read as text, but piece by piece, for texts of many MB.

        size: each piece has at least so many bytes, and whole chunks; the last may have fewer. start: the first piece
        begins with the chunk that holds this byte. `Encoding.start` says where a piece lies.

        >>> tok = Tokenizer("hug", merges=[(117, 103), (104, 256)])
        >>> [(piece.start, piece.data, len(piece)) for piece in tok.explain_in_pieces("hug a hug", 1_000_000, start=5)]
        [(5, b' hug', 2)]
        """
        text = clean(text)
        data, first = text.encode(), 0
        held: list[NDArray[np.int64]] = []
        for ends in cut_in_batches(text, self.pattern):
            if first <= start and not held:
                first = max([first, *ends[ends <= start][-1:].tolist()])
                ends = ends[ends > start]
            if len(ends):
                held.append(ends)
                if ends[-1] - first >= size:
                    yield self._piece(data, first, held)
                    first, held = int(ends[-1]), []
        if held:
            yield self._piece(data, first, held)

    def _piece(self, data: bytes, first: int, ends: list[NDArray[np.int64]]) -> Encoding:
        within = np.concatenate(ends) - first
        piece = data[first : first + int(within[-1])]
        seams = self._encoder.seams(piece, within)
        return Encoding(piece, seams, self.alphabet, self.merge_ids, start=first)

    def _stretches(
        self, text: str, allowed_special: Specials, disallowed_special: Specials
    ) -> list[tuple[bytes, int | None]]:
        """The text in UTF-8, cut at special tokens: (bytes, id of the special token that they are, or None)."""
        if not isinstance(text, str):
            raise InputError(
                f"Only text can be encoded, not {type(text).__name__}.", "Bytes become text by tokviz.read_text."
            )
        try:
            data = text.encode()
        except UnicodeEncodeError:
            text = clean(text)
            data = text.encode()
        mine = frozenset(self.special_tokens)
        allowed = self._specials(allowed_special, mine, "allowed_special")
        refused = self._specials(disallowed_special, mine - allowed, "disallowed_special")
        refuse(text, allowed & mine, refused)
        if not allowed & mine:
            return [(data, None)]
        cuts = cut_specials(text, allowed & mine)
        pieces = [(piece.encode(), self.special_tokens[piece] if special else None) for piece, special in cuts]
        return pieces or [(b"", None)]

    @cached_property
    def _encoder(self) -> Encoder:
        ids = np.concatenate([self.alphabet, self.merge_ids])
        return Encoder(self._merge_table, ids, len(self.merge_ids))

    @cached_property
    def _merge_table(self) -> Ranks:
        """Made when something is first encoded: for a reference tokenizer it takes a tenth of a second or two."""
        if self._by_bytes:
            return Ranks.of_tokens(self._token_bytes)
        return Ranks.of_pairs(places_of(self.alphabet, self.merge_ids, self.merges))

    @staticmethod
    def _specials(given: Specials, all_of_them: frozenset[str], parameter: str) -> frozenset[str]:
        if isinstance(given, str):
            if given != "all":
                raise SpecialTokenError(f"{parameter} is 'all' or a collection of special tokens, not {given!r}.")
            return all_of_them
        return frozenset(given)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Ids to bytes. UnknownIdError names an id that no token has, and its position.

        >>> Tokenizer("bytes", []).decode_bytes([97, 300])
        Traceback (most recent call last):
            ...
        tokviz.errors.UnknownIdError: No token has the id 300 (position 1). The ids go up to 255.
        """
        if isinstance(ids, str):
            raise InputError("Ids are numbers, not text.", "Split the text, and make each part an int.")
        vocab = self.vocab
        pieces = []
        for position, id in enumerate(ids):
            token = vocab.get(int(id))
            if token is None:
                raise UnknownIdError(
                    f"No token has the id {id} (position {position:,}).",
                    f"The ids go up to {self.n_vocab - 1:,}.",
                    id=int(id),
                    position=position,
                )
            pieces.append(token)
        return b"".join(pieces)

    def explain_ids(self, ids: Iterable[int]) -> Encoding:
        """Ids to the Encoding that has them for its tokens, also where their text would be encoded otherwise.

        Its bytes need not be UTF-8. UnknownIdError as in `decode_bytes`.

        >>> Tokenizer("hug", merges=[(117, 103), (104, 256)]).explain_ids([104, 117, 103]).ids.tolist()
        [104, 117, 103]
        """
        ids = list(ids)
        data = self.decode_bytes(ids)
        ends = np.cumsum([len(self.vocab[id]) for id in ids], dtype=np.int64)
        seams = self._encoder.seams(data, ends) if data else np.empty(0, np.int32)  # each token a chunk of its own
        specials = set(self.special_tokens.values())
        whole: dict[int, int | None] = {}
        start, alone = 0, True  # alone: a special token came just before, or nothing
        for id, end in zip(ids, ends.tolist(), strict=True):
            seams[start] = SPLIT if alone or id in specials else OPEN
            alone = id in specials
            if alone or (seams[start + 1 : end] >= OPEN).any():  # no pair of tokens makes it
                seams[start + 1 : end] = WHOLE
                whole[start] = id
            start = end
        return Encoding(data, seams, self.alphabet, self.merge_ids, whole)

    def decode(self, ids: Iterable[int]) -> str:
        """Ids to text; bytes that are not whole UTF-8 become U+FFFD. `decode_bytes` is exact."""
        return self.decode_bytes(ids).decode("utf-8", "replace")

    def truncated(self, vocab_size: int) -> Tokenizer:
        """The tokenizer as it was at a smaller vocabulary: 256 <= vocab_size <= the present one. Specials stay."""
        if not 256 <= vocab_size <= self.vocab_size:
            raise SettingError(
                f"{self.name} can be cut to 256 up to {self.vocab_size:,} tokens, not to {vocab_size:,}."
            )
        k = vocab_size - 256
        other = self._copy()
        other.__dict__.pop("_ranks", None)
        other.__dict__.pop("_encoder", None)  # the table it keeps: an encoder looks only at so many merges
        other.merge_ids = self.merge_ids[:k]
        other._merges = None if self._merges is None else self._merges[:k]
        other._token_bytes = self._token_bytes[:k]
        other.history = None if self.history is None else self.history[:k]
        other.made_from = None if self.made_from is None else {**self.made_from, "truncated_to": vocab_size}
        return other

    def with_special_tokens(self, special_tokens: Mapping[str, int]) -> Tokenizer:
        """The same tokenizer with this set of special tokens, text -> id, in the place of the old one."""
        other = self._copy()
        other.special_tokens = check_special_ids(special_tokens, self._id_places)
        return other

    def renamed(self, name: str) -> Tokenizer:
        """The same tokenizer under another name."""
        other = self._copy()
        other.name = name
        return other

    def _copy(self) -> Tokenizer:
        other = Tokenizer.__new__(Tokenizer)
        derived = {"_id_places", "vocab"}
        other.__dict__.update({key: value for key, value in self.__dict__.items() if key not in derived})
        return other

    def to_bytes(self) -> bytes:
        """The model file: tokviz's own JSON, with history and origin (see `tokviz.saving`)."""
        history = self.history
        return saving.dump(
            {
                "name": self.name,
                "pattern": self.pattern,
                "regex_version": None if self.pattern in PATTERNS else regex_version,
                "alphabet": None if np.array_equal(self.alphabet, BYTES_AS_IDS) else self.alphabet.tolist(),
                "merges": self.merges,
                "merge_ids": None if self._ids_in_line else self.merge_ids.tolist(),
                "special_tokens": self.special_tokens,
                "history": None if history is None else {column: history.column(column) for column in saving.HISTORY},
                "made_from": self.made_from,
            }
        )

    @property
    def _ids_in_line(self) -> bool:
        return np.array_equal(self.merge_ids, np.arange(256, self.vocab_size))

    @classmethod
    def from_bytes(cls, data: bytes, source: str = "The file") -> Self:
        """The tokenizer in a model file; FormatError says what is wrong with a damaged or foreign one."""
        model = saving.parse(data, source)
        try:
            merge_ids = model.get("merge_ids")
            ids = range(256, 256 + len(model["merges"])) if merge_ids is None else merge_ids
            return cls(
                model["name"],
                model["merges"],
                pattern=model["pattern"],
                special_tokens=model["special_tokens"],
                alphabet=model.get("alphabet"),
                merge_ids=ids,
                history=_history(model["history"], model["merges"], ids) if model.get("history") is not None else None,
                made_from=model.get("made_from"),
            )
        except TokvizError as fault:
            raise FormatError(f"{source} is damaged.", f"{fault}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model file, whole or not at all; `tokviz.load` reads it again."""
        saving.write(Path(path), self.to_bytes())


def load(path: str | PathLike[str]) -> Tokenizer:
    """The tokenizer in a model file that `Tokenizer.save` wrote, its history and origin included.

    >>> import tempfile, tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tok.save(folder + "/wikipedia.json")
    ...     tokviz.load(folder + "/wikipedia.json").history[0].count
    4
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise FormatError(f"{path.name} cannot be read: {fault.strerror}.") from None
    return Tokenizer.from_bytes(data, path.name)


def _history(history: Mapping[str, list[int]], merges: Sequence[Sequence[int]], ids: Sequence[int]) -> History:
    pairs = np.array(merges, np.int64).reshape(-1, 2)
    return History(
        np.column_stack([np.arange(len(pairs)), pairs, ids, *(history[column] for column in saving.HISTORY)])
    )
