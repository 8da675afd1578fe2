"""The manifest of a folder of encoded files: one JSON object a line, in a file that only grows.

    {"format": "tokviz encoded files", "version": 1, "tokenizer": its name, "sha256": its fingerprint,
     "special_tokens": were they read as such?, "kind": "npy" or "parquet", "dtype": "uint16" or "uint32"}
    {"output": the file in the folder, "tokens": how many, "output_bytes": its size,
     "input": its path for the reader, "bytes": its size, "modified_ns", "changed_ns": the times that the system
     notes for it, "sha256": of its bytes, "repaired": how many faults became U+FFFD}

The first line is about all files of the folder, each other line about one. The line of an output is on the disk before
the output has its name. So a line without an output means nothing, and neither does a line that a power cut left torn.
An output without a line is not ours.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from os import fsync
from pathlib import Path
from typing import Any, BinaryIO

from tokviz import files
from tokviz.errors import FormatError, SettingError

NAME = "tokviz-encoded.jsonl"
FORMAT, VERSION = "tokviz encoded files", 1
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What all outputs of a folder have in common. tokenizer: its name. sha256: its fingerprint."""

    tokenizer: str
    sha256: str
    special_tokens: bool
    kind: str
    dtype: str


@dataclass(frozen=True, slots=True)
class Row:
    """One output, and the input that it was made of; see the top of this module."""

    output: str
    tokens: int
    output_bytes: int
    input: str
    bytes: int
    modified_ns: int
    changed_ns: int
    sha256: str
    repaired: int


class Manifest:
    """The manifest of a folder, which nobody else writes meanwhile. rows: output -> its row. file: unbuffered."""

    def __init__(self, path: Path, file: BinaryIO, settings: Settings) -> None:
        self._path, self._file = path, file
        head, *lines = file.read().split(b"\n")
        _check_settings(path, head, settings)
        self.rows = {row.output: row for row in map(_row_in, lines) if row is not None}
        self._torn = lines[-1:] != [b""]

    def add(self, rows: Sequence[Row]) -> None:
        """Write the rows of outputs, and return when they are on the disk. SettingError if that fails."""
        text = "".join(f"{json.dumps(asdict(row))}\n" for row in rows)
        try:
            left = memoryview((b"\n" if self._torn else b"") + text.encode())
            while left:
                left = left[self._file.write(left) :]
            fsync(self._file.fileno())
        except OSError as fault:
            raise files.cannot_write(self._path, fault) from fault
        self._torn = False
        self.rows.update((row.output, row) for row in rows)


@contextlib.contextmanager
def manifest_of(folder: Path, settings: Settings) -> Iterator[Manifest]:
    """The manifest of a folder; a new one if there is none.

    FormatError if it is damaged. SettingError if the folder has outputs of another tokenizer or other settings, if
    another process writes there, or if this one cannot.
    """
    path = folder / NAME
    head = {"format": FORMAT, "version": VERSION, **asdict(settings)}
    files.create(path, f"{json.dumps(head)}\n".encode())
    try:
        file = path.open("a+b", buffering=0)  # what a full disk refused is not written later
    except OSError as fault:
        raise files.cannot_write(path, fault) from fault
    with file:
        if not files.lock(file):
            raise SettingError(
                f"Another process writes encoded files to {folder.name}.", "Wait for it, or choose another folder."
            )
        file.seek(0)
        yield Manifest(path, file, settings)


def _check_settings(path: Path, head: bytes, wanted: Settings) -> None:
    """Refuse a folder whose files have ids of another tokenizer. Its name may differ."""
    place = f"The manifest {path.name} in {path.parent.name}"
    found = _object_in(head)
    if found.get("format") != FORMAT:
        raise FormatError(f"{place} is damaged: its first line cannot be read.", "Choose another folder.")
    if found.get("version") != VERSION:
        raise FormatError(
            f"{place} has version {found.get('version')!r}, and this tokviz reads version {VERSION}.",
            "Choose another folder.",
        )
    for field, value in asdict(wanted).items():
        if field != "tokenizer" and found.get(field) != value:
            raise SettingError(
                f"The folder {path.parent.name} has ids of another kind: {_difference(field, found, wanted)}.",
                "Choose another folder, so that ids are not mixed.",
            )


def _difference(field: str, found: dict[str, Any], wanted: Settings) -> str:
    if field == "special_tokens":
        one, other = ("as such", "as text") if found.get(field) else ("as text", "as such")
        return f"special tokens were read {one}, and would now be read {other}"
    if field == "sha256":
        name = found.get("tokenizer")
        if name == wanted.tokenizer:
            return f"they are of another tokenizer that is called {name!r} too"
        return f"they are of the tokenizer {name!r}, which is not this {wanted.tokenizer!r}"
    return f"they are {found.get(field)}, and would now be {getattr(wanted, field)}"


def _row_in(line: bytes) -> Row | None:
    """The row in a line, or None if the line is torn or damaged."""
    found = _object_in(line)
    if found.keys() != {field.name for field in fields(Row)}:
        return None
    texts = (found["output"], found["input"], found["sha256"])
    numbers = [found[name] for name in ("tokens", "output_bytes", "bytes", "repaired")]
    if not all(isinstance(text, str) for text in texts) or not _SHA256.fullmatch(found["sha256"]):
        return None
    times = found["modified_ns"], found["changed_ns"]
    if not all(type(time) is int for time in times) or not all(
        type(number) is int and number >= 0 for number in numbers
    ):
        return None
    return Row(**found)


def _object_in(line: bytes) -> dict[str, Any]:
    """The JSON object in a line; an empty one if there is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
