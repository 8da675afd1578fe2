"""Counts a corpus with Dask: each file is a shard and a task, and the counts are joined in a tree.

There is no shuffle and no group-by: what travels between machines are arrays of distinct chunks. The number of a shard
is the place of its file in the list, whichever worker counts it and however often. So a worker that is lost costs its
shards only, which are counted again, and the result equals that of one machine, ties included. Dask is an optional
package, imported when it is used.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tokviz.base.arguments import shown
from tokviz.base.errors import InputError, PatternError, SettingError
from tokviz.base.wording import count_of
from tokviz.corpus.chunk_counts import ChunkCounts, join
from tokviz.corpus.columns import checked_files, texts_in_column
from tokviz.corpus.counting import count_chunks
from tokviz.split.cutting import DEFAULT, check_pattern
from tokviz.split.specials import check_special_tokens

INSTALL = "Install them with: pip install -U dask distributed"
LOCAL = "local"
JOINED_AT_ONCE = 8  # counts that a task joins
SECONDS_TO_CONNECT = 10
SECONDS_BETWEEN = 0.2  # calls of `progress`


def count_with_dask(
    paths: Sequence[str | os.PathLike[str]],
    pattern: str | None = None,
    special_tokens: Collection[str] = (),
    *,
    column: str | None = None,
    scheduler: Any = LOCAL,
    progress: Callable[[int, int], None] | None = None,
) -> ChunkCounts:
    """Count the distinct chunks of files on the workers of a Dask cluster.

    The result equals `count_chunks` of the same files on one machine. It may be trained on as it is:

        counts = tokviz.count_with_dask(sorted(Path("corpus").glob("*.parquet")), column="text", scheduler="tcp://...")
        training = tokviz.train(counts, vocab_size=32_768)

    paths: files that this machine and all workers find under the same path, in their order. Each is one task, and is
    read in a stream; so it may be as large as its distinct chunks leave room in the memory of a worker.
    pattern, special_tokens: as in `count_chunks`.
    column: the column of Parquet files, and the key in JSON lines, that holds the texts; None if each file is one text.
    scheduler: its address, a `distributed.Client`, or "local" for a cluster on this machine that ends with the call; a
    script then needs `if __name__ == "__main__":`.
    progress: is called with the bytes of the files that are counted and those of all files.

    Raises SettingError if Dask is not installed, the scheduler does not answer or a worker has no tokviz, InputError if
    a worker cannot read a file or too many workers were lost, and what `count_chunks` raises.
    """
    pattern = check_pattern(DEFAULT if pattern is None else pattern)
    specials = check_special_tokens(special_tokens)
    if progress is not None and not callable(progress):
        raise SettingError(f"progress is {shown(progress)}, which cannot be called.", "Pass a function, or None.")
    files = checked_files(paths, column)
    if not files:
        return count_chunks([], pattern, specials)
    dask, distributed = _packages()
    topic = f"tokviz-{uuid.uuid4().hex}"
    counted: set[int] = set()
    count, join_some = dask.delayed(_count, pure=False), dask.delayed(join, pure=False)
    level = [count(file, number, pattern, specials, column, topic) for number, (file, _) in enumerate(files)]
    names = {task.key: file.name for task, (file, _) in zip(level, files, strict=True)}
    while len(level) > 1:
        level = [join_some(level[i : i + JOINED_AT_ONCE]) for i in range(0, len(level), JOINED_AT_ONCE)]
    with _client(distributed, scheduler) as client:
        _check_workers(client)
        client.subscribe_topic(topic, lambda event: counted.add(event[1]))
        result, done = client.compute(level[0]), threading.Event()
        result.add_done_callback(lambda _: done.set())
        try:
            ended = False
            while not ended:
                ended = done.wait(SECONDS_BETWEEN)
                if progress is not None:
                    progress(sum(files[number][1] for number in counted.copy()), sum(n_bytes for _, n_bytes in files))
            return _counts_of(result, names, distributed)
        finally:
            result.cancel()
            client.unsubscribe_topic(topic)


def _count(
    file: Path, number: int, pattern: str, special_tokens: Sequence[str], column: str | None, topic: str
) -> ChunkCounts:
    """Count the shard with this number, and tell that it is counted: the task of a worker."""
    if not file.exists():
        raise InputError(
            f"A worker does not find {file}.", "All workers need the files under the same path, as on a shared disk."
        )
    try:
        corpus = file if column is None else texts_in_column([file], column)
        counts = count_chunks(corpus, pattern, special_tokens, shard=number, threads=1)  # a task has one
    except PatternError as fault:  # which knows the text, but not its file
        raise PatternError(f"{file.name}: {fault.what}", fault.way_out, offset=fault.offset) from None
    _packages()[1].get_worker().log_event(topic, number)
    return counts


def _counts_of(result: Any, names: Mapping[str, str], distributed: Any) -> ChunkCounts:
    """Return the counts that the workers made; TokvizError if they failed. names: the key of a task -> its file."""
    try:
        counts: ChunkCounts = result.result()
    except distributed.scheduler.KilledWorker as fault:
        doing = f"counting {names[fault.task]}" if fault.task in names else "joining counts"
        raise InputError(
            f"{count_of(fault.allowed_failures + 1, 'worker')} ended while {doing}.",
            "Give each worker more memory, or cut large files into smaller ones.",
        ) from None
    except distributed.client.FutureCancelledError:
        raise InputError("The scheduler lost the counts, or was ended.", "Start it again.") from None
    except (ImportError, RuntimeError) as fault:
        raise _cannot_run(fault) from None
    return counts


def _check_workers(client: Any) -> None:
    """Raise SettingError if a worker has no tokviz: its first task would end it, and nothing would say why."""
    for found in client.run(importlib.import_module, __name__, on_error="return").values():
        if isinstance(found, ImportError):
            raise _cannot_run(found)


def _cannot_run(fault: Exception) -> SettingError:
    """Make the error for a machine where tokviz, or what it needs, is missing or another one."""
    reason = str(fault.__cause__ or fault).strip().rstrip(".")
    return SettingError(
        f"The scheduler or a worker cannot run this: {reason}.", "Install the same version of tokviz on all of them."
    )


@contextlib.contextmanager
def _client(distributed: Any, scheduler: Any) -> Iterator[Any]:
    """Connect to the scheduler. The client is closed at the end, and so is a cluster on this machine."""
    if isinstance(scheduler, distributed.Client) and not scheduler.asynchronous:
        yield scheduler
        return
    if not isinstance(scheduler, str):
        raise SettingError(
            f"The scheduler cannot be {shown(scheduler)}.", 'Pass its address, a client that waits, or "local".'
        )
    with contextlib.ExitStack() as stack:
        where: Any = scheduler
        if scheduler == LOCAL:
            try:
                where = stack.enter_context(distributed.LocalCluster(threads_per_worker=1, dashboard_address=":0"))
            except RuntimeError:
                raise SettingError(
                    "The workers of this machine do not start.",
                    'In a script, put all but imports and functions under `if __name__ == "__main__":`, since each '
                    "worker reads the script too.",
                ) from None
        try:
            # Other code in this process keeps its own client as the default one.
            client = distributed.Client(where, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError):  # an address without an answer, or that is none
            raise SettingError(
                f"No Dask scheduler answers at {shown(scheduler)}.", 'Check the address, as in "tcp://10.0.0.1:8786".'
            ) from None
        yield stack.enter_context(client)


def _packages() -> tuple[Any, Any]:
    """Import `dask` and `distributed`. SettingError if they are not installed."""
    try:
        return importlib.import_module("dask"), importlib.import_module("distributed")
    except ImportError:
        raise SettingError("For this, the packages dask and distributed are needed.", INSTALL) from None
