"""What the worst split patterns of visitors' own take: each in a process of its own, with its memory and its time.

`python -m tests.benchmarks patterns` prints for each: seconds, and the peak of memory above what the process had
before. The test `tests/test_cutting.py` runs the short form.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.benchmarks.memory import memory, peak_memory
from tokviz.base.errors import PatternError
from tokviz.catalog.samples import sample
from tokviz.split.cutting import cut
from tokviz.ui.train.state import TrainSettings
from tokviz.ui.train.written import trained

VISITORS = 3
NESTED = f"{'(' * 100}a{')' * 100}*+"
OWN = TrainSettings(pattern="custom", custom=NESTED)
FUZZY = r"(?b)(?:the cat){e<=4}|[\s\S]"


def write(short: bool) -> str:
    """Visitors write letters under a hundred groups on Write, at the same time."""
    letters = "a" * (30_000 if short else 180_000)

    def one(_: int) -> str:
        try:
            return f"{len(trained(letters, TrainSettings(pattern='custom', custom=NESTED)).merges)} merges"
        except PatternError as fault:
            return str(fault)

    with ThreadPoolExecutor(VISITORS) as pool:
        return next(iter({*pool.map(one, range(VISITORS))}))


def match(short: bool) -> str:
    """A text of 9.8 MB is cut where a few words come near, letter by letter."""
    story, size = sample("story").text, 20_000 if short else 9_800_000
    text = (story * (size // len(story) + 1))[:size]
    try:
        return f"{len(cut(text, FUZZY, 0.03 if short else None)):,} chunks"
    except PatternError as fault:
        return str(fault)


CASES: dict[str, Callable[[bool], str]] = {
    f"{VISITORS} visitors write 180,000 letters under a hundred groups": write,
    "9.8 MB under a pattern that matches nearly, letter by letter": match,
}


def taken(case: str, short: bool = False) -> tuple[float, int, str]:
    """The seconds and the bytes of memory that a case takes in this process, and what the visitor is told."""
    before, begun = memory("VmRSS"), time.perf_counter()
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory begins again
    said = CASES[case](short)
    return time.perf_counter() - begun, peak_memory() - before, said


def main() -> None:
    if sys.argv[1:] and sys.argv[1] in CASES:
        seconds, more, said = taken(sys.argv[1])
        print(f"{seconds:8.2f} s {more / 1e6:8,.0f} MB  {said}")
        return
    for case in CASES:
        print(f"  {case}", flush=True)
        subprocess.run([sys.executable, "-m", "tests.benchmarks.patterns", case], check=False)


if __name__ == "__main__":
    main()
