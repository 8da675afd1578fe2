"""Keeps compiled code on disk. If it is damaged, it is compiled again; if it cannot be written, it is not kept.

numba alone would let the first call of a kernel fail. It would also run code whose bytes have changed, so the sum of
each file is at its end. numba reads a file up to the end of what it wrote there itself.
"""

# mypy: disable-error-code="no-untyped-call, misc"
# numba has no types for what is used here.

from __future__ import annotations

import contextlib
import functools
import hashlib
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

_SUM_BYTES = hashlib.sha256().digest_size


class KeptCode(FunctionCache):
    """Keeps the code of one kernel on disk. Several processes may write it at once: a file is replaced as a whole."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        before = self._cache_file
        stamp = _stamp(Path(function.__code__.co_filename).parent)
        self._cache_file = _SummedFiles(before._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # what damaged code raises can be anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):  # the disk is full, or the folder is gone
            super().save_overload(sig, data)


@functools.cache
def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Make a stamp that changes with every source file in this folder. numba itself looks at the kernel's own file
    only, though the kernel may call kernels of the others."""
    found = sorted((source.name, source.stat()) for source in folder.glob("*.py"))
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in found)


class _SummedFiles(IndexDataCacheFile):
    def _dump(self, obj: Any) -> bytes:
        data: bytes = super()._dump(obj)
        return data + hashlib.sha256(data).digest()

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:
            return {}  # the next file that is saved begins a new one

    def _load_data(self, name: str) -> Any:
        data = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(data[:-_SUM_BYTES]).digest() != data[-_SUM_BYTES:]:
            raise OSError("damaged")  # numba takes it for a file that is gone
        return super()._load_data(name)
