"""Runs the inner loops, compiled. They take arrays and return arrays, and know nothing of tokenizers or pages.

A *seam* is the boundary between two neighbouring bytes, and BPE only ever closes seams. So learning and encoding both
give one integer a byte: the rank of the merge that closed the seam before it, or WHOLE, OPEN or SPLIT.
"""

from tokviz.kernels.base import OPEN, SPLIT, WHOLE
from tokviz.kernels.encoding import Encoder
from tokviz.kernels.learning import Learner, pairs_at
from tokviz.kernels.plain import PlainCounter, PlainEncoder
from tokviz.kernels.ranks import Ranks
from tokviz.kernels.warming import PLAIN_BYTES, plain_serves, ready, trainer_compiles, wait, warm

__all__ = [
    "OPEN",
    "PLAIN_BYTES",
    "SPLIT",
    "WHOLE",
    "Encoder",
    "Learner",
    "PlainCounter",
    "PlainEncoder",
    "Ranks",
    "pairs_at",
    "plain_serves",
    "ready",
    "trainer_compiles",
    "wait",
    "warm",
]
