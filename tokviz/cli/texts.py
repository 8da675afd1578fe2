"""Reads the texts of files, and of all files in folders, and names the files that are not UTF-8."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from tokviz.base.errors import InputError, SettingError
from tokviz.base.files import open_file, read_rest, unread
from tokviz.base.text import REPLACE, Text, read_text
from tokviz.base.wording import count_of, printable
from tokviz.cli.inputs import MOST, STDIN, path_name, read_bytes
from tokviz.cli.walk import files_in
from tokviz.corpus import counts_file
from tokviz.corpus.blocks import Blocks, readable
from tokviz.corpus.columns import JSON_LINES, PARQUET
from tokviz.corpus.reading import BLOCK

HEAD = 1 << 16  # bytes of a file that are looked at before the rest is read


@dataclass(frozen=True, slots=True)
class Skipped:
    """Describes a file that is left out. not_utf8: because of what is in it, and not because it cannot be read.

    way_out: what to do about it, if that is known.
    """

    path: str
    why: str
    not_utf8: bool
    way_out: str = ""


def files_named(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the whole path of each file, once, with its path for the reader. InputError if one of `paths` is not there.

    Standard input stays `-`. The whole path of a file that is named `-` is another one.
    """
    for path in paths:
        if path != STDIN and not path.exists():
            raise InputError(f"There is no file or folder {path}.", "Check the path.")
    seen: set[Path] = set()
    for path in paths:
        if path == STDIN:
            found = [(STDIN, path_name(STDIN))]
        else:
            files = files_in(path) if path.is_dir() else [path]
            found = [(Path(os.path.normpath(file.absolute())), file.as_posix()) for file in files]  # without `..`
        for whole, shown in found:
            if whole not in seen:
                seen.add(whole)
                yield whole, shown


def corpus_files(paths: Sequence[Path], output: Path, column: str | None, repair: bool) -> list[Path]:
    """List the files of a corpus: those that are named, and in place of a folder the files in it, but for the output.

    A file in a folder is left out, and named on standard error, if it has no columns where one is named, or is not
    UTF-8 and not to be repaired. InputError if no file is left, or one cannot be read; SettingError for a Parquet file
    without a column.
    """
    found: list[Path] = []
    skipped: list[Skipped] = []
    for path in paths:
        if path == STDIN or not path.is_dir():
            found.append(path)
            continue
        for file in files_in(path):
            why = _why_not(file, column, repair)
            if output.exists() and file.samefile(output):
                continue
            if why:
                skipped.append(Skipped(file.as_posix(), why, not_utf8=True))
            else:
                found.append(file)
    name_skipped(skipped)
    if not found:
        raise InputError(f"There is no text in the folder {paths[0]}.", "Name files of texts, or their folder.")
    if column is None and (parquet := [path.name for path in found if path.suffix.lower() == PARQUET]):
        raise SettingError(f"{parquet[0]} is a Parquet file.", "Name the column that holds the texts, with --column.")
    return found


def _why_not(file: Path, column: str | None, repair: bool) -> str:
    """Say why a file in a folder is not read; "" if it is."""
    ending = file.suffix.lower()
    if column is not None:
        return "" if ending in (PARQUET, *JSON_LINES) else "has no columns"
    if repair or ending == PARQUET or counts_file.is_file(file):
        return ""
    with readable(file), open_file(file):
        pass
    try:
        for _ in Blocks(file, BLOCK, with_sha256=False):
            pass
    except InputError as fault:
        return fault.what.removeprefix(f"{file.name} ")
    return ""


def read_file(path: Path, shown: str) -> Text | Skipped:
    """Read the text of a file, once. shown: its path for the reader."""
    try:
        data = _read(path)
    except OSError as fault:
        what, way_out = unread("it", fault)
        if os.path.isdir(path):  # noqa: PTH112 (the method of a path raises an error if the path is too long)
            what, way_out = "the folder cannot be read.", "Check who may read it."
        return Skipped(shown, what, not_utf8=False, way_out=way_out)
    try:
        return read_text(data, shown)
    except InputError as fault:
        what, way_out = fault.what.removeprefix(f"{shown} "), fault.way_out.replace(REPLACE, "")
        return Skipped(shown, what, not_utf8=True, way_out=way_out)


def _read(path: Path) -> bytes:
    """Read the bytes of a file, or only its beginning if this is not UTF-8: the rest may be a large film."""
    if path == STDIN:
        return read_bytes(path)
    with open_file(path, pipe=True) as file:
        head = file.read(HEAD) or b""
        try:
            head.decode("utf-8")
        except UnicodeDecodeError as fault:
            if fault.reason != "unexpected end of data":
                return head
        return head + read_rest(file, MOST)


def name_skipped(skipped: Sequence[Skipped]) -> None:
    """Name the files that were skipped on standard error, with the reasons."""
    if skipped:
        typer.echo(f"Skipped {count_of(len(skipped), 'file')}:", err=True)
        for one in skipped:
            typer.echo(f"  {printable(one.path)}{'' if one.not_utf8 else ':'} {printable(one.why)}", err=True)
