"""Reads and writes the files of tokenizers. Each format has a module, with a `Format` that says what the format loses.

Files are a dict from name to bytes, so this module uses no disk. CONTRIBUTING.md says how to add a format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePath

from tokviz.base import bounds
from tokviz.base.arguments import checked_text, shown, some
from tokviz.base.errors import FormatError, InputError, SpecialTokenError, TokvizError, UnknownNameError
from tokviz.base.json_files import InputFile, check_size
from tokviz.base.other_files import BESIDE, other_file
from tokviz.base.wording import listed
from tokviz.formats.gguf import GGUF
from tokviz.formats.gpt2 import GPT2
from tokviz.formats.hf import HF
from tokviz.formats.minbpe import MINBPE
from tokviz.formats.parts import ADDED, LACKS, NORMALIZED, UNPAIRED, Format, Given, GivenSpecials
from tokviz.formats.peer_packages import Reader, opened
from tokviz.formats.sentence_piece import SENTENCE_PIECE
from tokviz.formats.tekken import TEKKEN
from tokviz.formats.tiktoken import TIKTOKEN
from tokviz.formats.tokviz import TOKVIZ
from tokviz.formats.vocab_merges import VOCAB_MERGES
from tokviz.split.cutting import check_pattern
from tokviz.split.specials import check_special_tokens
from tokviz.tokenizer.peers import AnyTokenizer, with_merges
from tokviz.tokenizer.tokenizer import Tokenizer

__all__ = ["FORMATS", "WRITTEN", "Format", "dump", "load", "open_files", "recognise"]

# A file is compared with them in this order. SentencePiece comes last, because the first bytes of its files say little.
FORMATS: Mapping[str, Format] = {
    format.key: format for format in (TOKVIZ, MINBPE, GPT2, VOCAB_MERGES, TIKTOKEN, HF, GGUF, TEKKEN, SENTENCE_PIECE)
}
USUAL_NAMES = frozenset(name for format in FORMATS.values() for part in format.parts.values() for name in part.names)
WRITTEN = tuple(key for key, format in FORMATS.items() if format.write)  # the others are only read


def dump(tokenizer: Tokenizer, format: str) -> dict[str, bytes]:
    """Write a tokenizer in a file format: the name of each file -> its bytes. `FORMATS` says what each format loses.

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
    normalizer = with_merges(tokenizer).normalizer
    changes = [normalizer.words] if normalizer else ["characters before any merge"] * tokenizer.in_characters
    lacks = [*tokenizer.spare.values()] or [*tokenizer.lacked]
    kept = (UNPAIRED, tokenizer.lookups), (ADDED, tokenizer.added_tokens), (NORMALIZED, changes), (LACKS, lacks)
    for refused, there in kept:
        if there and refused in FORMATS[format].refuses:
            can = [key for key in WRITTEN if refused not in FORMATS[key].refuses]
            raise FormatError(
                f"The tokenizer {shown(tokenizer.name)} has {refused}, {shown(next(iter(there)))}.",
                f"Choose one of the formats: {', '.join(can)}.",
            )
    most = bounds.now().exported_mb
    if format != TOKVIZ.key and (n_bytes := sum(map(len, tokenizer.vocab.values()))) > most * bounds.MB:
        what = f"The tokens of {tokenizer.name} have {n_bytes:,} bytes, and {most:g} MB are the limit."
        raise FormatError(what, 'Choose the format "tokviz".')
    return write(tokenizer)


def load(
    files: Mapping[str, bytes],
    *,
    name: str | None = None,
    pattern: str | None = None,
    special_tokens: GivenSpecials | None = None,
) -> Tokenizer:
    """Read the tokenizer in files of any of the formats. The content of the files says which format they have.

    files: the name of each file -> its bytes.
    name: of the tokenizer; by default that in the files, or else that of the file.
    pattern: how texts are split, a name or a regular expression; needed exactly if the files do not say it.
    special_tokens: those that the files do not say, text -> id; where the files have the ids, the texts are enough, and
        "all" means all tokens that no merge makes.

    Raises FormatError if the files are damaged, are of several formats or of none, or have what tokviz cannot honour,
    and its child UnsaidError if they do not say what is needed; InputError if they are no dict of bytes; PatternError
    or SpecialTokenError if what is passed beside them is wrong.

    >>> load({"hug.model": b"minbpe v1\\n\\n0\\n117 103\\n"}).encode("hug")
    [104, 256]
    """
    return _read(*_recognised(files), _given(name, pattern, special_tokens))


def open_files(
    files: Mapping[str, bytes],
    *,
    name: str | None = None,
    pattern: str | None = None,
    special_tokens: GivenSpecials | None = None,
    reader: Reader = opened,
    say: Callable[[str], object] | None = None,
) -> AnyTokenizer:
    """Read the tokenizer in files of any kind. Most arguments are those of `load`, and so are the errors.

    reader: reads the file of a peer with its package: in this process, or elsewhere.
    say: called with a sentence on what of the files is left aside, if anything is.

    Where tokviz cannot honour all of a file, a package of others may: `tokenizers` a tokenizer.json of any kind,
    `sentencepiece` a .model file. Then this is a Peer. FormatError if the package cannot either, or is not installed.

    >>> open_files({"hug.model": b"minbpe v1\\n\\n0\\n117 103\\n"}).encode("hug")
    [104, 256]
    >>> words = b'{"model": {"type": "WordLevel", "vocab": {"hug": 0, "?": 1}, "unk_token": "?"}}'
    >>> open_files({"words.json": words})
    <Peer 'words': WordLevel, 2 tokens>
    """
    format, parts = _recognised(files, say)
    given = replace(_given(name, pattern, special_tokens), say=say)
    try:
        return _read(format, parts, given)
    except FormatError as fault:
        refused = fault.without_frames()  # which hold what was read of the file
        if format.peer is None or given.says("pattern") or given.says("special_tokens"):
            raise
        (file,) = parts.values()
        why = (refused.what, refused.way_out) if format.read else None
        return replace(format.peer(file, given, refused, reader), why=why)


