"""tokviz's own model file: one JSON object, versioned, which keeps the record of the training.

    {"format": "tokviz", "version": 1, "name": ..., "pattern": ..., "regex_version": null or the `regex` package's,
     "alphabet": null or 256 ids, "merges": [[left id, right id], ...], "merge_ids": null or one id a merge,
     "special_tokens": {text: id}, "history": null or {"count": [...], "replaced": [...], "tied": [...],
     "tokens_after": [...]}, "made_from": null or the settings and texts of the training}

A tokenizer with tokens that no pair makes (see `tokviz.vocabulary`) is kept as the rank file that it is, in version 2:

    {"format": "tokviz", "version": 2, "name", "pattern", "regex_version", "alphabet": as above,
     "tokens": the bytes of each token, in base64, "merge_ids": the id of each, rising,
     "vocab_size": 256 + the number of tokens, or less if the tokenizer was cut shorter, "special_tokens": as above}

The file contains no date and no path, so saving the same tokenizer twice gives the same bytes. Reading checks every
field first: a model file may come from anywhere.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from regex import __version__ as regex_version

from tokviz.arguments import path_of, shown
from tokviz.encoding import BYTES_AS_IDS
from tokviz.errors import FormatError, InputError, TokvizError
from tokviz.formats.parts import (
    File,
    Given,
    Losses,
    check_lengths,
    check_size,
    data_of,
    file_name,
    is_id,
    made_of_ranks,
)
from tokviz.merges import History, checked
from tokviz.split import PATTERNS
from tokviz.tokenizer import Tokenizer

FORMAT = "tokviz"
VERSION, RANKS_VERSION = 1, 2
HISTORY = ("count", "replaced", "tied", "tokens_after")
TITLE = "tokviz"
FILES = "NAME.json"
ASKS: tuple[str, ...] = ()
LOSES: Losses = {}
REFUSES: tuple[str, ...] = ()

_BASE64 = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_SAVE_AGAIN = "Save it again from tokviz."


def part(file: File) -> str | None:
    """ "model", if this is a model file of ours, by its content; else None."""
    return "model" if file.is_json and isinstance(file.json, dict) and file.json.get("format") == FORMAT else None


def read(files: Mapping[str, File], given: Given) -> Tokenizer:
    """The tokenizer in a model file, under another name if one is given. FormatError as in `load`."""
    (file,) = files.values()
    given.must_not("pattern", file)
    given.must_not("special_tokens", file)
    tokenizer = _tokenizer_in(file)
    return tokenizer if given.name is None else tokenizer.renamed(given.name)


def write(tokenizer: Tokenizer) -> dict[str, bytes]:
    """The model file, under a plain name."""
    return {file_name(tokenizer, ".json"): dump(tokenizer)}


def dump(tokenizer: Tokenizer) -> bytes:
    """The model file of a tokenizer, with its history and origin. It has one field a line, so a person can read it.

    >>> print(dump(Tokenizer("hug", merges=[(117, 103)])).decode().splitlines()[7])
    "merges": [[117,103]],
    """
    fields = {
        "format": FORMAT,
        "version": RANKS_VERSION if tokenizer.lookups else VERSION,
        "name": tokenizer.name,
        "pattern": tokenizer.pattern,
        "regex_version": None if tokenizer.pattern in PATTERNS else regex_version,
        "alphabet": None if np.array_equal(tokenizer.alphabet, BYTES_AS_IDS) else tokenizer.alphabet.tolist(),
        **(_ranks(tokenizer) if tokenizer.lookups else _merges(tokenizer)),
    }
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in fields.items()
    ]
    # a lone surrogate, as in a file's name that is not UTF-8, becomes \udcff, which is how JSON writes it
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "backslashreplace")


def _merges(tokenizer: Tokenizer) -> dict[str, Any]:
    """The fields of merges that are pairs, with the record of their training."""
    history = tokenizer.history
    return {
        "merges": tokenizer.merges,
        "merge_ids": None if _follow_the_bytes(tokenizer) else tokenizer.merge_ids.tolist(),
        "special_tokens": dict(tokenizer.special_tokens),
        "history": None if history is None else {column: history.column(column) for column in HISTORY},
        "made_from": tokenizer.made_from,
    }


def _ranks(tokenizer: Tokenizer) -> dict[str, Any]:
    """The fields of a rank file."""
    tokens = {id: token for token, id in tokenizer.rank_file.items() if len(token) > 1}
    return {
        "tokens": [base64.b64encode(token).decode() for token in tokens.values()],
        "merge_ids": [*tokens],
        "vocab_size": tokenizer.vocab_size,
        "special_tokens": dict(tokenizer.special_tokens),
    }


def load(data: bytes, source: str = "The file") -> Tokenizer:
    """The tokenizer in a model file. FormatError says what is wrong with a damaged or foreign one.

    source: what to call the file in an error, as the beginning of a sentence.

    >>> load(dump(Tokenizer("hug", merges=[(117, 103)]))).encode("hug")
    [104, 256]
    """
    if not isinstance(data, bytes | bytearray):
        raise InputError(f"A model file is bytes, not {shown(data)}.", "To read a path, call tokviz.load(path).")
    check_size(len(data), source)
    return _tokenizer_in(File(source, bytes(data)))


def _tokenizer_in(file: File) -> Tokenizer:
    model = file.json
    _check(model, file.name)
    if model["version"] == RANKS_VERSION:
        return _of_ranks(model, file.name)
    merges, merge_ids, history = model["merges"], model.get("merge_ids"), model.get("history")
    ids = range(256, 256 + len(merges)) if merge_ids is None else merge_ids
    try:
        return Tokenizer(
            model["name"],
            merges,
            pattern=model["pattern"],
            special_tokens=model["special_tokens"],
            alphabet=model.get("alphabet"),
            merge_ids=ids,
            history=None if history is None else _history(history, merges, ids),
            made_from=model.get("made_from"),
        )
    except TokvizError as fault:
        raise FormatError(f"{file.name} is damaged: {fault.what}", fault.way_out) from None


def _of_ranks(model: dict[str, Any], source: str) -> Tokenizer:
    """The tokenizer in a model file that keeps a rank file."""
    tokens = [base64.b64decode(token) for token in model["tokens"]]
    alphabet, merge_ids = model.get("alphabet") or range(256), model.get("merge_ids") or ()
    check_lengths(tokens, source, "Choose a vocabulary of shorter tokens.")
    ids = dict(zip([*(bytes([byte]) for byte in range(256)), *tokens], [*alphabet, *merge_ids], strict=True))
    if len(ids) < 256 + len(tokens):
        raise FormatError(f"{source} is damaged: it has a token twice.", _SAVE_AGAIN)
    try:
        whole = made_of_ranks(model["name"], ids, pattern=model["pattern"], special_tokens=model["special_tokens"])
        return whole if whole.vocab_size == model["vocab_size"] else whole.truncated(model["vocab_size"])
    except TokvizError as fault:
        raise FormatError(f"{source} is damaged: {fault.what}", fault.way_out) from None


def load_file(path: str | PathLike[str]) -> Tokenizer:
    """The tokenizer in a model file that `Tokenizer.save` wrote, with its history and origin.

    Raises InputError if the path is no path, FormatError if there is no readable model file.

    >>> import tempfile, tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tok.save(folder + "/wikipedia.json")
    ...     tokviz.load(folder + "/wikipedia.json").history[0].count
    4
    """
    file = path_of(path)
    return load(data_of(file), file.name)


def _follow_the_bytes(tokenizer: Tokenizer) -> bool:
    """Are the merge ids 256, 257, and so on?"""
    return np.array_equal(tokenizer.merge_ids, np.arange(256, tokenizer.vocab_size))


def _history(history: Mapping[str, list[int]], merges: Sequence[Sequence[int]], ids: Sequence[int]) -> History:
    """The history of a model file. FormatError if its figures cannot be those of a training."""
    pairs = np.array(merges, np.int64).reshape(-1, 2)
    table = np.column_stack([np.arange(len(pairs)), pairs, ids, *(history[column] for column in HISTORY)])
    return checked(History(table))


def _check(model: Any, source: str) -> None:
    """FormatError if this is no model, or a field of it is missing or of the wrong kind."""
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        raise FormatError(
            f'{source} is no tokviz model: it does not say "format": "{FORMAT}".',
            "Choose a .json file that tokviz saved.",
        )
    version = model.get("version")
    if version not in (VERSION, RANKS_VERSION) or not is_id(version):
        raise FormatError(
            f"{source} has version {shown(version)}; this tokviz reads versions {VERSION} and {RANKS_VERSION}.",
            "Open it with the version of tokviz that saved it.",
        )

    def need(ok: bool, field: str, what: str) -> None:
        if not ok:
            raise FormatError(f"{source} is damaged: {field!r} {what}.", _SAVE_AGAIN)

    need(isinstance(model.get("name"), str), "name", "is not a string")
    need(isinstance(model.get("pattern"), str), "pattern", "is not a string")
    for field in ("alphabet", "merge_ids"):
        need(model.get(field) is None or _ids(model[field]), field, "is not a list of ids")
    specials = model.get("special_tokens")
    need(isinstance(specials, dict) and _ids([*specials.values()]), "special_tokens", "does not map text to ids")
    if model["version"] == RANKS_VERSION:
        alphabet, tokens = model.get("alphabet"), model.get("tokens")
        need(alphabet is None or len(alphabet) == 256, "alphabet", "does not have 256 ids")
        if not isinstance(tokens, list):
            raise FormatError(f"{source} is damaged: 'tokens' is not a list.", _SAVE_AGAIN)
        for number, token in enumerate(tokens, 1):
            need(isinstance(token, str) and bool(_BASE64.fullmatch(token)), "tokens", f"has no base64 at {number:,}")
        ids = model.get("merge_ids") or []
        need(len(ids) == len(tokens) and ids == sorted(ids), "merge_ids", "does not have one id a token, rising")
        need(is_id(model.get("vocab_size")), "vocab_size", "is not a number")
        return
    merges = model.get("merges")
    if not isinstance(merges, list):
        raise FormatError(f"{source} is damaged: 'merges' is not a list.", _SAVE_AGAIN)
    for number, pair in enumerate(merges, 1):
        ok = isinstance(pair, list) and len(pair) == 2 and all(map(is_id, pair))
        need(ok, "merges", f"has no pair of ids at merge {number:,}")
    merge_ids = model.get("merge_ids")
    need(merge_ids is None or len(merge_ids) == len(merges), "merge_ids", "does not have one id for each merge")
    need(model.get("made_from") is None or isinstance(model["made_from"], dict), "made_from", "is not an object")
    history = model.get("history")
    if history is not None:
        ok = isinstance(history, dict) and set(history) == set(HISTORY)
        need(ok, "history", f"does not hold {', '.join(HISTORY)}")
        for column in HISTORY:
            ok = _ids(history[column], 2**62) and len(history[column]) == len(merges)
            need(ok, "history", f"does not have one {column!r} for each merge")


def _ids(values: object, below: int = 2**31) -> bool:
    return isinstance(values, list) and all(is_id(value, below) for value in values)
