"""Reads and writes tokviz's own model file: one JSON object, versioned, which keeps the record of the training.

    {"format": "tokviz", "version": 1, "name": ..., "pattern": ..., "regex_version": null or the `regex` package's,
     "alphabet": null or 256 ids, "merges": [[left id, right id], ...], "merge_ids": null or one id a merge,
     "special_tokens": {text: id}, "history": null or {"count": [...], "replaced": [...], "tied": [...],
     "tokens_after": [...]}, "made_from": null or the settings and texts of the training}

A tokenizer with tokens that no pair makes (see `tokviz.tokenizer.merge_table`) is kept as the rank file that it is, in
version 2:

    {"format": "tokviz", "version": 2, "name", "pattern", "regex_version", "alphabet": as above,
     "tokens": the bytes of each token, in base64, "merge_ids": the id of each, rising,
     "vocab_size": 256 + the number of tokens, or less if the tokenizer was cut shorter, "special_tokens": as above}

A tokenizer with added tokens or a normalizer is kept in version 3, with the fields of version 1 or 2 and, if it has
them,

    "added_tokens": {text: id},
    "normalizer": {"steps": [[kind, what, by], ...], "after": [...], "space", "taken_off", "before": [...],
     "behind": [...], "alone": [...]}

A tokenizer of characters (see `tokviz.tokenizer.merge_table`) is kept in version 3 too, with the fields of version 2,
"tokens" and "merge_ids" in the order of the ranks, and

    "units": how many of these are characters, "pairs": null or the pair of ids of each other one

So is one that lacks bytes, whose alphabet has -1 for each of them, or has tokens that no text becomes. It has

    "spare": {id: the bytes of the token, in base64}, "unknown": null or an id, "fuses": true or false

All other tokenizers are written in version 1 or 2, with the same bytes as before: an older tokviz reads them.

The file contains no date and no path, so saving the same tokenizer twice gives the same bytes. Reading checks every
field first: a model file may come from anywhere.
"""

from __future__ import annotations

import base64
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

import numpy as np
from regex import __version__ as regex_version

from tokviz.base import drawn, typed
from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError, InputError, PatternError, SettingError, SpecialTokenError, TokvizError
from tokviz.base.json_files import InputFile, check_size, is_id
from tokviz.base.typed import Id, JsonCount, JsonText
from tokviz.formats.parts import FilePart, Format, Given, check_lengths, file_name
from tokviz.split.cutting import PATTERNS
from tokviz.split.normalizing import MOST_STEPS, Kind, Normalizer, Space, Step
from tokviz.tokenizer.encoding import BYTES_AS_IDS
from tokviz.tokenizer.merge_table import LACKING, FirstMerges, MergeTable
from tokviz.tokenizer.merges import History, checked
from tokviz.tokenizer.origin import Size
from tokviz.tokenizer.tokenizer import Tokenizer

FORMAT = "tokviz"
VERSION, RANKS_VERSION, NEWEST_VERSION = 1, 2, 3

_SAVE_AGAIN = "Save it again from tokviz."
_BASE64 = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")

# -- the fields; what several of them say together, such as the order of the merges, `Tokenizer` checks --


def _fault_in_pairs(merges: list[Any]) -> str:
    for at, pair in enumerate(merges, 1):
        if not (isinstance(pair, list) and len(pair) == 2 and is_id(pair[0]) and is_id(pair[1])):
            return f"has no pair of ids at merge {at:,}"
    return ""


def _fault_in_tokens(tokens: list[Any]) -> str:
    for at, token in enumerate(tokens, 1):
        if not (isinstance(token, str) and token and _BASE64.fullmatch(token)):
            return f"has no base64 at {at:,}"
    return "" if len(set(tokens)) == len(tokens) else "has a token twice"


def _fault_in_id(text: str) -> str:
    return "" if re.fullmatch("[0-9]{1,10}", text) and is_id(int(text)) else "is no id"


def _fault_in_ids(ids: list[int]) -> str:
    return "" if len(set(ids)) == len(ids) else "gives two tokens the same id"


def _fault_in_rising_ids(ids: list[int]) -> str:
    return _fault_in_ids(ids) or ("" if (np.diff(ids) > 0).all() else "does not rise")


def _fault_in_alphabet(ids: list[int]) -> str:
    wrong = "" if len(ids) == 256 else f"has {len(ids):,} ids, and there are 256 bytes"
    return _fault_in_ids([id for id in ids if id != LACKING]) or wrong


