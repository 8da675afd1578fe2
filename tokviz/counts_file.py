"""A file of chunk counts: what a machine counted of a corpus, to be joined with what others counted, and trained on.

    a line of JSON: {"format": "tokviz counts", "version": 1, "pattern", "regex_version": null or that of the `regex`
        package which cut the text, "special_tokens": [...], "special_counts": [...], "shards": [[number, bytes], ...],
        "n_bytes": of the corpus, "chunks": their number n, "chunk_bytes": all of them together, "sums": {...}}
    a line with the sha256 of that line
    ends, counts, firsts: n numbers of eight bytes each, the lowest byte first
    data: the chunks end to end

The first line says what was counted and how, so `head -n 1` shows it. Its `sums` are the sha256 of the arrays, which
are those of `ChunkCounts`. There is no date and no path in it: the same counts always give the same bytes.

A file may come from anywhere. Its length must be what the first line says before any array is read, and then each field
and each number is checked: nothing but the counts of some corpus comes out.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz import files
from tokviz.arguments import path_of, shown
from tokviz.chunk_counts import MOST_SHARD, ChunkCounts, join, refuse_unlike
from tokviz.errors import FormatError, InputError, SettingError, TokvizError
from tokviz.formats.fields import COUNTS_BELOW, SUM, fault_in, list_of, number, or_none, text
from tokviz.formats.parts import NAME, File, is_id, read_json
from tokviz.kernels import joining
from tokviz.specials import check_special_tokens
from tokviz.split import PATTERNS, check_pattern
from tokviz.wording import count_of

FORMAT, VERSION = "tokviz counts", 1
SUFFIX = ".counts"
HEAD = 100  # bytes by which a file of counts is recognised
HEADER_BYTES = 1 << 26  # of the first line; it holds special tokens and shards, and nothing else that grows
ARRAYS = ("ends", "counts", "firsts", "data")  # in the order of the file
NUMBER = np.dtype("<i8")
_SUM_LINE = 65  # bytes: a sha256 in hexadecimal, and the end of the line
_BLOCK = 1 << 20  # bytes that are decoded at a time
_COUNT_AGAIN = "Copy the file again, or count its shards again."

_FIELDS = {
    "pattern": text,
    "regex_version": or_none(text),
    "special_tokens": list_of(text),
    "special_counts": list_of(number(0)),
    "shards": list_of(lambda row: "" if _is_shard(row) else f"is {shown(row)}, which is not [number, bytes]"),
    "n_bytes": number(0),
    "chunks": number(0),
    "chunk_bytes": number(0),
}


def dump(counts: ChunkCounts) -> list[bytes | memoryview]:
    """The parts of the file of these counts, which follow one another. SettingError if they are not a corpus's.

    >>> from tokviz import count_chunks
    >>> first_line, *_ = dump(count_chunks("the cat", shard=3))
    >>> first_line[:62]
    b'{"format": "tokviz counts", "version": 1, "pattern": "gpt2", "'
    """
    if not isinstance(counts, ChunkCounts):
        raise InputError(f"{shown(counts)} is not counts.", "Pass what tokviz.count_chunks gives.")
    _refuse_to_save(_fault(counts))
    arrays = [np.ascontiguousarray(getattr(counts, name)) for name in ARRAYS]
    arrays = [array if array.dtype == np.uint8 else array.astype(NUMBER, copy=False) for array in arrays]
    header = {
        "format": FORMAT,
        "version": VERSION,
        "pattern": counts.pattern,
        "regex_version": counts.regex_version,
        "special_tokens": list(counts.special_tokens),
        "special_counts": list(counts.special_counts),
        "shards": [*map(list, counts.shards.items())],
        "n_bytes": counts.n_bytes,
        "chunks": len(counts),
        "chunk_bytes": len(counts.data),
        "sums": {name: _sum(array) for name, array in zip(ARRAYS, arrays, strict=True)},
    }
    _refuse_to_save(fault_in(_FIELDS, header) or _unequal(header))
    line = json.dumps(header, ensure_ascii=False).encode() + b"\n"
    if len(line) > HEADER_BYTES:
        raise SettingError(
            f"The special tokens and shards take {len(line):,} bytes, and {HEADER_BYTES:,} are the limit.",
            "Count fewer, larger shards.",
        )
    return [line, f"{_sum(line)}\n".encode(), *(array.data.cast("B") for array in arrays if array.size)]


def _refuse_to_save(wrong: str) -> None:
    """SettingError if something is wrong with counts: nobody could read their file."""
    if wrong:
        raise SettingError(f"These counts cannot be saved: {wrong}.", "Save what count_chunks gives, or sums of that.")


def save(counts: ChunkCounts, path: str | os.PathLike[str]) -> None:
    """Write a file that `load_file` reads, whole or not at all. SettingError if it cannot be written."""
    files.write(path_of(path), *dump(counts))


def load_file(path: str | os.PathLike[str]) -> ChunkCounts:
    """The counts in a file that `ChunkCounts.save` wrote.

    Raises InputError if the path is no path, FormatError if there is no readable file of counts.

    >>> import tempfile, tokviz
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tokviz.count_chunks("the cat", shard=3).save(folder + "/3.counts")
    ...     counts = tokviz.load_counts(folder + "/3.counts")
    >>> list(counts), counts.shards
    ([(b'the', 1), (b' cat', 1)], {3: 7})
    """
    path = path_of(path)
    name = path.name[:NAME]
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would have to be waited for, and a device may never end
            raise FormatError(f"{name} cannot be read: it is no file.", "Choose a file of counts.")
        with path.open("rb") as file:
            return _read(file, os.fstat(file.fileno()).st_size, name)
    except OSError as fault:
        raise FormatError(f"{name} cannot be read: {fault.strerror}.", "Check the path.") from None


def join_files(paths: Iterable[str | os.PathLike[str]]) -> ChunkCounts:
    """The counts of several files together. Few of them are in memory at the same time.

    Raises SettingError, with the names of the files, if two have the same shard
    or were counted in different ways, or if one of several does not say which shard it is; and what `load_file` raises.
    """
    return join_named((os.fspath(path), load_file(path)) for path in paths)


def join_named(named: Iterable[tuple[str, ChunkCounts]]) -> ChunkCounts:
    """Counts joined as `join_files` does it. named: the name of a file, and the counts in it."""
    return join(_that_go_together(named))


def _that_go_together(named: Iterable[tuple[str, ChunkCounts]]) -> Iterator[ChunkCounts]:
    holds: dict[int | None, str] = {}  # the number of a shard, None for counts without one -> the file
    way: dict[str, Any] = {}
    for name, counts in named:
        if holds and (None in holds or not counts.shards):
            raise SettingError(
                f"{holds.get(None, name)} does not say which shard it is, so it cannot be joined with other files.",
                "Count it again, with the number of its shard.",
            )
        twice = counts.shards.keys() & holds.keys()
        if twice:
            shard = min(twice)
            raise SettingError(
                f"Shard {shard} is in {holds[shard]} and in {name}.",
                "Leave one of them out, or count again and give each shard its own number.",
            )
        refuse_unlike(way or counts.way, counts.way, f"{next(iter(holds.values()), '')} and {name}")
        way = counts.way
        holds |= dict.fromkeys(counts.shards or [None], name)
        yield counts


def load(data: bytes, source: str = "The file") -> ChunkCounts:
    """The counts in the bytes of such a file. FormatError says what is wrong with a damaged or foreign one.

    source: what to call the file in an error, as the beginning of a sentence.
    """
    if not isinstance(data, bytes):
        raise InputError(f"A file of counts is bytes, not {shown(data)}.", "To read a path, call tokviz.load_counts.")
    return _read(io.BytesIO(data), len(data), source)


def is_file(path: Path) -> bool:
    """Is this a file of counts, by its first bytes? A pipe is none: what is read from it would be missing later."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as file:
            return is_counts(file.read(HEAD))
    except OSError:  # who reads it will say why it cannot be read
        return False