def recognise(file: InputFile) -> tuple[str, str] | None:
    """Find the key of a file's format, and which part of it the file is; None if it has none.

    FormatError if the file is damaged, or if something else came in its place, such as a web page.

    >>> recognise(InputFile("merges.txt", b"minbpe v1\\n\\n0\\n117 103\\n"))
    ('minbpe', 'model')
    """
    if other := other_file(file):
        if other.way_out == BESIDE:
            return None
        raise FormatError(f"{file.name} is {other.what}.", other.way_out)
    return next(
        ((key, name) for key, format in FORMATS.items() for name, part in format.parts.items() if part.is_it(file)),
        None,
    )


def unknown(file: InputFile) -> FormatError:
    """Make the error for a file that is in no format: it says what the file is."""
    if other := other_file(file):
        return FormatError(f"{file.name} is {other.what}.", other.way_out)
    kind = "JSON" if file.is_json else "binary" if b"\0" in file.head else "text"
    if file.is_json and isinstance(file.json, dict) and file.json:
        kind += f" with the names {some(file.json)}"
    way_out = f"These can be opened: {', '.join(format.files for format in FORMATS.values())}."
    if PurePath(file.name).name in USUAL_NAMES:
        way_out = "Its name is that of a tokenizer's file, but its content is not: choose another copy."
    return FormatError(f"{file.name} is {kind}, and no tokenizer that tokviz knows.", way_out)


def _given(name: str | None, pattern: str | None, special_tokens: GivenSpecials | None) -> Given:
    """Check what the caller says beside the files."""
    if name is not None:
        checked_text(name, "The name")
    if pattern is not None:
        check_pattern(pattern)
    if special_tokens is not None and not (isinstance(special_tokens, str) and special_tokens == "all"):
        texts = check_special_tokens(special_tokens)
        special_tokens = special_tokens if isinstance(special_tokens, Mapping) else texts
    return Given(name, pattern, special_tokens)


def _recognised(
    files: Mapping[str, bytes], say: Callable[[str], object] | None = None
) -> tuple[Format, dict[str, InputFile]]:
    """Find the format of these files, and which part of it each is. FormatError if they are not of one tokenizer.

    say: called with a sentence on what usually lies beside a tokenizer.json, and is left aside.
    """
    found: dict[str, dict[str, InputFile]] = {}
    aside: list[InputFile] = []
    for file in _checked(files):
        recognised = recognise(file)
        if recognised is None:
            if not other_file(file) or len(files) == len(aside) + 1:
                raise unknown(file)
            aside.append(file)
            continue
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
    if aside and say:
        say(f"Left aside: {listed([file.name for file in aside])}.")
    ((key, parts),) = found.items()
    return FORMATS[key], parts


def _read(format: Format, parts: Mapping[str, InputFile], given: Given) -> Tokenizer:
    """Read the files of a format. FormatError if one is missing, or says itself what the caller says."""
    (there, file), *_ = parts.items()
    if format.read is None:
        raise FormatError(
            f"{file.name} is a file of {format.name}, of which tokviz knows no merges.",
            "Open it with tokviz.formats.open_files.",
        )
    needed = {name: part for name, part in format.parts.items() if part.needed}
    for name, part in needed.items():
        if name not in parts:
            raise FormatError(
                f"{file.name} has {format.parts[there].holds}, but no {part.holds}.", f"Add {' or '.join(part.names)}."
            )
    for field in ("pattern", "special_tokens"):
        if field not in format.asks:
            given.must_not(field, parts[next(iter(needed))])
    files = [parts[name] for name in needed]
    try:
        return format.read(*files, given)
    except TokvizError as fault:
        names_it = isinstance(fault, SpecialTokenError) and file.name in fault.what  # of those that the caller names
        if names_it or fault.what.startswith(tuple(file.name for file in files)):
            raise
        raise FormatError(f"{file.name} cannot be read: {fault.what}", fault.way_out) from None


def _checked(files: Mapping[str, bytes]) -> list[InputFile]:
    if not isinstance(files, Mapping) or not files:
        raise InputError(
            f"The files are {shown(files)}, which is no dict from names to bytes.", "Pass {name: bytes, ...}."
        )
    checked = []
    for name, data in files.items():
        if not isinstance(name, str) or not isinstance(data, bytes | bytearray):
            raise InputError(f"The file {shown(name)} is {shown(data)}, which is not bytes.", "Pass {name: bytes}.")
        check_size(len(data), name)
        checked.append(InputFile(name, bytes(data)))
    return checked
