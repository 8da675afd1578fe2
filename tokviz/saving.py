"""tokviz's own model file: one JSON object, versioned, with the record of the training inside.

    {"format": "tokviz", "version": 1, "name": ..., "pattern": ..., "regex_version": null or the `regex` package's,
     "alphabet": null or 256 ids, "merges": [[left id, right id], ...], "merge_ids": null or one id a merge,
     "special_tokens": {text: id}, "history": null or {"count": [...], "replaced": [...], "tied": [...],
     "tokens_after": [...]}, "made_from": null or the settings and texts of the training}

It holds nothing that changes from one save to the next, no date and no path, so the same tokenizer saved twice gives
the same bytes. Whatever is read is checked first: a model file may come from anywhere.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokviz.errors import FormatError

FORMAT = "tokviz"
VERSION = 1
HISTORY = ("count", "replaced", "tied", "tokens_after")
FILE_BYTES = 256_000_000  # the largest model file that is read


def dump(model: Mapping[str, Any]) -> bytes:
    """The model file of these fields, one field a line, so that a person can open it."""
    fields = {"format": FORMAT, "version": VERSION, **model}
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in fields.items()
    ]
    # a lone surrogate, as in a file's name that is not UTF-8, becomes \udcff, which is how JSON writes it
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "backslashreplace")


def parse(data: bytes, source: str = "The file") -> dict[str, Any]:
    """The fields of a model file, each of the right kind; FormatError says what is wrong with it and where."""
    if len(data) > FILE_BYTES:
        raise FormatError(f"{source} has {len(data):,} bytes; a model file may have {FILE_BYTES:,}.")
    try:
        model = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as fault:
        raise FormatError(
            f"{source} is no tokviz model: byte {fault.start:,} is not UTF-8.", "Choose a file that tokviz saved."
        ) from None
    except json.JSONDecodeError as fault:
        raise FormatError(
            f"{source} is no tokviz model, or is damaged: {fault.msg} (line {fault.lineno:,}, column {fault.colno:,}).",
            "Choose a .json file saved by tokviz, or save it again.",
        ) from None
    except RecursionError:
        raise FormatError(f"{source} is no tokviz model: it nests too deeply.") from None
    except ValueError as fault:  # a number of thousands of digits, a name twice
        raise FormatError(f"{source} is damaged: {fault}.", "Save it again from tokviz.") from None
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        raise FormatError(
            f'{source} is no tokviz model: it does not say "format": "{FORMAT}".',
            "Choose a .json file saved by tokviz.",
        )
    version = model.get("version")
    if version != VERSION or not _is_id(version):
        raise FormatError(
            f"{source} is of version {version!r}; this tokviz reads version {VERSION}.",
            "Use the tokviz that saved it.",
        )
    _check(model, source)
    return model


def write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: beside it first, then in its place."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        part.chmod(0o644)
        part.replace(path)
    except BaseException:
        part.unlink()
        raise


def _check(model: dict[str, Any], source: str) -> None:
    def need(ok: bool, field: str, what: str) -> None:
        if not ok:
            raise FormatError(f"{source} is damaged: {field!r} {what}.", "Save it again from tokviz.")

    need(isinstance(model.get("name"), str), "name", "is not a string")
    need(isinstance(model.get("pattern"), str), "pattern", "is not a string")
    merges = model.get("merges")
    if not isinstance(merges, list):
        raise FormatError(f"{source} is damaged: 'merges' is not a list.", "Save it again from tokviz.")
    for number, pair in enumerate(merges, 1):
        need(
            isinstance(pair, list) and len(pair) == 2 and all(map(_is_id, pair)),
            "merges",
            f"has no pair of ids at merge {number:,}",
        )
    for field in ("alphabet", "merge_ids"):
        need(model.get(field) is None or _ids(model[field]), field, "is not a list of ids")
    need(
        model.get("merge_ids") is None or len(model["merge_ids"]) == len(merges),
        "merge_ids",
        "has not one id for each merge",
    )
    specials = model.get("special_tokens")
    need(
        isinstance(specials, dict) and _ids(list(specials.values())),
        "special_tokens",
        "does not map text to ids",
    )
    need(
        model.get("made_from") is None or isinstance(model["made_from"], dict),
        "made_from",
        "is not an object",
    )
    history = model.get("history")
    if history is not None:
        need(
            isinstance(history, dict) and set(history) == set(HISTORY),
            "history",
            f"does not hold {', '.join(HISTORY)}",
        )
        for column in HISTORY:
            need(
                _ids(history[column], 2**62) and len(history[column]) == len(merges),
                "history",
                f"has not one {column!r} for each merge",
            )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose names are all different: of two special tokens of one text, one would go unseen."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands in it twice")
    return fields


def _is_id(value: object, below: int = 2**31) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def _ids(values: object, below: int = 2**31) -> bool:
    return isinstance(values, list) and all(_is_id(value, below) for value in values)
