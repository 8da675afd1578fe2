"""A corpus counted with Dask: two workers, of which one is killed on the way, beside one process that does it alone.

`python -m tests.benchmarks dask [--gigabytes 10]`. The corpus is real text over and over, and in each file some words
that no other has, so that distinct chunks grow with it. The counts have to be equal. Prints time and peak memory of
each process; the workers also reduce, and the program that asked holds the result.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from itertools import count, islice
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import psutil

import tokviz
from tests.benchmarks.figures import load
from tests.benchmarks.large import texts
from tests.benchmarks.memory import memory, peak_memory

FILE = 100_000_000  # bytes of a file
WORDS_A_BYTE = 1 / 1_100  # that no other text has; 9 million in 10 GB
TEXT = 200_000  # bytes of a text in it; each has some words of its own
ALONE = """
import json, sys, time
from pathlib import Path
import tokviz
from tests.benchmarks.memory import peak_memory
paths = sorted(Path(sys.argv[1]).glob("*.txt"))
begun = time.perf_counter()
counts = tokviz.count_chunks(paths)
seconds = time.perf_counter() - begun
counts.save(sys.argv[2])
print(json.dumps([seconds, peak_memory()]))
"""


def peak(pid: int) -> int:
    """Bytes of memory that a process has used at most; 0 if it is gone. From /proc, so on Linux alone."""
    try:
        return memory("VmHWM", pid)
    except OSError:
        return 0


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--gigabytes", type=float, default=10.0)
    size = int(options.parse_args().gigabytes * 1e9)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = texts(size, TEXT, int(size * WORDS_A_BYTE))
        for number in count():
            some = "".join(islice(made, FILE // TEXT))
            if not some:
                break
            (folder / f"{number:04}.txt").write_text(some, encoding="utf-8", newline="")
        paths = sorted(folder.glob("*.txt"))
        print(f"  {sum(path.stat().st_size for path in paths):,} bytes in {len(paths)} files, {load()}", flush=True)

        alone, file = [sys.executable, "-c", ALONE, str(folder)], folder / "alone.counts"
        seconds, most = json.loads(subprocess.run([*alone, file], check=True, capture_output=True, text=True).stdout)
        print(f"  alone:     {seconds:6.1f} s, peak memory {most / 1e6:,.0f} MB", flush=True)
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew: the texts above took memory too
        counts, seconds, peaks = with_dask(paths)
        most = peak_memory()
        whole = tokviz.load_counts(file)
        for field in ("data", "ends", "counts", "firsts"):
            if not np.array_equal(getattr(whole, field), getattr(counts, field)):
                raise SystemExit(f"The counts differ: {field}.")
        print(f"  with Dask: {seconds:6.1f} s, a worker killed on the way")
        print(f"  the same counts of {len(counts):,} distinct chunks")
        workers = ", ".join(f"{most / 1e6:,.0f}" for most in sorted(peaks.values(), reverse=True)[:3])
        print(f"  peak memory of the workers in MB: {workers}; of the program that asked: {most / 1e6:,.0f}")


def with_dask(paths: list[Path]) -> tuple[tokviz.ChunkCounts, float, dict[int, int]]:
    """The counts, how many seconds they took, and the peak memory of each process that was started for them."""
    peaks: dict[int, int] = {}
    killed: list[int] = []

    def watch(done: int, of: int) -> None:
        for child in psutil.Process().children(recursive=True):
            peaks[child.pid] = max(peaks.get(child.pid, 0), peak(child.pid))
        if done > of / 2 and not killed:
            killed.append(next(iter(workers.values())))
            os.kill(killed[0], signal.SIGKILL)

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers: dict[str, Any] = client.run(os.getpid)
        begun = time.perf_counter()
        counts = tokviz.count_with_dask(paths, scheduler=client, progress=watch)
        return counts, time.perf_counter() - begun, peaks


if __name__ == "__main__":
    main()
