"""What more cores bring: `python -m tests.benchmarks scaling [FILE]`. Without a file, 100 MB are made.

Counting a file, and the whole training on it, take turns with one thread and with two, in one process. What does not
get faster is the share that does not scale, and says what 16 cores allow at most (Amdahl's law). A second share comes
from CPU time, which a busy machine changes less: what the thread that reads does alone, while the others count.

Then the whole training beside gigabpe, in turns too, each in a process of its own, with peak memory. tokviz makes all
merge records and seams in this time. gigabpe reads the file itself, and holds no text in memory; so tokviz is measured
in this way as well.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import tokviz
from tests.benchmarks import corpora, library

SIZE, WARM, VOCABULARY, ROUNDS = 100_000_000, 3_000_000, 32_768, 7
CORES = 16


def timed(work: Callable[[], object]) -> tuple[float, float, float]:
    """Seconds, CPU seconds of this thread, and CPU seconds of all threads."""
    begun = time.perf_counter(), time.thread_time(), time.process_time()
    work()
    return time.perf_counter() - begun[0], time.thread_time() - begun[1], time.process_time() - begun[2]


def said(share: float) -> str:
    """A share of the work that does not get faster, and how many times as fast CORES are as one then."""
    return (
        f"{100 * share:.1f} % does not scale: {CORES} cores are {1 / (share + (1 - share) / CORES):.1f} times as fast"
    )


def scaling(file: Path) -> None:
    tokviz.train(corpora.build("mixed", WARM), 2_000)  # so that no clock runs while code is loaded
    measured: dict[tuple[str, int], list[tuple[float, float, float]]] = defaultdict(list)
    for _ in range(ROUNDS):
        for threads in (1, 2):
            measured["counting", threads].append(timed(partial(tokviz.count_chunks, file, threads=threads)))
            measured["training", threads].append(timed(partial(tokviz.train, file, VOCABULARY, threads=threads)))
    for what in ("counting", "training"):
        one, two = ([seconds for seconds, _, _ in measured[what, threads]] for threads in (1, 2))
        for threads, taken in enumerate((one, two), 1):
            middle, least, most = statistics.median(taken), min(taken), max(taken)
            print(f"  {what} with {threads} threads: {middle:.3f} s ({least:.3f} to {most:.3f})")
        times = statistics.median(a / b for a, b in zip(one, two, strict=True))
        print(f"  {what} is {times:.2f} times as fast with 2 threads; {said(max(2 / times - 1, 0.0))}")
        alone, of_all = (statistics.median(taken) for taken in list(zip(*measured[what, 2], strict=True))[1:])
        print(f"  by CPU time, of {what} in 2 threads ({alone:.3f} of {of_all:.3f} s) {said(alone / of_all)}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/mixed.txt")
        if len(sys.argv) == 1:
            file.write_bytes(corpora.build("mixed", SIZE).encode())
        print(f"{file.name}: {file.stat().st_size:,} bytes")
        scaling(file)
        found = library.measure("train", ["tokviz", "tokviz from its file", "gigabpe"], file, VOCABULARY, "gpt2")
        library.rows(f"train, {file.stat().st_size / 1e6:.0f} MB, {VOCABULARY:,}, gpt2", found, slice(0, 1))


if __name__ == "__main__":
    main()
