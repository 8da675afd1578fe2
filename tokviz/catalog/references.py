"""Opens the tokenizers that others made, and has facts about the models that use them. Nothing is fetched.

The vocabularies are bundled in `MODELS`, gzipped, and checked against the sha256 that tiktoken itself pins; its index
says where each comes from. Facts about models are rows of `data/models.toml`, each figure with its source and date.
A model's name leads to its tokenizer: gpt-4o to o200k_base. `names` are all that there are.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from tokviz.base.arguments import shown
from tokviz.base.data import DATA, INSTALLED, MODELS
from tokviz.base.errors import FormatError, UnknownNameError
from tokviz.base.once import Once
from tokviz.base.wording import meant
from tokviz.catalog.packages import open_packaged, packaged_as, plain_name
from tokviz.formats.bundled import Reference, packaged
from tokviz.formats.bundled import references as references
from tokviz.formats.tiktoken import read_ranks
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer

FACTS = DATA / "models.toml"
_WAY_OUT = "Install tokviz again to bring it back." if INSTALLED else "`python models/fetch.py` brings it back."

Value = TypeVar("Value", int, Decimal)


def reference(name: str) -> Tokenizer:
    """Open a reference tokenizer, with the ids that tiktoken gives; the same object each time, in every thread.

    name: its own, or that of a model which uses it.

    UnknownNameError as in `tokenizer_for`; FormatError if its file is missing or damaged.

    >>> reference("cl100k_base").encode("Hello, world!")
    [9906, 11, 1917, 0]
    >>> reference("gpt-4o").name
    'o200k_base'
    """
    return _references(tokenizer_for(name))


def named(name: str) -> AnyTokenizer:
    """Open the tokenizer that people call so: a reference tokenizer, that of a model, or one in an installed package.

    UnknownNameError as in `tokenizer_for`; FormatError if the package is not installed, or a file is damaged.

    >>> named("GPT-4o") is reference("o200k_base")
    True
    """
    row = packaged_as(name)
    return open_packaged(row.key) if row else reference(name)


@functools.cache
def names() -> tuple[str, ...]:
    """List all names by which people know a tokenizer, as `plain_name` spells them."""
    rows = [name for row in packaged().values() for name in (row.key, *row.models)]
    return tuple(dict.fromkeys([*references(), *models(), *_facts()["named"], *rows]))


def is_name(name: str) -> bool:
    """Tell whether people know a tokenizer by this name, so that no other should have it.

    >>> is_name("gpt2"), is_name("Llama 3"), is_name("mine")
    (True, True, False)
    """
    return plain_name(name) in names()


def is_of_family(name: str) -> bool:
    """Tell whether people call a family of models so whose tokenizer no package has; `reference` says the way out.

    >>> is_of_family("Qwen 3"), is_of_family("gpt2")
    (True, False)
    """
    return any(plain_name(name) in row["names"] for row in _facts()["family"])


def reference_name(tokenizer: AnyTokenizer) -> str | None:
    """Return the name for which `reference` gives this very tokenizer; None for any other, even one of the same name.

    >>> reference_name(reference("gpt2")), reference_name(reference("gpt2").truncated(300))
    ('gpt2', None)
    """
    name = tokenizer.name
    return name if _references.ready(name) and _references(name) is tokenizer else None


def _read(name: str) -> Tokenizer:
    """Read a reference tokenizer from its file."""
    entry = references()[name]
    same = next(other for other in references().values() if (other.file, other.pattern) == (entry.file, entry.pattern))
    if same.name != entry.name:  # the same merges, kept only once
        return reference(same.name).renamed(entry.name).with_special_tokens(entry.special_tokens)
    return Tokenizer.from_ranks(
        entry.name, _ids(entry), pattern=entry.pattern, special_tokens=entry.special_tokens, no_lookups=True
    )


_references: Once[str, Tokenizer] = Once(_read)


def _ids(entry: Reference) -> dict[bytes, int]:
    """Read token bytes -> id from the gzipped rank file."""
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
    """Holds a figure with its source and the day on which it was read there, so that a person can look it up.

    url: of the source; "" if it is none of a price or a context window.
    """

    value: Value
    source: str
    date: date
    url: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """Holds facts about a model. A figure without a source is None.

    encoding: tiktoken's name for its encoding, "" if tiktoken has none.
    kind: the kind of tokenizer, or "not published".
    vocabulary: how many ids, special tokens included.
    context: how many tokens the model can take.
    price: USD for a million input tokens.
    chat: whether it answers in conversations.
    year: the one in which it came out.
    output_price: USD for a million output tokens.
    open: whether its makers publish the model itself, so that it has no price of theirs.
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
    output_price: SourcedFigure[Decimal] | None = None
    open: bool = False

    @property
    def tokenizer(self) -> str:
        """The name of its tokenizer for `reference`; "" if tokviz does not have it."""
        return self.encoding if self.encoding in references() else ""


