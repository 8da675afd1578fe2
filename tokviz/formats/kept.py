"""What the files of a format keep of one tokenizer, and what they lose, in a few words each."""

from __future__ import annotations

from collections.abc import Mapping

from tokviz.formats import FORMATS
from tokviz.formats.parts import NO_RECORD
from tokviz.tokenizer.tokenizer import Tokenizer

WORDS: Mapping[str, str] = {
    "pattern": "split pattern",
    "special_tokens": "special tokens",
    "history": "pair counts and ties",
    "made_from": "training record",
    "name": "name",
}
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


def _has(tokenizer: Tokenizer) -> dict[str, str]:
    """The fields that the tokenizer has anything in, with their words."""
    return {field: word for field, word in WORDS.items() if getattr(tokenizer, field) not in (None, {})}
