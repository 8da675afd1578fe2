"""Reads the text of a file, block by block so that memory holds only one, and computes its sha256."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np

from tokviz.base.errors import InputError
from tokviz.base.files import open_file, unread
from tokviz.base.text import HEAD, not_utf8, refuse_wide
from tokviz.kernels.utf8 import valid_until

WORTH_A_THREAD = 500_000  # bytes from which on they are hashed in another thread
NEWLINE = ord("\n")


class Digest:
    """Computes the sha256 of blocks of bytes; of large ones in a thread of its own while the caller goes on."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._pool = ThreadPoolExecutor(1, "hash")
        self._latest: Future[None] | None = None

    def update(self, data: bytes) -> None:
        """Add bytes to those that are hashed."""
        if self._latest:
            self._latest.result()
        if len(data) >= WORTH_A_THREAD:
            self._latest = self._pool.submit(self._digest.update, data)
        else:
            self._digest.update(data)

    def hexdigest(self) -> str:
        """Return the sum of all bytes so far, as 64 hexadecimal digits. Call it once, at the end."""
        self._pool.shutdown()
        return self._digest.hexdigest()


class Blocks:
    """Reads the text of a file in UTF-8, without the byte order mark, block by block so that memory holds only one.

    Each block contains whole characters. Bytes that are not UTF-8 raise InputError, as in `read_text`. When all blocks
    are read, `sha256` is that of the raw bytes, if it was asked for, and `n_bytes` the length of the text.
    """

    def __init__(self, path: Path, size: int, with_sha256: bool = True) -> None:
        self.path = path
        self.size = size
        self.sha256 = ""
        self.n_bytes = 0
        self._digest = Digest() if with_sha256 else None

    def __iter__(self) -> Iterator[bytes]:
        line, offset, rest = 1, 0, b""  # rest: half a character at the end of the last block
        with readable(self.path), open_file(self.path, pipe=True) as file:
            head = raw = file.read(max(self.size, len(codecs.BOM_UTF8))) or b""
            refuse_wide(head[:HEAD], self.path.name)
            if head.startswith(codecs.BOM_UTF8):
                self._hash(codecs.BOM_UTF8)
                offset = len(codecs.BOM_UTF8)
                raw = head[offset:] or file.read(self.size)
            while raw:
                self._hash(raw)
                following = file.read(self.size) or b""
                head = head if len(head) >= HEAD else head + following[:HEAD]
                block = rest + raw
                codes = np.frombuffer(block, np.uint8)
                whole = int(valid_until(codes))
                line += int(np.count_nonzero(codes[:whole] == NEWLINE))
                rest, raw = block[whole:], following
                if rest and not (following and _is_half_a_character(rest)):
                    raise not_utf8(head[:HEAD], rest[:HEAD], self.path.name, offset + whole, line)
                offset += whole
                self.n_bytes += whole
                if whole:
                    yield block[:whole]
        self.sha256 = self._digest.hexdigest() if self._digest else ""

    def _hash(self, data: bytes) -> None:
        if self._digest:
            self._digest.update(data)


@contextlib.contextmanager
def readable(path: Path) -> Iterator[None]:
    """Raise InputError, with the name of the file, where the system cannot read it."""
    try:
        yield
    except OSError as fault:
        raise InputError(*unread(path.name, fault)) from None


def _is_half_a_character(data: bytes) -> bool:
    """Say whether the bytes are the beginning of a character, and the others are missing."""
    try:
        data[:4].decode()
    except UnicodeDecodeError as fault:
        return fault.start == 0 and fault.reason == "unexpected end of data"
    return False
