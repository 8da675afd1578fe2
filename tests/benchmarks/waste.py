"""The report of waste of texts of 10 MB under cl100k_base: seconds, and CPU time."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial

import tokviz
from tests.benchmarks.corpora import build
from tests.benchmarks.figures import load
from tests.benchmarks.memory import peak_memory
from tokviz.waste import waste, waste_steps

SIZE = 10_000_000
REPEATS = 5


def main() -> None:
    tok = tokviz.reference("cl100k_base")
    chance = random.Random(SIZE)
    hashes = "\n".join(chance.randbytes(16).hex() for _ in range(SIZE // 33))
    waste("It loads what it needs: 12 https://a.org/b", tok)
    for name, text in {"code": build("code", SIZE), "mixed": build("mixed", SIZE), "hashes": hashes}.items():
        print(f"  {name}, {len(text.encode()):,} bytes, {load()}")
        print(f"    report: {_timed(partial(waste, text, tok))}, longest slice {_longest_slice(text, tok):.2f} s")
        print(f"    chunks counted: {_timed(partial(tokviz.count_chunks, text, tok.pattern))}")
        print(f"    peak memory so far {peak_memory() / 1e6:,.0f} MB", flush=True)


def _timed(work: Callable[[], object]) -> str:
    seconds, cpu = [], []
    for _ in range(REPEATS):
        begun, cpu_begun = time.perf_counter(), time.process_time()
        work()
        seconds.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - cpu_begun)
    return (
        f"{statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f}), {min(cpu):.2f} s of CPU time"
    )


def _longest_slice(text: str, tok: tokviz.Tokenizer) -> float:
    longest, since = 0.0, time.perf_counter()
    for _ in waste_steps(text, tok):
        now = time.perf_counter()
        longest, since = max(longest, now - since), now
    return longest
