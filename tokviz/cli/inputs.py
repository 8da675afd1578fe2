"""Reads what commands are given: texts from files or standard input, and tokenizers by name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tokviz.base.errors import FormatError, InputError, PatternError, UnknownNameError
from tokviz.base.files import open_file, read_rest, unread
from tokviz.base.text import Text, read_text
from tokviz.base.wording import count_of, meant, printable
from tokviz.catalog import references, saved
from tokviz.catalog.model_files import load
from tokviz.corpus.columns import texts_in_column
from tokviz.corpus.reading import Corpus
from tokviz.formats.bundled import packaged
from tokviz.formats.parts import UnsaidError
from tokviz.split.cutting import PATTERNS, check_pattern
from tokviz.tokenizer.peers import AnyTokenizer

STDIN = Path("-")
MOST = 2_000_000_000  # bytes of a text that is read whole


def names_from(incomplete: str) -> list[str]:
    """List the names of tokenizers that begin like this, for the completion of a shell."""
    names = [*references.names(), *saved.names()]
    return [name for name in names if name.startswith(incomplete)]


FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", show_default=False, help="The file. Without one, or with -, standard input is read."
    ),
]
TokenizerName = Annotated[
    str,
    typer.Option(
        "--tokenizer",
        "-t",
        metavar="NAME_OR_FILE",
        help="The name of a tokenizer, or its file.",
        autocompletion=names_from,
    ),
]
TokenizerNames = Annotated[
    list[str],
    typer.Option(
        "--tokenizer",
        "-t",
        metavar="NAME_OR_FILE",
        help="The name of a tokenizer, or its file. Repeat it for several.",
        autocompletion=names_from,
    ),
]


Repair = Annotated[bool, typer.Option("--repair", help="Replace bytes that are not UTF-8 with U+FFFD.")]
Special = Annotated[bool, typer.Option("--special", help="Read the texts of special tokens as special tokens.")]


def checked_pattern(pattern: str | None) -> str | None:
    """Check the split pattern of a call. BadParameter if it is none."""
    try:
        return None if pattern is None else check_pattern(pattern)
    except PatternError as fault:
        raise typer.BadParameter(str(fault)) from None


SplitPattern = Annotated[
    str | None,
    typer.Option(
        "--pattern",
        metavar="P",
        callback=checked_pattern,
        help=f"How a text is cut into chunks: {', '.join(PATTERNS)}, or a regex. Without this, gpt2.",
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        "--column", metavar="NAME", help="Read JSON lines or Parquet, with a text in this column of each row."
    ),
]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, metavar="N", help="Use N threads, not one for each core.")
]
SpecialTokens = Annotated[
    list[str] | None,
    typer.Option("--special-token", metavar="TEXT", help="The text of a special token. Repeat it for several."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def tokenizer_named(name: str) -> AnyTokenizer:
    """Open the tokenizer of this name: a reference tokenizer, a file or folder, a saved one, a model's or a package's.

    A name with a slash in it is always that of a file or a folder. UnknownNameError if there is none, FormatError if
    its file cannot be read.

    >>> tokenizer_named("gpt-4o").name
    'o200k_base'
    """
    if name in references.references():
        return references.reference(name)
    path = Path(name)
    if path.exists() or path.name != name:
        try:
            return load(path, say=note)
        except UnsaidError as fault:
            raise FormatError(fault.what, "`tokviz convert` asks for it, and makes a file that says it.") from None
    if saved.has(name):
        return saved.open_saved(name)
    if references.is_name(name) or references.is_of_family(name):
        return references.named(name)
    there = [*references.references(), *packaged(), *map(saved.title, saved.names())]
    raise UnknownNameError(
        f"There is no tokenizer and no file {name!r}.",
        f"{meant(name, [*references.names(), *there])} Name a file, a model such as gpt-4o, or one of: "
        f"{', '.join(dict.fromkeys(there))}.".lstrip(),
    )


def note(sentence: str) -> None:
    """Print a remark on standard error."""
    typer.echo(f"Note: {printable(sentence)}", err=True)


def tokenizers_named(names: list[str]) -> dict[str, AnyTokenizer]:
    """Open the tokenizers of these names, each once: name -> tokenizer."""
    return {name: tokenizer_named(name) for name in dict.fromkeys(names)}


def read_bytes(path: Path) -> bytes:
    """Read the bytes of a file, or of standard input. InputError if it cannot be read."""
    if path == STDIN:
        if sys.stdin is None:
            raise InputError("Standard input is closed.", "Name a file.")
        if sys.stdin.isatty():
            typer.echo("Type a text, and end it with Ctrl-D on a line of its own (Ctrl-Z on Windows).", err=True)
    try:
        if path == STDIN:
            return read_rest(sys.stdin.buffer, MOST)
        with open_file(path, pipe=True) as file:
            return read_rest(file, MOST)
    except OSError as fault:
        said = unread(path_name(path), fault, "Name a file.") if path == STDIN else unread(str(path), fault)
        raise InputError(*said) from None


def path_name(path: Path) -> str:
    return "Standard input" if path == STDIN else path.name


def texts_in(paths: list[Path], repair: bool, column: str | None = None) -> Corpus:
    """Open the files as a corpus. A path is read in blocks, so its text may be larger than memory. A text that is to be
    repaired, or comes from standard input, is read whole. column: that of the texts, if each row is one."""
    if column is not None:
        return texts_in_column(paths, column, repair)
    return [read_input(path, repair) if repair or path == STDIN else path for path in paths]


def read_input(path: Path, repair: bool = False) -> Text:
    """Read the text of a file, or of standard input. A note on standard error says what was changed in it.

    InputError if it cannot be read, or is not UTF-8 and `repair` is false.
    """
    text = read_text(read_bytes(path), path_name(path), repair)
    notes = ["its byte order mark was left out"] if text.bom else []
    if text.repaired:
        notes.append(f"{count_of(text.repaired, 'fault')} became U+FFFD")
    if notes:
        note(f"{text.name}: {', '.join(notes)}.")
    return text
