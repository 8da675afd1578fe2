"""Fifty trainings on resamples of a corpus of 1 MB with 4,000 merges, and on larger ones: seconds, and CPU time.

`python -m tests.benchmarks sample keys` measures typing on Tokens while another visitor draws resamples.
"""

from __future__ import annotations

import statistics
import sys
import time

import tokviz
from tests.benchmarks.corpora import build
from tests.benchmarks.figures import load
from tests.benchmarks.memory import peak_memory
from tests.benchmarks.typing import beside_resamples
from tokviz.sample_size import RESAMPLES, bootstrap_steps

REPEATS = 5
CORPORA = (
    ("mixed", 1_000_000, 4_000, "gpt2"),
    ("english", 1_000_000, 4_000, "cl100k"),
    ("mixed", 1_000_000, 4_000, "none"),
    ("mixed", 10_000_000, 32_000, "gpt2"),
    ("mixed", 19_000_000, 49_000, "gpt2"),
)


def once(training: tokviz.Training) -> tuple[float, float, float]:
    """Seconds for a bootstrap, CPU seconds of the process for it, and seconds of the longest slice."""
    begun, cpu = time.perf_counter(), time.process_time()
    longest, since = 0.0, begun
    for _ in bootstrap_steps(training):
        now = time.perf_counter()
        longest, since = max(longest, now - since), now
    return since - begun, time.process_time() - cpu, longest


def main() -> None:
    if "keys" in sys.argv[1:]:
        beside_resamples()
        return
    for kind, size, merges, pattern in CORPORA:
        training = tokviz.train(build(kind, size), 256 + merges, pattern=pattern)
        repeats = REPEATS if size == 1_000_000 else 1
        seconds, cpu, slices = zip(*(once(training) for _ in range(repeats)), strict=True)
        print(
            f"  {kind} {training.n_bytes:,} bytes, {len(training.merges):,} merges, {pattern}: {RESAMPLES} resamples "
            f"and 20 parts in {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f}), "
            f"{statistics.median(cpu):.2f} s of CPU time, longest slice {1000 * max(slices):.0f} ms, "
            f"peak memory so far {peak_memory() / 1e6:,.0f} MB, {load()}",
            flush=True,
        )
