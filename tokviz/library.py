"""The library: tokenizers that were saved, one model file each, in a folder of their own (see `folder`).

People can put files into the folder, so there is no telling what is in it. `names` and `saved` list whatever has the
ending of a model file; what cannot be opened is listed with the reason.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
import threading
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from tokviz.arguments import shown
from tokviz.catalog import INSTALLED, MODELS
from tokviz.corpus_match import origin
from tokviz.errors import FormatError, SettingError, TokvizError
from tokviz.files import create, write
from tokviz.formats.tokviz import dump, load_file
from tokviz.text import clean
from tokviz.tokenizer import Tokenizer

SUFFIX = ".json"
NAME_LENGTH = 80  # characters of a saved name
NAME_BYTES = 200  # of them in UTF-8: file systems allow 255, and a number and endings come after the name
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")  # names that Windows keeps for devices


@dataclass(frozen=True, slots=True)
class About:
    """What a list shows of a saved tokenizer.

    size: as `Tokenizer.n_vocab` counts. origin: the texts it was trained on, "" if they are unknown. trained: whether
    the file has a record of a training. fault: why it cannot be opened; None if it can.
    """

    size: int | None = None
    pattern: str = ""
    origin: str = ""
    trained: bool = False
    fault: FormatError | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """A file of the library. about: None if there was no time to read it yet; the next `saved` goes on with it."""

    name: str
    day: date | None
    about: About | None


_Stamp = tuple[int, int]  # when a file was written last, in nanoseconds, and its bytes
_known: dict[Path, tuple[_Stamp, About]] = {}  # what was read of each file
_reading = threading.Lock()


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


def saved(seconds: float = 60.0) -> list[Saved]:
    """What is in the library, in alphabetical order. A file is read once, and again after it was changed.

    seconds: when they have passed, no further file is read. One is read at least.
    """
    until, listed, n_read = time.monotonic() + seconds, [], 0
    with _reading:
        for name in names():
            path = _path(name)
            try:
                found = path.stat()
            except OSError as fault:  # a link that leads nowhere
                listed.append(Saved(name, None, About(fault=_unreadable(name, fault.strerror))))
                continue
            stamp = found.st_mtime_ns, found.st_size
            known = _known.get(path)
            if (known is None or known[0] != stamp) and (not n_read or time.monotonic() <= until):
                known = _known[path] = stamp, _read(name)
                n_read += 1
            about = known[1] if known and known[0] == stamp else None
            listed.append(Saved(name, date.fromtimestamp(found.st_mtime), about))
        paths = {_path(name) for name in names()}
        for gone in [path for path in _known if path not in paths]:
            del _known[gone]
    return listed


def _read(name: str) -> About:
    try:
        tokenizer = _open(name)
    except TokvizError as fault:
        return About(fault=FormatError(clean(fault.what), fault.way_out))  # a name that is no UTF-8 is in it
    trained = tokenizer.history is not None or tokenizer.made_from is not None
    return About(tokenizer.n_vocab, tokenizer.pattern, origin(tokenizer), trained)


def files() -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each saved tokenizer. A file that cannot be read is left out."""
    for name in names():
        with contextlib.suppress(OSError):
            if _path(name).is_file():
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


def replace(tokenizer: Tokenizer, name: str) -> None:
    """Write a tokenizer in the place of a saved one, whole or not at all. SettingError if no tokenizer has this name,
    or the file cannot be written."""
    if name not in names():  # so that no name leads to another file, or out of the folder
        raise SettingError(f"No saved tokenizer has the name {shown(name)}.", "Save it as a new one.")
    write(_path(name), dump(tokenizer.renamed(clean(name))))


def open_saved(name: str) -> Tokenizer:
    """The saved tokenizer of this name, one of `names`. FormatError if it is gone or damaged."""
    if name not in names():
        raise FormatError(f"{shown(name)} cannot be read: no saved tokenizer has this name.", "Choose another one.")
    return _open(name)


def rename(name: str, new: str) -> str:
    """Give a saved tokenizer another name, and return that name: cleaned, and with " (2)" if it is taken.

    The name inside the file changes too. The old file goes when the new one is whole. FormatError if the file is gone
    or damaged, SettingError if the name is unusable or the files cannot be changed.
    """
    tokenizer = open_saved(name)
    if clean_name(new) == name:
        return name
    renamed = save(tokenizer, new)
    try:
        delete(name)
    except SettingError:
        delete(renamed)
        raise
    return renamed


def delete(name: str) -> None:
    """Delete a saved tokenizer. Does nothing if there is none with this name. SettingError if it cannot be deleted."""
    if name not in names():  # so that no name leads to another file, or out of the folder
        return
    try:
        path = _path(name)
        if path.is_dir() and not path.is_symlink():
            path.rmdir()  # only if it is empty
        else:
            path.unlink(missing_ok=True)
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


def _open(name: str) -> Tokenizer:
    with contextlib.suppress(OSError):  # `load_file` says what is wrong
        mode = _path(name).stat().st_mode
        if not stat.S_ISREG(mode):  # to open a pipe would wait for somebody who writes to it
            raise _unreadable(name, "it is a folder" if stat.S_ISDIR(mode) else "it is not a file")
    return load_file(_path(name))


def _unreadable(name: str, why: str | None) -> FormatError:
    return FormatError(f"{name}{SUFFIX} cannot be read: {why}.", "Delete it, or put a model file in its place.")


def _path(name: str) -> Path:
    return folder() / f"{name}{SUFFIX}"
