"""The library: tokenizers that were saved, one model file each, in a folder of their own (see `folder`)."""

from __future__ import annotations

import contextlib
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from tokviz.catalog import INSTALLED, MODELS
from tokviz.errors import SettingError
from tokviz.tokenizer import Tokenizer, load

SUFFIX = ".json"
NAME_LENGTH = 80  # characters of a saved name
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")  # names that Windows keeps for devices


def folder() -> Path:
    """The folder of the library: `models/saved/` in a checkout, `.tokviz/` in the home of whoever installed tokviz.

    The environment variable TOKVIZ_SAVED names another one.
    """
    return Path(os.environ.get("TOKVIZ_SAVED") or (Path.home() / ".tokviz" if INSTALLED else MODELS / "saved"))


def names() -> list[str]:
    """The names of all saved tokenizers, in the order of the alphabet."""
    if not folder().is_dir():
        return []
    return sorted(
        (path.stem for path in folder().glob(f"*{SUFFIX}") if not path.name.startswith(".")), key=str.casefold
    )


def files() -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each saved tokenizer; one that cannot be read is passed over."""
    for name in names():
        with contextlib.suppress(OSError):
            yield name, _path(name).read_bytes()


def save(tokenizer: Tokenizer, name: str) -> str:
    """Save it under a name that is free: a taken one gets " (2)". The name it got, cleaned (see `clean_name`)."""
    wanted = clean_name(name)
    folder().mkdir(parents=True, exist_ok=True)
    name, number = wanted, 2
    while _path(name).exists():
        name, number = f"{wanted} ({number})", number + 1
    tokenizer.renamed(name).save(_path(name))
    return name


def open_saved(name: str) -> Tokenizer:
    """The saved tokenizer of this name; FormatError where it is gone or damaged."""
    return load(_path(clean_name(name)))


def delete(name: str) -> None:
    """Take it out of the library."""
    _path(clean_name(name)).unlink(missing_ok=True)


def clean_name(name: str) -> str:
    """A plain file name inside the folder: no path, no control characters, no dot before it.

    >>> clean_name("../../etc/my model. ")
    'etc my model'
    >>> clean_name("...")
    Traceback (most recent call last):
        ...
    tokviz.errors.SettingError: The name '...' has nothing in it that a file name can hold. Use letters or digits.
    """
    plain = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))
    plain = "".join(" " if c in '/\\:*?"<>|' or not c.isprintable() else c for c in plain)
    plain = re.sub(r"\s+", " ", re.sub(r"(^|\s)\.+(?=\s|$)", " ", plain)).strip(" .")[:NAME_LENGTH].strip(" .")
    if not plain:
        raise SettingError(f"The name {name!r} has nothing in it that a file name can hold.", "Use letters or digits.")
    return f"{plain} model" if _RESERVED.fullmatch(plain.split(".")[0]) else plain


def _path(name: str) -> Path:
    return folder() / f"{name}{SUFFIX}"
