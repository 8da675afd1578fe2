"""The tokenizers that others made, and what is known of the models they belong to. Nothing is fetched.

The vocabularies are bundled in `MODELS`, gzipped, and checked against the sha256 that tiktoken itself pins; its index
says where each comes from. Facts about models are rows of `data/models.toml`, each figure with its source and date.
A model's name leads to its tokenizer: gpt-4o to o200k_base.
"""

from __future__ import annotations

import base64
import binascii
import difflib
import functools
import gzip
import hashlib
import tomllib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from tokviz.errors import FormatError, UnknownNameError
from tokviz.once import Once
from tokviz.tokenizer import Tokenizer

_HERE = Path(__file__).parent
INSTALLED = (_HERE / "models").is_dir()  # the wheel puts `models/` of the checkout inside the package
MODELS = _HERE / "models" if INSTALLED else _HERE.parent / "models"
FACTS = _HERE / "data" / "models.toml"
_WAY_OUT = "Install tokviz again to bring it back." if INSTALLED else "`python models/fetch.py` brings it back."

Value = TypeVar("Value", int, Decimal)


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
    for row in rows.values():
        row["special_tokens"] |= _reserved(row)
    return {name: Reference(name, **{key: row[key] for key in row if key in fields}) for name, row in rows.items()}


def _reserved(row: dict[str, Any]) -> dict[str, int]:
    """The special tokens that a row names by their ids alone."""
    first, last = row.get("reserved", (0, -1))
    named = row["special_tokens"].values()
    return {f"<|reserved_{id}|>": id for id in range(first, last + 1) if id not in named}


def reference(name: str) -> Tokenizer:
    """A reference tokenizer, with the ids that tiktoken gives; the same object each time.

    UnknownNameError lists the names there are; FormatError where its file is missing or damaged.

    >>> reference("cl100k_base").encode("Hello, world!")
    [9906, 11, 1917, 0]
    """
    return _references(name)


def reference_name(tokenizer: Tokenizer) -> str | None:
    """The name for which `reference` gives this very tokenizer; None for any other, even one of the same name.

    >>> reference_name(reference("gpt2")), reference_name(reference("gpt2").truncated(300))
    ('gpt2', None)
    """
    name = tokenizer.name
    return name if _references.ready(name) and _references(name) is tokenizer else None


def _read(name: str) -> Tokenizer:
    """Read a reference tokenizer from its file."""
    entry = _entry(name)
    same = next(other for other in references().values() if (other.file, other.pattern) == (entry.file, entry.pattern))
    if same is not entry:  # the same merges, which are kept once
        return reference(same.name).renamed(name).with_special_tokens(entry.special_tokens)
    return Tokenizer.from_ranks(name, _ids(entry), pattern=entry.pattern, special_tokens=entry.special_tokens)


_references: Once[str, Tokenizer] = Once(_read)


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
        raise FormatError(f"{entry.file} cannot be read: {why}.", _WAY_OUT) from None
    if hashlib.sha256(raw).hexdigest() != entry.sha256:
        raise FormatError(f"{entry.file} is damaged: its sha256 is not what tiktoken pins.", _WAY_OUT)
    try:
        return {base64.b64decode(token): int(id) for token, id in (line.split() for line in raw.splitlines())}
    except (ValueError, binascii.Error):
        raise FormatError(f"{entry.file} is not in tiktoken's format.") from None


# Models


@dataclass(frozen=True, slots=True)
class Fact(Generic[Value]):
    """A figure that a person can look up: where it stands, and the day on which it was read there."""

    value: Value
    source: str
    date: date


