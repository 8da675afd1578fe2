"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tokviz.errors import SettingError


def write(path: Path, data: bytes) -> None:
    """Write a file, or leave what was there. SettingError if the file cannot be written.

    The bytes go to a file beside it first, which then takes its place.
    """
    with _part(path, data) as part:
        part.replace(path)


def create(path: Path, data: bytes) -> bool:
    """Write a new file. False, and nothing changes, if there is a file of that name already.

    The file gets its name when it is complete. Of two threads that want a name, only one gets it.
    """
    with _part(path, data) as part:
        try:
            os.link(part, path)
        except FileExistsError:
            return False
        except OSError:  # not every file system has links
            return _move_to_new(part, path)
    return True


@contextlib.contextmanager
def _part(path: Path, data: bytes) -> Iterator[Path]:
    """A file with these bytes beside `path`, under another name, which is gone at the end. Turns OSError into ours."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            part.chmod(0o644)
            yield part
        finally:
            part.unlink(missing_ok=True)
    except OSError as fault:
        raise _cannot_write(path, fault) from fault


def _move_to_new(part: Path, path: Path) -> bool:
    """As `create`, without a link: an empty file takes the name first."""
    try:
        path.open("xb").close()
    except FileExistsError:
        return False
    try:
        part.replace(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return True


def _cannot_write(path: Path, fault: OSError) -> SettingError:
    return SettingError(
        f"{path.name} cannot be written: {fault.strerror}.",
        "Choose a folder that exists and has room.",
    )
