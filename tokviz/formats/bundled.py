"""The index of the reference tokenizers, `models/index.toml`: their rank files, and what these files do not say."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tokviz.base.data import MODELS


@dataclass(frozen=True, slots=True)
class Reference:
    """What `models/index.toml` says about a reference tokenizer, before its file is read.

    series: its colour and marker on pages, a key of `series_shapes` in `data/palette.json`; "" if they do not offer it.
    known_from: the titles of models by which people know it.
    """

    name: str
    title: str
    file: str
    sha256: str
    pattern: str
    special_tokens: Mapping[str, int]
    n_vocab: int
    used_by: str
    source: str
    series: str = ""
    known_from: Sequence[str] = ()


@functools.cache
def references() -> Mapping[str, Reference]:
    """All reference tokenizers by name, in the order of the index; read-only.

    >>> references()["cl100k_base"].n_vocab
    100277
    """
    rows = tomllib.loads((MODELS / "index.toml").read_text(encoding="utf-8"))
    fields = Reference.__dataclass_fields__
    for row in rows.values():
        row["special_tokens"] = MappingProxyType(row["special_tokens"] | _reserved(row))
    return MappingProxyType(
        {name: Reference(name, **{key: row[key] for key in row if key in fields}) for name, row in rows.items()}
    )


@functools.cache
def offered() -> tuple[str, ...]:
    """Name the reference tokenizers that pages and lessons offer.

    >>> offered()
    ('gpt2', 'cl100k_base', 'o200k_base')
    """
    return tuple(name for name, row in references().items() if row.series)


def known_by(sha256: str) -> Reference | None:
    """Find the reference tokenizer whose rank file has this sum; the first one if several share the file."""
    return next((row for row in references().values() if row.sha256 == sha256), None)


def _reserved(row: dict[str, Any]) -> dict[str, int]:
    """The special tokens that a row gives only as a range of ids."""
    first, last = row.get("reserved", (0, -1))
    named = row["special_tokens"].values()
    return {f"<|reserved_{id}|>": id for id in range(first, last + 1) if id not in named}
