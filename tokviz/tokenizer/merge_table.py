"""Holds the tokens of a tokenizer without special tokens: the ids of the 256 bytes, and the merges with their ids.

A MergeTable holds all merges, made from pairs, from the record of a training, or from tiktoken's token bytes. A
FirstMerges is the first n merges of such a table, so cutting a tokenizer shorter copies nothing.

A *look-up* is a token of a rank file that no merges of earlier tokens make; Llama 3 has 695. tiktoken looks each chunk
up before it merges any of it, and then merges any neighbours that spell a token, even if a part ranks above it.
So any look-up may be a whole chunk, and some of them appear inside chunks too. A look-up is WHOLE wherever it appears,
at every step and in every vocabulary that is cut shorter: no rank says when it was made. Of characters, tokens that are
made of one that comes later are look-ups too; Gemma 3 has three.

A table can begin with *units*: characters of several bytes that are there before any merge, as in SentencePiece's BPE.
They are its first merges, though no pair makes them: the last seam inside such a character has its rank, the others are
WHOLE. The encoder makes them from bytes, by merges that only it sees. All seams inside a character that is not a unit
are OPEN: it stays bytes.

An alphabet can *lack* bytes, so that no token has them: the bytes that no UTF-8 has, or all that were not in the texts
of a training. A byte that is lacking, or a character none of whose bytes has a token, becomes the token for what is
unknown, and several in a row may become one; or it becomes nothing, and what is around it may merge as if it were not
there. It is WHOLE, and so is a token that lies around it.

Slow values are made when first asked for, and seen only when whole. Two threads that ask at once may make one twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.base.arguments import ids_of, shown
from tokviz.base.errors import FormatError, InputError, UnknownIdError
from tokviz.base.text import utf8_widths, whole_text
from tokviz.kernels import OPEN, SPLIT, WHOLE, Encoder, PlainEncoder, Ranks, plain_serves
from tokviz.kernels.encoding import REMEMBERED, Chunks, NoChunk
from tokviz.kernels.pairs import MOST_TOKENS
from tokviz.tokenizer.encoding import BYTES_AS_IDS, Encoding, Ints
from tokviz.tokenizer.merges import NO_PAIR, History, build, places_of

Pairs = NDArray[np.int64]
LACKING = -1  # in an alphabet: no token has this byte

_BYTES = [bytes([byte]) for byte in range(256)]
_PAIRS = "Pass [(left id, right id), ...]."


class MergeTable:
    """Holds byte ids and merges.

    alphabet: 256 ids, byte -> id, -1 for one that it lacks; kept as read-only int32[256].
    merge_ids: rank -> the id that the merge mints; kept as read-only int32[merges].
    pairs: int64[merges, 2], (left id, right id); None if they have to be recovered from the bytes of the tokens.
    token_bytes: rank -> the bytes of the token; None if they have to be built from the pairs.
    units: the number of first merges that are units; None if a text is bytes before any merge.
    spare: id -> bytes, of tokens that no text becomes.
    unknown: the id of the token for what is unknown; None if that becomes nothing.
    fuses: whether several unknown ones in a row become one token, or whether what is around merges if they become none.

    Raises FormatError if two tokens have the same id, or an id is out of range.
    """

    def __init__(
        self,
        alphabet: Sequence[int] | Ints,
        merge_ids: Sequence[int] | Ints,
        *,
        pairs: Pairs | None = None,
        token_bytes: list[bytes] | None = None,
        units: int | None = None,
        spare: Mapping[int, bytes] | None = None,
        unknown: int | None = None,
        fuses: bool = False,
    ) -> None:
        self.in_characters, self.units, self.spare = units is not None, units or 0, spare or {}
        self.unknown, self.fuses = unknown, fuses
        self.alphabet = alphabet if alphabet is BYTES_AS_IDS else _read_only(alphabet, "The alphabet's ids")
        self.merge_ids = _read_only(merge_ids, "The merge ids")
        self.by_bytes = pairs is None  # whatever meets and spells a token merges, as in tiktoken
        self._pairs, self._token_bytes = pairs, token_bytes
        if len(self.alphabet) != 256:
            raise FormatError(f"The alphabet has {len(self.alphabet):,} ids.", "Give one id for each of the 256 bytes.")
        self.lacked = bytes(np.flatnonzero(self.alphabet == LACKING).tolist())
        ids = self.ids[self.ids != LACKING] if self.lacked else self.ids
        if not np.array_equal(ids, np.arange(len(ids))) and (
            self.ids.min() < LACKING
            or self.merge_ids.min(initial=0) < 0
            or len(np.unique(ids)) != len(ids)
            or not self.spare.keys().isdisjoint(ids.tolist())
        ):
            raise FormatError("Two tokens have the same id, or an id is below 0.", "Give each token an id of its own.")

    @classmethod
    def of_pairs(
        cls,
        merges: Iterable[Sequence[int]],
        alphabet: Sequence[int] | Ints | None = None,
        merge_ids: Sequence[int] | Ints | None = None,
        **more: Any,
    ) -> MergeTable:
        """Make a table from pairs of ids in learned order. Raises FormatError if they contradict themselves.

        more: `spare`, `unknown`, `fuses`.
        """
        pairs = _pairs_of(merges)
        ids = np.arange(256, 256 + len(pairs), dtype=np.int32) if merge_ids is None else merge_ids
        table = cls(BYTES_AS_IDS if alphabet is None else alphabet, ids, pairs=pairs, **more)
        table._token_bytes = build(table.alphabet, table.merge_ids, pairs)
        return table

    @classmethod
    def of_history(cls, history: History) -> MergeTable:
        """Make a table from the merges of a training by tokviz.

        Nothing needs a check: merges are recorded in learned order, and no two make the same bytes. Equal bytes
        between surviving boundaries merge identically, so where the same bytes occur again, the first of the two
        merges has already joined them.
        """
        ids = np.arange(256, 256 + len(history), dtype=np.int32)
        return cls(BYTES_AS_IDS, ids, pairs=history.table[:, 1:3])

    @classmethod
    def of_ranks(cls, ids: Mapping[bytes, int], *, no_lookups: bool = False) -> MergeTable:
        """Make a table as tiktoken does, from the bytes of tokens.

        ids: token bytes -> id, with all 256 single bytes. The order of the ids is the order of merges.
        no_lookups: it is known that there are none, so they need no search.
        """
        if not isinstance(ids, Mapping) or not all(isinstance(token, bytes) and token for token in ids):
            raise FormatError("A rank file maps the bytes of each token to its id.", "Pass a dict from bytes to int.")
        numbers = ids_of(ids.values())
        alphabet = [ids.get(bytes([byte]), -1) for byte in range(256)]
        if -1 in alphabet:
            raise FormatError(
                f"The ranks have no id for byte {alphabet.index(-1):02X}.", "Give an id to each of the 256 bytes."
            )
        by_id = sorted((id, token) for token, id in zip(ids, numbers, strict=True) if len(token) > 1)
        table = cls(alphabet, [id for id, _ in by_id], token_bytes=[token for _, token in by_id])
        if no_lookups:
            table.lookups = {}
        return table

    @classmethod
    def of_characters(
        cls,
        alphabet: Sequence[int] | Ints,
        units: int,
        tokens: Sequence[bytes],
        merge_ids: Sequence[int] | Ints,
        merges: Iterable[Sequence[int]] | None,
        spare: Mapping[int, bytes],
        **more: Any,
    ) -> MergeTable:
        """Make a table as SentencePiece does, from characters of several bytes and then tokens in merge order.

        alphabet: byte -> id, of its character, or else of the token for the byte of an unknown one.
        units: how many of `tokens` are characters.
        merges: the pair of ids of each other token; None if any two neighbours merge whose bytes together are a token.
        spare: id -> bytes, of tokens that no text becomes.
        more: `unknown`, `fuses`.

        FormatError if they contradict themselves.
        """
        pairs = None if merges is None else np.concatenate([np.full((units, 2), -1), _pairs_of(merges)])
        made = cls(alphabet, merge_ids, pairs=pairs, token_bytes=[*tokens], units=units, spare=spare, **more)
        known = {id: bytes([byte]) for byte, id in enumerate(made.alphabet.tolist())}
        if not len(tokens) == len(made) or (pairs is not None and len(pairs) != len(tokens)):
            raise FormatError("There is not one id and one pair for each token.", "Give one of each for each token.")
        for rank, (token, id) in enumerate(zip(tokens, made.merge_ids.tolist(), strict=True)):
            left, right = NO_PAIR if pairs is None else pairs[rank].tolist()
            text = whole_text(token)
            is_unit = text is not None and len(text) == 1 < len(token)
            of_parts = rank < units or pairs is None or known.get(left, b"") + known.get(right, b"") == token
            if text is None or is_unit != (rank < units) or not of_parts or id in spare or len(token) < 2:
                raise FormatError(
                    f"Token {rank + 1:,}, {shown(token)}, is "
                    f"{'no character' if rank < units else 'not made of characters by earlier merges'}.",
                    "List the characters first, then the merges in their order.",
                )
            known[id] = token
        if len({*tokens}) != len(tokens):
            raise FormatError("Two tokens have the same bytes.", "List each token once.")
        if pairs is None:  # then some may be made all the same, of a token that comes later
            first = FirstMerges(made)
            unmade = [tokens[rank] for rank in (np.flatnonzero(first.last_seams()[units:] == 0) + units).tolist()]
            late = [one for one in unmade if not (first.encoder.seams(one, np.array([len(one)]))[1:] >= OPEN).any()]
            made.lookups = made.short_enough({token: int(made.merge_ids[made.rank_of[token]]) for token in late})
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the arguments, and the look-ups if they are known: they take long to find."""
        tokens: dict[str, Any] = {
            "pairs": self._pairs,
            "token_bytes": self._token_bytes,
            "units": self.units if self.in_characters else None,
            "spare": self.spare,
            "unknown": self.unknown,
            "fuses": self.fuses,
        }
        made = partial(MergeTable, self.alphabet, self.merge_ids, **tokens)
        known = {"lookups": self.__dict__["lookups"]} if "lookups" in self.__dict__ else None
        return made, (), known

    def __len__(self) -> int:
        """Return the number of merges."""
        return len(self.merge_ids)

    @property
    def ids(self) -> Ints:
        """The ids of all tokens: of the 256 bytes, then of the merges."""
        return np.concatenate([self.alphabet, self.merge_ids])

    def place_of(self, id: int) -> int | None:
        """Return the byte with this id, or 256 + the rank of the merge that mints it; None if no token has it."""
        ids, places = self._by_id
        at = int(np.searchsorted(ids, id))
        return int(places[at]) if at < len(ids) and ids[at] == id != LACKING else None

    @cached_property
    def _by_id(self) -> tuple[Ints, Ints]:
        """All ids in their order, and the place of each."""
        places = np.argsort(self.ids, kind="stable").astype(np.int32)
        return self.ids[places], places

    @cached_property
    def token_bytes(self) -> list[bytes]:
        """rank -> the bytes of the token that the merge makes."""
        if self._pairs is None or self._token_bytes is not None:
            return self._token_bytes or []
        return build(self.alphabet, self.merge_ids, self._pairs)

    @cached_property
    def rank_of(self) -> dict[bytes, int]:
        """The bytes of a token -> the rank of its merge."""
        return {token: rank for rank, token in enumerate(self.token_bytes)}

    @cached_property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """(left id, right id) in rank order."""
        if self._pairs is None:
            id_of = self.ids_by_bytes
            rows = zip(self.token_bytes, FirstMerges(self).last_seams().tolist(), strict=True)
            return tuple(
                (id_of[token[:seam]], id_of[token[seam:]])
                if seam and rank >= self.units and token not in self.lookups
                else NO_PAIR
                for rank, (token, seam) in enumerate(rows)
            )
        left, right = self._pairs.T.tolist()
        return tuple(zip(left, right, strict=True))

    @cached_property
    def lookups(self) -> Mapping[bytes, int]:
        """Token bytes -> id, of the look-ups. FormatError if one is too long to be looked up.

        A look-up is a token of a rank file whose bytes alone do not become this token by merges of rising ranks.
        """
        if not self.by_bytes or self.in_characters:
            return {}
        found: dict[bytes, int] = {}
        rows = zip(self.token_bytes, self.merge_ids.tolist(), FirstMerges(self).last_seams().tolist(), strict=True)
        for token, id, seam in rows:
            if seam == 0 or (found and (token[:seam] in found or token[seam:] in found)):
                found[token] = id
        return self.short_enough(found)

    def short_enough(self, lookups: Mapping[bytes, int]) -> Mapping[bytes, int]:
        """Return the look-ups themselves. FormatError if one is too long to be looked up."""
        long = next((token for token in lookups if len(token) > REMEMBERED), None)
        if long is not None:
            raise FormatError(
                f"A token of {len(long):,} bytes, {shown(long)}, is made by no pair of tokens.",
                f"Only tokens of up to {REMEMBERED} bytes can be looked up. Leave it out.",
            )
        return lookups

    @property
    def ids_by_bytes(self) -> dict[bytes, int]:
        """Token bytes -> id, of the 256 bytes and of all merges: what `of_ranks` takes."""
        return dict(zip([*_BYTES, *self.token_bytes], self.ids.tolist(), strict=True))

    @cached_property
    def with_lookups(self) -> FirstMerges:
        """All merges, with an encoder that knows the look-ups."""
        return FirstMerges(self, lookups=self.lookups)

    def rank_of_pair(self) -> Callable[[int, int], int | None]:
        """Return a function that finds the rank at which two tokens merge, None if they do not.

        It takes the tokens' places: the byte of each, or 256 + the rank of its merge.
        """
        if self._pairs is not None:
            by_pair = {(left, right): rank for rank, (left, right) in enumerate(self._places.tolist())}
            return lambda left, right: by_pair.get((left, right))
        tokens = [*_BYTES, *self.partial_units, *self.token_bytes]
        rank_of = {token: rank for rank, token in enumerate(tokens[256:])}
        return lambda left, right: rank_of.get(tokens[left] + tokens[right])

    @cached_property
    def ranks(self) -> Ranks:
        """The table in which the encoder looks pairs up; for a reference tokenizer it takes about 0.1 s to make."""
        if len(self.merge_ids) + 256 > MOST_TOKENS:
            raise FormatError(
                f"The vocabulary has {len(self.merge_ids) + 256:,} tokens, and {MOST_TOKENS:,} are the limit.",
                "Load a smaller vocabulary.",
            )
        if self._pairs is None:
            return Ranks.of_tokens([*self.partial_units, *self.token_bytes])
        return Ranks.of_pairs(self._places)

    def lacking(self, data: bytes) -> NDArray[np.bool_] | None:
        """Tell which bytes no token has, nor the character that they are of: bool[n]; None if each has one."""
        if not self.lacked or len(data.translate(None, self.lacked)) == len(data):
            return None
        if self.in_characters:
            points = np.frombuffer(data.decode().encode("utf-32-le"), np.uint32)
            gone = np.repeat(~self._known[points], utf8_widths(points))
        else:
            gone = self.alphabet[np.frombuffer(data, np.uint8)] == LACKING
        return gone if gone.any() else None

    @cached_property
    def _known(self) -> NDArray[np.bool_]:
        """Which characters are units: bool, by their number."""
        known = np.zeros(0x110000, np.bool_)
        known[:0x80] = self.alphabet[:0x80] != LACKING
        known[[ord(unit.decode()) for unit in self.token_bytes[: self.units]]] = True
        return known

    @cached_property
    def partial_units(self) -> list[bytes]:
        """What the encoder makes from bytes on the way to a unit, the shorter first, before all merges of the table."""
        units = self.token_bytes[: self.units]
        return sorted({unit[:end] for unit in units for end in range(2, len(unit))}, key=lambda one: (len(one), one))

    @property
    def _places(self) -> Pairs:
        """int64[merges of the encoder, 2]: the places of each pair, where partial units come after the bytes."""
        pairs: Pairs = places_of(self.alphabet, self.merge_ids, self._pairs)  # type: ignore[arg-type]
        if not self.units:
            return pairs
        n, number = len(self.partial_units), {bytes([byte]): byte for byte in range(256)}
        rows = []
        for token in [*self.partial_units, *self.token_bytes[: self.units]]:
            rows.append((number[token[:-1]], token[-1]))
            number[token] = 255 + len(rows)
        return np.concatenate([np.array(rows), np.where(pairs >= 256, pairs + n, pairs)[self.units :]])


