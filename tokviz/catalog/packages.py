"""Opens real vocabularies in packages that may be installed: says which are here, and how to get the others.

Nothing is fetched, and no package is imported: only the file in its folder is read. `data/packages.toml` has the rows,
each with its licence, source and date.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError, UnknownNameError
from tokviz.base.json_files import InputFile, data_of
from tokviz.formats import open_files
from tokviz.formats.bundled import Packaged, packaged
from tokviz.formats.peer_packages import Reader, opened
from tokviz.formats.tokenizer_json import read_word_piece
from tokviz.tokenizer.peers import AnyTokenizer


def is_installed(key: str, paths: Sequence[str] = ()) -> bool:
    """Tell whether the package of a vocabulary is installed with its file. UnknownNameError if there is no such key.

    paths: folders to search before the usual ones.
    """
    return _path(_row(key), paths) is not None


def open_packaged(key: str, paths: Sequence[str] = (), reader: Reader = opened) -> AnyTokenizer:
    """Open the tokenizer in an installed package.

    paths: as in `is_installed`.
    reader: as in `open_files`.

    Raises FormatError if the package is not installed, if it has another file than the one that was checked, or if the
    file cannot be read; UnknownNameError if there is no such key.
    """
    row = _row(key)
    path = _path(row, paths)
    if path is None:
        raise FormatError(f"{row.title} is in the package {row.package}, which is not installed.", row.how_to_install)
    data = data_of(path, f"{path.name} of {row.package}", row.how_to_install)
    if hashlib.sha256(data).hexdigest() != row.sha256:
        raise FormatError(
            f"{path.name} of {row.package} is another file than that of version {row.version}, which was checked.",
            row.how_to_install,
        )
    if row.kind == "WordPiece":
        return read_word_piece(InputFile(path.name, data), row.title, row.lowercase, reader)
    files, specials = {path.name: data}, row.special_tokens
    return open_files(files, name=row.title, pattern=row.pattern, special_tokens=specials, reader=reader)


def packaged_as(name: str) -> Packaged | None:
    """Find the vocabulary with this key, or that a model of this name has; None if there is none.

    >>> packaged_as("Llama 3.1").key
    'llama3'
    """
    return next((row for row in packaged().values() if plain_name(name) in (row.key, *row.models)), None)


def plain_name(name: object) -> str:
    """Spell a name in small letters, with hyphens for spaces; "" for what is no name.

    >>> plain_name("Llama 3")
    'llama-3'
    """
    return "-".join(name.casefold().split()) if isinstance(name, str) else ""


def _row(key: str) -> Packaged:
    if row := packaged_as(key):
        return row
    raise UnknownNameError(f"There is no vocabulary {shown(key)}.", f"Choose one of: {', '.join(packaged())}.")


def _path(row: Packaged, paths: Sequence[str]) -> Path | None:
    """Find the file; None if it is not there."""
    found = metadata.distributions(name=row.package, path=[*paths, *sys.path])
    return next(filter(Path.is_file, (Path(str(one.locate_file(row.file))) for one in found)), None)
