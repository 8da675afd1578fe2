"""The files of a tokenizer of any kind, and what has to be said beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tokviz.base.errors import FormatError
from tokviz.base.files import open_file
from tokviz.base.json_files import data_of, most_file_bytes
from tokviz.formats import open_files
from tokviz.formats.gguf_metadata import MAGIC, head_of
from tokviz.tokenizer.peers import AnyTokenizer

# How the library calls what a command calls otherwise.
_OPTIONS = {"pattern=": "--pattern", "special_tokens=": "--special-tokens", "name=": "--name"}


def read_model(
    paths: Sequence[Path],
    *,
    name: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | Collection[str] | None = None,
) -> AnyTokenizer:
    """The tokenizer in these files. A folder stands for the files in it, which must all be of one tokenizer.

    name, pattern, special_tokens: as in `open_files`, for the formats that lack them. Raises FormatError as there.
    """
    found = {path.as_posix(): _data(path) for path in _files(paths)}
    try:
        return open_files(found, name=name, pattern=pattern, special_tokens=special_tokens)
    except FormatError as fault:
        way_out = fault.way_out
        for written, option in _OPTIONS.items():
            way_out = way_out.replace(written, option)
        raise FormatError(fault.what, way_out) from None


def read_saved(path: Path) -> AnyTokenizer:
    """The tokenizer in a file, or in the files of a folder, that say everything themselves. FormatError otherwise."""
    try:
        return read_model([path])
    except FormatError as fault:
        if any(option in fault.way_out for option in _OPTIONS.values()):
            raise FormatError(fault.what, "`tokviz convert` asks for it, and makes a file that says it.") from None
        raise


def _files(paths: Sequence[Path]) -> list[Path]:
    """The files themselves, and those in folders that are not hidden."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
        if not inside:
            raise FormatError(f"There is no file in the folder {path}.", "Name the files of a tokenizer.")
        n_bytes = sum(file.stat().st_size for file in inside if file.suffix != ".gguf")  # of that only the head is read
        if n_bytes > most_file_bytes():  # weights of a model, or a folder of something else
            raise FormatError(
                f"The files in the folder {path} have {n_bytes:,} bytes, and {most_file_bytes():,} are the limit.",
                "Name the files of a tokenizer.",
            )
        found += inside
    return found


def _data(path: Path) -> bytes:
    with suppress(OSError), open_file(path) as file:  # why it cannot be read, is said below
        if file.read(len(MAGIC)) == MAGIC:
            return head_of(path)
    return data_of(path, str(path))