def is_counts(head: bytes) -> bool:
    """Is a file that begins so a file of counts? Its first HEAD bytes are enough."""
    return head.startswith(f'{{"format": "{FORMAT}"'.encode())


def _read(file: io.BufferedIOBase, size: int, name: str) -> ChunkCounts:
    """The counts in an open file of `size` bytes."""
    line = file.readline(HEADER_BYTES)
    header = _header(line, file.read(_SUM_LINE), name)
    n, n_data = header["chunks"], header["chunk_bytes"]
    lengths = dict(zip(ARRAYS, (n, n, n, n_data), strict=True))
    at = len(line) + _SUM_LINE
    wanted = at + sum(length * _kind(what).itemsize for what, length in lengths.items())
    if size != wanted:
        raise FormatError(
            f"{name} is damaged: it has {count_of(size, 'byte')}, and {wanted:,} by its first line.", _COUNT_AGAIN
        )
    arrays: dict[str, NDArray[Any]] = {}
    for what, length in lengths.items():
        array = np.empty(length, _kind(what))
        if array.size:
            read = file.readinto(array.data.cast("B"))
            if read != array.nbytes:
                raise FormatError(f"{name} became shorter while it was read.", "Read it when it is complete.")
        if _sum(array) != header["sums"][what]:
            span = f"bytes {at:,} to {at + array.nbytes:,}, which are its {what!r}"
            raise FormatError(f"{name} is damaged in {span}: their sha256 is another one.", _COUNT_AGAIN)
        arrays[what] = array.astype(_kind(what).newbyteorder("="), copy=False)
        at += array.nbytes
    counts = ChunkCounts(
        **arrays,
        pattern=header["pattern"],
        special_tokens=tuple(header["special_tokens"]),
        special_counts=tuple(header["special_counts"]),
        n_bytes=header["n_bytes"],
        shards=dict(header["shards"]),
        regex_version=header["regex_version"],
    )
    wrong = _fault(counts) or _fault_of_bytes(counts)
    if wrong:
        raise FormatError(f"{name} is damaged: {wrong}.", _COUNT_AGAIN)
    return counts