@dataclass(frozen=True, slots=True)
class Model:
    """What is known of a model. A figure without a source is None.

    encoding: what tiktoken calls its encoding, "" where tiktoken has none. kind: of tokenizer, or "not published".
    vocabulary: ids, special tokens included. context: tokens. price: USD for a million input tokens.
    """

    name: str
    title: str
    maker: str
    encoding: str
    kind: str
    vocabulary: Fact[int] | None
    context: Fact[int] | None
    price: Fact[Decimal] | None

    @property
    def tokenizer(self) -> str:
        """The name of its tokenizer for `reference`; "" where tokviz has none."""
        return self.encoding if self.encoding in references() else ""


@functools.cache
def models() -> Mapping[str, Model]:
    """The models there are facts about, by name, in the order of the file. Read it, do not change it.

    >>> models()["gpt-4o"].tokenizer, models()["gpt-4o"].price.value
    ('o200k_base', Decimal('2.5'))
    >>> models()["claude-opus-5-5"].kind
    'not published'
    """
    return MappingProxyType({row["name"]: _model(row) for row in _facts()["model"]})


def model(name: str) -> Model:
    """The facts about a model. UnknownNameError names the nearest ones where there is none of that name.

    >>> model("gpt-2")
    Traceback (most recent call last):
    ...
    tokviz.errors.UnknownNameError: There are no facts about a model 'gpt-2'. The nearest names are gpt2, gpt-5, gpt-4.
    """
    try:
        return models()[name]
    except KeyError:
        raise UnknownNameError(f"There are no facts about a model {name!r}.", f"{_nearest(name, models())}") from None


def tokenizer_for(model_name: str) -> str:
    """The name of the tokenizer of a model, by tiktoken's own tables: whole names first, then beginnings of names.

    UnknownNameError where they have no such model, or tokviz not its tokenizer.

    >>> tokenizer_for("gpt-4o"), tokenizer_for("gpt-4o-2024-11-20"), tokenizer_for("gpt-4-0613")
    ('o200k_base', 'o200k_base', 'cl100k_base')
    """
    encoding = _encoding(model_name)
    if encoding in references():
        return encoding
    if encoding:
        what = f"The tokenizer of {model_name!r} is {encoding}, which tokviz does not have."
        raise UnknownNameError(f"{what} It has {', '.join(references())}.")
    if model_name in models():
        why = models()[model_name].kind
        what = f"tokviz does not have the tokenizer of {models()[model_name].title} ({why})."
        raise UnknownNameError(f"{what} It has {', '.join(references())}.")
    raise UnknownNameError(
        f"There is no model {model_name!r} here.", f"{_nearest(model_name, {**models(), **_facts()['named']})}"
    )


@functools.cache
def _facts() -> dict[str, Any]:
    return tomllib.loads(FACTS.read_text(encoding="utf-8"), parse_float=Decimal)


def _encoding(model_name: str) -> str:
    """What tiktoken calls the encoding of a model; "" where it knows none."""
    facts = _facts()
    if model_name in facts["named"]:
        return str(facts["named"][model_name])
    beginnings = (encoding for start, encoding in facts["prefixes"].items() if model_name.startswith(start))
    return next(beginnings, "")


def _model(row: dict[str, Any]) -> Model:
    encoding = _encoding(row["name"])
    price = row.get("price")
    return Model(
        row["name"],
        row["title"],
        row["maker"],
        encoding,
        "byte-level BPE" if encoding else row.get("kind", "not published"),
        _fact(_facts()["encodings"][encoding] if encoding else row.get("vocabulary")),
        _fact(row.get("context")),
        _fact(price and price | {"value": Decimal(price["value"])}),
    )


def _fact(figure: dict[str, Any] | None) -> Fact[Any] | None:
    if figure is None:
        return None
    source = _facts()["sources"][figure["source"]]
    return Fact(figure["value"], source["text"], source["date"])


def _nearest(name: str, names: Mapping[str, object]) -> str:
    """A sentence for an error: the names most like this one, or those there are facts about where none is alike."""
    alike = difflib.get_close_matches(name, names, n=3)
    return f"The nearest names are {', '.join(alike)}." if alike else f"There are {', '.join(models())}."
