"""File formats: one module for each, which recognises, reads and writes it, and says what it loses.

Files are a dict from name to bytes, so nothing here reads or writes a disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tokviz.base.arguments import shown, text_of
from tokviz.base.errors import FormatError, InputError, UnknownNameError
from tokviz.base.json_files import File, check_size
from tokviz.formats import gguf, gpt2, hf, minbpe, tiktoken, vocab_merges
from tokviz.formats import tokviz as own
from tokviz.formats.parts import Given, GivenSpecials, Losses
from tokviz.split.cutting import check_pattern
from tokviz.split.specials import check_special_tokens
from tokviz.tokenizer.peers import with_merges
from tokviz.tokenizer.tokenizer import Tokenizer

__all__ = ["FORMATS", "WRITTEN", "Format", "dump", "load", "recognise"]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    files: the names of its files. asks: what `load` has to be told beside them. loses: a field of a Tokenizer -> what
    happens to it. refuses: what it cannot hold. part: which of its files a file is, by its content; None for none.
    read, write: files to tokenizer and back; write is None for a format that is only read.
    """

    key: str
    title: str
    files: str
    asks: tuple[str, ...]
    loses: Losses
    refuses: tuple[str, ...]
    part: Callable[[File], str | None]
    read: Callable[[Mapping[str, File], Given], Tokenizer]
    write: Callable[[Tokenizer], dict[str, bytes]] | None


FORMATS: Mapping[str, Format] = {
    key: Format(key, it.TITLE, it.FILES, it.ASKS, it.LOSES, it.REFUSES, it.part, it.read, getattr(it, "write", None))
    for key, it in {
        "tokviz": own,
        "minbpe": minbpe,
        "gpt2": gpt2,
        "vocab-merges": vocab_merges,
        "tiktoken": tiktoken,
        "hf": hf,
        "gguf": gguf,
    }.items()
}
WRITTEN = tuple(key for key, format in FORMATS.items() if format.write)  # the others are only read


def dump(tokenizer: Tokenizer, format: str) -> dict[str, bytes]:
    """A tokenizer in a file format: the name of each file -> its bytes. `FORMATS` says what each format loses.

    Raises FormatError if the files could not hold the tokenizer, so that a program that reads them would give other
    ids, or if the format is only read; UnknownNameError lists the formats.

    >>> from tokviz import Tokenizer
    >>> dump(Tokenizer("hug", [(117, 103)], pattern="none"), "minbpe")["hug.model"]
    b'minbpe v1\\n\\n0\\n117 103\\n'
    """
    if not isinstance(format, str) or format not in FORMATS:
        raise UnknownNameError(f"There is no format {shown(format)}.", f"Choose one of: {', '.join(WRITTEN)}.")
    write = FORMATS[format].write
    if write is None:
        raise FormatError(f"tokviz only reads the format {format}.", f"Choose one of: {', '.join(WRITTEN)}.")
    return write(with_merges(tokenizer))


def load(
    files: Mapping[str, bytes],
    *,
    name: str | None = None,
    pattern: str | None = None,
    special_tokens: GivenSpecials | None = None,
) -> Tokenizer:
    """The tokenizer in files of any of the formats. The content of the files says which format they have.

    files: the name of each file -> its bytes. name: of the tokenizer, if the format keeps none; by default that of the
    file. pattern, special_tokens: needed exactly if the files do not say them. special_tokens is text -> id; where the
    files have the ids, the texts are enough, and "all" means all tokens that no merge makes.

    Raises FormatError if the files are damaged, are of several formats or of none, have what tokviz cannot honour, or
    do not say what is needed; InputError if they are no dict of bytes; PatternError or SpecialTokenError if what is
    passed beside them is wrong.

    >>> load({"hug.model": b"minbpe v1\\n\\n0\\n117 103\\n"}).encode("hug")
    [104, 256]
    """
    if name is not None:
        text_of(name, "The name")
    if pattern is not None:
        check_pattern(pattern)
    if special_tokens is not None and special_tokens != "all":
        texts = check_special_tokens(special_tokens)
        special_tokens = special_tokens if isinstance(special_tokens, Mapping) else texts
    found: dict[str, dict[str, File]] = {}
    for file in _checked(files):
        recognised = recognise(file)
        if recognised is None:
            raise FormatError(
                f"{file.name} is in no format that tokviz knows.",
                f"It reads {', '.join(format.files for format in FORMATS.values())}.",
            )
        key, part = recognised
        if part in found.setdefault(key, {}):
            raise FormatError(
                f"{found[key][part].name} and {file.name} are the same part of a tokenizer.", "Choose one of them."
            )
        found[key][part] = file
    if len(found) > 1:
        names = [next(iter(parts.values())).name for parts in found.values()]
        raise FormatError(
            f"The files are of several formats: {', '.join(names)}.", "Choose the files of one tokenizer."
        )
    ((key, parts),) = found.items()
    return FORMATS[key].read(parts, Given(name, pattern, special_tokens))


def recognise(file: File) -> tuple[str, str] | None:
    """The key of a file's format, and which part of it the file is; None if it has none. FormatError if it is damaged.

    >>> recognise(File("merges.txt", b"minbpe v1\\n\\n0\\n117 103\\n"))
    ('minbpe', 'model')
    """
    parts_it_is = ((key, part) for key, format in FORMATS.items() if (part := format.part(file)) is not None)
    return next(parts_it_is, None)


def _checked(files: Mapping[str, bytes]) -> list[File]:
    if not isinstance(files, Mapping) or not files:
        raise InputError(
            f"The files are {shown(files)}, which is no dict from names to bytes.", "Pass {name: bytes, ...}."
        )
    checked = []
    for name, data in files.items():
        if not isinstance(name, str) or not isinstance(data, bytes | bytearray):
            raise InputError(f"The file {shown(name)} is {shown(data)}, which is not bytes.", "Pass {name: bytes}.")
        check_size(len(data), name)
        checked.append(File(name, bytes(data)))
    return checked
