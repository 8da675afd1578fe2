"""What the formats share: a file, what the caller says beside it, and careful reading of text and JSON."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from tokviz import limits
from tokviz.arguments import shown
from tokviz.errors import FormatError, SpecialTokenError
from tokviz.tokenizer import Tokenizer

HEAD = 4_096  # bytes at the beginning of a file, by which its format is recognised
LENGTHS_SQUARED = 200_000_000  # of all tokens that are merged by their bytes alone; o200k_base has 13 million
SHOWN = 3  # tokens that an error names
NAME = 300  # characters of a file's name in an error
PART = 1 << 20  # bytes that are looked at together
# What JSON takes in memory at most: bytes of each list, of each object, of each name in it, of each value and text.
_WEIGHTS = {b"[": 100, b"{": 200, b":": 100, b",": 40, b'"': 12}
_TIMES, _FLOOR = 24, 20_000_000  # in memory a file may have so many times its bytes, and so many more

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

_JSON = re.compile(rb"\s*(\{|\[\s*[\]{])")
_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)


@dataclass(frozen=True)
class File:
    """A file to be read: its name, which errors say, and its bytes."""

    name: str
    data: bytes

    @cached_property
    def head(self) -> bytes:
        """Its first bytes, without a byte order mark."""
        return self.data[:HEAD].removeprefix(b"\xef\xbb\xbf")

    @property
    def text(self) -> str:
        """Its text. FormatError names the first byte that is not UTF-8."""
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            raise FormatError(
                f"{self.name} is no text: byte {fault.start:,} is not UTF-8.", "Choose a file that is not damaged."
            ) from None

    def check_lines(self) -> None:
        """FormatError if it has more lines than a vocabulary may have tokens."""
        n, most = self.data.count(b"\n"), limits.VOCABULARY + limits.SPECIALS
        if n > most:
            raise FormatError(
                f"{self.name} has {n:,} lines, and {most:,} tokens are the limit.", "Choose a smaller vocabulary."
            )

    @property
    def lines(self) -> list[str]:
        """Its lines, without their ends, of Windows too, and without the empty ones at the end of the file.

        FormatError if there are too many.
        """
        self.check_lines()
        lines = [line.removesuffix("\r") for line in self.text.split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def json(self) -> Any:
        """What its JSON says. FormatError says where it is damaged, or that it would take too much memory."""
        self.check_unfolded()
        text = self.text
        try:
            return read_json(text)
        except json.JSONDecodeError as fault:
            raise FormatError(
                f"{self.name} is damaged: {fault.msg} (line {fault.lineno:,}, column {fault.colno:,}).",
                "Choose a file that is whole.",
            ) from None
        except RecursionError:
            raise FormatError(f"{self.name} is no model: it nests too deeply.", "Choose another file.") from None
        except ValueError as fault:  # a number of thousands of digits, NaN, or a name twice
            raise FormatError(f"{self.name} is damaged: {fault}.", "Choose a file that is whole.") from None

    def check_unfolded(self) -> None:
        """FormatError if its JSON could take many times as much memory as the file: a list takes two bytes of a file
        and 60 of memory."""
        most = min(_TIMES * len(self.data) + _FLOOR, limits.UNFOLDED_MB * limits.MB)
        counts = {sign: self.data.count(sign) for sign in _WEIGHTS}  # those inside texts too, which is quicker
        if _unfolded(counts) > most and (n_bytes := _unfolded(_outside_texts(self.data))) > most:
            raise FormatError(
                f"{self.name} has {len(self.data):,} bytes, but what its JSON holds could take {n_bytes:,} in memory.",
                "Choose a smaller file.",
            )

    @property
    def is_json(self) -> bool:
        """Does it begin as a JSON object, or a list of objects, does?"""
        return _JSON.match(self.head) is not None

    @property
    def stem(self) -> str:
        """Its name without folder and ending.

        >>> File("models/cat.model", b"").stem
        'cat'
        """
        return re.split(r"[/\\]", self.name)[-1].rpartition(".")[0] or self.name


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


def _unfolded(counts: Mapping[bytes, int]) -> int:
    """How many bytes of memory a JSON text with so many signs may take, at most."""
    return sum(count * _WEIGHTS[sign] for sign, count in counts.items())


def _outside_texts(data: bytes) -> dict[bytes, int]:
    """How many of the signs of JSON stand outside the texts in it."""
    plain = np.frombuffer(data.replace(b"\\\\", b"").replace(b'\\"', b""), np.uint8)
    counts, inside = np.zeros(256, np.int64), np.uint8(0)
    for start in range(0, len(plain), PART):
        part = plain[start : start + PART]
        in_text = np.bitwise_xor.accumulate((part == ord('"')).view(np.uint8)) ^ inside
        counts += np.bincount(part[(in_text == 0) | (part == ord('"'))], minlength=256)
        inside = in_text[-1]
    return {sign: int(counts[ord(sign)]) for sign in _WEIGHTS}


def most_bytes() -> int:
    """How many bytes a file may have."""
    return int(limits.MODEL_FILE_MB * limits.MB)


def check_size(n_bytes: int, name: str) -> None:
    """FormatError if a file is too large to be read."""
    if n_bytes > most_bytes():
        raise FormatError(f"{name} has {n_bytes:,} bytes; a file may have {most_bytes():,}.", "Choose a smaller file.")


def data_of(path: Path) -> bytes:
    """The bytes of a file. FormatError if it is none, is too large or cannot be read."""
    name = path.name[:NAME]
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe would have to be waited for, and a device may never end
            what = "it is a folder" if stat.S_ISDIR(found.st_mode) else "it is no file"
            raise FormatError(f"{name} cannot be read: {what}.", "Choose a model file.")
        check_size(found.st_size, name)
        with path.open("rb") as opened:
            data = opened.read(found.st_size + 1)  # it may grow meanwhile
    except OSError as fault:
        raise FormatError(f"{name} cannot be read: {fault.strerror}.", "Check the path.") from None
    check_size(len(data), name)
    return data


def read_json(text: str) -> Any:
    """What a JSON text says. ValueError if it is none or has a name twice, RecursionError if it nests too deeply."""
    return json.loads(text, object_pairs_hook=_unique_names, parse_constant=refuse_constant)


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. ValueError if it has a name twice: JSON would silently drop the first of two special tokens."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"{shown(twice)} stands in it twice")
    return fields


def refuse_constant(constant: str) -> NoReturn:
    """Python's json reads NaN and Infinity, which are no JSON."""
    raise ValueError(f"{constant} is no number in JSON")


def is_id(value: object, below: int = 2**31) -> bool:
    """Is it a whole number from 0 on?"""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


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
