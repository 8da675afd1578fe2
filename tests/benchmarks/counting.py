"""Counting distinct chunks, beside `Counter(regex.findall(...))`: `python -m tests.benchmarks.counting [file ...]`.

Interleaved in one process; the median of the rounds, and the least and the most. Given files are counted as they are;
without any, Python's own manual and library.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter
from pathlib import Path

import regex

import tokviz
from tests.benchmarks.corpora import english_and_code
from tokviz.split import PATTERNS

ROUNDS = 7


def measure(text: str, pattern: str) -> None:
    compiled = regex.compile(PATTERNS[pattern].regex)
    jobs = {"tokviz": lambda: tokviz.count_chunks(text, pattern), "regex": lambda: Counter(compiled.findall(text))}
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for round_ in range(ROUNDS + 1):
        for name, job in jobs.items():
            begun = time.perf_counter()
            job()
            if round_:
                taken[name].append(time.perf_counter() - begun)
    ours, theirs = (statistics.median(taken[name]) for name in ("tokviz", "regex"))
    spread = "; ".join(f"{name} {min(times):.3f} to {max(times):.3f}" for name, times in taken.items())
    speed = len(text.encode()) / 1e6 / ours
    print(f"  {pattern:7} {ours:.4f} s, {speed:.0f} MB/s; regex {theirs:.3f} s: {theirs / ours:.1f} times ({spread})")


def main() -> None:
    texts = {path: Path(path).read_text(encoding="utf-8") for path in sys.argv[1:]} or {
        "english and code": english_and_code(10_000_000)
    }
    for name, text in texts.items():
        print(f"{name}: {len(text.encode()):,} bytes")
        for pattern in ("gpt2", "cl100k"):
            measure(text, pattern)


if __name__ == "__main__":
    main()
