"""Million-space, one-word and no-pattern inputs, each as large as a page takes it, and each in a process of its own.

`python -m tests.benchmarks limits [words of cases]` prints for each: seconds, seconds of CPU, and the peak of memory
above what the process had before. Words choose cases, such as: Train spaces
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.memory import memory, peak_memory
from tokviz.ui.server import limits

FILE = limits.FILE_MB * 1_048_576
UNCUT = 8_000_000  # bytes of a text without a split pattern
SHAPES = ("spaces", "one word", "mixed words")
REFERENCES = ("gpt2", "cl100k_base", "o200k_base")
VOCABULARY = 1_024


def made(shape: str, size: int) -> str:
    """A text of this shape, of so many characters."""
    if shape == "spaces":
        return " " * size
    words = "".join(chr(97 + (i * i * 7 + i // 3) % 26) for i in range(10_007)) * (size // 10_007 + 1)
    if shape == "one word":
        return words[:size]
    return " ".join(words[i : i + 6] for i in range(0, size, 7))[:size]


def show_tokens(text: str, pattern: str | None) -> None:
    """Tokens: the text under three tokenizers, or under an own one with this split pattern."""
    import tokviz
    from tokviz.tokenizer.live_text import LiveText

    own = tokviz.train("so it goes, and on it goes", 270, pattern=pattern).tokenizer if pattern else None
    live = LiveText([own] if own else [tokviz.reference(name) for name in REFERENCES])
    live.start_with(text[1:])  # there is room for one more character
    live.patch(len(text) // 2, len(text) // 2, "x")


def train(text: str, pattern: str | None) -> None:
    """Train, and Write: learn the merges; Replay: show a window of the corpus."""
    import tokviz

    training = tokviz.train(text, VOCABULARY, pattern=pattern)
    training.window(0, 2_000)
    training.candidates(len(training.merges) // 2)


def count_file(text: str, pattern: str | None) -> None:
    """Compare: count a file under three tokenizers, and why the second cuts tokens of the first."""
    import tokviz
    from tokviz.cost.figures import facts_of
    from tokviz.ui.compare.counted_file import FileCounts

    file = FileCounts(tokviz.read_text(text.encode(), "file.txt"))
    facts = facts_of(text)
    for name in REFERENCES:
        for _ in file.count(name, tokviz.reference(name), facts):
            pass
    for _ in file.count_reasons(REFERENCES[:2], *map(tokviz.reference, REFERENCES[:2])):
        pass


CASES: dict[str, tuple[Callable[[str, str | None], None], int, str | None]] = {
    "Tokens": (show_tokens, limits.TEXT_UNITS, None),
    "Tokens, own tokenizer without a pattern": (show_tokens, limits.TEXT_UNITS, "none"),
    "Write": (train, limits.WRITTEN_UNITS, "gpt2"),
    "Write without a pattern": (train, limits.WRITTEN_UNITS, "none"),
    "Train and Replay": (train, FILE, "gpt2"),
    "Train and Replay without a pattern": (train, UNCUT, "none"),
    "Compare, a whole file": (count_file, FILE, None),
}


def one(case: str, shape: str) -> None:
    """Run a case in this process, and print what it took."""
    run, size, pattern = CASES[case]
    run("so it goes", pattern)  # kernels and reference tokenizers are loaded before the clock runs
    text = made(shape, size)
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory begins again
    begun, cpu = time.perf_counter(), time.process_time()
    try:
        run(text, pattern)
        said = ""
    except ValueError as fault:
        said = str(fault)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    more = peak_memory() - before
    print(f"{seconds:8.2f} s {cpu:8.2f} s of CPU {more / 1e6:8,.0f} MB, {more / size:5.1f} times its size  {said}")


def main() -> None:
    if len(sys.argv) > 2 and sys.argv[1] in CASES and sys.argv[2] in SHAPES:
        one(*sys.argv[1:3])
        return
    for case, (_, size, _) in CASES.items():
        for shape in SHAPES:
            if all(word in f"{case} {shape}" for word in sys.argv[1:]):
                print(f"  {case}: {size:,} characters, {shape}", flush=True)
                subprocess.run([sys.executable, "-m", "tests.benchmarks.limits", case, shape], check=False)


if __name__ == "__main__":
    main()
