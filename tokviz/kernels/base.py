"""Holds what all kernels share: the three marks among seams, how kernels are compiled, where compiled code is kept."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.kept_code import KeptCode

WHOLE = -1  # inside a token that no merge made
OPEN = 2**31 - 2  # between two tokens of one chunk
SPLIT = 2**31 - 1  # between two chunks
HALF_S = 60 * 60  # no process takes that long to write a file of compiled code
SPREAD = 0x1E3779B97F4A7C15  # an odd number of many bits: multiplying by it spreads keys over a hash table

# Cores that this process may use; this many threads share work.
CPUS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

Number = Any  # a whole number of 64 bits: int if Python made it, np.int64 if it comes out of an array
Function = TypeVar("Function", bound=Callable[..., Any])


def drop_old_code(sources: Path) -> None:
    """Delete compiled code that is older than any of the kernels in this folder, and what was not written to its end.

    numba compares a kernel's code with the kernel's own file only. It cannot even read what it kept if a type that the
    code refers to has another name by now, and then the first call would fail.
    """
    with suppress(OSError):
        newest = max((source.stat().st_mtime for source in sources.glob("*.py")), default=0.0)
        for kept in (sources / "__pycache__").glob("*.nb[ci]"):
            if kept.stat().st_mtime < newest:
                kept.unlink(missing_ok=True)
        for half in (sources / "__pycache__").glob("*.nb[ci].tmp.*"):
            if half.stat().st_mtime < time.time() - HALF_S:
                half.unlink(missing_ok=True)


drop_old_code(Path(__file__).parent)

_settings: Any = numba.config  # numba adds its members when it is imported, so type checkers do not know them
_kernels: list[Any] = []


def kernel(function: Function) -> Function:
    """Compile a function of arrays and numbers when it is first called. It then runs without the interpreter's lock.

    The compiled code is kept on disk. It is compiled again when a file of this folder changes. With NUMBA_DISABLE_JIT=1
    kernels are plain Python.
    """
    with _code_folder() as can_keep:
        compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
        if can_keep and not _settings.DISABLE_JIT:
            compiled._cache = KeptCode(function)
    _kernels.append(compiled)
    return cast(Function, compiled)


def grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    """Copy an array into a longer one of `length` rows."""
    copy = np.empty((length, *array.shape[1:]), array.dtype)
    copy[: len(array)] = array
    return copy


def code_is_kept() -> bool | None:
    """Say whether compiled code of every kernel is on disk; None if it cannot be kept, or nothing is compiled."""
    if _settings.DISABLE_JIT or not all(one.stats.cache_path for one in _kernels):
        return None
    kept = {path: [file.name for file in Path(path).glob("*.nbi")] for path in {o.stats.cache_path for o in _kernels}}
    begin = [(one.stats.cache_path, f"{Path(one.__code__.co_filename).stem}.{one.__qualname__}-") for one in _kernels]
    return all(any(name.startswith(start) for name in kept[path]) for path, start in begin)


def wake_compiler() -> None:
    """Let numba load what it loads when it first compiles or reads code, which takes a moment."""
    numba.njit()(_nothing)()


@contextmanager
def _code_folder() -> Iterator[bool]:
    """Let numba choose a folder for the code of kernels defined in this block. Yields whether there is one.

    numba takes NUMBA_CACHE_DIR if it is set, else a folder beside the source, else one in the user's home. If it can
    write to none of them, it gets a temporary folder. numba knows a folder only by a setting of the whole process, and
    reads it while it defines a kernel; so the setting is changed for that moment and put back.
    """
    if _numba_has_a_folder():
        yield True
        return
    folder = _private_folder()
    before = _settings.CACHE_DIR
    try:
        _settings.CACHE_DIR = folder or before
        yield folder is not None
    finally:
        _settings.CACHE_DIR = before


@cache
def _numba_has_a_folder() -> bool:
    """Can numba write to a folder that it finds by itself? If not, it refuses to define a function to be kept."""
    try:
        numba.njit(cache=True)(_nothing)
    except (RuntimeError, OSError):
        return False
    return True


def _nothing() -> None:
    pass


@cache
def _private_folder() -> str | None:
    """Make a temporary folder that outlives the process; None if there can be none.

    Code in it will be run, so it must belong to this user, and no other user may write to it.
    """
    if not hasattr(os, "getuid"):
        return None
    folder = Path(tempfile.gettempdir()) / f"tokviz-kernels-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return str(folder) if ours else None
