"""A file of 9 million distinct chunks: seconds to write, read and join it and to train from it, and peak memory.

`python -m tests.benchmarks counts-file [millions of chunks]`. The chunks are a space and 6 to 12 letters, made up, and
as frequent as words are: the count of a chunk is inverse to its rank (Zipf's law). What is measured for memory runs in
a process of its own. CPU time stands beside the seconds, because other work on the machine, and the disk, take some.
"""

from __future__ import annotations

import operator
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

import tokviz
from tests.benchmarks.figures import load
from tests.benchmarks.memory import peak_memory

MILLIONS = 9
REPEATS = 5
VOCABULARY = 32_768
LETTERS = np.frombuffer(b"etaoinshrdlcumwfgypbvkjxqz", np.uint8)
HEADS = 26**6  # the first six letters tell a chunk from all others


def made(n: int, shard: int) -> tokviz.ChunkCounts:
    """About n distinct chunks, as the counts of a shard of a corpus."""
    choose = np.random.default_rng(shard)
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


def measure(what: str, job: Callable[[], Any], repeats: int = 1) -> None:
    """Print the least time that a job takes, and the peak memory of this process."""
    seconds, cpu = [], []
    for _ in range(repeats):
        begun, used = time.perf_counter(), time.process_time()
        job()
        seconds.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - used)
    times = f"{min(seconds):.2f} s, {min(cpu):.2f} s of CPU time"
    print(f"  {what}: {times}, peak memory {peak_memory() / 1e6:,.0f} MB, {load()}", flush=True)


def main() -> None:
    what, files = (sys.argv[1], [*map(Path, sys.argv[2:])]) if len(sys.argv) > 2 else ("", [])
    if what == "train":
        counts = tokviz.load_counts(files[0])
        measure(f"{VOCABULARY:,} tokens trained from it", lambda: tokviz.train(counts, VOCABULARY))
    elif what == "join":
        halves = [*map(tokviz.load_counts, files)]
        measure("two halves joined", lambda: reduce(operator.add, halves))
    else:
        n = round(1_000_000 * float(sys.argv[1] if len(sys.argv) > 1 else MILLIONS))
        with tempfile.TemporaryDirectory() as folder:
            whole, *halves = (Path(folder) / f"{shard}.npz" for shard in range(3))
            counts = made(n, 0)
            for shard, half in enumerate(halves, 1):
                made(n // 2, shard).save(half)
            measure(f"{len(counts):,} distinct chunks written", lambda: counts.save(whole), REPEATS)
            measure(f"{whole.stat().st_size:,} bytes read", lambda: tokviz.load_counts(whole), REPEATS)
            for what, files in (("join", halves), ("train", [whole])):
                subprocess.run(
                    [sys.executable, "-m", "tests.benchmarks.counts_file", what, *map(str, files)], check=True
                )


if __name__ == "__main__":
    main()
