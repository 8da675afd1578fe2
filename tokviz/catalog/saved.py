"""Keeps the library: tokenizers that were saved, one model file each, in a folder of their own (see `folder`).

People can put any file into the folder. `names` and `saved` list all that have the ending of a model file; what cannot
be opened is listed with the reason.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import threading
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import platformdirs

from tokviz.base import bounds
from tokviz.base.arguments import shown
from tokviz.base.data import INSTALLED, MODELS
from tokviz.base.errors import FormatError, SettingError, TokvizError
from tokviz.base.files import clean_name, create, in_words
from tokviz.base.json_files import data_of, most_file_bytes
from tokviz.base.text import clean
from tokviz.base.wording import count_of
from tokviz.catalog.references import is_name
from tokviz.formats.tokviz import dump, loads
from tokviz.tokenizer.peers import size_in_words
from tokviz.tokenizer.tokenizer import Tokenizer

SUFFIX = ".json"
_JOINERS = "\u200c\u200d"  # letters of some scripts and parts of emoji are joined with them
_DELETE_IT = "Delete it, or put a model file in its place."


@dataclass(frozen=True, slots=True)
class About:
    """Holds what a list shows of a saved tokenizer.

    size: of its vocabulary, in words; "" if it cannot be opened.
    origin: the texts it was trained on, "" if they are unknown.
    trained: whether the file has a record of a training.
    fault: why it cannot be opened; None if it can.
    """

    size: str = ""
    pattern: str = ""
    origin: str = ""
    trained: bool = False
    fault: FormatError | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """Describes a file of the library. about: None if there was no time to read it yet; the next `saved` goes on."""

    name: str
    day: date | None
    about: About | None


_Stamp = tuple[int, int, int]  # when a file was written last, by its clock and by the disk's, and its bytes
_known: dict[Path, tuple[_Stamp, About]] = {}  # what was read of each file
_sums: dict[Path, tuple[_Stamp, str]] = {}  # the sha256 of each file, "" if it cannot be read as a model file
_reading = threading.Lock()


def folder() -> Path:
    """Return the folder of the library: `models/saved/` in a checkout, a folder in the user's data if installed.

    The environment variable TOKVIZ_SAVED names another one. tokviz 0.1.0 made `.tokviz/` in the user's home; where it
    is, it stays the folder.
    """
    if named := os.environ.get("TOKVIZ_SAVED"):
        return Path(named)
    if not INSTALLED:
        return MODELS / "saved"
    before = Path.home() / ".tokviz"
    return before if before.is_dir() else platformdirs.user_data_path("tokviz", appauthor=False)


def names() -> list[str]:
    """List the names of all saved tokenizers from A to Z; none if the folder cannot be read (see `trouble`)."""
    with contextlib.suppress(OSError):
        return sorted((entry.name.removesuffix(SUFFIX) for entry in _entries()), key=str.casefold)
    return []


def has(name: str) -> bool:
    """Tell whether a saved tokenizer has this name. No tokenizer has a name that would lead out of the folder."""
    return not name.startswith(".") and Path(name).name == name and os.path.lexists(_path(name))


def trouble() -> str:
    """Say why the folder of the library cannot be read; "" if it can be read, or is not there yet."""
    try:
        _entries()
    except FileNotFoundError:
        return ""
    except OSError as fault:
        return f"The folder of the library cannot be read: {fault.strerror}."
    return ""


def title(name: str) -> str:
    r"""Write a name for people to read: invisible characters, and bytes that are no text, are written as Python does.

    >>> title("my\nmodel"), title("caf\udce9")
    ('my\\nmodel', 'caf\\xe9')
    """
    plain = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() or c in _JOINERS else ascii(c)[1:-1] for c in plain)


def saved(seconds: float = 60.0) -> list[Saved]:
    """List what is in the library, in alphabetical order. A file is read once, and again after it was changed.

    seconds: after which no further file is read. One is read at least.
    """
    until, listed, n_read = time.monotonic() + seconds, [], 0
    with _reading:
        paths = {name: _path(name) for name in names()}
        for name, path in paths.items():
            try:
                found = path.stat()
            except OSError as fault:  # a link that leads nowhere
                why = f"{title(name)}{SUFFIX} cannot be read: {fault.strerror}."
                listed.append(Saved(name, None, About(fault=FormatError(why, _DELETE_IT))))
                continue
            stamp = _stamp(found)
            known = _known.get(path)
            if (known is None or known[0] != stamp) and (not n_read or time.monotonic() <= until):
                known = _known[path] = stamp, _read(name)
                n_read += 1
            about = known[1] if known and known[0] == stamp else None
            listed.append(Saved(name, _day(found.st_mtime), about))
        for gone in _known.keys() - paths.values():
            del _known[gone]
    return listed


def _day(seconds: float) -> date | None:
    """Return the day of a moment; None if it is in no year that Python knows, as a wrong clock can have it."""
    try:
        return date.fromtimestamp(seconds)
    except (ValueError, OverflowError, OSError):
        return None


def _read(name: str) -> About:
    try:
        tokenizer = _open(name)
    except TokvizError as fault:
        return About(fault=FormatError(clean(fault.what), fault.way_out))  # a name that is no UTF-8 is in it
    trained = tokenizer.history is not None or tokenizer.made_from is not None
    return About(size_in_words(tokenizer), tokenizer.pattern, tokenizer.origin.words, trained)


def name_of_sum(sha256: str) -> str | None:
    """Find the name of the saved tokenizer whose file has this sha256; None if there is none. A file is read once, and
    again after it was changed."""
    with _reading:
        listed = {name: _path(name) for name in names()}
        for gone in _sums.keys() - listed.values():
            del _sums[gone]
        for name, path in listed.items():
            with contextlib.suppress(OSError):
                stamp = _stamp(path.stat())
                if path not in _sums or _sums[path][0] != stamp:
                    _sums[path] = stamp, ""
                    with contextlib.suppress(FormatError):
                        _sums[path] = stamp, hashlib.sha256(_data(name)).hexdigest()
                if _sums[path][1] == sha256:
                    return name
    return None


def _stamp(found: os.stat_result) -> _Stamp:
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size


def save(tokenizer: Tokenizer, name: str, *, instead_of: str | None = None) -> str:
    """Save a tokenizer under a free name, and return that name: cleaned, and with " (2)" if it is taken.

    instead_of: a saved tokenizer that the caller gives up for it: its room counts as free.

    Names by which people know another tokenizer, such as gpt2, are taken. Several threads or processes may save at
    once; each gets a name of its own. SettingError if the name is unusable, the library is full, or the file cannot be
    written.
    """
    wanted = clean_name(name)
    try:
        folder().mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise SettingError(
            f"The folder of the library cannot be made: {in_words(fault)[0]}.",
            "Set TOKVIZ_SAVED to a folder that you may write to.",
        ) from None
    for number in itertools.count(1):
        name = wanted if number == 1 else f"{wanted} ({number})"
        if is_name(name) or os.path.lexists(_path(name)):
            continue
        data = dump(tokenizer.renamed(name))
        _check_room(len(data), instead_of)
        if create(_path(name), data):
            break
    return name


def _check_room(n_bytes: int, instead_of: str | None) -> None:
    """Raise SettingError if the library has no room for a file of this size. instead_of: a name that is given up."""
    with contextlib.suppress(OSError):  # the file then cannot be written either, which says why
        others, full, limit = [one for one in _entries() if one.name != f"{instead_of}{SUFFIX}"], "", bounds.now()
        sizes = [entry.stat(follow_symlinks=False).st_size for entry in others]
        in_all = n_bytes + sum(size for size in sizes if size <= most_file_bytes())  # what is larger is no tokenizer
        if len(others) >= limit.saved_files:
            full = f"it has {count_of(len(others), 'file')}, and its limit is {limit.saved_files:,}"
        elif in_all > limit.saved_mb * bounds.MB:
            full = f"its files would have {in_all / bounds.MB:,.1f} MB, and its limit is {limit.saved_mb:,} MB"
        if full:
            raise SettingError(f"The library is full: {full}.", "Delete some of them.")


def open_saved(name: str) -> Tokenizer:
    """Open the saved tokenizer of this name, one of `names`. FormatError if it is gone or damaged."""
    if not has(name):
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
    renamed = save(tokenizer, new, instead_of=name)
    try:
        delete(name)
    except SettingError:
        delete(renamed)
        raise
    return renamed


def delete(name: str) -> None:
    """Delete a saved tokenizer. Does nothing if there is none with this name. SettingError if it cannot be deleted."""
    if not has(name):
        return
    try:
        path = _path(name)
        if path.is_dir() and not path.is_symlink():
            path.rmdir()  # only if it is empty
        else:
            path.unlink(missing_ok=True)
    except OSError as fault:
        raise SettingError(
            f"“{title(name)}” cannot be deleted: {in_words(fault)[0]}.",
            "Check who may write to the folder of the library.",
        ) from None


def _open(name: str) -> Tokenizer:
    return loads(_data(name), f"{title(name)}{SUFFIX}")


def _data(name: str) -> bytes:
    return data_of(_path(name), f"{title(name)}{SUFFIX}", _DELETE_IT)


def _entries() -> list[os.DirEntry[str]]:
    """List what has the ending of a model file. OSError if the folder cannot be read."""
    with os.scandir(folder()) as found:
        return [entry for entry in found if entry.name.endswith(SUFFIX) and not entry.name.startswith(".")]


def _path(name: str) -> Path:
    return folder() / f"{name}{SUFFIX}"