def _header(line: bytes, sum_line: bytes, name: str) -> dict[str, Any]:
    """The fields of the first line. FormatError if one is missing or cannot be right."""
    if not is_counts(line):
        raise FormatError(
            f'{name} holds no chunk counts: it does not begin with {{"format": "{FORMAT}".',
            f"Choose a file that tokviz count-chunks or counts.save wrote; their names end in {SUFFIX}.",
        )
    File(name, line).check_unfolded()
    try:
        header: dict[str, Any] = read_json(line.decode())
    except (ValueError, RecursionError):
        raise FormatError(f"{name} is damaged: its first line is not JSON.", _COUNT_AGAIN) from None
    if not is_id(header.get("version")) or header["version"] != VERSION:
        raise FormatError(
            f"{name} has version {shown(header.get('version'))}; this tokviz reads version {VERSION}.",
            "Read it with the version of tokviz that saved it.",
        )
    if sum_line != f"{_sum(line)}\n".encode():
        raise FormatError(f"{name} is damaged: the sha256 of its first line is another one.", _COUNT_AGAIN)
    wrong = fault_in(_FIELDS, header) or _unequal(header)
    if wrong:
        raise FormatError(f"{name} is damaged: {wrong}.", _COUNT_AGAIN)
    try:
        check_pattern(header["pattern"])
        check_special_tokens(header["special_tokens"])
    except TokvizError as fault:
        raise FormatError(f"{name} is damaged: {fault.what}", fault.way_out) from None
    return header


def _unequal(header: dict[str, Any]) -> str:
    """Which fields of the first line contradict each other; "" if none do."""
    shards, sums = header["shards"], header.get("sums")
    if not isinstance(sums, dict) or fault_in(dict.fromkeys({*ARRAYS, *sums}, SUM), sums):
        return f"'sums' does not have one sha256 for each of {', '.join(ARRAYS)}"
    if len(header["special_counts"]) != len(header["special_tokens"]):
        return "'special_counts' does not have one number for each special token"
    if any(a[0] >= b[0] for a, b in pairwise(shards)):
        return "the numbers of 'shards' do not rise"
    if shards and sum(n_bytes for _, n_bytes in shards) != header["n_bytes"]:
        return "the bytes of 'shards' are not 'n_bytes' together"
    if (header["regex_version"] is None) != (header["pattern"] in PATTERNS):
        return "'regex_version' belongs to a pattern that is no name, and to no other"
    if header["chunks"] > min(header["chunk_bytes"], joining.MOST_CHUNKS):
        return f"'chunks' is {header['chunks']:,}, which is too many"
    return ""


