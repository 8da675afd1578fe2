"""What the formats share: what the caller says beside a file, and what they ask of a tokenizer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError, SpecialTokenError
from tokviz.base.json_files import File, is_id
from tokviz.tokenizer.tokenizer import Tokenizer

LENGTHS_SQUARED = 200_000_000  # of all tokens that are merged by their bytes alone; o200k_base has 13 million
SHOWN = 3  # tokens that an error names

Losses = Mapping[str, str]  # a field of a Tokenizer -> what happens to it in a file of this format
# What only tokviz's own format keeps.
NO_RECORD: Losses = {
    "name": "There is no name inside; the name of the file stands for it.",
    "history": "There are no figures of the training.",
    "made_from": "It is not said from which texts and settings the tokenizer was trained.",
}
# What is lost beside it where the files hold tokens and merges and nothing else.
ONLY_TOKENS: Losses = {
    **NO_RECORD,
    "pattern": "The files do not say how texts are split. Whoever reads them has to.",
    "special_tokens": "The files do not say which tokens are special. Whoever reads them has to.",
}
GivenSpecials = Mapping[str, int] | Collection[str] | Literal["all"]

_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)


@dataclass(frozen=True)
class Given:
    """What the caller of `load` says beside the files. None: nothing was said."""

    name: str | None = None
    pattern: str | None = None
    special_tokens: GivenSpecials | None = None

    def name_for(self, file: File) -> str:
        """The name of the tokenizer: the one that was given, else that of the file."""
        return file.stem if self.name is None else self.name

    def or_else(self, **known: Any) -> Given:
        """What is known of a file stands in for what the caller does not say."""
        return replace(self, **{field: value for field, value in known.items() if getattr(self, field) is None})

    def need_pattern(self, file: File) -> str:
        """The pattern; FormatError if there is none."""
        if self.pattern is None:
            raise FormatError(
                f"{file.name} does not say with which pattern texts are split.",
                "Pass pattern=, a regular expression or one of: none, gpt2, cl100k, o200k.",
            )
        return self.pattern

    def must_not(self, field: str, file: File) -> None:
        """FormatError if the caller gives what the file says itself: one of the two would be ignored."""
        if getattr(self, field) is not None:
            raise FormatError(f"{file.name} has {field} of its own.", f"Leave out {field}=.")


def id_in(word: str) -> int:
    """The id that a word of a file says. ValueError if it is not written as digits, or is out of range.

    >>> id_in("256")
    256
    """
    if not _NUMBER.fullmatch(word) or not is_id(int(word)):
        raise ValueError
    return int(word)


def some(names: Collection[object]) -> str:
    """The first few of many, for an error.

    >>> some(["a", "b", "c", "d", "e"])
    "'a', 'b', 'c' and 2 more"
    """
    first = ", ".join(map(shown, list(names)[:SHOWN]))
    return first if len(names) <= SHOWN else f"{first} and {len(names) - SHOWN:,} more"


def file_name(tokenizer: Tokenizer, ending: str) -> str:
    """A plain file name for a tokenizer.

    >>> file_name(Tokenizer("../my model", []), ".model")
    'my_model.model'
    """
    plain = re.sub(r"[^\w.-]+", "_", tokenizer.name, flags=re.ASCII).strip("._-")[:80]
    return (plain or "tokenizer") + ending


def pairs_of(tokenizer: Tokenizer) -> tuple[tuple[int, int], ...]:
    """The merges, for a format of pairs. FormatError if no pair makes one of the tokens."""
    if tokenizer.lookups:
        token = next(iter(tokenizer.lookups))
        raise FormatError(
            f"{tokenizer.name} has a token that no pair of tokens makes, {shown(token)}.",
            'Choose the format "tokviz", "tiktoken" or "hf".',
        )
    return tokenizer.merges


def ranks_of(tokenizer: Tokenizer) -> dict[bytes, int]:
    """Token bytes -> id, of a tokenizer with look-ups. FormatError if it is truncated: as a rank file, it would be
    another tokenizer, in which fewer of its look-ups are made."""
    if len(tokenizer.rank_file) > tokenizer.vocab_size:
        raise FormatError(
            f"{tokenizer.name} was cut shorter, and has tokens that no pair of tokens makes.",
            'Choose the format "tokviz".',
        )
    return tokenizer.rank_file


def made_of_ranks(
    name: str, ids: Mapping[bytes, int], *, pattern: str, special_tokens: Mapping[str, int], no_lookups: bool = False
) -> Tokenizer:
    """As `Tokenizer.from_ranks`, with its look-ups found now: whoever reads a file can name it in an error."""
    tokenizer = Tokenizer.from_ranks(name, ids, pattern=pattern, special_tokens=special_tokens, no_lookups=no_lookups)
    _ = tokenizer.lookups
    return tokenizer


def check_lengths(tokens: Iterable[str | bytes], what: str, way_out: str) -> None:
    """FormatError if the tokens are so long that it would take many seconds to find all ways to cut them in two."""
    lengths = [*map(len, tokens)]
    if sum(length * length for length in lengths) > LENGTHS_SQUARED:
        raise FormatError(
            f"{what} has tokens that are too long to be merged by their bytes alone: one has {max(lengths):,} bytes.",
            way_out,
        )


def leftover_specials(
    leftovers: Mapping[str, int], given: Given, file: File, taken: Mapping[str, int]
) -> dict[str, int]:
    """The special tokens of a file that does not say which they are.

    leftovers: token -> id, the tokens that no merge makes. taken: token -> id, all other tokens of the file.
    Raises FormatError if the caller does not name them all, SpecialTokenError if a name is not among them.
    """
    said = given.special_tokens
    if said == "all":
        return dict(leftovers)
    named = dict.fromkeys(said or ())
    for token in named:
        if token not in leftovers:
            problem = "is an ordinary token of it" if token in taken else "is not in it"
            raise SpecialTokenError(
                f"The special token {shown(token)} of {file.name} {problem}.",
                f"The tokens that no merge makes are {some(leftovers)}." if leftovers else "Leave it out.",
            )
        if isinstance(said, Mapping) and said[token] != leftovers[token]:
            raise SpecialTokenError(
                f"The special token {shown(token)} has the id {leftovers[token]} in {file.name}, not {said[token]}.",
                "Pass only its text.",
            )
    unnamed = [token for token in leftovers if token not in named]
    if unnamed:
        raise FormatError(
            f"{file.name} has tokens that no merge makes: {some(unnamed)}.",
            'If they are special tokens, pass special_tokens= with them, or "all".',
        )
    return dict(leftovers)