@functools.cache
def models() -> Mapping[str, Model]:
    """Read the facts about all models by name, in the order of the file; read-only.

    >>> models()["gpt-4o"].tokenizer, models()["gpt-4o"].price.value
    ('o200k_base', Decimal('2.5'))
    >>> models()["claude-opus-5-5"].kind
    'not published'
    """
    return MappingProxyType({row["name"]: _model(row) for row in _facts()["model"]})


def model(name: str) -> Model:
    """Return the facts about a model. If there are none, UnknownNameError gives the nearest names.

    >>> model("gpt-2")
    Traceback (most recent call last):
    ...
    tokviz.base.errors.UnknownNameError: There are no facts about a model 'gpt-2'. Did you mean gpt2?
    """
    if not isinstance(name, str) or name not in models():
        there = meant(name, [*models()]) or f"There are {', '.join(models())}."
        raise UnknownNameError(f"There are no facts about a model {shown(name)}.", there)
    return models()[name]


def tokenizer_for(name: str) -> str:
    """Find the reference tokenizer that has this name, or that a model of this name uses.

    tiktoken's own tables decide, as `plain_name` spells their names: whole names first, then beginnings of names.
    UnknownNameError if the tables do not have the model, or tokviz does not have its tokenizer.

    >>> tokenizer_for("gpt-4o"), tokenizer_for("gpt-4o-2024-11-20"), tokenizer_for("GPT-4"), tokenizer_for("gpt2")
    ('o200k_base', 'o200k_base', 'cl100k_base', 'gpt2')
    """
    plain = plain_name(name)
    encoding = plain if plain in references() else _encoding(plain)
    if encoding in references():
        return encoding
    choose = f"Choose one of: {', '.join(references())}."
    if encoding:
        raise UnknownNameError(f"The tokenizer of {name!r} is {encoding}, which tokviz does not have.", choose)
    if row := packaged_as(plain):
        what = f"tokviz does not have the tokenizer of {row.title}; the package {row.package} has it."
        raise UnknownNameError(what, f"Open it on Library, or with tokviz.catalog.packages.open_packaged({row.key!r}).")
    if plain in models():
        found = models()[plain]
        raise UnknownNameError(f"tokviz does not have the tokenizer of {found.title} ({found.kind}).", choose)
    if family := next((row for row in _facts()["family"] if plain in row["names"]), None):
        raise UnknownNameError(
            f"No package has the tokenizer of {family['title']}.",
            f"Download tokenizer.json of the model ({family['licence']}), and drop it on Library or pass it to "
            "tokviz.load: it opens with all its merges.",
        )
    raise UnknownNameError(f"There is no tokenizer {shown(name)}.", f"{meant(name, names())} {choose}".lstrip())


def name_tables() -> tuple[Mapping[str, str], Sequence[tuple[str, str]]]:
    """Return tiktoken's own tables: name of a model -> its encoding, and pairs of the beginning of a name and that.

    >>> known, prefixes = name_tables()
    >>> known["gpt-4o"], prefixes[0]
    ('o200k_base', ('o1-', 'o200k_base'))
    """
    return MappingProxyType(_facts()["named"]), tuple(_facts()["prefixes"].items())


def families() -> Mapping[str, Sequence[str]]:
    """Return the families of models whose tokenizer no package has: title -> the names by which people know them.

    >>> families()["Qwen 3"]
    ('qwen-3', 'qwen3', 'qwen-2.5', 'qwen2.5')
    """
    return MappingProxyType({row["title"]: tuple(row["names"]) for row in _facts()["family"]})


@functools.cache
def _facts() -> dict[str, Any]:
    return tomllib.loads(FACTS.read_text(encoding="utf-8"), parse_float=Decimal)


def _encoding(model_name: str) -> str:
    """Find tiktoken's name for the encoding of a model; "" if it has none."""
    facts = _facts()
    beginnings = (encoding for start, encoding in facts["prefixes"].items() if model_name.startswith(start))
    return str(facts["named"].get(model_name) or next(beginnings, ""))


def _model(row: dict[str, Any]) -> Model:
    encoding = _encoding(row["name"])
    return Model(
        row["name"],
        row["title"],
        row["maker"],
        encoding,
        "byte-level BPE" if encoding else row.get("kind", "not published"),
        _fact(_facts()["encodings"][encoding] if encoding else row.get("vocabulary")),
        _fact(row.get("context")),
        _price(row.get("price")),
        row.get("chat", False),
        _fact(row.get("year")),
        _price(row.get("output_price")),
        row.get("open", False),
    )


def _price(figure: dict[str, Any] | None) -> SourcedFigure[Decimal] | None:
    return _fact(figure and figure | {"value": Decimal(figure["value"])})


def _fact(figure: dict[str, Any] | None) -> SourcedFigure[Any] | None:
    if figure is None:
        return None
    source = _facts()["sources"][figure["source"]]
    return SourcedFigure(figure["value"], source["text"], source["date"], source.get("url", ""))
