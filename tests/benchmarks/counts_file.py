"""A file of 9 million distinct chunks: seconds to write, read and join it and to train from it, and peak memory.

`python -m tests.benchmarks counts-file [millions of chunks]`. The chunks are a space and 6 to 12 letters, made up, and
as frequent as words are: the count of a chunk is inverse to its rank (Zipf's law). What is measured for memory runs in
a process of its own. CPU time stands beside the seconds, because other work on the machine, and the disk, take some.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tokviz
from tests.benchmarks.figures import load
from tests.benchmarks.memory import peak_memory

MILLIONS = 9
REPEATS = 5
VOCABULARY = 32_768
LETTERS = np.frombuffer(b"etaoinshrdlcumwfgypbvkjxqz", np.uint8)
HEADS = 26**6  # the first six letters tell a chunk from all others


def made(n: int, shard: int, seed: int = 1) -> tokviz.ChunkCounts:
    """About n distinct chunks, as the counts of a shard of a corpus."""
    choose = np.random.default_rng(seed)
    heads = choose.permutation(np.unique(choose.integers(0, HEADS, n)))
    n = len(heads)
    letters = np.full((n, 13), ord(" "), np.uint8)
    for place in range(6):
        letters[:, 1 + place] = LETTERS[heads // 26**place % 26]
        letters[:, 7 + place] = LETTERS[choose.integers(0, 26, n)]
    sizes = choose.integers(7, 14, n)
    data = letters[np.arange(13) < sizes[:, None]]
    counts = np.maximum(20_000_000 // np.arange(1, n + 1), 1)
    ends = np.cumsum(sizes)
    n_bytes = int(sizes @ counts)
    return tokviz.ChunkCounts(data, ends, counts, ends - sizes, "gpt2", (), (), n_bytes, {shard: n_bytes})


class Took(NamedTuple):
    """The time of a job, in seconds, and the CPU time of the process in it."""

    seconds: float
    cpu: float


def timed(job: Callable[[], Any]) -> Took:
    begun, cpu = time.perf_counter(), time.process_time()
    job()
    return Took(time.perf_counter() - begun, time.process_time() - cpu)


def _words(took: Took) -> str:
    """How long a job took, and the peak memory of this process."""
    return f"{took.seconds:.1f} s, {took.cpu:.1f} s of CPU time, peak memory {peak_memory() / 1e6:,.0f} MB, {load()}"


def told(what: str, took: list[Took], n_bytes: int) -> None:
    """Print the median rate of several runs, its range, and the median rate by CPU time."""
    seconds, cpu = (sorted(n_bytes / 1e6 / one for one in times) for times in zip(*took, strict=True))
    middle = len(took) // 2
    print(
        f"  {what}: {seconds[middle]:,.0f} MB a second ({seconds[0]:,.0f} to {seconds[-1]:,.0f}), "
        f"{cpu[middle]:,.0f} MB a second of CPU time, {load()}",
        flush=True,
    )


def measure(folder: Path, n: int) -> None:
    """Write and read the file in turn, then the two halves, which are joined."""
    file, halves = folder / "all.counts", [folder / "0.counts", folder / "1.counts"]
    counts = made(n, 0)
    counts.save(file)
    tokviz.load_counts(file)  # the code is loaded now
    size = file.stat().st_size
    print(f"  {len(counts):,} distinct chunks with {len(counts.data):,} bytes: a file of {size:,} bytes")
    writing, reading = [], []
    for _ in range(REPEATS):
        writing.append(timed(lambda: counts.save(file)))
        reading.append(timed(lambda: tokviz.load_counts(file)))
    told("written", writing, size)
    told("read", reading, size)
    for shard, half in enumerate(halves):
        made(n // 2, shard, seed=shard + 2).save(half)


def in_own_process(what: str, *files: Path) -> None:
    """Join files, or train on one, and print what it took."""
    command = [sys.executable, "-m", "tests.benchmarks.counts_file", what, *map(str, files)]
    subprocess.run(command, check=True)


def main() -> None:
    what, files = (sys.argv[1], [*map(Path, sys.argv[2:])]) if len(sys.argv) > 2 else ("", [])
    if what == "train":
        counts = tokviz.load_counts(files[0])
        took = timed(lambda: tokviz.train(counts, VOCABULARY))
        print(f"  {VOCABULARY:,} tokens trained from it: {_words(took)}", flush=True)
    elif what == "join":
        one, two = map(tokviz.load_counts, files)
        took = timed(lambda: one + two)
        print(f"  two of {len(one):,} chunks joined: {_words(took)}", flush=True)
    else:
        n = round(1_000_000 * float(sys.argv[1] if len(sys.argv) > 1 else MILLIONS))
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), n)
            in_own_process("join", Path(folder) / "0.counts", Path(folder) / "1.counts")
            in_own_process("train", Path(folder) / "all.counts")


if __name__ == "__main__":
    main()