class FirstMerges:
    """Encodes by the 256 bytes, the first n merges of a table, and all of its look-ups."""

    def __init__(
        self, table: MergeTable, n_merges: int | None = None, lookups: Mapping[bytes, int] | None = None
    ) -> None:
        """Set the fields.

        n_merges: None means all merges of the table.
        lookups: token bytes -> id, what the encoder looks up; without them it only merges.
        """
        self.table = table
        self._looked_up = lookups
        self.alphabet = table.alphabet
        self.merge_ids = table.merge_ids[:n_merges]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the arguments alone: encoders have locks."""
        return FirstMerges, (self.table, len(self.merge_ids), self._looked_up)

    def __len__(self) -> int:
        """Return the number of tokens: 256 + merges."""
        return 256 + len(self.merge_ids)

    def __contains__(self, id: object) -> bool:
        """Tell whether a byte, a merge, a look-up or a spare token has this id."""
        place = self.table.place_of(id) if isinstance(id, int) else None
        if place is None or place < len(self):
            return place is not None or id in self.table.spare
        return self.table.token_bytes[place - 256] in self.table.lookups

    def bytes_by_id(self) -> dict[int, bytes]:
        """Return id -> the bytes of that token, with look-ups and spare tokens."""
        by_id = dict(zip(self._ids.tolist(), [*_BYTES, *self.token_bytes], strict=True)) | dict(self.table.spare)
        by_id.pop(LACKING, None)
        return by_id | {id: token for token, id in self.table.lookups.items()}

    @cached_property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """(left id, right id) in rank order."""
        return self.table.merges[: len(self.merge_ids)]

    @property
    def token_bytes(self) -> list[bytes]:
        """rank -> the bytes of the token that the merge makes."""
        return self.table.token_bytes[: len(self.merge_ids)]

    def rank_of(self, token: bytes) -> int | None:
        """Return the rank of the merge that makes these bytes; None if there is none."""
        rank = self.table.rank_of.get(token)
        return rank if rank is not None and rank < len(self.merge_ids) else None

    def seams(self, data: bytes, chunks: Chunks, threads: int | None = None) -> tuple[Ints, dict[int, int | None]]:
        """Return the seams of chunks, int32, one a byte, and first byte -> id of the look-ups.

        chunks: where each chunk ends in `data`, or the automaton that finds them.
        threads: how many may share a long text; None means one a core.

        See `tokviz.tokenizer.encoding` for seams. NoChunk as in `Encoder`.
        """
        gone = self.table.lacking(data)
        if gone is not None:
            return self._around(data, chunks, gone)
        if not self.table.lookups:
            return self.encoder.seams(data, chunks, threads), {}
        encoder = self.table.with_lookups.encoder
        seams, ids = encoder.seams(data, chunks, threads), encoder.ids(data, chunks, threads)
        bounds = np.append(np.flatnonzero(seams >= OPEN), len(data))
        whole: dict[int, int | None] = {}
        for token in np.flatnonzero(np.isin(ids, [*self.table.lookups.values()])).tolist():
            start, end = bounds[token : token + 2].tolist()
            seams[start + 1 : end] = WHOLE
            whole[start] = int(ids[token])
        seams[(seams >= len(self.merge_ids)) & (seams < OPEN)] = OPEN
        return seams, whole

    def ids(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """Return the ids of chunks, int32, one a token. Parameters and errors as in `seams`."""
        if self.table.lacking(data) is not None:
            ids = self._encoding(data, *self.seams(data, chunks)).ids
            return ids[ids >= 0]
        if not self.table.lookups:
            return self.encoder.ids(data, chunks, threads)
        if len(self.merge_ids) == len(self.table):
            return self.table.with_lookups.encoder.ids(data, chunks, threads)
        return self._encoding(data, *self.seams(data, chunks, threads)).ids

    def _encoding(self, data: bytes, seams: Ints, whole: dict[int, int | None]) -> Encoding:
        return Encoding(data, seams, self.alphabet, self.merge_ids, whole)

    def _around(self, data: bytes, ends: Chunks, gone: NDArray[np.bool_]) -> tuple[Ints, dict[int, int | None]]:
        """Do as `seams` for chunks with bytes that no token has. gone: bool[n], which they are."""
        if not isinstance(ends, np.ndarray):
            raise NoChunk
        n, unknown, fuses = len(data), self.table.unknown, self.table.fuses
        begins = np.zeros(n + 1, np.bool_)
        begins[0] = begins[ends] = True
        after = np.append(False, gone)
        edges = np.append(gone, False) != after
        kept = np.flatnonzero(~gone)
        stops = np.flatnonzero(begins if unknown is None and fuses else begins | edges)
        left = np.frombuffer(data, np.uint8)[kept].tobytes()
        inner, found = self.seams(left, np.unique(np.searchsorted(kept, stops))[1:]) if left else (kept, {})
        seams = np.full(n, WHOLE, np.int32)
        seams[kept] = inner
        whole: dict[int, int | None] = {int(kept[start]): id for start, id in found.items()}
        # a token may lie around bytes that become nothing
        around = self._encoding(left, seams[kept], found)
        first, last = kept[around.starts], kept[around.ends - 1]
        for token in np.flatnonzero(last - first != around.ends - 1 - around.starts).tolist():
            start, end = int(first[token]), int(last[token]) + 1
            whole[start], seams[start + 1 : end], gone[start:end] = int(around.ids[token]), WHOLE, False
        leads = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80 if self.table.in_characters else np.ones(n, np.bool_)
        apart = edges[:-1] if unknown is None or fuses else leads
        for start in np.flatnonzero(gone & (apart | edges[:-1] | begins[:-1])).tolist():
            whole[start], seams[start] = unknown, OPEN
        closed = seams < OPEN
        return np.where(closed, seams, np.where(begins[:-1], np.int32(SPLIT), np.int32(OPEN))), whole

    def of_tokens(
        self, ids: list[int], tokens: list[bytes], cut_ids: frozenset[int]
    ) -> tuple[bytes, Ints, dict[int, int | None]]:
        """Return the bytes of tokens end to end, their seams, and first byte -> id of those that no pair makes.

        ids, tokens: the id and the bytes of each token.
        cut_ids: the ids of special and added tokens. Each of these is a chunk, and so are the tokens between two.
        """
        data, ends = b"".join(tokens), np.cumsum([*map(len, tokens)], dtype=np.int64)
        # each token is encoded as a chunk of its own
        seams, whole = self.seams(data, ends) if data else (np.empty(0, np.int32), {})
        start, cut = 0, True  # cut: the text begins here, or such a token ends here
        for id, end in zip(ids, ends.tolist(), strict=True):
            special = id in cut_ids
            seams[start] = SPLIT if cut or special else OPEN
            # no pair of tokens makes it
            if special or (seams[start + 1 : end] >= OPEN).any() or id in self.table.spare:
                seams[start + 1 : end] = WHOLE
                whole[start] = id
            start, cut = end, special
        return data, seams, whole

    @property
    def encoder(self) -> Encoder | PlainEncoder | _OfCharacters:
        """The encoder of these merges alone."""
        if plain_serves():
            found: Encoder | PlainEncoder = self._plain_encoder
        else:
            self.__dict__.pop("_plain_encoder", None)  # it served while the kernels were compiled
            found = self._encoder
        return _OfCharacters(found, self) if self.table.units else found

    @cached_property
    def _encoder(self) -> Encoder:
        """The compiled encoder, which remembers the chunks it has met."""
        return Encoder(self.table.ranks, *self._all_ids, self._looked_up)

    @cached_property
    def _plain_encoder(self) -> PlainEncoder:
        return PlainEncoder(self.table.rank_of_pair(), *self._all_ids, self._looked_up)

    @property
    def _all_ids(self) -> tuple[Ints, int]:
        """The ids of the encoder's tokens, -1 for what is on the way to a unit, and how many merges it has."""
        partial = np.full(len(self.table.partial_units), -1, np.int32)
        return np.concatenate([self.alphabet, partial, self.merge_ids]), len(partial) + len(self.merge_ids)

    def last_seams(self) -> NDArray[np.int64]:
        """Find where each merge joins two parts of its token, encoded alone: rank -> byte of the token, int64[merges].

        It is 0 if the bytes of the token become something else, or need a later merge: then no pair of earlier tokens
        makes it. A trained tokenizer has no such token; a rank file may.

        >>> ids = {bytes([byte]): byte for byte in range(256)} | {b"bc": 256, b"abc": 257, b"xyz": 258}
        >>> FirstMerges(MergeTable.of_ranks(ids)).last_seams().tolist()
        [1, 1, 0]
        """
        tokens = self.token_bytes
        if not tokens:
            return np.empty(0, np.int64)
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        ends = np.cumsum(lengths)
        starts = ends - lengths
        seams = self.encoder.seams(b"".join(tokens), ends)
        seams[starts] = -1
        rank = np.repeat(np.arange(len(tokens)), lengths)
        own = np.flatnonzero(seams == rank)
        last = np.zeros(len(tokens), np.int64)
        last[rank[own]] = own - starts[rank[own]]
        return np.where(np.add.reduceat(seams >= rank, starts) == 1, last, 0)

    @property
    def _ids(self) -> Ints:
        return np.concatenate([self.alphabet, self.merge_ids])


