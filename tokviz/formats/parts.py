"""Defines what a file format is, and what all formats share: what is said beside a file, and checks of tokenizers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tokviz.base.arguments import shown, some
from tokviz.base.errors import FormatError, SpecialTokenError
from tokviz.base.json_files import InputFile, is_id
from tokviz.formats.peer_packages import Reader
from tokviz.split.cutting import PATTERNS
from tokviz.tokenizer.peers import Peer
from tokviz.tokenizer.tokenizer import Tokenizer

LENGTHS_SQUARED = 200_000_000  # of all tokens that are merged by their bytes alone; o200k_base has 13 million

Losses = Mapping[str, str]  # a field of a Tokenizer -> what happens to it in a file of this format
WORDS: Mapping[str, str] = {  # these fields in words, in the order in which people read them
    "pattern": "split pattern",
    "special_tokens": "special tokens",
    "added_tokens": "added tokens",
    "normalizer": "normalizer",
    "history": "pair counts and ties",
    "made_from": "training record",
    "name": "name",
}
# What only tokviz's own format keeps.
NO_RECORD: Losses = {
    "name": "There is no name inside; the name of the file takes its place.",
    "history": "There are no figures of the training.",
    "made_from": "It is not said from which texts and settings the tokenizer was trained.",
}
# What is lost beside it where the files hold tokens and merges and nothing else.
ONLY_TOKENS: Losses = {
    **NO_RECORD,
    "pattern": "The files do not say how texts are split. The program that reads them has to know.",
    "special_tokens": "The files do not say which tokens are special. The program that reads them has to know.",
}
UNPAIRED = "a token that no pair of tokens makes"  # which a format of pairs refuses
ADDED = "an added token that is cut out of every text"  # which a format refuses that cannot say so
NORMALIZED = "a normalizer, which changes a text before it is cut"  # likewise
LACKS = "bytes that no token has, or tokens that no text becomes"  # likewise
BESIDE_MERGES = (ADDED, LACKS, NORMALIZED)  # what a format refuses that has only tokens, merges and special tokens
UNPAIRED_CUT = "a tokenizer with tokens that no pair of tokens makes, if it was cut shorter"
PASS_PATTERN = f"Pass pattern=, a regular expression or one of: {', '.join(PATTERNS)}."
GivenSpecials = Mapping[str, int] | Collection[str] | Literal["all"]

_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)


class UnsaidError(FormatError):
    """Reports what a file does not say, so that the caller has to say it.

    field: "pattern" or "special_tokens".
    leftovers: the tokens that may be the special ones; None if the file has none.
    """

    def __init__(self, what: str, way_out: str, field: str, leftovers: tuple[str, ...] | None = None) -> None:
        super().__init__(what, way_out)
        self.field = field
        self.leftovers = leftovers


@dataclass(frozen=True)
class Given:
    """Holds what the caller of `load` says beside the files.

    name, pattern, special_tokens: None if nothing was said. special_tokens: () for those of the file alone.
    say: called with a sentence on what of a file is left aside.
    """

    name: str | None = None
    pattern: str | None = None
    special_tokens: GivenSpecials | None = None
    say: Callable[[str], object] | None = field(default=None, compare=False)

    def name_for(self, file: InputFile) -> str:
        """Return the name of the tokenizer: the one that was given, else that of the file."""
        return file.stem if self.name is None else self.name

    def or_else(self, **known: Any) -> Given:
        """Fill in what is known of a file where the caller says nothing."""
        return replace(self, **{field: value for field, value in known.items() if not self.says(field)})

    def says(self, field: str) -> bool:
        """Tell whether the caller says anything in this field."""
        return getattr(self, field) not in (None, ())

    def need_pattern(self, file: InputFile) -> str:
        """Return the pattern; UnsaidError if there is none."""
        if self.pattern is None:
            what = f"{file.name} does not say with which pattern texts are split."
            raise UnsaidError(what, PASS_PATTERN, "pattern")
        return self.pattern

    def must_not(self, field: str, file: InputFile) -> None:
        """Raise FormatError if the caller gives what the file says itself: one of the two would be ignored."""
        if self.says(field):
            raise FormatError(f"{file.name} says its {WORDS[field]} itself.", "Leave yours out.")


@dataclass(frozen=True, slots=True)
class FilePart:
    """Describes one of the files of a format.

    names: what programs call it, the usual name first. All parts of a format need the same number of names: the first
        names of all parts go together, and so on.
    is_it: tells by its content whether a file is this part.
    holds: what is in it, for an error.
    needed: False for a file that is only for people to read.
    """

    names: tuple[str, ...]
    is_it: Callable[[InputFile], bool]
    holds: str = ""
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Format:
    """Describes a file format.

    parts: its files.
    read: makes the tokenizer of the needed parts, in this order, and what is given; None if only a package of others
        can read the files.
    write: makes the files; None for a format that is only read.
    peer: reads, by a package of others, a file that `read` refuses with this error.
    asks: what `load` has to be told beside the files, fields of `Given`.
    loses: a field of a Tokenizer -> what happens to it.
    refuses: what it cannot hold.
    remarks: sentences on what the files have in another form than this tokenizer.
    """

    key: str
    title: str
    parts: Mapping[str, FilePart]
    read: Callable[..., Tokenizer] | None
    write: Callable[[Tokenizer], dict[str, bytes]] | None = None
    peer: Callable[[InputFile, Given, FormatError, Reader], Peer] | None = None
    asks: tuple[str, ...] = ()
    loses: Losses = field(default_factory=lambda: NO_RECORD)
    refuses: tuple[str, ...] = ()
    remarks: Callable[[Tokenizer], list[str]] = lambda _: []

    @property
    def name(self) -> str:
        """The title in a word or two."""
        return self.title.partition(":")[0]

    def keeps(self, tokenizer: Tokenizer) -> list[str]:
        """List what the files have of a tokenizer, in a few words each.

        >>> from tokviz.formats import FORMATS
        >>> FORMATS["hf"].keeps(Tokenizer("bytes", [])), FORMATS["tiktoken"].keeps(Tokenizer("bytes", []))
        (['ids', 'merges in order', 'split pattern'], ['ids', 'merges in order'])
        """
        lost = self.lacks(tokenizer)
        return ["ids", "merges in order", *(WORDS[field] for field in fields_of(tokenizer) if WORDS[field] not in lost)]

    def lacks(self, tokenizer: Tokenizer) -> list[str]:
        """List what the tokenizer has and the files have not. What they have in another form is in `loses` too.

        >>> from tokviz.formats import FORMATS
        >>> FORMATS["tiktoken"].lacks(Tokenizer("bytes", [], special_tokens={"<|end|>": 256}))
        ['split pattern', 'special tokens', 'name']
        """
        gone = self.loses.keys() & {*NO_RECORD, *self.asks}
        return [WORDS[field] for field in fields_of(tokenizer) if field in gone]

    @property
    def files(self) -> str:
        """The names of the files, in words: the first names of all parts, then the second names of all, and so on."""
        usual, *others = (
            " and ".join(names) for names in zip(*(part.names for part in self.parts.values()), strict=True)
        )
        return usual + "".join(f" (or {names})" for names in others)


def fields_of(tokenizer: Tokenizer) -> list[str]:
    """List the fields of `WORDS` that the tokenizer has anything in."""
    return [field for field in WORDS if getattr(tokenizer, field) not in (None, {})]


def id_in(word: str) -> int:
    """Read the id that is a word of a file. ValueError if it is not written as digits, or is out of range.

    >>> id_in("256")
    256
    """
    if not _NUMBER.fullmatch(word) or not is_id(int(word)):
        raise ValueError
    return int(word)


def file_name(tokenizer: Tokenizer, ending: str) -> str:
    """Make a plain file name for a tokenizer.

    >>> file_name(Tokenizer("../my model", []), ".model")
    'my_model.model'
    """
    plain = re.sub(r"[^\w.-]+", "_", tokenizer.name, flags=re.ASCII).strip("._-")[:80]
    return (plain or "tokenizer") + ending


def ranks_of(tokenizer: Tokenizer) -> dict[bytes, int]:
    """Return token bytes -> id of a tokenizer with look-ups. FormatError if it is truncated: its rank file would make
    another tokenizer, which makes fewer of the look-ups."""
    if len(tokenizer.rank_file) > tokenizer.vocab_size:
        raise FormatError(
            f"The tokenizer {shown(tokenizer.name)} was cut shorter, and has tokens that no pair of tokens makes.",
            'Choose the format "tokviz".',
        )
    return tokenizer.rank_file


def read_from_ranks(
    name: str,
    ids: Mapping[bytes, int],
    file: InputFile,
    *,
    pattern: str,
    special_tokens: Mapping[str, int],
    no_lookups: bool = False,
) -> Tokenizer:
    """Do as `Tokenizer.from_ranks` with the ranks in a file. Look-ups are found now, so that errors name the file."""
    check_lengths(ids, file.name, "Choose a vocabulary of shorter tokens.")
    made = Tokenizer.from_ranks(name, ids, pattern=pattern, special_tokens=special_tokens, no_lookups=no_lookups)
    _ = made.lookups
    return made


def check_lengths(tokens: Iterable[str | bytes], what: str, way_out: str) -> None:
    """Raise FormatError if the tokens are so long that finding all ways to cut them in two would take many seconds."""
    lengths = [*map(len, tokens)]
    if sum(length * length for length in lengths) > LENGTHS_SQUARED:
        raise FormatError(
            f"{what} has tokens that are too long to be merged by their bytes alone: one has {max(lengths):,} bytes.",
            way_out,
        )


def leftover_specials(
    leftovers: Mapping[str, int], given: Given, file: InputFile, taken: Mapping[str, int]
) -> dict[str, int]:
    """Find the special tokens of a file that does not say which they are.

    leftovers: token -> id, the tokens that no merge makes.
    taken: token -> id, all tokens of the file.

    Raises UnsaidError if the caller does not name them all, SpecialTokenError if a name is not among them.
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
        raise UnsaidError(
            f"{file.name} has tokens that no merge makes: {some(unnamed)}.",
            'If they are special tokens, pass special_tokens= with them, or "all".',
            "special_tokens",
            tuple(leftovers),
        )
    return dict(leftovers)
