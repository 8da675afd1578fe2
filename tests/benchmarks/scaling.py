"""What more cores bring to a training: `python -m tests.benchmarks scaling [FILE]`. Without a file, 100 MB are made.

Counting and the rest of a training take turns with one thread and with two, in one process. What does not get faster
is the share that does not scale, and says what 16 cores allow at most (Amdahl's law). A second share comes from CPU
time, which a busy machine changes less: what the thread that reads does alone, while the others count.

Then the whole training beside gigabpe, in turns too, each in a process of its own, with peak memory. tokviz makes all
merge records and seams in this time. gigabpe reads the file itself, and holds no text in memory; so tokviz is measured
in this way as well.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import tokviz
from tests.benchmarks import corpora, library
from tokviz.corpus import begin_counting

SIZE, VOCABULARY, ROUNDS = 100_000_000, 32_768, 5
CORES = 16


def counted(text: str, threads: int) -> tuple[float, float, float, tokviz.ChunkCounts]:
    """Count a text as a training does: (seconds, CPU seconds of this thread, CPU seconds of all, what was counted)."""
    begun = time.perf_counter(), time.thread_time(), time.process_time()
    counting = begin_counting(text, "gpt2", (), threads=threads)
    for _ in counting.run():
        pass
    counts, _ = counting.result()
    return (
        time.perf_counter() - begun[0],
        time.thread_time() - begun[1],
        time.process_time() - begun[2],
        counts,
    )


def said(share: float) -> str:
    """A share of the work that does not get faster, and how many times as fast CORES are as one then."""
    return (
        f"{100 * share:.1f} % does not scale: {CORES} cores are {1 / (share + (1 - share) / CORES):.1f} times as fast"
    )


def scaling(text: str) -> None:
    tokviz.train(text[:2_000_000], 2_000)  # so that no clock runs while code is loaded
    seconds: dict[str, list[float]] = {name: [] for name in ("one", "two", "rest", "alone", "all")}
    for _ in range(ROUNDS):
        one, _, _, counts = counted(text, 1)
        two, alone, of_all, _ = counted(text, 2)
        begun = time.perf_counter()
        tokviz.train(counts, VOCABULARY)
        rest = time.perf_counter() - begun
        for name, value in zip(seconds, (one, two, rest, alone, of_all), strict=True):
            seconds[name].append(value)
    one, two, rest, alone, of_all = map(statistics.median, seconds.values())
    spread = {name: f"{min(taken):.3f} to {max(taken):.3f}" for name, taken in seconds.items()}
    print(f"  counting: {one:.3f} s with 1 thread ({spread['one']}), {two:.3f} s with 2 ({spread['two']})")
    print(f"  the rest, {VOCABULARY:,} merges: {rest:.3f} s ({spread['rest']})")
    times = statistics.median(a / b for a, b in zip(seconds["one"], seconds["two"], strict=True))
    of_counting = max(2 / times - 1, 0.0)
    of_training = (of_counting * one + rest) / (one + rest)
    print(f"  counting is {times:.2f} times as fast with 2 threads; {said(of_counting)}")
    print(f"  training is {(one + rest) / (two + rest):.2f} times as fast with 2 threads; {said(of_training)}")
    print(f"  by CPU time, of counting in 2 threads ({alone:.3f} of {of_all:.3f} s) {said(alone / of_all)}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/mixed.txt")
        if len(sys.argv) == 1:
            file.write_bytes(corpora.build("mixed", SIZE).encode())
        print(f"{file.name}: {file.stat().st_size:,} bytes")
        scaling(file.read_bytes().decode())
        found = library.measure("train", ["tokviz", "tokviz from its file", "gigabpe"], file, VOCABULARY, "gpt2")
        library.rows(f"train, {file.stat().st_size / 1e6:.0f} MB, {VOCABULARY:,}, gpt2", found, slice(0, 1))


if __name__ == "__main__":
    main()
