"""Counting with Dask: the counts are those of one machine, whoever is lost on the way."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tokviz
from tests.benchmarks.corpora import english_and_code
from tests.command_line import call, good, in_line
from tests.test_shards import same
from tokviz.base.errors import InputError, PatternError, SettingError
from tokviz.corpus import on_dask

dask: Any = pytest.importorskip("dask", reason="the extra `dask` is not installed")
distributed: Any = pytest.importorskip("distributed", reason="the extra `dask` is not installed")


def cluster_of_two(processes: bool) -> Any:
    return distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=processes, dashboard_address=":0", silence_logs=50
    )


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of two workers in threads of this process. It is not the default client of the process."""
    with cluster_of_two(processes=False) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Ten files, together about 300 KB."""
    text, paths = english_and_code(300_000), [tmp_path / f"{i}.txt" for i in range(10)]
    for i, path in enumerate(paths):
        path.write_text(text[i * 30_000 : (i + 1) * 30_000], encoding="utf-8", newline="")
    return paths


def test_counts_are_those_of_one_machine(client: Any, paths: list[Path]) -> None:
    told: list[tuple[int, int]] = []
    counts = tokviz.count_with_dask(paths, scheduler=client, progress=lambda *at: told.append(at))
    whole = tokviz.count_chunks(paths)
    assert len(counts.shards) == len(paths) > on_dask.JOINED_AT_ONCE and same(counts, whole)
    sizes = sum(path.stat().st_size for path in paths)
    assert told == sorted(told) and told[-1] == (sizes, sizes)
    apart, together = (tokviz.train(some, 400, tie="first").merges for some in (counts, whole))
    assert apart == together
    assert same(tokviz.count_with_dask(paths[:1], scheduler=client), tokviz.count_chunks(paths[0]))
    assert len(tokviz.count_with_dask([], scheduler=client)) == 0


def test_faults_are_told(client: Any, paths: list[Path]) -> None:
    paths[1].write_bytes(b"ab\xff")
    with pytest.raises(InputError, match=r"1\.txt is not UTF-8"):
        tokviz.count_with_dask(paths, scheduler=client)
    with pytest.raises(PatternError, match=r"^0\.txt: The split pattern does not cover the text"):
        tokviz.count_with_dask(paths[:1], r"\w+|\s+", scheduler=client)
    with pytest.raises(SettingError, match="No Dask scheduler answers at 'nonsense://1'"):
        tokviz.count_with_dask(paths, scheduler="nonsense://1")
    with pytest.raises(SettingError, match="scheduler cannot be 5"):
        tokviz.count_with_dask(paths, scheduler=5)
    for wrong in ({"paths": "a.txt"}, {"paths": 5}, {"column": 5}, {"progress": 1}):
        with pytest.raises((InputError, SettingError)):
            tokviz.count_with_dask(**{"paths": paths, "scheduler": client, **wrong})


def test_faults_of_a_machine_are_told(client: Any, paths: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    gone = paths[0].with_name("elsewhere.txt")
    with pytest.raises(InputError, match=r"A worker does not find /.*/elsewhere\.txt\. All workers need"):
        on_dask._count(gone, 0, "gpt2", (), None, "topic")

    def fail(*ignored: object, **options: object) -> Any:
        raise RuntimeError("this is another version")

    with monkeypatch.context() as patch:
        patch.setattr(on_dask, "_count", fail)
        with pytest.raises(SettingError, match="or a worker cannot run this: this is another version"):
            tokviz.count_with_dask(paths, scheduler=client)
    with monkeypatch.context() as patch:
        patch.setattr(client, "run", lambda *ignored, **options: {"tcp://a": None, "tcp://b": ImportError("no tokviz")})
        with pytest.raises(SettingError, match=r"cannot run this: no tokviz\. Install the same version of tokviz"):
            tokviz.count_with_dask(paths, scheduler=client)
    monkeypatch.setattr(distributed, "LocalCluster", fail)
    with pytest.raises(SettingError, match=r"workers of this machine do not start\. In a script, put all but imports"):
        tokviz.count_with_dask(paths)


def test_the_terminal_counts_with_dask(client: Any, paths: list[Path], tmp_path: Path) -> None:
    """The model is that of one machine, over rows too."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f"{json.dumps({'text': path.read_text(encoding='utf-8')})}\n" for path in paths))
    address = client.scheduler.address
    for made, asked in (
        ("a", [*paths]),
        ("b", [*paths, "--dask", address]),
        ("c", [rows, "--dask", address, "--column", "text"]),
        ("d", [rows, "--column", "text"]),
    ):
        good("train", *asked, "-o", tmp_path / made, "--vocab-size", 400, "--pattern", "cl100k")
    assert len({tokviz.load(tmp_path / made).merges for made in "abcd"}) == 1
    for wrong, says in (
        (["--dask", "local", "--repair"], "--repair reads texts on this machine only"),
        (["--threads", 2, "--dask", "local"], "--threads is for counting without Dask"),
        (["--dask", "nonsense://1"], "No Dask scheduler answers"),
        (["-", "--dask", "local"], "--dask reads files, not standard input"),
    ):
        result = call("train", *paths, "-o", tmp_path / "e", *wrong)
        assert result.exit_code == (1 if "nonsense://1" in wrong else 2) and says in in_line(result)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a named pipe is needed, so that a worker can be made to wait")
@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_lost_worker_costs_its_shards_only(paths: list[Path], tmp_path: Path, processes: bool) -> None:
    """One worker waits at a pipe. The other one has counted most of the shards, and is lost.

    A worker that is a process is killed, one that is a thread of this process closes without a word to anyone.
    """
    pipe, text, lost = tmp_path / "pipe.txt", "and the last text", []
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(text))
    with cluster_of_two(processes) as cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)
        workers = {worker.address: worker for worker in cluster.workers.values()} if not processes else {}

        def lose(done: int, of: int) -> None:
            free = [address for address, tasks in client.processing().items() if not tasks]
            if done > of / 2 and free and not lost:
                lost.append(free[0])
                if processes:
                    os.kill(pids[free[0]], signal.SIGKILL)
                else:
                    cluster.sync(workers[free[0]].close, executor_wait=False)
                writer.start()

        counts = tokviz.count_with_dask([*paths, pipe], scheduler=client, progress=lose)
    writer.join()
    assert len(lost) == 1 and same(counts, tokviz.count_chunks([*paths, tokviz.read_text(text.encode())]))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a named pipe is needed, so that a worker can be made to wait")
def test_a_shard_that_no_worker_survives_is_named(tmp_path: Path) -> None:
    """No second worker may try here, so the one that waits at the pipe is the last."""
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster_of_two(processes=False) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = {worker.address: worker for worker in cluster.workers.values()}

        def lose(done: int, of: int) -> None:
            for address, tasks in client.processing().items():
                if tasks and address in workers:
                    cluster.sync(workers.pop(address).close, executor_wait=False)

        with pytest.raises(InputError, match=r"1 worker ended while counting pipe\.txt"):
            tokviz.count_with_dask([pipe], scheduler=client, progress=lose)
    with contextlib.suppress(OSError):  # the thread of that worker may end, if it has begun
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