Column = Literal["count", "replaced", "tied", "tokens_after"]
HISTORY: tuple[Column, ...] = get_args(Column)


def _fault_in_columns(columns: dict[Column, list[int]]) -> str:
    return "" if len(columns) == len(HISTORY) else f"does not hold {', '.join(HISTORY)}"


@dataclass(frozen=True)
class _Normalizer:
    """Holds the fields of a normalizer."""

    steps: Annotated[list[tuple[Kind, JsonText, JsonText]], range(MOST_STEPS + 1)]
    after: list[JsonText]
    space: Space
    taken_off: JsonCount
    before: list[JsonText] = field(default_factory=list)
    behind: list[JsonText] = field(default_factory=list)
    alone: list[JsonText] = field(default_factory=list)

    @property
    def made(self) -> Normalizer:
        steps, tokens = (
            tuple(Step(*step) for step in self.steps),
            map(frozenset, (self.before, self.behind, self.alone)),
        )
        return Normalizer(steps, frozenset(self.after), self.space, self.taken_off, *tokens)


@dataclass(frozen=True, kw_only=True)
class _Model(ABC):
    """Holds the fields that all model files have."""

    name: JsonText
    pattern: JsonText
    regex_version: JsonText | None = None
    alphabet: Annotated[list[Annotated[int, range(LACKING, 2**31)]], _fault_in_alphabet] | None = None
    special_tokens: dict[JsonText, Id]
    added_tokens: dict[JsonText, Id] = field(default_factory=dict)
    normalizer: _Normalizer | None = None
    spare: dict[Annotated[str, _fault_in_id], Annotated[list[Any], _fault_in_tokens]] = field(default_factory=dict)
    unknown: Id | None = None
    fuses: bool = False

    @property
    def more(self) -> dict[str, Any]:
        """What a MergeTable takes of these fields."""
        spare = {int(id): base64.b64decode("".join(token)) for id, token in self.spare.items()}
        return {"spare": spare, "unknown": self.unknown, "fuses": self.fuses}

    @property
    @abstractmethod
    def vocabulary(self) -> tuple[MergeTable, History | None]:
        """Make the merges, and their record. Errors as from a MergeTable."""


@dataclass(frozen=True, kw_only=True)
class _OfPairs(_Model):
    merges: Annotated[list[Any], _fault_in_pairs]
    merge_ids: Annotated[list[Id], _fault_in_ids] | None = None
    history: Annotated[dict[Column, list[JsonCount]], _fault_in_columns] | None = None
    made_from: dict[str, Any] | None = None

    @property
    def vocabulary(self) -> tuple[MergeTable, History | None]:
        ids = range(256, 256 + len(self.merges)) if self.merge_ids is None else self.merge_ids
        history = None if self.history is None else _history(self.history, self.merges, ids)
        return MergeTable.of_pairs(self.merges, self.alphabet, ids, **self.more), history


@dataclass(frozen=True, kw_only=True)
class _OfRanks(_Model):
    tokens: Annotated[list[Any], _fault_in_tokens]
    merge_ids: Annotated[list[Id], _fault_in_rising_ids]
    vocab_size: Size

    @property
    def vocabulary(self) -> tuple[MergeTable, History | None]:
        tokens = [*(bytes([byte]) for byte in range(256)), *map(base64.b64decode, self.tokens)]
        ids = dict(zip(tokens, [*(self.alphabet or range(256)), *self.merge_ids], strict=True))
        if len(ids) < len(tokens):
            raise FormatError("It has a token twice.", _SAVE_AGAIN)
        table = MergeTable.of_ranks(ids)
        _ = table.lookups  # found now, so that an error names the file
        return table, None


@dataclass(frozen=True, kw_only=True)
class _OfCharacters(_Model):
    tokens: Annotated[list[Any], _fault_in_tokens]
    merge_ids: Annotated[list[Id], _fault_in_ids]
    units: JsonCount
    pairs: Annotated[list[Any], _fault_in_pairs] | None
    vocab_size: Size

    @property
    def vocabulary(self) -> tuple[MergeTable, History | None]:
        alphabet, tokens = range(256) if self.alphabet is None else self.alphabet, [*map(base64.b64decode, self.tokens)]
        made = MergeTable.of_characters([*alphabet], self.units, tokens, self.merge_ids, self.pairs, **self.more)
        return made, None


def _is_model(file: InputFile) -> bool:
    return file.is_json and isinstance(file.json, dict) and file.json.get("format") == FORMAT


