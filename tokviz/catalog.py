"""The tokenizers that others made, read from the files in `models/` that say where each comes from.

Their vocabularies are bundled, gzipped, and checked against the sha256 that tiktoken itself pins. Nothing is fetched.
"""

from __future__ import annotations

import base64
import binascii
import functools
import gzip
import hashlib
import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path

from tokviz.errors import FormatError, UnknownNameError
from tokviz.tokenizer import Tokenizer

MODELS = Path(__file__).parent.parent / "models"


@dataclass(frozen=True, slots=True)
class Reference:
    """What is known of a reference tokenizer before it is read: see `models/index.toml`."""

    name: str
    title: str
    file: str
    sha256: str
    pattern: str
    special_tokens: dict[str, int]
    n_vocab: int
    used_by: str
    source: str


@functools.cache
def references() -> dict[str, Reference]:
    """All reference tokenizers by name, in the order of the index.

    >>> references()["cl100k_base"].n_vocab
    100277
    """
    rows = tomllib.loads((MODELS / "index.toml").read_text(encoding="utf-8"))
    fields = Reference.__dataclass_fields__
    return {name: Reference(name, **{key: row[key] for key in row if key in fields}) for name, row in rows.items()}


@functools.cache
def reference(name: str) -> Tokenizer:
    """A reference tokenizer, with the ids that tiktoken gives; the same object each time.

    UnknownNameError lists the names there are; FormatError where its file is missing or damaged.

    >>> reference("cl100k_base").encode("Hello, world!")
    [9906, 11, 1917, 0]
    """
    entry = _entry(name)
    return Tokenizer.from_ranks(name, _ids(entry), pattern=entry.pattern, special_tokens=entry.special_tokens)


def _entry(name: str) -> Reference:
    try:
        return references()[name]
    except KeyError:
        raise UnknownNameError(
            f"There is no reference tokenizer {name!r}; there are {', '.join(references())}."
        ) from None


def _ids(entry: Reference) -> dict[bytes, int]:
    """Token bytes -> id, from a gzipped file of lines "base64 id"."""
    try:
        raw = gzip.decompress((MODELS / entry.file).read_bytes())
    except (OSError, EOFError, zlib.error) as fault:
        why = getattr(fault, "strerror", None) or fault  # without the path of this machine
        raise FormatError(f"{entry.file} cannot be read: {why}. `python models/fetch.py` brings it back.") from None
    if hashlib.sha256(raw).hexdigest() != entry.sha256:
        raise FormatError(
            f"{entry.file} is damaged: its sha256 is not what tiktoken pins. `python models/fetch.py` brings it back."
        )
    try:
        return {base64.b64decode(token): int(id) for token, id in (line.split() for line in raw.splitlines())}
    except (ValueError, binascii.Error):
        raise FormatError(f"{entry.file} is not in tiktoken's format.") from None
