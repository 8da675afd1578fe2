"""The library: tokenizers that were saved, one model file each, in a folder of their own (see `folder`)."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from tokviz.arguments import shown
from tokviz.catalog import INSTALLED, MODELS
from tokviz.errors import FormatError, SettingError
from tokviz.files import create
from tokviz.formats.tokviz import dump, load_file
from tokviz.tokenizer import Tokenizer

SUFFIX = ".json"
NAME_LENGTH = 80  # characters of a saved name
NAME_BYTES = 200  # of them in UTF-8: file systems allow 255, and a number and endings come after the name
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")  # names that Windows keeps for devices


def folder() -> Path:
    """The folder of the library: `models/saved/` in a checkout, `.tokviz/` in the home of whoever installed tokviz.

    The environment variable TOKVIZ_SAVED names another one.
    """
    return Path(os.environ.get("TOKVIZ_SAVED") or (Path.home() / ".tokviz" if INSTALLED else MODELS / "saved"))


def names() -> list[str]:
    """The names of all saved tokenizers, in alphabetical order."""
    if not folder().is_dir():
        return []
    return sorted(
        (path.stem for path in folder().glob(f"*{SUFFIX}") if not path.name.startswith(".")), key=str.casefold
    )


def latest() -> str | None:
    """The name of the tokenizer that was saved last; None if none is saved."""
    return max(names(), key=_when_saved, default=None)


def files() -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each saved tokenizer. A file that cannot be read is left out."""
    for name in names():
        with contextlib.suppress(OSError):
            yield name, _path(name).read_bytes()


def save(tokenizer: Tokenizer, name: str) -> str:
    """Save a tokenizer under a free name, and return that name: cleaned, and with " (2)" if it is taken.

    Several threads or processes may save at once; each gets a name of its own. SettingError if the name is unusable,
    or the file cannot be written.
    """
    wanted = clean_name(name)
    try:
        folder().mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise SettingError(
            f"The folder of the library cannot be made: {fault.strerror}.",
            "Set TOKVIZ_SAVED to a folder that you may write to.",
        ) from None
    for number in itertools.count(1):
        name = wanted if number == 1 else f"{wanted} ({number})"
        if not _path(name).exists() and create(_path(name), dump(tokenizer.renamed(name))):
            break
    return name


def open_saved(name: str) -> Tokenizer:
    """The saved tokenizer of this name, one of `names`. FormatError if it is gone or damaged."""
    if name not in names():
        raise FormatError(f"{shown(name)} cannot be read: no saved tokenizer has this name.", "Choose another one.")
    return load_file(_path(name))


def delete(name: str) -> None:
    """Delete a saved tokenizer. Does nothing if there is none with this name. SettingError if it cannot be deleted."""
    if name not in names():  # so that no name leads to another file, or out of the folder
        return
    try:
        _path(name).unlink(missing_ok=True)
    except OSError as fault:
        raise SettingError(
            f"“{name}” cannot be deleted: {fault.strerror}.", "Check who may write to the folder of the library."
        ) from None


def clean_name(name: str) -> str:
    """A plain file name inside the folder: no path, no control characters, no dot at its start.

    >>> clean_name("../../etc/my model. ")
    'etc my model'
    >>> clean_name("...")
    Traceback (most recent call last):
        ...
    tokviz.errors.SettingError: The name '...' has nothing in it that a file name can hold. Use letters or digits.
    """
    if not isinstance(name, str):
        raise SettingError(f"The name is {shown(name)}, which is not a string.", "Pass a str.")
    plain = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))
    plain = "".join(" " if c in '/\\:*?"<>|' or not c.isprintable() else c for c in plain)
    plain = re.sub(r"\s+", " ", re.sub(r"(^|\s)\.+(?=\s|$)", " ", plain)).strip(" .")[:NAME_LENGTH]
    plain = plain.encode()[:NAME_BYTES].decode("utf-8", "ignore").strip(" .")
    if not plain:
        raise SettingError(f"The name {name!r} has nothing in it that a file name can hold.", "Use letters or digits.")
    return f"{plain} model" if _RESERVED.fullmatch(plain.split(".")[0]) else plain


def _when_saved(name: str) -> int:
    try:
        return _path(name).stat().st_mtime_ns
    except OSError:  # deleted meanwhile
        return 0


def _path(name: str) -> Path:
    return folder() / f"{name}{SUFFIX}"