def read(file: InputFile, given: Given) -> Tokenizer:
    """Read the tokenizer in a model file, under another name if one is given. FormatError as in `load`."""
    tokenizer = _tokenizer_in(file)
    return tokenizer if given.name is None else tokenizer.renamed(given.name)


def write(tokenizer: Tokenizer) -> dict[str, bytes]:
    """Write the model file, under a plain name."""
    return {file_name(tokenizer, ".json"): dump(tokenizer)}


TOKVIZ = Format(FORMAT, "tokviz", {"model": FilePart(("NAME.json",), _is_model)}, read, write, loses={})


@drawn.write.register
def dump(tokenizer: Tokenizer) -> bytes:
    """Write the model file of a tokenizer, with its history and origin: one field a line, so that a person can read it.

    >>> print(dump(Tokenizer("hug", merges=[(117, 103)])).decode().splitlines()[7])
    "merges": [[117,103]],
    """
    cut_first = _cut_first(tokenizer)
    of_now = tokenizer.in_characters or len(cut_first) > 1
    fields = {
        "format": FORMAT,
        "version": NEWEST_VERSION if of_now else RANKS_VERSION if tokenizer.lookups else VERSION,
        "name": tokenizer.name,
        "pattern": tokenizer.pattern,
        "regex_version": None if tokenizer.pattern in PATTERNS else regex_version,
        "alphabet": None if np.array_equal(tokenizer.alphabet, BYTES_AS_IDS) else tokenizer.alphabet.tolist(),
        **(_characters if tokenizer.in_characters else _ranks if tokenizer.lookups else _merges)(tokenizer),
    }
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in fields.items()
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _merges(tokenizer: Tokenizer) -> dict[str, Any]:
    """Write the fields of merges that are pairs, with the record of their training."""
    history, ids = tokenizer.history, tokenizer.merge_ids
    return {
        "merges": tokenizer.merges,
        "merge_ids": None if np.array_equal(ids, np.arange(256, tokenizer.vocab_size)) else ids.tolist(),
        **_cut_first(tokenizer),
        "history": None if history is None else {column: history.column(column) for column in HISTORY},
        "made_from": tokenizer.made_from,
    }


def _ranks(tokenizer: Tokenizer) -> dict[str, Any]:
    """Write the fields of a rank file."""
    tokens = {id: token for token, id in tokenizer.rank_file.items() if len(token) > 1}
    return {
        "tokens": [base64.b64encode(token).decode() for token in tokens.values()],
        "merge_ids": [*tokens],
        "vocab_size": tokenizer.vocab_size,
        **_cut_first(tokenizer),
    }


def _characters(tokenizer: Tokenizer) -> dict[str, Any]:
    """Write the fields of a tokenizer of characters: all its tokens, even if it was cut shorter."""
    units, tokens, ids, pairs = tokenizer.characters
    return {
        "tokens": [base64.b64encode(token).decode() for token in tokens],
        "merge_ids": ids,
        "units": units,
        "pairs": pairs,
        "vocab_size": tokenizer.vocab_size,
        **_cut_first(tokenizer),
    }


def _cut_first(tokenizer: Tokenizer) -> dict[str, Any]:
    """Write the fields of special tokens, added tokens, the normalizer, spare tokens and what is unknown."""
    more: dict[str, Any] = {"added_tokens": dict(tokenizer.added_tokens)} if tokenizer.added_tokens else {}
    if spare := tokenizer.spare:
        more["spare"] = {str(id): [base64.b64encode(token).decode()] for id, token in spare.items()}
    more |= tokenizer.lacks
    if normalizer := tokenizer.normalizer:
        fields = normalizer._asdict().items()
        tokens = {key: sorted(some) for key, some in fields if isinstance(some, frozenset) and (some or key == "after")}
        more["normalizer"] = dict(zip(("steps", "after", "space", "taken_off"), normalizer, strict=False)) | tokens
    return {"special_tokens": dict(tokenizer.special_tokens), **more}


def loads(data: bytes, source: str = "The file") -> Tokenizer:
    """Read the tokenizer in a model file. FormatError says what is wrong with a damaged or foreign one.

    source: what to call the file in an error, as the beginning of a sentence.

    >>> loads(dump(Tokenizer("hug", merges=[(117, 103)]))).encode("hug")
    [104, 256]
    """
    if not isinstance(data, bytes | bytearray):
        raise InputError(f"A model file is bytes, not {shown(data)}.", "To read a path, call tokviz.load(path).")
    check_size(len(data), source)
    return _tokenizer_in(InputFile(source, bytes(data)))


