"""The files of a tokenizer of any kind, on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path

from tokviz.base.arguments import path_of
from tokviz.base.errors import FormatError
from tokviz.base.files import open_file
from tokviz.base.json_files import NAME, data_of, most_file_bytes
from tokviz.formats import open_files
from tokviz.formats.gguf_metadata import MAGIC, head_of
from tokviz.formats.parts import GivenSpecials
from tokviz.tokenizer.peers import AnyTokenizer


def load(
    path: str | PathLike[str],
    pattern: str | None = None,
    special_tokens: GivenSpecials = (),
    *,
    name: str | None = None,
) -> AnyTokenizer:
    """Open the tokenizer in a file, or in the files of a folder. Their content says which of the formats they have.

    path: of the file or folder.
    pattern: how texts are split, a name or a regular expression; needed exactly if the file does not say it.
    special_tokens: those that the file does not say, text -> id; where it has the ids, the texts are enough, and "all"
        means all tokens that no merge makes.
    name: of the tokenizer; by default that in the file, or else that of the file.

    It is a Tokenizer, or a Peer where only a package of others can honour the whole file. Raises InputError if the path
    is no path; FormatError if there is no tokenizer that can be read, and its child UnsaidError if something has to be
    said that the file does not say; PatternError or SpecialTokenError if what is said is wrong.

    >>> import tempfile, tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tok.save(folder + "/wikipedia.json")
    ...     tokviz.load(folder + "/wikipedia.json").history[0].count
    4
    """
    files = {file.name: data for file, data in files_at([path_of(path)]).items()}
    return open_files(files, name=name, pattern=pattern, special_tokens=special_tokens)


def files_at(paths: Sequence[Path]) -> dict[Path, bytes]:
    """Read files, and those in folders: the path of each -> its bytes. FormatError if one cannot be read."""
    return {path: _data(path) for path in _files(paths)}


def _files(paths: Sequence[Path]) -> list[Path]:
    """The files themselves, and those in folders that are not hidden."""
    found: list[Path] = []
    for path in paths:
        name = (path.name or str(path))[:NAME]
        try:
            if not path.is_dir():
                found.append(path)
                continue
            inside = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
            n_bytes = sum(file.stat().st_size for file in inside if file.suffix != ".gguf")  # of that the head is read
        except OSError as fault:
            raise FormatError(f"{name} cannot be read: {fault.strerror}.", "Check who may read it.") from None
        if not inside:
            raise FormatError(f"There is no file in the folder {name}.", "Name the files of a tokenizer.")
        if n_bytes > most_file_bytes():  # weights of a model, or a folder of something else
            raise FormatError(
                f"The files in the folder {name} have {n_bytes:,} bytes, and {most_file_bytes():,} are the limit.",
                "Name the files of a tokenizer.",
            )
        found += inside
    return found


def _data(path: Path) -> bytes:
    with suppress(OSError), open_file(path) as file:  # why it cannot be read, is said below
        if file.read(len(MAGIC)) == MAGIC:
            return head_of(path)
    return data_of(path)
