"""Reads regular files only, writes files whole or not at all, and removes what a killed process left half written.

The bytes of a file go to a *part* first: a file in the same folder, under a name that only this module gives. The
writer of a part holds a lock on it, which the system takes away when the process ends, however it ends. So a part
without a lock is left over, and `sweep` removes it. On some network disks, a machine does not see the locks of others.
So the name of a part says on which machine it is written, and parts of other machines stay for a day.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import platform
import re
import secrets
import shutil
import stat
import tempfile
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tokviz.base.errors import SettingError

fcntl: Any
try:
    import fcntl
except ImportError:  # on Windows, where it cannot be seen whether a part is still being written: all stay
    fcntl = None

_MACHINE = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
_PART = re.compile(r"\.tokviz-([0-9a-f]{8})[0-9a-f]{8}\.part")
_DAY = 24 * 3600  # seconds
_SCRATCH = "tokviz-scratch-"  # how the names of temporary folders begin
UNSIZED = 100_000_000  # bytes that are read of a file that says it has none
PIECE = 1 << 20  # bytes that are read at once of what does not say how many it has
NO_FILE = "it is no file, and may never end"  # such as a device
_BINARY = getattr(os, "O_BINARY", 0)  # only Windows has it
_moving = threading.Lock()
NAME_LENGTH = 80  # characters of the name of a file that a person gave
NAME_BYTES = 200  # of them in UTF-8: file systems allow 255, and a number and endings come after the name
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")  # names that Windows keeps for devices


def clean_name(name: str) -> str:
    """Make a plain file name inside the folder: no path, no control characters, no dot at its start.

    >>> clean_name("../../etc/my model. ")
    'etc my model'
    >>> clean_name("...")
    Traceback (most recent call last):
        ...
    tokviz.base.errors.SettingError: The name '...' has nothing in it that a file name can hold. Use letters or digits.
    """
    if not isinstance(name, str):
        raise SettingError(f"The name is of type {type(name).__name__}, which is not a string.", "Pass a str.")
    plain = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))
    plain = "".join(" " if c in '/\\:*?"<>|' or not c.isprintable() else c for c in plain)
    plain = re.sub(r"\s+", " ", re.sub(r"(^|\s)\.+(?=\s|$)", " ", plain)).strip(" .")[:NAME_LENGTH]
    plain = plain.encode()[:NAME_BYTES].decode("utf-8", "ignore").strip(" .")
    if not plain:
        raise SettingError(f"The name {name!r} has nothing in it that a file name can hold.", "Use letters or digits.")
    return f"{plain} model" if _RESERVED.fullmatch(plain.split(".")[0]) else plain


# What the system says -> the same in plain words, and the way out.
_WORDS = {
    errno.ENOSPC: ("the disk is full", "Make room on it, or choose a folder on another disk."),
    errno.EDQUOT: ("the disk has no more room for this user", "Delete something of yours, or choose another disk."),
    errno.EFBIG: ("it is larger than a file may be here", "Choose another disk, or raise the limit for files."),
    errno.EROFS: ("the disk can only be read", "Choose a folder on another disk."),
    errno.EACCES: ("this user may not write there", "Choose a folder that you may write to."),
    errno.EPERM: ("this user may not write there", "Choose a folder that you may write to."),
    errno.ENAMETOOLONG: ("its name is too long", "Choose a shorter name: most disks allow 255 bytes."),
    errno.EISDIR: ("a folder has this name", "Choose another name."),
    errno.ENOENT: ("its folder does not exist", "Make the folder, or choose another one."),
    errno.ENOTDIR: ("its folder is a file", "Choose another folder."),
    errno.EBADF: ("it is closed", "Leave it open."),
    errno.EEXIST: ("a file has the name of its folder", "Choose another folder."),
}


@contextlib.contextmanager
def open_file(path: Path, pipe: bool = False) -> Iterator[io.BufferedReader]:
    """Open a file to read its bytes. OSError says in words why it cannot be read.

    A device, which may never end, is refused too, and so is a pipe, which could make the caller wait, unless `pipe`.
    """
    pipe = pipe and path.is_fifo()

    def at_once(name: str, flags: int) -> int:  # without the flag, which Windows lacks, opening a pipe would wait
        return os.open(name, flags | (0 if pipe else getattr(os, "O_NONBLOCK", 0)))

    try:
        file = open(path, "rb", opener=at_once)  # noqa: SIM115
    except OSError as fault:
        why = "it is a folder" if path.is_dir() else NO_FILE if fault.errno == errno.ENXIO else fault.strerror
        raise OSError(fault.errno, why) from None
    with file:
        if not (stat.S_ISFIFO if pipe else stat.S_ISREG)(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.ENXIO, NO_FILE)
        yield file


def read_rest(file: BinaryIO, most: int) -> bytes:
    """Read an open file or pipe to its end. OSError if it has more than `most` bytes, or is a device that gives any.

    A file of the system, as in /proc, says that it has no bytes, and may never end.
    """
    size = 0
    with contextlib.suppress(io.UnsupportedOperation):  # raised by what is no file of the system
        found = os.fstat(file.fileno())
        if stat.S_ISREG(found.st_mode):
            size, most = found.st_size, most if found.st_size else min(most, UNSIZED)
        elif stat.S_ISCHR(found.st_mode) and not file.isatty():
            most = 0
    if size > most:
        raise OSError(errno.EFBIG, f"it has {size:,} bytes, and {most:,} are the limit")
    if size:
        return file.read(size)
    parts: list[bytes] = []
    while len(parts) * PIECE <= most and (not parts or len(parts[-1]) == PIECE):
        parts.append(file.read(PIECE) or b"")  # None: there is nothing more now
    data = b"".join(parts)
    if len(data) > most:
        raise OSError(*((errno.EFBIG, f"it has more than {most:,} bytes") if most else (errno.ENXIO, NO_FILE)))
    return data


def write(path: Path, data: bytes) -> None:
    """Write a file, or leave what was there. SettingError if the file cannot be written.

    A symbolic link stays, and the file that it leads to is written.
    """
    mode = stat.S_IFREG
    with contextlib.suppress(OSError, ValueError):  # what is wrong with the path is said below
        path = Path(os.path.realpath(path)) if path.is_symlink() else path
        mode = stat.S_IFMT(path.stat().st_mode)
    if mode not in (stat.S_IFREG, stat.S_IFDIR):  # a new file would take the place of a device
        raise SettingError(f"{path.name} cannot be written: it is a device or a pipe.", "Choose another name.")
    with _part(path, data) as part:
        part.replace(path)


def create(path: Path, data: bytes) -> bool:
    """Write a new file; return False, and change nothing, if there is a file of that name already.

    The file gets its name when it is complete. Of several threads and processes that want a name, only one gets it.
    """
    with _part(path, data) as part:
        try:
            os.link(part, path)
        except FileExistsError:
            return False
        except OSError:  # not every file system has links
            return _move_to_new(part, path)
    return True


def sweep(folder: Path) -> None:
    """Remove the parts in a folder that no process writes any more. Other files, and those of other users, stay."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in filter(_may_be_left, list(found)):
            _remove_left(folder / entry.name, stat.S_ISREG, Path.unlink)


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a temporary folder. It is deleted at the end, or if the process is killed, when the next one is made."""
    sweep_scratch()
    with contextlib.ExitStack() as stack:
        while True:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=_SCRATCH, ignore_cleanup_errors=True)))
            if fcntl is None or _hold(stack.enter_context(_opened(folder)), folder):
                break
        yield folder


def sweep_scratch() -> None:
    """Delete the temporary folders that killed processes left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        _remove_left(folder, stat.S_ISDIR, shutil.rmtree)


