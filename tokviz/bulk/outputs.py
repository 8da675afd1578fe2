"""The outputs in a folder: which are there and whole, of which inputs, and how a new one gets its name."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokviz import files
from tokviz.bulk.manifest import Manifest, Row


@dataclass(frozen=True, slots=True)
class Source:
    """A file to encode. shown: its path for the reader. name: of its output inside the folder, without the ending."""

    path: Path
    shown: str
    name: str


class Outputs:
    """The outputs of one kind in a folder, and its manifest."""

    def __init__(self, folder: Path, kind: str, manifest: Manifest) -> None:
        self._folder, self._kind, self._manifest = folder, kind, manifest

    def name_of(self, source: Source) -> str:
        """The name of an output inside the folder."""
        return f"{source.name}.{self._kind}"

    def path_of(self, name: str) -> Path:
        return self._folder / name

    def made_of(self, source: Source, about: os.stat_result) -> Row | str:
        """The row of the output of a source, if that is whole and of this very text. Else why there is another one in
        its place; "" if there is none. about: what the system says of the source.

        A text is the same if its size and the times that the system notes are, or its size and its sha256. Copying a
        file can set the time when it was modified, but not the time when it was changed. Raises OSError if the source
        cannot be read, SettingError if no output can be there.
        """
        name = self.name_of(source)
        row, path = self._manifest.rows.get(name), self.path_of(name)
        try:
            path.lstat()
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as fault:
            raise files.cannot_write(path, fault) from fault
        if row is None:
            return f"{name} is in the folder already, and its manifest does not know it."
        if not path.is_file():
            return f"{name} is not as it was written: it is no file."
        n_bytes = path.stat().st_size
        if n_bytes != row.output_bytes:
            return f"{name} is not as it was written: it has {n_bytes:,} bytes instead of {row.output_bytes:,}."
        times = about.st_mtime_ns, about.st_ctime_ns
        if about.st_size == row.bytes and (
            times == (row.modified_ns, row.changed_ns) or _sha256(source.path) == row.sha256
        ):
            return replace(row, modified_ns=times[0], changed_ns=times[1])
        return f"{source.shown} is not the text that {name} was made of: it changed, or is another file."

    def keep(self, rows: Iterable[Row]) -> None:
        """Have the manifest know outputs as `made_of` found them, so that the next run need not read their texts."""
        changed = [row for row in rows if row != self._manifest.rows[row.output]]
        if changed:
            self._manifest.add(changed)

    def sweep(self, sources: Iterable[Source]) -> None:
        """Remove what a killed process left half written where the outputs of these sources go."""
        for folder in {self.path_of(self.name_of(source)).parent for source in sources}:
            files.sweep(folder)

    def announce(self, rows: Sequence[Row]) -> None:
        """Have the rows of new outputs on the disk. Only then may these get their names."""
        for row in rows:
            path = self.path_of(row.output)
            if path.is_file():  # it must not stand beside the row of the new one, if that never gets its name
                try:
                    path.unlink()
                except OSError as fault:  # such as on Windows, where another program reads it
                    raise files.cannot_write(path, fault) from fault
                files.keep_names(path.parent)
        if rows:
            self._manifest.add(rows)

    def settle(self, rows: Iterable[Row]) -> None:
        """Have the names of outputs on the disk."""
        for folder in {self.path_of(row.output).parent for row in rows}:
            files.keep_names(folder)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
