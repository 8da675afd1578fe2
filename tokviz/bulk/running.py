"""A run: the files that are left to do, encoded on all cores, small files one a thread, large ones block by block."""

from __future__ import annotations

import functools
import itertools
import os
import stat
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath
from queue import SimpleQueue
from typing import Any, TypeVar, cast

from tokviz import files
from tokviz.arguments import whole_number
from tokviz.bulk.blocks import Block, blocks_of, encode_block
from tokviz.bulk.manifest import NAME, Row, Settings, manifest_of
from tokviz.bulk.outputs import Outputs, Source
from tokviz.bulk.writers import Ids, Kind, check_kind, dtype_for, writer_for
from tokviz.errors import InputError, SettingError, TokvizError
from tokviz.kernels.base import CPUS
from tokviz.reading import CorpusReader
from tokviz.same import fingerprint
from tokviz.text import Text, read_text
from tokviz.tokenizer import Tokenizer
from tokviz.wording import count_of

SMALL = 1 << 22  # bytes of a file; up to here one thread encodes all of it
FILES_AHEAD = 8  # small files for each thread that wait to be encoded, or wait for their names
MOST_AHEAD = 128  # such files of all threads: each is open until it has its name, and systems limit open files
WAITING = 2  # threads more than encode at a time, because some wait for the disk
BLOCKS_AHEAD = 8  # blocks of a large file for each thread that wait to be encoded or written

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is left out. not_utf8: because of what is in it, and not because it cannot be read."""

    path: str
    why: str
    not_utf8: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did. encoded: the outputs it made. finished: those that were there already. seconds: it took."""

    encoded: tuple[Row, ...]
    finished: tuple[Row, ...]
    skipped: tuple[Skipped, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Progress:
    """done: bytes encoded so far. of: bytes of all files that are to be encoded. The last one has the report."""

    done: int
    of: int
    tokens: int
    report: Report | None = None


@dataclass(frozen=True, slots=True)
class _Done:
    """Bytes of a file were encoded and written, or are left out because the file is."""

    n_bytes: int
    n_ids: int


# What is said of a file while it is encoded: each block; None when all is written; then its row, when that is on the
# disk. On the next step the output gets its name.
_Step = _Done | None | Row | Skipped
_Steps = Generator[_Step, None, None]
_EncodeBlock = Callable[[Block], tuple[int, Ids]]
_Each = Callable[[_EncodeBlock, Iterable[Block]], Iterable[tuple[int, Ids]]]


def encode_files(
    sources: Iterable[Source],
    folder: Path,
    tokenizer: Tokenizer,
    *,
    kind: Kind = "npy",
    special: bool = False,
    repair: bool = False,
    replace: bool = False,
    threads: int | None = None,
) -> Iterator[Progress]:
    """Encode each file to an array of ids in a folder, and say how far it is.

    The arrays are uint16 if the ids of the vocabulary fit, else uint32. kind: "npy", or "parquet" with a column `ids`.
    special: read special tokens in the texts as such. repair: replace bytes that are not UTF-8 with U+FFFD; else such
    files are skipped. replace: encode files again whose output is of another text. threads: how many encode; None
    means one for each core that the process may use.

    What an earlier run finished is not encoded again. Raises SettingError if the folder has ids of another tokenizer,
    if an output there is of another text and `replace` is false, or if a file cannot be written; FormatError if the
    manifest is damaged.

    >>> import numpy as np, tempfile, tokviz
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = (text := Path(place, "hello.txt")).write_text("Hello, world!")
    ...     *_, last = encode_files([Source(text, "hello.txt", "hello.txt")], Path(place), tokviz.reference("gpt2"))
    ...     np.load(Path(place, "hello.txt.npy")), last.report.encoded[0].tokens
    (array([15496,    11,   995,     0], dtype=uint16), 4)
    """
    n_threads = whole_number(CPUS if threads is None else threads, "The number of threads", 1)
    dtype = dtype_for(tokenizer.n_vocab).name
    settings = Settings(tokenizer.name, fingerprint(tokenizer), special, check_kind(kind), dtype)
    sources = [*sources]
    _check_names(sources)
    files.make_folder(folder)
    with manifest_of(folder, settings) as manifest:
        if os.path.lexists(folder / NAME.swapcase()):  # capital letters make no difference there
            _check_names(sources, str.casefold)
        outputs = Outputs(folder, kind, manifest)
        yield from _Run(tokenizer, outputs, kind, special, repair, n_threads).run(sources, replace)


def _check_names(sources: Sequence[Source], key: Callable[[str], str] = str) -> None:
    """Refuse two files that would have one output, and outputs elsewhere. key: equal for names that the disk takes for
    one."""
    shown: dict[str, str] = {}
    for source in sources:
        if PurePath(source.name).is_absolute() or ".." in PurePath(source.name).parts:
            raise SettingError(f"{source.name!r} is no name inside of a folder.", "Choose a relative path, without ..")
        if key(source.name) in shown:
            raise SettingError(
                f"{shown[key(source.name)]} and {source.shown} would have one output, {source.name}.",
                "Name a folder that has both, or encode them to two folders.",
            )
        shown[key(source.name)] = source.shown


class _Run:
    """How far each file is, and what came of them."""

    def __init__(
        self, tokenizer: Tokenizer, outputs: Outputs, kind: Kind, special: bool, repair: bool, n_threads: int
    ) -> None:
        self._tokenizer, self._outputs, self._kind, self._repair = tokenizer, outputs, kind, repair
        self._n_threads = n_threads
        self._files_ahead = max(n_threads, min(FILES_AHEAD * n_threads, MOST_AHEAD))
        self._dtype = dtype_for(tokenizer.n_vocab)
        self._special_tokens = tuple(tokenizer.special_tokens) if special else ()
        # One for each thread, with a memory of its own: a memory serves one text at a time.
        self._tokenizers: SimpleQueue[Tokenizer] = SimpleQueue()
        for _ in range(n_threads):
            self._tokenizers.put(tokenizer.truncated(tokenizer.vocab_size))
        self._waiting: deque[tuple[Future[list[_Step]], _Steps]] = deque()
        self._encoded: list[Row] = []
        self._skipped: list[Skipped] = []
        self._done = self._tokens = 0

    def run(self, sources: Sequence[Source], replace: bool) -> Iterator[Progress]:
        begun = time.monotonic()
        self._outputs.sweep(sources)
        todo, finished = self._plan(sources, replace)
        of = sum(about.st_size for _, about in todo)
        yield Progress(0, of, 0)
        with ThreadPoolExecutor(self._n_threads + WAITING, "encode") as pool:
            try:
                for _ in self._encode(pool, todo):
                    yield Progress(self._done, of, self._tokens)
            finally:
                pool.shutdown(cancel_futures=True)
                for _, steps in self._waiting:
                    steps.close()  # which removes what is half written
        self._outputs.settle(self._encoded)
        report = Report(tuple(self._encoded), tuple(finished), tuple(self._skipped), time.monotonic() - begun)
        yield Progress(self._done, of, self._tokens, report)

    def _plan(self, sources: Sequence[Source], replace: bool) -> tuple[list[tuple[Source, os.stat_result]], list[Row]]:
        """The files to encode, and the rows of those that are finished. SettingError if an output is in the way."""
        todo: list[tuple[Source, os.stat_result]] = []
        finished: list[Row] = []
        in_the_way: list[str] = []
        for source in sources:
            try:
                about = source.path.stat()
                if not stat.S_ISREG(about.st_mode):
                    is_folder = stat.S_ISDIR(about.st_mode)
                    raise InputError("the folder cannot be read" if is_folder else "it is a device or a pipe")
                found = self._outputs.made_of(source, about)
            except OSError as fault:
                self._skipped.append(Skipped(source.shown, f"it cannot be read: {fault.strerror}", not_utf8=False))
            except InputError as fault:
                self._skipped.append(Skipped(source.shown, fault.what, not_utf8=False))
            else:
                if isinstance(found, Row):
                    finished.append(found)
                else:
                    todo.append((source, about))
                    in_the_way += [found] if found else []
        if in_the_way and not replace:
            others = len(in_the_way) - 1
            more = f" {count_of(others, 'other output')} cannot be used either." if others else ""
            raise SettingError(f"{in_the_way[0]}{more}", "Choose another folder, or replace what is there.")
        self._outputs.keep(finished)
        return todo, finished

    def _encode(self, pool: ThreadPoolExecutor, todo: Iterable[tuple[Source, os.stat_result]]) -> Iterator[None]:
        """Encode files; yields whenever something is done."""
        for source, about in todo:
            if about.st_size <= SMALL:
                steps = self._steps(source, about, map)
            else:
                steps = self._steps(source, about, functools.partial(_in_order, pool, BLOCKS_AHEAD * self._n_threads))
                for step in steps:
                    if step is None:
                        break
                    self._note(step)
                    yield
            # What is left of a large file only waits for the disk.
            self._waiting.append((pool.submit(_finish, steps), steps))
            while len(self._waiting) > self._files_ahead:
                self._collect()
                yield
        while self._waiting:
            self._collect()
            yield

    def _collect(self) -> None:
        """Wait for the file that has waited longest, and name its output, and those of whole files behind it."""
        n_ready = 1
        while n_ready < len(self._waiting) and self._waiting[n_ready][0].done():
            n_ready += 1
        ready = [(coming.result(), steps) for coming, steps in itertools.islice(self._waiting, n_ready)]
        rows = [step for made, _ in ready for step in made if isinstance(step, Row)]
        self._outputs.announce(rows)
        for made, steps in ready:
            for step in made:
                self._note(step)
            next(steps, None)
            self._waiting.popleft()
        self._encoded += rows

    def _note(self, step: _Step) -> None:
        if isinstance(step, _Done):
            self._done += step.n_bytes
            self._tokens += step.n_ids
        elif isinstance(step, Skipped):
            self._skipped.append(step)

    def _steps(self, source: Source, about: os.stat_result, each: _Each) -> _Steps:
        """Encode a file. about: what the system said of it before. each: calls a function for each block, in order."""
        output = self._outputs.name_of(source)
        path = self._outputs.path_of(output)
        files.make_folder(path.parent)
        with files.part_for(path, swept=True) as part:
            writer = writer_for(self._kind, part.file, self._dtype)
            n_done = n_ids = 0
            try:
                text = _read_whole(source) if self._repair else None
                reader = CorpusReader(text or source.path, self._tokenizer.pattern, self._special_tokens, True)
                for n_bytes, ids in each(self._encode_block, blocks_of(reader.pieces(), self._tokenizer.pattern)):
                    writer.add(ids)
                    n_done += n_bytes
                    n_ids += len(ids)
                    yield _Done(n_bytes, len(ids))
                _check_unchanged(source, about)
                yield _Done(about.st_size - n_done, 0)  # such as a byte order mark
                yield None
                writer.end()
            except TokvizError as fault:
                not_utf8 = isinstance(fault, InputError) and fault.offset is not None
                yield _Done(about.st_size - n_done, 0)
                yield Skipped(source.shown, fault.what.removeprefix(f"{source.path.name} "), not_utf8)
                return
            finally:
                writer.drop()
            n_bytes = part.settled().stat().st_size
            (origin,) = cast(list[dict[str, Any]], reader.origin())  # of one text
            sha256, repaired = origin["sha256"], text.repaired if text else 0
            times = about.st_mtime_ns, about.st_ctime_ns
            yield Row(output, n_ids, n_bytes, source.shown, about.st_size, *times, sha256, repaired)
            part.path.replace(path)

    def _encode_block(self, block: Block) -> tuple[int, Ids]:
        """The bytes of a block, and its ids."""
        tokenizer = self._tokenizers.get()
        try:
            return block.n_bytes, encode_block(block, tokenizer, self._special_tokens, self._dtype)
        finally:
            self._tokenizers.put(tokenizer)


def _finish(steps: _Steps) -> list[_Step]:
    """Encode a file as far as it goes without a name."""
    made: list[_Step] = []
    for step in steps:
        made.append(step)
        if isinstance(step, Row):
            break
    return made


def _read_whole(source: Source) -> Text:
    """The text of a file, with U+FFFD for each fault. InputError if it cannot be read."""
    try:
        return read_text(source.path.read_bytes(), source.shown, repair=True)
    except OSError as fault:
        raise InputError(f"it cannot be read: {fault.strerror}") from None


def _check_unchanged(source: Source, about: os.stat_result) -> None:
    """InputError if a file is not as it was. about: what the system said of it before."""
    try:
        now = source.path.stat()
    except OSError as fault:
        raise InputError(f"it cannot be read: {fault.strerror}") from None
    if (now.st_size, now.st_mtime_ns) != (about.st_size, about.st_mtime_ns):
        raise InputError("it changed while it was read")


def _in_order(pool: ThreadPoolExecutor, ahead: int, call: Callable[[T], U], items: Iterable[T]) -> Iterator[U]:
    """As `map`, in the threads of a pool; at most so many results are ahead of the one that is waited for."""
    coming: deque[Future[U]] = deque()
    for item in items:
        coming.append(pool.submit(call, item))
        if len(coming) > ahead:
            yield coming.popleft().result()
    while coming:
        yield coming.popleft().result()
