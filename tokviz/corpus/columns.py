"""Reads the texts in a column of files: each row of a file of JSON lines, or of a Parquet file, is a text.

A file is read row by row, so it may be larger than memory. Parquet needs the optional package pyarrow, which is
imported when it is used.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from tokviz.base.arguments import checked_text, path_of, shown
from tokviz.base.errors import InputError, SettingError
from tokviz.base.files import open_file
from tokviz.base.other_files import by_head
from tokviz.base.text import HEAD, clean, not_utf8
from tokviz.corpus.blocks import readable

PARQUET = ".parquet"
JSON_LINES = (".jsonl", ".ndjson")
ROWS = 1 << 10  # rows of a Parquet file that are read at once


def texts_in_column(paths: Iterable[str | os.PathLike[str]], column: str, repair: bool = False) -> Iterator[str]:
    """Read the texts in a column of files, one after the other. A row whose value is null has none.

    repair: replace bytes that are not UTF-8, and halves of characters, by U+FFFD.

    Raises what `checked_files` raises, at once, and InputError where a row cannot be read.
    """
    return chain.from_iterable(_texts(path, column, repair) for path, _ in checked_files(paths, column))


def checked_files(paths: Iterable[str | os.PathLike[str]], column: str | None) -> list[tuple[Path, int]]:
    """Check that files are there and have the column, and return the absolute path and the bytes of each.

    column: that of Parquet files, and the key in JSON lines; None if each file is one text. Raises InputError for a
    file that cannot be read, SettingError if it has no such column.
    """
    if column is not None:
        checked_text(column, "The column")
    if isinstance(paths, str | os.PathLike | bytes) or not isinstance(paths, Iterable):
        raise InputError(f"{shown(paths)} is not a list of files.", "Pass their paths in a list.")
    found = []
    for path in [path_of(path).absolute() for path in paths]:
        with readable(path):
            found.append((path, path.stat().st_size))
            if path.suffix.lower() == PARQUET and column is None:
                raise SettingError(f"{path.name} is a Parquet file.", "Name the column that holds the texts.")
            if path.suffix.lower() == PARQUET and column is not None:
                with _parquet(path, column):
                    pass
            elif path.suffix.lower() not in JSON_LINES and column is not None:
                raise SettingError(
                    f"{path.name} has no columns: its name does not end in {', '.join((PARQUET, *JSON_LINES))}.",
                    "Leave the column out, so that the file is one text, or choose another file.",
                )
    return found


def _texts(path: Path, column: str, repair: bool) -> Iterator[str]:
    is_parquet = path.suffix.lower() == PARQUET
    with readable(path):
        for where, value in _rows_of_parquet(path, column) if is_parquet else _rows_of_json(path, column, repair):
            if isinstance(value, str):
                text = clean(value)
                if text is not value and not repair:
                    what = f"{where}: {shown(column)} contains half a character, which UTF-8 cannot write."
                    raise InputError(
                        what, "Correct it, or read the file with repair, which writes U+FFFD in its place."
                    )
                yield text
            elif value is not None:
                raise InputError(f"{where}: {shown(value)} is not a text.", "Name a column of texts.")


def _rows_of_json(path: Path, key: str, repair: bool) -> Iterator[tuple[str, object]]:
    """Yield (where a row is, for errors; its value), for each line that is not empty."""
    with open_file(path, pipe=True) as file:
        head, offset = file.peek(HEAD)[:HEAD], 0
        _refuse_other(head, path)
        for number, line in enumerate(file, 1):
            start, offset = offset, offset + len(line)
            if not line.strip():
                continue
            where = f"{path.name}, line {number:,}"
            try:
                row = json.loads(
                    line.decode("utf-8-sig" if number == 1 else "utf-8", "replace" if repair else "strict")
                )
            except UnicodeDecodeError as fault:
                at = fault.start
                raise not_utf8(head, line[at : at + HEAD], path.name, start + at, number) from None
            except (ValueError, RecursionError):
                raise InputError(f"{where}: this is not JSON.", "Each line has to be a JSON object.") from None
            if not isinstance(row, dict) or key not in row:
                raise InputError(f"{where}: there is no {shown(key)}.", "Name another column.")
            yield where, row[key]


def _rows_of_parquet(path: Path, column: str) -> Iterator[tuple[str, object]]:
    with _parquet(path, column) as file:
        for batch in file.iter_batches(ROWS, columns=[column]):
            for value in batch.column(0).to_pylist():
                yield path.name, value


@contextlib.contextmanager
def _parquet(path: Path, column: str) -> Iterator[Any]:
    """Open the file. SettingError if it has no such column, or if the package that reads it is not installed,
    InputError if it is damaged, which may show only when its rows are read."""
    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise SettingError(
            f"{path.name} is a Parquet file, for which pyarrow is needed.", "Install it with: pip install -U pyarrow"
        ) from None
    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if column not in names:
                raise SettingError(
                    f"{path.name} has no column {shown(column)}.", f"Choose one of {', '.join(map(shown, names))}."
                )
            yield file
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as fault:
        if isinstance(fault, OSError) and fault.errno:  # it is about the path; those of Arrow have no number
            raise
        with path.open("rb") as other:
            _refuse_other(other.read(HEAD), path)
        reason = str(fault).rstrip(".")
        raise InputError(f"{path.name} cannot be read as Parquet: {reason}.", "Choose another file.") from None


def _refuse_other(head: bytes, path: Path) -> None:
    """Raise InputError if something else came in a file's place, such as a pointer of git-lfs. head: how it begins."""
    other = by_head(head)
    if other and head.strip():
        raise InputError(f"{path.name} is {other.what}.", other.way_out)