def unread(name: str, fault: OSError, way_out: str = "") -> tuple[str, str]:
    """Say that a file cannot be read, and why, and what to do about it.

    >>> unread("zero", OSError(errno.ENXIO, NO_FILE))
    ('zero cannot be read: it is no file, and may never end.', 'Name a file.')
    """
    usual = "Name a file." if fault.errno in (errno.ENXIO, errno.EISDIR) else "Check the path."
    return f"{name} cannot be read: {fault.strerror or fault}.", way_out or usual


def in_words(fault: OSError) -> tuple[str, str]:
    """Say in plain words why a file cannot be written, and what to do about it.

    >>> in_words(OSError(errno.ENOSPC, "No space left on device"))[0]
    'the disk is full'
    """
    said = fault.strerror or type(fault).__name__
    return _WORDS.get(fault.errno or 0, (said, "Choose a folder that exists and has room."))


@contextlib.contextmanager
def _part(path: Path, data: bytes) -> Iterator[Path]:
    """Write these bytes to a new part in the folder of `path`. It is gone at the end. SettingError if that fails."""
    try:
        sweep(path.parent)
        part, handle = _new_part(path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(handle)  # a name must not reach the disk before the bytes do
                if fcntl is None:
                    file.close()  # Windows gives no open file another name
                yield part
        finally:
            part.unlink(missing_ok=True)
        if fcntl is not None:  # have the new name on the disk, as far as the system can do that
            with contextlib.suppress(OSError), _opened(path.parent, os.O_DIRECTORY) as folder:
                os.fsync(folder)
    except (OSError, ValueError) as fault:
        name = path.name.encode("utf-8", "replace").decode()[:300]
        reason, way_out = "no file can have this name", "Choose another name."  # such as one with half a character
        if isinstance(fault, OSError):
            reason, way_out = in_words(fault)
        raise SettingError(f"{name} cannot be written: {reason}.", way_out) from fault


def _new_part(folder: Path) -> tuple[Path, int]:
    """Create a part, and return it with its handle, which holds the lock."""
    while True:
        part = folder / f".tokviz-{_MACHINE}{secrets.token_hex(4)}.part"
        handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        if _hold(handle, part):
            return part, handle
        os.close(handle)


def _may_be_left(entry: os.DirEntry[str]) -> bool:
    """Is it a part of this machine, or one of another machine that was not written to for a day?"""
    part = _PART.fullmatch(entry.name)
    if part is None or part[1] == _MACHINE:
        return part is not None
    return time.time() - entry.stat(follow_symlinks=False).st_mtime > _DAY


def _hold(handle: int, path: Path) -> bool:
    """Lock a new part or folder. False if a sweep took it before it had its lock."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # some network disks have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
    return os.path.lexists(path)


def _remove_left(path: Path, is_kind: Callable[[int], bool], remove: Callable[[Path], None]) -> None:
    """Remove a file or folder of this user and this kind if no process holds it."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), _opened(path) as handle:
        found = os.fstat(handle)
        if is_kind(found.st_mode) and found.st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(path)


@contextlib.contextmanager
def _opened(path: Path, kind: int | None = None) -> Iterator[int]:
    """Open a path to lock it. kind: a flag of `os.open`; without one, it follows no link and waits for no pipe."""
    handle = os.open(path, os.O_RDONLY | (os.O_NOFOLLOW | os.O_NONBLOCK if kind is None else kind))
    try:
        yield handle
    finally:
        os.close(handle)


def _move_to_new(part: Path, path: Path) -> bool:
    """Do what `create` does, without a link: one process at a time looks whether the name is free, and takes it."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(_moving)
        if fcntl is not None:
            with contextlib.suppress(OSError):  # a folder that cannot be listed, or a disk without locks
                fcntl.flock(stack.enter_context(_opened(path.parent, os.O_DIRECTORY)), fcntl.LOCK_EX)
        if os.path.lexists(path):
            return False
        part.replace(path)
    return True
