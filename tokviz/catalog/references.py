"""The tokenizers that others made, and facts about the models that use them. Nothing is fetched.

The vocabularies are bundled in `MODELS`, gzipped, and checked against the sha256 that tiktoken itself pins; its index
says where each comes from. Facts about models are rows of `data/models.toml`, each figure with its source and date.
A model's name leads to its tokenizer: gpt-4o to o200k_base.
"""

from __future__ import annotations

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
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from tokviz.base.arguments import shown
from tokviz.base.data import DATA, INSTALLED, MODELS
from tokviz.base.errors import FormatError, UnknownNameError
from tokviz.base.once import Once
from tokviz.formats.bundled import Reference
from tokviz.formats.bundled import references as references
from tokviz.formats.tiktoken import read_ranks
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer

FACTS = DATA / "models.toml"
_WAY_OUT = "Install tokviz again to bring it back." if INSTALLED else "`python models/fetch.py` brings it back."

Value = TypeVar("Value", int, Decimal)


def reference(name: str) -> Tokenizer:
    """A reference tokenizer, with the ids that tiktoken gives; the same object each time, in every thread.

    UnknownNameError lists the names that exist; FormatError if its file is missing or damaged.

    >>> reference("cl100k_base").encode("Hello, world!")
    [9906, 11, 1917, 0]
    """
    return _references(_entry(name).name)


def reference_name(tokenizer: AnyTokenizer) -> str | None:
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
    if same.name != entry.name:  # the same merges, kept only once
        return reference(same.name).renamed(entry.name).with_special_tokens(entry.special_tokens)
    return Tokenizer.from_ranks(
        entry.name, _ids(entry), pattern=entry.pattern, special_tokens=entry.special_tokens, no_lookups=True
    )


_references: Once[str, Tokenizer] = Once(_read)


def _entry(name: str) -> Reference:
    entry = references().get(name) if isinstance(name, str) else None
    if entry is None:
        raise UnknownNameError(
            f"There is no reference tokenizer {shown(name)}.", f"Choose one of: {', '.join(references())}."
        )
    return entry


def _ids(entry: Reference) -> dict[bytes, int]:
    """Token bytes -> id, from the gzipped rank file."""
    try:
        raw = gzip.decompress((MODELS / entry.file).read_bytes())
    except (OSError, EOFError, zlib.error) as fault:
        why = getattr(fault, "strerror", None) or fault  # without the path of this machine
        raise FormatError(f"{entry.file} cannot be read: {why}.", _WAY_OUT) from None
    if hashlib.sha256(raw).hexdigest() != entry.sha256:
        raise FormatError(f"{entry.file} is damaged: its sha256 is not what tiktoken pins.", _WAY_OUT)
    return read_ranks(raw, entry.file)


# Models


@dataclass(frozen=True, slots=True)
class SourcedFigure(Generic[Value]):
    """A figure with its source and the day on which it was read there, so that a person can look it up.

    url: of the source; "" if it is none of a price or a context window.
    """

    value: Value
    source: str
    date: date
    url: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """Facts about a model. A figure without a source is None.

    encoding: tiktoken's name for its encoding, "" if tiktoken has none. kind: the kind of tokenizer, or "not
    published". vocabulary: how many ids, special tokens included. context: tokens. price: USD for a million input
    tokens. chat: whether it answers in conversations. year: the one in which it came out.
    """

    name: str
    title: str
    maker: str
    encoding: str
    kind: str
    vocabulary: SourcedFigure[int] | None
    context: SourcedFigure[int] | None
    price: SourcedFigure[Decimal] | None
    chat: bool = False
    year: SourcedFigure[int] | None = None

    @property
    def tokenizer(self) -> str:
        """The name of its tokenizer for `reference`; "" if tokviz does not have it."""
        return self.encoding if self.encoding in references() else ""


@functools.cache
def models() -> Mapping[str, Model]:
    """The models that there are facts about, by name, in the order of the file; read-only.

    >>> models()["gpt-4o"].tokenizer, models()["gpt-4o"].price.value
    ('o200k_base', Decimal('2.5'))
    >>> models()["claude-opus-5-5"].kind
    'not published'
    """
    return MappingProxyType({row["name"]: _model(row) for row in _facts()["model"]})


def model(name: str) -> Model:
    """The facts about a model. If there are none, UnknownNameError gives the nearest names.

    >>> model("gpt-2")
    Traceback (most recent call last):
    ...
    tokviz.base.errors.UnknownNameError: There are no facts about a model 'gpt-2'. The nearest names are gpt2,...
    """
    if not isinstance(name, str) or name not in models():
        raise UnknownNameError(f"There are no facts about a model {shown(name)}.", _nearest(name, models()))
    return models()[name]


def tokenizer_for(model_name: str) -> str:
    """The name of a model's tokenizer, by tiktoken's own tables: whole names first, then beginnings of names.

    UnknownNameError if the tables do not have the model, or tokviz does not have its tokenizer.

    >>> tokenizer_for("gpt-4o"), tokenizer_for("gpt-4o-2024-11-20"), tokenizer_for("gpt-4-0613")
    ('o200k_base', 'o200k_base', 'cl100k_base')
    """
    encoding = _encoding(model_name) if isinstance(model_name, str) else ""
    if encoding in references():
        return encoding
    choose = f"Choose one of: {', '.join(references())}."
    if encoding:
        raise UnknownNameError(f"The tokenizer of {model_name!r} is {encoding}, which tokviz does not have.", choose)
    if isinstance(model_name, str) and model_name in models():
        found = models()[model_name]
        raise UnknownNameError(f"tokviz does not have the tokenizer of {found.title} ({found.kind}).", choose)
    raise UnknownNameError(
        f"There is no model {shown(model_name)} here.", _nearest(model_name, {**models(), **_facts()["named"]})
    )


@functools.cache
def _facts() -> dict[str, Any]:
    return tomllib.loads(FACTS.read_text(encoding="utf-8"), parse_float=Decimal)


def _encoding(model_name: str) -> str:
    """tiktoken's name for the encoding of a model; "" if it has none."""
    facts = _facts()
    beginnings = (encoding for start, encoding in facts["prefixes"].items() if model_name.startswith(start))
    return str(facts["named"].get(model_name) or next(beginnings, ""))


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
        row.get("chat", False),
        _fact(row.get("year")),
    )


def _fact(figure: dict[str, Any] | None) -> SourcedFigure[Any] | None:
    if figure is None:
        return None
    source = _facts()["sources"][figure["source"]]
    return SourcedFigure(figure["value"], source["text"], source["date"], source.get("url", ""))


def _nearest(name: object, names: Mapping[str, object]) -> str:
    """A sentence for an error: the names most like this one, or else the models that there are facts about."""
    alike = difflib.get_close_matches(str(name), names, n=3)
    return f"The nearest names are {', '.join(alike)}." if alike else f"There are {', '.join(models())}."
