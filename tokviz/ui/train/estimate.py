"""How much time a training takes here: a small one is timed, and the figures below say how time grows.

The figures were measured on corpora of 1 to 22 MB: English, code, many languages, and Chinese, whose chunks are long.
"""

from __future__ import annotations

import math
import timeit

from tokviz.base import bounds
from tokviz.base.wording import rounded
from tokviz.training.train import Training, train
from tokviz.ui.frame.training import Expected
from tokviz.ui.server import limits

# Seconds on the machine on which they were measured. `pace` repeats a small training that took SMALL_TRAINING_S there.
SMALL_TRAINING_S = 0.00078
SMALL_TEXT = " ".join(str(n * n) for n in range(1_000))
COUNT_BYTE_S = 1e-8
LEARN_BYTE_S = 0.85e-7  # for each byte of the distinct chunks
MERGES = 16_000  # with this number of merges, learning takes twice as long as with very few


def distinct_bytes(n_bytes: int, beginning: Training) -> int:
    """How many bytes the distinct chunks of a corpus may have, guessed from a training on its beginning.

    They grow as a power of the length of a text (Heaps' law).
    """
    head, distinct = beginning.n_bytes, len(beginning.counts.data)
    if n_bytes > head > 1 and distinct > 1:
        return round(math.pow(n_bytes, math.log(distinct) / math.log(head)))
    return distinct


def expected(n_bytes: int, distinct: int, merges: int) -> Expected:
    """The seconds that a training takes on this machine. n_bytes: to be counted. distinct: bytes of distinct chunks."""
    learning = LEARN_BYTE_S * distinct * (1 + math.sqrt(merges / MERGES))
    here = pace()
    return Expected(here * COUNT_BYTE_S * n_bytes, here * learning)


def better_counted(distinct: int) -> tuple[str, str]:
    """What to tell about a corpus whose distinct chunks have too many bytes for this page, and the way out."""
    return (
        f"The distinct chunks of this corpus may have {rounded(distinct / limits.MB, 0)} MB together. A training from "
        f"this page can take {bounds.now().chunks_mb:,} MB.",
        "Count the corpus in a terminal instead, whole or in shards (tokviz count-chunks), and train on the counts "
        "there (tokviz train). The tokenizer is the same, and Library opens it.",
    )


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
    return min(timeit.repeat(lambda: train(SMALL_TEXT, 512), number=1, repeat=3)) / SMALL_TRAINING_S
