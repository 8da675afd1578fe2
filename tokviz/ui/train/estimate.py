"""How long a training takes on this machine: a small one is timed, and the figures below say how time grows.

The figures were measured on corpora of 1 to 22 MB: English, code, many languages, and Chinese, whose chunks are long.
"""

from __future__ import annotations

import math
import time

from tokviz.samples import sample
from tokviz.training import Training, train
from tokviz.ui.work.training import Expected
from tokviz.wording import rounded

# Seconds on the machine on which they were measured. `pace` repeats a small training that took SMALL_TRAINING_S there.
SMALL_TRAINING_S = 0.00083
COUNT_BYTE_S = 1e-8
LEARN_BYTE_S = 0.85e-7  # for each byte of the distinct chunks
MERGES = 16_000  # with so many merges, learning takes twice as long as with very few


def expected(n_bytes: int, merges: int, beginning: Training) -> Expected:
    """The seconds that a training takes on this machine. beginning: a training on the beginning of the same corpus.

    How many bytes the distinct chunks will have is guessed from the beginning: a power of the length (Heaps' law).
    """
    head, distinct = beginning.n_bytes, len(beginning.counts.data)
    if n_bytes > head > 1 and distinct > 1:
        distinct = round(n_bytes ** (math.log(distinct) / math.log(head)))
    learning = LEARN_BYTE_S * distinct * (1 + math.sqrt(merges / MERGES))
    here = pace()
    return Expected(here * COUNT_BYTE_S * n_bytes, here * learning)


def in_words(seconds: float) -> str:
    """An estimate as words.

    >>> in_words(0.4), in_words(12.3), in_words(300)
    ('under a second', 'about 12 s', 'about 5 minutes')
    """
    if seconds < 1:
        return "under a second"
    return f"about {rounded(seconds, 0)} s" if seconds < 90 else f"about {rounded(seconds / 60, 0)} minutes"


def pace() -> float:
    """The time of a small training on this machine now, divided by SMALL_TRAINING_S: 2 is a machine half as quick."""
    return min(_time_small_training() for _ in range(3)) / SMALL_TRAINING_S


def _time_small_training() -> float:
    begun = time.perf_counter()
    train(sample("story").text, 512)
    return time.perf_counter() - begun
