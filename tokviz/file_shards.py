"""Files as the shards of a corpus: parts that can be read on their own, on whatever machine.

A text file is parted where a chunk certainly ends, so its shards have the chunks of the whole file. A file of JSON
lines is parted between lines and a Parquet file between groups of rows; each row of them is a text.
"""

from __future__ import annotations

import codecs
import contextlib
import importlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, BinaryIO

from tokviz.arguments import path_of, shown, text_of, whole_number
from tokviz.automaton import Automaton
from tokviz.errors import InputError, SettingError
from tokviz.split import automaton_of

SHARD = 1 << 26  # bytes of a file that are worth a shard
LOOK = 1 << 16  # bytes in which a place to part a text is looked for
ROWS = 1 << 10  # rows of a Parquet file that are read at once
PARQUET = (".parquet",)
JSON_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a file.

    start, stop: the part, in groups of rows of a Parquet file, and in bytes of any other. n_bytes: about how many bytes
    are read. column: the column, or the key in JSON, that holds the texts; None if the file is one text. whole: whether
    it is the whole file.
    """

    path: Path
    start: int
    stop: int
    n_bytes: int
    column: str | None
    whole: bool


def shards_of(
    paths: Iterable[str | os.PathLike[str]],
    pattern: str,
    special_tokens: Sequence[str] = (),
    column: str | None = None,
    size: int = SHARD,
) -> list[Shard]:
    """The shards of files, in their order; the number of a shard is its index.

    pattern, special_tokens: as in `train`, already checked. A text with special tokens is not parted, nor one whose
    pattern the automaton does not know. column: the column of Parquet files, and the key in JSON lines, that holds the
    texts; None if each file is one text. size: bytes of a shard, about. Raises InputError for a file that cannot be
    read, SettingError if it has no such column.
    """
    size = whole_number(size, "The bytes of a shard", 1)
    if column is not None:
        text_of(column, "The column")
    if isinstance(paths, str | os.PathLike | bytes) or not isinstance(paths, Iterable):
        raise InputError(f"{shown(paths)} is not a list of files.", "Pass their paths in a list.")
    automaton = None if special_tokens or pattern == "none" else automaton_of(pattern)
    found: list[Shard] = []
    for path in map(path_of, paths):
        path = path.absolute()  # a worker has another working directory
        try:
            found += _parts(path, automaton, column, size)
        except OSError as fault:
            raise InputError(f"{path.name} cannot be read: {fault.strerror or fault}.", "Check the path.") from None
    return found


def texts_in_column(paths: Iterable[str | os.PathLike[str]], column: str) -> Iterator[str | os.PathLike[str]]:
    """The texts in a column of files, one after the other. Raises what `shards_of` and `texts_of` raise."""
    return chain.from_iterable(map(texts_of, shards_of(paths, "none", (), column)))


def texts_of(shard: Shard) -> Iterator[str | os.PathLike[str]]:
    """The texts of a shard, one after the other. Raises InputError if they cannot be read."""
    try:
        if shard.column is None and shard.whole:
            yield shard.path  # which is read block by block
        elif shard.column is None:
            yield _part_of_text(shard)
        elif shard.path.suffix in PARQUET:
            yield from _rows_of_parquet(shard, shard.column)
        else:
            yield from _rows_of_json(shard, shard.column)
    except OSError as fault:
        raise InputError(f"{shard.path.name} cannot be read: {fault.strerror or fault}.", "Check the path.") from None


def _parts(path: Path, automaton: Automaton | None, column: str | None, size: int) -> list[Shard]:
    if path.suffix in PARQUET:
        return _parts_of_parquet(path, column, size)
    if column is not None and path.suffix not in JSON_LINES:
        raise SettingError(
            f"{path.name} has no columns: its name does not end in {', '.join(PARQUET + JSON_LINES)}.",
            "Leave the column out, so that the file is one text, or choose another file.",
        )
    n_bytes = path.stat().st_size
    cuts = [0]
    if n_bytes > size and (column is not None or automaton is not None):
        with path.open("rb") as file:
            for near in range(size, n_bytes, size):
                cut = _end_of_line(file, near) if automaton is None or column else _end_of_chunk(file, near, automaton)
                if cut is not None and cuts[-1] < cut < n_bytes:
                    cuts.append(cut)
    cuts.append(n_bytes)
    return [Shard(path, start, stop, stop - start, column, len(cuts) == 2) for start, stop in pairwise(cuts)]


def _end_of_line(file: BinaryIO, near: int) -> int:
    file.seek(near)
    file.readline()
    return file.tell()


def _end_of_chunk(file: BinaryIO, near: int, automaton: Automaton) -> int | None:
    file.seek(near)
    place = automaton.place_to_part(file.read(LOOK))
    return None if place is None else near + place


def _part_of_text(shard: Shard) -> str:
    with shard.path.open("rb") as file:
        file.seek(shard.start)
        data = file.read(shard.stop - shard.start)
    if len(data) < shard.stop - shard.start:
        raise _became_shorter(shard)
    start = shard.start
    if start == 0 and data.startswith(codecs.BOM_UTF8):
        start, data = len(codecs.BOM_UTF8), data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as fault:
        offset = start + fault.start
        raise InputError(
            f"{shard.path.name} is not UTF-8: byte {offset:,} is {data[fault.start]:02X}.",
            "Save it as UTF-8 and try again.",
            offset=offset,
        ) from None


def _rows_of_json(shard: Shard, key: str) -> Iterator[str]:
    with shard.path.open("rb") as file:
        file.seek(shard.start)
        offset = shard.start
        while offset < shard.stop:
            line = file.readline()
            if not line:
                raise _became_shorter(shard)
            where = f"{shard.path.name}, line at byte {offset:,}"
            offset += len(line)
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                raise InputError(f"{where}: this is not JSON.", "Each line has to be a JSON object.") from None
            if not isinstance(row, dict) or key not in row:
                raise InputError(f"{where}: there is no {shown(key)}.", "Name another column.")
            yield from _text_in(row[key], where)


def _became_shorter(shard: Shard) -> InputError:
    return InputError(f"{shard.path.name} became shorter while it was read.", "Count it when it is complete.")


def _rows_of_parquet(shard: Shard, column: str) -> Iterator[str]:
    groups = range(shard.start, shard.stop)
    with _parquet(shard.path) as file:
        for batch in file.iter_batches(ROWS, row_groups=groups, columns=[column]):
            for value in batch.column(0).to_pylist():
                yield from _text_in(value, shard.path.name)


def _parts_of_parquet(path: Path, column: str | None, size: int) -> list[Shard]:
    if column is None:
        raise SettingError(f"{path.name} is a Parquet file.", "Name the column that holds the texts.")
    with _parquet(path) as file:
        names = file.schema_arrow.names
        if column not in names:
            raise SettingError(
                f"{path.name} has no column {shown(column)}.", f"Choose one of {', '.join(map(shown, names))}."
            )
        leaf = file.metadata.schema.names.index(column) if column in file.metadata.schema.names else 0
        sizes = [
            file.metadata.row_group(i).column(leaf).total_uncompressed_size for i in range(file.metadata.num_row_groups)
        ]
    found: list[Shard] = []
    start, n_bytes = 0, 0
    for group, group_bytes in enumerate(sizes, 1):
        n_bytes += group_bytes
        if n_bytes >= size or group == len(sizes):
            found.append(Shard(path, start, group, n_bytes, column, False))
            start, n_bytes = group, 0
    return found


@contextlib.contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    """The open file. SettingError if the package that reads it is not installed, InputError if it is damaged, which may
    show only when its rows are read."""
    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise SettingError(
            f"{path.name} is a Parquet file, for which pyarrow is needed.", "Install it with: pip install -U pyarrow"
        ) from None
    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as fault:
        if isinstance(fault, OSError) and fault.errno:  # it is about the path; those of Arrow have no number
            raise
        reason = str(fault).rstrip(".")
        raise InputError(f"{path.name} cannot be read as Parquet: {reason}.", "Choose another file.") from None


def _text_in(value: object, where: str) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif value is not None:  # a row without a text has none to count
        raise InputError(f"{where}: {shown(value)} is not a text.", "Name a column of texts.")
