"""A corpus larger than one would hold: 1 GB from an iterator, with more than five million distinct chunks.

`python -m tests.benchmarks.large [count|train] [megabytes] [bytes a text]` prints time and peak memory of a process
that does nothing else.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np

import tokviz
from tests.benchmarks.corpora import english_and_code
from tests.benchmarks.memory import peak_memory

DISTINCT = 6_000_000
LETTERS = np.frombuffer(b"etaoinshrdlcumwfgypbvkjxqz", np.uint8)


def texts(size: int, text_size: int, distinct: int = DISTINCT) -> Iterator[str]:
    """Texts of about `text_size` bytes, `size` bytes in all: real ones, and in each some words that no other has.

    distinct: such words in all.
    """
    real = english_and_code(5_000_000)
    n_texts = size // text_size
    n_words = -(-distinct // n_texts)
    for i in range(n_texts):
        words = new_words(i, n_words)
        start = i * 7_919 % (len(real) - text_size)
        yield real[start : start + max(text_size - len(words), 0)] + " " + words


def new_words(number: int, n_words: int) -> str:
    """Words of six letters, with a space behind each, that no other number has."""
    numbers = np.arange(number * n_words, (number + 1) * n_words) * 48_271 % 26**6
    words = np.full((n_words, 7), ord(" "), np.uint8)
    for place in range(6):
        words[:, place] = LETTERS[numbers // 26**place % 26]
    return words.tobytes().decode()


def main() -> None:
    what = sys.argv[1] if len(sys.argv) > 1 else "count"
    size = 1_000_000 * int(sys.argv[2] if len(sys.argv) > 2 else 1_000)
    text_size = int(sys.argv[3] if len(sys.argv) > 3 else 200_000)
    begun = time.perf_counter()
    if what == "count":
        counts = tokviz.count_chunks(texts(size, text_size))
    else:
        training = tokviz.train(texts(size, text_size), 32_768)
        counts = training.counts
        print(f"  {len(training.merges):,} merges, windows reach {training.kept_bytes:,} bytes")
    seconds = time.perf_counter() - begun
    print(
        f"  {what}: {counts.n_bytes:,} bytes in {size // text_size:,} texts, {len(counts):,} distinct chunks, "
        f"{seconds:.1f} s, peak memory {peak_memory() / 1e6:,.0f} MB"
    )


if __name__ == "__main__":
    main()
