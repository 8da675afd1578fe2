"""What the files of a format keep of one tokenizer, and what they lose, in a few words each."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from tokviz.formats import FORMATS
from tokviz.formats.parts import NO_RECORD
from tokviz.split.cutting import PATTERNS
from tokviz.tokenizer.tokenizer import Tokenizer

WORDS: Mapping[str, str] = {
    "pattern": "split pattern",
    "special_tokens": "special tokens",
    "history": "pair counts and ties",
    "made_from": "training record",
    "name": "name",
}
_KEEPS_NAMED = ("hf",)  # a named pattern is the same there; elsewhere its name goes, and an expression stays as it is
ALWAYS = ("ids", "merges in order")  # no format may lose what changes ids


def keeps(tokenizer: Tokenizer, format: str) -> list[str]:
    """What a file of this format has of the tokenizer.

    >>> keeps(Tokenizer("bytes", []), "hf"), keeps(Tokenizer("bytes", []), "tiktoken")
    (['ids', 'merges in order', 'split pattern'], ['ids', 'merges in order'])
    """
    lost = loses(tokenizer, format)
    return [*ALWAYS, *(word for word in _has(tokenizer).values() if word not in lost)]


def loses(tokenizer: Tokenizer, format: str) -> list[str]:
    """What the tokenizer has and a file of this format has not.

    >>> loses(Tokenizer("bytes", [], special_tokens={"<|end|>": 256}), "tiktoken")
    ['split pattern', 'special tokens', 'name']
    """
    row = FORMATS[format]
    gone = {field for field in row.loses if field in NO_RECORD or field in row.asks}
    return [word for field, word in _has(tokenizer).items() if field in gone]


def remarks(tokenizer: Tokenizer, format: str) -> list[str]:
    """Sentences on what a file of this format has in another form than the tokenizer.

    >>> remarks(Tokenizer("bytes", [], pattern=r"\\s+|\\S+"), "hf")[0].partition(",")[0]
    'A pattern of your own keeps its expression'
    >>> remarks(Tokenizer("bytes", [], special_tokens={"<a>": 256, "<a><b>": 257}), "tiktoken")[0]
    'One special token begins with another one. tiktoken may find the shorter one where both fit.'
    >>> remarks(Tokenizer("bytes", [], pattern="gpt2"), "hf")
    []
    """
    row, custom = FORMATS[format], tokenizer.pattern not in PATTERNS
    about = [field for field in row.loses if field not in NO_RECORD and field not in row.asks]
    found = [row.loses[field] for field in about if field != "pattern" or custom == (format in _KEEPS_NAMED)]
    texts = sorted(tokenizer.special_tokens)  # right behind a text come those that begin with it
    if format == "tiktoken" and any(longer.startswith(text) for text, longer in pairwise(texts)):
        found.append("One special token begins with another one. tiktoken may find the shorter one where both fit.")
    return found


def _has(tokenizer: Tokenizer) -> dict[str, str]:
    """The fields that the tokenizer has anything in, with their words."""
    return {field: word for field, word in WORDS.items() if getattr(tokenizer, field) not in (None, {})}