def _fault(counts: ChunkCounts) -> str:
    """What cannot be right about the numbers of these counts; "" if they can be those of a corpus."""
    chunks = joining.ChunkList(counts.data, counts.ends, counts.counts, counts.firsts)
    kinds = [(array.dtype.name, array.ndim) for array in chunks]
    if kinds != [("uint8", 1), *[("int64", 1)] * 3] or not len(counts.ends) == len(counts.counts) == len(counts.firsts):
        return "their arrays are not of one length, or not of the kinds uint8 and int64"
    if len(counts.special_tokens) != len(counts.special_counts):
        return "they do not have one number for each special token"
    specials = zip(counts.special_tokens, counts.special_counts, strict=True)
    in_chunks = counts.n_bytes - sum(n * len(token.encode()) for token, n in specials)
    stops = np.array([*accumulate(counts.shards.values())] or [counts.n_bytes], np.int64)
    kind, chunk = joining.fault_of_chunks(joining.read_only(chunks), stops, max(in_chunks, -1))
    return _FAULTS[kind].format(chunk=chunk + 1, n=len(counts))


# What `fault_of_chunks` finds, as the end of a sentence.
_FAULTS = {
    joining.NOTHING: "",
    joining.ENDS_FALL: "at chunk {chunk:,} of {n:,}, 'ends' does not rise, or does not fit the bytes of all chunks",
    joining.TOO_FEW_COUNTED: "'counts' says of chunk {chunk:,} that it never occurs",
    joining.FIRSTS_FALL: "'firsts' has chunk {chunk:,} before the end of the one before it",
    joining.PAST_ITS_SHARD: "'firsts' has chunk {chunk:,} where no shard has so many bytes",
    joining.TOO_MANY_BYTES: "up to chunk {chunk:,} the chunks have more bytes than the corpus, by 'counts'",
    joining.TOO_FEW_BYTES: "all chunks and special tokens together do not have the bytes of the corpus, by 'counts'",
}


def _fault_of_bytes(counts: ChunkCounts) -> str:
    """What cannot be right about the chunks themselves: they must be text, and each there once."""
    chunks = joining.read_only(joining.ChunkList(counts.data, counts.ends, counts.counts, counts.firsts))
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(counts.data), _BLOCK):
            decoder.decode(counts.data[start : start + _BLOCK].tobytes())
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "'data' is not UTF-8"
    inside = np.flatnonzero(counts.data[counts.ends[:-1]] & 0xC0 == 0x80)
    if len(inside):
        return f"'ends' has the end of chunk {int(inside[0]) + 1:,} inside a character"
    with np.errstate(over="ignore"):  # products wrap around; numpy warns if kernels run as plain Python
        hashes = joining.hashes_of(chunks.data, chunks.ends)
        hashes.sort()
        if (hashes[1:] != hashes[:-1]).all():
            return ""
        again = joining.enter_chunks(chunks.data, chunks.ends, joining.empty_table(len(counts)))
    return f"chunk {again + 1:,} was there before" if again >= 0 else ""


def _is_shard(row: object) -> bool:
    """Is it [number, bytes]?"""
    return isinstance(row, Sequence) and len(row) == 2 and is_id(row[0], MOST_SHARD + 1) and is_id(row[1], COUNTS_BELOW)


def _kind(what: str) -> np.dtype[Any]:
    """Of which kind the numbers of an array are in the file."""
    return np.dtype(np.uint8) if what == "data" else NUMBER


def _sum(data: Any) -> str:
    return hashlib.sha256(data).hexdigest()