def _tokenizer_in(file: InputFile) -> Tokenizer:
    model = _read(file)
    if not isinstance(model, _OfPairs):
        check_lengths(model.tokens, file.name, "Choose a vocabulary of shorter tokens.")
    made_from = model.made_from if isinstance(model, _OfPairs) else None
    if made_from:  # 0.1.0 said this of counts whose rarest chunks it had left out
        made_from.pop("certain_merges", None)
    try:
        table, history = model.vocabulary
        whole = Tokenizer(
            model.name,
            FirstMerges(table),
            pattern=model.pattern,
            special_tokens=model.special_tokens,
            added_tokens=model.added_tokens,
            history=history,
            made_from=made_from,
            normalizer=None if model.normalizer is None else model.normalizer.made,
        )
        size = whole.vocab_size if isinstance(model, _OfPairs) else model.vocab_size
        return whole if whole.vocab_size == size else whole.truncated(size)
    except TokvizError as fault:
        raise _damaged(file.name, fault) from None


def _damaged(source: str, fault: TokvizError) -> FormatError:
    """Make the error of a tokenizer that could not be made. It names the field of the file."""
    if (
        isinstance(fault, SettingError) and "normalizer" not in fault.what
    ):  # a fault in the origin, which names the field itself
        return FormatError(f"{source} is damaged: {fault.what}", _SAVE_AGAIN)
    fields = {SpecialTokenError: "special_tokens", PatternError: "pattern"}
    field = next((field for kind, field in fields.items() if isinstance(fault, kind)), "merges")
    if fault.what.startswith(
        ("The normalizer", "A step of the normalizer", "The table of the normalizer", "The stage")
    ):
        field = "normalizer"
    field = "added_tokens" if fault.what.startswith(("The added token", "An added token")) else field
    inside = f" in {field!r}" if "history" not in fault.what else ""
    return FormatError(f"{source} is damaged{inside}: {fault.what}", fault.way_out)


def _history(history: Mapping[Column, list[int]], merges: Sequence[Sequence[int]], ids: Sequence[int]) -> History:
    """Make the history of a model file. FormatError if its figures cannot be those of a training."""
    pairs = np.array(merges, np.int64).reshape(-1, 2)
    table = np.column_stack([np.arange(len(pairs)), pairs, ids, *(history[column] for column in HISTORY)])
    return checked(History(table))


def _read(file: InputFile) -> _OfPairs | _OfRanks | _OfCharacters:
    """Read the fields of a model file. FormatError if it is no model, or if a field is missing or of the wrong kind."""
    model = file.json
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        raise FormatError(
            f'{file.name} is no tokviz model: it does not say "format": "{FORMAT}".',
            "Choose a .json file that tokviz saved.",
        )
    version: Any = model.get("version")
    if not is_id(version) or not VERSION <= version <= NEWEST_VERSION:
        raise FormatError(
            f"{file.name} has version {shown(version)}; this tokviz reads versions {VERSION} to {NEWEST_VERSION}.",
            "Open it with the version of tokviz that saved it.",
        )
    try:
        of_ranks = version == RANKS_VERSION or (version == NEWEST_VERSION and "tokens" in model)
        of_characters = version == NEWEST_VERSION and "units" in model
        kind = _OfCharacters if of_characters else _OfRanks if of_ranks else _OfPairs
        found: _OfPairs | _OfRanks | _OfCharacters = typed.read(model, kind)
        if wrong := _unequal(found):
            raise ValueError(wrong)
    except ValueError as fault:
        raise FormatError(f"{file.name} is damaged: {fault}.", _SAVE_AGAIN) from None
    return found


def _unequal(model: _OfPairs | _OfRanks | _OfCharacters) -> str:
    """Say which field does not fit the others; "" if each does."""
    n_merges = len(model.merges if isinstance(model, _OfPairs) else model.tokens)
    if model.merge_ids is not None and len(model.merge_ids) != n_merges:
        return "'merge_ids' does not have one id for each merge"
    if not isinstance(model, _OfPairs) and model.vocab_size > 256 + n_merges:
        return "'vocab_size' is higher than 256 and the number of tokens"
    if not {*(model.alphabet or range(256))}.isdisjoint(model.merge_ids or ()):
        return "'merge_ids' has an id that a byte has"
    history = (model.history if isinstance(model, _OfPairs) else None) or {}
    columns = [column for column, figures in history.items() if len(figures) != n_merges]
    return f"'history' does not have one {columns[0]!r} for each merge" if columns else ""
