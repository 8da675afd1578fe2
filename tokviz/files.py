"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tokviz.errors import SettingError


def write(path: Path, data: bytes) -> None:
    """Write a file, or leave what was there. SettingError if the file cannot be written.

    The bytes go to a file beside it first, which then takes its place.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            part.chmod(0o644)
            part.replace(path)
        except BaseException:
            part.unlink()
            raise
    except OSError as fault:
        raise _cannot_write(path, fault) from fault


def create(path: Path, data: bytes) -> bool:
    """Write a new file. False, and nothing changes, if there is a file of that name already.

    An empty file takes the name first, so of two threads that want a name only one gets it.
    """
    try:
        path.open("xb").close()
    except FileExistsError:
        return False
    except OSError as fault:
        raise _cannot_write(path, fault) from fault
    try:
        write(path, data)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return True


def _cannot_write(path: Path, fault: OSError) -> SettingError:
    return SettingError(
        f"{path.name} cannot be written: {fault.strerror}.",
        "Choose a folder that exists and has room.",
    )
