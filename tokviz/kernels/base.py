"""What all kernels share: the marks among seams, the way they are compiled, and where the compiled code is kept."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

WHOLE = -1
OPEN = 2**31 - 2
SPLIT = 2**31 - 1

config: Any = numba.config  # its members come to be as it is read
Number = Any  # a whole number of 64 bits: int where Python made it, np.int64 where an array did
Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function of arrays and numbers at its first call; it runs without the interpreter's lock.

    numba keeps the code on disk and compiles anew when the function's own file changes. It does not look at other
    files, so what a kernel calls stands in the same file. With NUMBA_DISABLE_JIT=1 kernels are plain Python.
    """
    return cast(Function, numba.njit(cache=_CAN_KEEP, nogil=True, error_model="numpy")(function))


def _keep_code() -> bool:
    """Find a folder for compiled code: beside the source or in the home, as numba does by itself, else a temporary
    one. False where there is none: then each process compiles for itself."""
    if config.CACHE_DIR:
        return True
    try:
        numba.njit(cache=True)(_try_out)
        return True
    except (RuntimeError, OSError):  # "no locator available": neither can be written
        pass
    folder = _private_folder()
    config.CACHE_DIR = str(folder) if folder else ""
    return folder is not None


def _try_out() -> None:
    pass


def _private_folder() -> Path | None:
    """A temporary folder that outlives the process and that nobody else can write: what lies in it will be run."""
    if not hasattr(os, "getuid"):
        return None
    folder = Path(tempfile.gettempdir()) / f"tokviz-kernels-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return folder if ours else None


_CAN_KEEP = _keep_code()
