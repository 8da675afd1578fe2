"""Reads and writes files of chunk counts: what a machine counted of a corpus, to be joined with others, and trained on.

It is an .npz file of numpy, a zip of arrays, none of them compressed. The first one is the header, as JSON: "format",
"version", "pattern", "regex_version" (of the package that cut the text, if the pattern is no name), "special_tokens",
"special_counts", "shards" as [number, bytes], "n_bytes", and how many "chunks" with how many "chunk_bytes". The others
are those of `ChunkCounts`. There is no date and no path: the same counts always give the same bytes.

A file may come from anywhere. So no array is read that has more bytes than the file, and each number is checked.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from tokviz.base import drawn
from tokviz.base.arguments import path_of
from tokviz.base.errors import FormatError, SettingError
from tokviz.base.files import open_file, unread
from tokviz.base.json_files import NAME, InputFile
from tokviz.base.typed import JsonCount, JsonText, read
from tokviz.corpus.chunk_counts import ChunkCounts, fault_of, fault_of_data
from tokviz.split.cutting import check_pattern
from tokviz.split.specials import check_special_tokens

FORMAT, VERSION, SUFFIX = "tokviz counts", 2, ".npz"
HEAD = 100  # bytes by which a file of counts is recognised
_HEADER, _OLD = "tokviz_counts", f'{{"format": "{FORMAT}"'.encode()  # how files of 0.1.0 begin
_KINDS = {"data": np.dtype("u1")} | dict.fromkeys(("ends", "counts", "firsts"), np.dtype("<i8"))


def _fault_in_version(version: int) -> str:
    return "" if version == VERSION else f"is {version!r}, and this tokviz reads version {VERSION}"


class Header(NamedTuple):
    """Holds the first array of a file, without what the others say too."""

    version: Annotated[int, _fault_in_version]
    pattern: JsonText
    regex_version: JsonText | None
    special_tokens: list[JsonText]
    n_bytes: JsonCount
    special_counts: tuple[JsonCount, ...]
    shards: list[tuple[JsonCount, JsonCount]]


_FIELDS = Header._fields[1:]  # those of ChunkCounts


@drawn.write.register
def dump(counts: ChunkCounts) -> bytes:
    """Make the file of these counts. SettingError if they are not those of a corpus."""
    if wrong := fault_of(counts):
        raise SettingError(f"These counts cannot be saved: {wrong}.", "Save what count_chunks gives, or sums of that.")
    packed = io.BytesIO()
    arrays = {name: getattr(counts, name) for name in _KINDS}
    # None of them has objects, so nothing is pickled. Before numpy 2.1, savez cannot be told to refuse it.
    np.savez(packed, **{_HEADER: np.frombuffer(_header_of(counts), np.uint8), **arrays})
    return packed.getvalue()


def load_counts(path: str | os.PathLike[str]) -> ChunkCounts:
    """Read the counts in a file that `ChunkCounts.save` wrote.

    Raises InputError if the path is no path, FormatError if there is no readable file of counts.
    """
    with unpacked(path) as (packed, header, _):
        check_pattern(header.pattern, read=True)
        said = {name: packed[name] for name in _KINDS} | {name: getattr(header, name) for name in _FIELDS}
        said |= {"special_tokens": check_special_tokens(header.special_tokens), "shards": dict(header.shards)}
        counts = ChunkCounts(**said)
        if (wrong := fault_of(counts) or fault_of_data(counts)) or _header_of(counts) != packed[_HEADER].tobytes():
            raise ValueError(wrong or "its header is not that of its arrays")
        return counts


def is_file(path: Path) -> bool:
    """Is this a file of counts, by its first bytes? A pipe is none: what is read from it would be missing later."""
    if path.is_file():
        with suppress(OSError), open_file(path) as file:  # its reader will say why it cannot be read
            return is_counts(file.read(HEAD) or b"")
    return False


def is_counts(head: bytes) -> bool:
    """Is a file with this beginning a file of counts, of 0.1.0 too? Its first HEAD bytes are enough."""
    return head.startswith(_OLD) or (head[:4] == b"PK\3\4" and head[30:].startswith(f"{_HEADER}.npy".encode()))


@contextmanager
def unpacked(path: str | os.PathLike[str]) -> Iterator[tuple[Any, Header, dict[str, Any]]]:
    """Open a file: its arrays, to be read by their names, its header, and all that the header says as JSON.

    FormatError says what is wrong with it.
    """
    path = path_of(path)
    name = path.name[:NAME]
    try:
        with open_file(path) as file:
            head = file.read(HEAD)
            if head.startswith(_OLD):
                raise FormatError(f"{name} cannot be read: it is of tokviz 0.1.0.", "Count again with count-chunks.")
            if not is_counts(head):
                raise FormatError(f"{name} holds no chunk counts.", "Choose a file that tokviz count-chunks wrote.")
            file.seek(0)
            with np.load(file, allow_pickle=False) as packed:
                _check_sizes(packed.zip, os.fstat(file.fileno()).st_size)
                said = InputFile(name, packed[_HEADER].tobytes()).json
                yield packed, read(said, Header), said
    except (FormatError, MemoryError):
        raise
    except OSError as fault:
        raise FormatError(*unread(name, fault)) from None
    except Exception as fault:  # what zipfile and numpy raise for a damaged file can be anything
        raise FormatError(f"{name} is damaged: {str(fault).rstrip('.')}.", "Count its shards again.") from None


def _check_sizes(packed: zipfile.ZipFile, size: int) -> None:
    """Raise ValueError unless the arrays in a file of `size` bytes are those that `dump` writes, and take no more."""
    infos = packed.infolist()
    if [info.filename for info in infos] != [f"{name}.npy" for name in (_HEADER, *_KINDS)]:
        raise ValueError("it does not hold the arrays of counts and nothing else")
    if any(info.compress_type for info in infos) or sum(info.file_size for info in infos) > size:
        raise ValueError(f"its arrays are compressed, or have more than the {size:,} bytes of the file")
    for info, kind in zip(infos, (_KINDS["data"], *_KINDS.values()), strict=True):
        with packed.open(info) as array:
            version = np.lib.format.read_magic(array)
            shape, _, found = np.lib.format.read_array_header_1_0(array)
            stops = array.tell() + shape[0] * kind.itemsize
            if (version, found, len(shape), stops) != ((1, 0), kind, 1, info.file_size):
                raise ValueError(f"{info.filename} says another size than its own")


def _header_of(counts: ChunkCounts) -> bytes:
    """Write what the file of these counts says of itself."""
    said = {"format": FORMAT, "version": VERSION, **{name: getattr(counts, name) for name in _FIELDS}}
    said |= {"shards": [*counts.shards.items()], "chunks": len(counts), "chunk_bytes": len(counts.data)}
    return json.dumps(said, ensure_ascii=False).encode()
