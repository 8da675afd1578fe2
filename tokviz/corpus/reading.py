"""Reads a corpus: its texts and files as pieces of bytes, cut at special tokens, and where each text came from.

A corpus is one text or many: a string is always text, a path is always a file, and a `Text` (from `read_text`) is a
file already read. A file is read block by block, so a corpus may be larger than memory.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any

from tokviz.base import bounds
from tokviz.base.arguments import path_of
from tokviz.base.errors import InputError, SettingError, warn
from tokviz.base.text import Text, clean
from tokviz.corpus.blocks import Blocks, Digest, readable
from tokviz.split.specials import cut_specials, special_finder

BLOCK = 1 << 20  # bytes of a file, or characters of a text, that are read at a time; new memory is dear, so not more
UNCUT_LIMIT = 8_000_000  # bytes of a text under pattern "none": it is one chunk, which has to be in memory whole
HASHED_LATER = 500_000  # bytes from which on a text is hashed in the background
TEXTS_NAMED = 1_000  # texts whose name and sha256 are kept one by one

Corpus = str | os.PathLike[str] | Text | Iterable["str | os.PathLike[str] | Text"]


@dataclass(frozen=True, slots=True)
class CorpusPiece:
    """Holds some bytes of a text.

    special: the index of the special token that they are, or -1.
    closed: whether a stretch of text ends here, so that no chunk goes on into the next piece.
    """

    data: bytes
    special: int
    closed: bool


class CorpusReader:
    """Reads the texts of a corpus one after the other, and notes where they came from.

    pattern, special_tokens: as in `train`, already checked. with_origin: whether `origin` will be asked for. Raises
    InputError if this is no corpus. An iterator is not read yet.
    """

    def __init__(self, corpus: Corpus, pattern: str, special_tokens: tuple[str, ...], with_origin: bool) -> None:
        self.special_tokens = special_tokens
        self._numbers = {token: number for number, token in enumerate(special_tokens)}
        self._items, self._alone, self._expected = _items(corpus)
        self._uncut = pattern == "none"
        self._with_origin = with_origin
        self._read = 0  # bytes of the texts that were read
        self._origin = _Origin()
        self._unhashed: tuple[str, bytes] | None = None  # a large text, which is hashed while merges are learned
        self._hash: Future[str] | None = None

    @property
    def size(self) -> int:
        """Bytes of the corpus as far as they are known. Of an iterator, those read so far."""
        return max(self._expected, self._read)

    def pieces(self) -> Iterator[CorpusPiece]:
        """Yield the whole corpus in pieces.

        Raises InputError for a text or file that cannot be read, SettingError for a text too large without a pattern.

        >>> [(piece.data, piece.special) for piece in CorpusReader("a<s>b", "gpt2", ("<s>",), False).pieces()]
        [(b'a', -1), (b'<s>', 0), (b'b', -1)]
        """
        for number, item in enumerate(self._items, 1):
            name = "the text" if self._alone else f"text {number}"
            if number == 1:
                _warn_of_name(item)
            if isinstance(item, os.PathLike):
                yield from self._pieces_of_file(item)
            elif isinstance(item, str) and len(item) > BLOCK and not self.special_tokens and not self._uncut:
                yield from self._blocks_of_text(item, name)
            else:
                yield from self._pieces_of_text(item, name)

    def finish(self) -> None:
        """Begin in the background what `origin` still needs. Call it when no more pieces are wanted."""
        if self._unhashed:
            pool = ThreadPoolExecutor(1)
            self._hash = pool.submit(_sha256, self._unhashed[1])
            pool.shutdown(wait=False)

    def origin(self) -> list[dict[str, Any]] | dict[str, Any]:
        """Return name, bytes and sha256 of each text that was read; of more than TEXTS_NAMED, one sum over the sums."""
        if self._unhashed and self._hash:
            (name, data), self._unhashed = self._unhashed, None
            self._origin.add(name, len(data), self._hash.result())
        return self._origin.as_json()

    def _pieces_of_text(self, item: object, name: str) -> Iterator[CorpusPiece]:
        if isinstance(item, Text):
            text, data = item.text, item.text.encode()
            self._note(item.name, item.n_bytes, item.sha256)
        elif isinstance(item, str):
            text = clean(item)
            data = text.encode()
            self._expected += len(data) - _size(item) if self._expected else 0
            if self._with_origin and self._alone and len(data) >= HASHED_LATER:
                self._read, self._unhashed = len(data), (name, data)
            else:
                self._note(name, len(data), _sha256(data) if self._with_origin else "")
        else:
            raise _not_a_text(item)
        if not self.special_tokens:
            self._refuse_uncut(len(data), name)
            yield CorpusPiece(data, -1, True)
            return
        for stretch, special in cut_specials(text, self.special_tokens):
            data = stretch.encode()
            if not special:
                self._refuse_uncut(len(data), name)
            yield CorpusPiece(data, self._numbers[stretch] if special else -1, True)

    def _blocks_of_text(self, text: str, name: str) -> Iterator[CorpusPiece]:
        """Encode a long text block by block, so that other threads count the first blocks meanwhile."""
        n_bytes, digest = 0, Digest()
        for start in range(0, len(text), BLOCK):
            characters = text[start : start + BLOCK]
            try:
                block = characters.encode()
            except UnicodeEncodeError:
                characters = text[start:]  # to its end, for both halves of a character have to be in it
                block = clean(characters).encode()
            n_bytes += len(block)
            self._expected += len(block) - len(characters) if self._expected else 0
            if self._with_origin:
                digest.update(block)
            last = start + len(characters) == len(text)
            if last:
                self._note(name, n_bytes, digest.hexdigest() if self._with_origin else "")
            yield CorpusPiece(block, -1, last)
            if last:
                break

    def _pieces_of_file(self, path: os.PathLike[str]) -> Iterator[CorpusPiece]:
        size = _size(path)
        blocks = Blocks(path_of(path), BLOCK, self._with_origin)
        if self.special_tokens:
            yield from self._blocks_cut_at_specials(blocks)
        else:
            self._refuse_uncut(size, blocks.path.name)
            yield from (CorpusPiece(block, -1, False) for block in blocks)
            yield CorpusPiece(b"", -1, True)
        self._expected += blocks.n_bytes - size if self._expected else 0  # a byte order mark does not count
        self._note(blocks.path.name, blocks.n_bytes, blocks.sha256)

    def _blocks_cut_at_specials(self, blocks: Blocks) -> Iterator[CorpusPiece]:
        """Cut blocks. A special token may cross the end of one: the last characters of each wait for the next one."""
        longest = max(map(len, self.special_tokens))
        finder = special_finder(frozenset(self.special_tokens))
        text, stretch = "", 0
        for block in chain(blocks, [b""]):
            text += block.decode()
            # From here on, a special token could begin, or a longer one win, once the next block is there.
            settled = len(text) - longest + 1 if block else len(text)
            start = 0
            for match in finder.finditer(text):
                if match.start() >= settled:
                    break
                yield CorpusPiece(text[start : match.start()].encode(), -1, True)
                yield CorpusPiece(match.group().encode(), self._numbers[match.group()], True)
                start, stretch = match.end(), 0
            if start < settled:
                data = text[start:settled].encode()
                stretch += len(data)
                self._refuse_uncut(stretch, blocks.path.name)
                yield CorpusPiece(data, -1, False)
            text = text[max(start, settled) :]
        yield CorpusPiece(b"", -1, True)

    def _note(self, name: str, n_bytes: int, sha256: str) -> None:
        self._read += n_bytes
        if self._with_origin:
            self._origin.add(name, n_bytes, sha256)

    def _refuse_uncut(self, size: int, name: str) -> None:
        if self._uncut and size > UNCUT_LIMIT:
            raise SettingError(
                f"{name or 'A text'} has {size:,} bytes. Without a split pattern a text is one chunk, and the limit "
                f"for that is {UNCUT_LIMIT:,} bytes.",
                "Choose a pattern, or a shorter text.",
            )


class _Origin:
    """Collects name, bytes and sha256 of the first TEXTS_NAMED texts of a corpus, and one sum over the sums of all."""

    def __init__(self) -> None:
        self.named: list[dict[str, Any]] = []
        self.n_texts = 0
        self.n_bytes = 0
        self.sums = hashlib.sha256()

    def add(self, name: str, n_bytes: int, sha256: str) -> None:
        if self.n_texts < TEXTS_NAMED:
            self.named.append({"name": clean(name), "bytes": n_bytes, "sha256": sha256})
        self.n_texts += 1
        self.n_bytes += n_bytes
        self.sums.update(sha256.encode())

    def as_json(self) -> list[dict[str, Any]] | dict[str, Any]:
        if self.n_texts <= TEXTS_NAMED:
            return self.named
        return {"texts": self.n_texts, "bytes": self.n_bytes, "sha256_of_sums": self.sums.hexdigest()}


def _items(corpus: Corpus) -> tuple[Iterable[object], bool, int]:
    """Return (the texts of a corpus, whether it is a single text, its bytes as far as they are known).

    Lists and tuples are checked now; an iterator is read later, once.
    """
    if isinstance(corpus, str | os.PathLike | Text):
        return [corpus], True, _size(corpus)
    _refuse_bytes(corpus)
    if not isinstance(corpus, Iterable) or isinstance(corpus, dict):
        raise InputError(
            f"A corpus cannot be an object of type {type(corpus).__name__}.", "Pass a text, a path, or several of them."
        )
    if isinstance(corpus, list | tuple):
        return corpus, False, sum(map(_size, corpus))
    return corpus, False, 0


def _warn_of_name(item: object) -> None:
    """Warn if a text is the name of a file or a folder: other trainers read the file then."""
    if not isinstance(item, str) or len(item) > bounds.now().looked_up or "\n" in item:
        return
    is_folder = os.path.isdir(item)  # noqa: PTH112 (a path raises an error where this text is too long for a name)
    if is_folder or os.path.isfile(item):  # noqa: PTH113
        kind, files = ("folder", _files_in(item)) if is_folder else ("file", f"pathlib.Path({item!r})")
        what = f"The text {item!r} is the name of a {kind}, but is trained on as text."
        warn(f"{what} To train on the {kind}, pass {files}.")


def _files_in(folder: str) -> str:
    return f"the files in it, such as pathlib.Path({folder!r}).rglob('*.txt')"


def _size(item: object) -> int:
    """Count the bytes of a text, as far as one can tell without reading it. Raises InputError if it is no text."""
    if isinstance(item, str):
        return len(item)
    if isinstance(item, Text):
        return item.n_bytes
    if isinstance(item, os.PathLike):
        path = path_of(item)
        with readable(path):
            found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise InputError(f"{path.name} cannot be read: it is a folder.", f"Pass {_files_in(str(path))}.")
        return found.st_size
    raise _not_a_text(item)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _not_a_text(item: object) -> InputError:
    _refuse_bytes(item)
    return InputError(f"A corpus cannot contain an object of type {type(item).__name__}.", "Pass texts and paths only.")


def _refuse_bytes(item: object) -> None:
    if isinstance(item, bytes | bytearray | memoryview):
        raise InputError(
            "A corpus cannot be bytes, because they do not tell their encoding.",
            "Decode them with tokviz.read_text(data).",
        )
    if hasattr(item, "read"):
        raise InputError(
            "A corpus cannot be an open file, because its position and encoding are unknown.",
            "Pass its path: pathlib.Path(name).",
        )