class _OfCharacters:
    """Wraps an encoder, so that its seams are those of a table with units."""

    def __init__(self, encoder: Encoder | PlainEncoder, of: FirstMerges) -> None:
        self.encoder, self.of, self.n = encoder, of, len(of.table.partial_units)

    def seams(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """Return the seams of chunks, as `Encoder.seams` does."""
        seams = self.encoder.seams(data, chunks, threads)
        closed = seams < OPEN
        partial = closed & (seams < self.n)
        if partial.any():  # a character is a unit if its last seam is closed, and not on the way
            begins = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
            last = np.append(np.flatnonzero(begins[1:]), len(data) - 1)
            whole = (closed & ~partial)[last][np.minimum(np.cumsum(begins) - begins[0], len(last) - 1)]
            seams[partial] = np.where(whole[partial], WHOLE, OPEN)
        seams[closed & ~partial] -= self.n
        return seams

    def ids(self, data: bytes, chunks: Chunks, threads: int | None = None) -> Ints:
        """Return the ids of chunks, as `Encoder.ids` does."""
        ids = self.encoder.ids(data, chunks, threads)
        known = ids >= 0
        if known.all():
            return ids
        found = Encoding(data, self.seams(data, chunks, threads), self.of.alphabet, self.of.merge_ids)
        starts = np.flatnonzero(self.encoder.seams(data, chunks, threads) >= OPEN)
        all_ids = found.ids.copy()  # of which a look-up has another
        all_ids[np.searchsorted(found.starts, starts[known])] = ids[known]
        return all_ids


def _read_only(ids: Sequence[int] | Ints, what: str) -> Ints:
    """Return a read-only copy as int32. `what` names the ids in errors."""
    if isinstance(ids, np.ndarray) and ids.ndim == 1 and ids.dtype == np.int32:
        array = ids.copy()
    else:
        try:
            array = np.array(ids_of(ids, what), np.int32)
        except OverflowError:
            raise FormatError(f"{what} are out of range.", f"Use ids from 0 to {2**31 - 1:,}.") from None
    array.flags.writeable = False
    return array


def _pairs_of(merges: Iterable[Sequence[int]]) -> Pairs:
    """Return the merges as int64[merges, 2]. FormatError names the first that is not a pair of ids."""
    if isinstance(merges, str | bytes | bytearray | memoryview) or not isinstance(merges, Iterable):
        raise InputError(f"The merges are {shown(merges)}, which is no list of pairs.", _PAIRS)
    if isinstance(merges, np.ndarray) and merges.dtype == np.int64 and merges.ndim == 2 and merges.shape[1] == 2:
        return merges.copy()
    flat: list[int] = []
    for number, pair in enumerate(merges, 1):
        if isinstance(pair, str | bytes) or not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise FormatError(f"Merge {number:,} is {shown(pair)}, which is not a pair of ids.", _PAIRS)
        flat.extend(pair)
    try:
        return np.array(ids_of(flat, "The merges"), np.int64).reshape(-1, 2)
    except OverflowError:
        raise FormatError("An id among the merges is out of range.", f"Use ids from 0 to {2**31 - 1:,}.") from None


def tokens_of(ids: list[int], vocab: Mapping[int, bytes]) -> list[bytes]:
    """Return the bytes of each id. UnknownIdError names the first id that is not in the vocabulary."""
    try:
        return [*map(vocab.__getitem__, ids)]
    except KeyError:
        position = next(position for position, id in enumerate(ids) if id not in vocab)
        raise UnknownIdError(
            f"No token has the id {shown(ids[position])} (position {position:,}).",
            f"The ids go up to {max(vocab):,}." if vocab else "The vocabulary is empty.",
            id=ids[position],
            position=position,
        ) from None
