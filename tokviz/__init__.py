"""tokviz shows how byte-pair encoding works: train a tokenizer, watch its merges, and compare it with those of others.

>>> import tokviz
>>> training = tokviz.train("the cat in the hat sat on the mat. the cat and the hat.", vocab_size=266, pattern="none")
>>> training.tokenizer.encode("the cat in the hat")
[265, 105, 263, 104, 256]
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from tokviz.base.drawn import drawn_by
from tokviz.base.errors import TokvizError
from tokviz.base.text import Text, read_text
from tokviz.catalog.references import reference, references
from tokviz.comparison.comparison import Comparison, Reason, compare
from tokviz.comparison.same import Counterexample, Sameness, same
from tokviz.corpus.chunk_counts import ChunkCounts
from tokviz.corpus.counting import count_chunks
from tokviz.corpus.counts_file import load_file as load_counts
from tokviz.corpus.on_dask import count_with_dask
from tokviz.formats.tokviz import load_file as load
from tokviz.tokenizer.encoding import OPEN, SPLIT, WHOLE, Encoding, Node, Token
from tokviz.tokenizer.tokenizer import MergeRecord, Tokenizer
from tokviz.training.train import Candidate, Progress, Training, train, train_steps

drawn_by("tokviz.notebook", "tokviz.formats.tokviz", "tokviz.corpus.counts_file")

__version__ = "0.2.0.dev0"

__all__ = [
    "OPEN",
    "SPLIT",
    "WHOLE",
    "Candidate",
    "ChunkCounts",
    "Comparison",
    "Counterexample",
    "Encoding",
    "MergeRecord",
    "Node",
    "Progress",
    "Reason",
    "Sameness",
    "Text",
    "Token",
    "Tokenizer",
    "TokvizError",
    "Training",
    "compare",
    "count_chunks",
    "count_with_dask",
    "load",
    "load_counts",
    "read_text",
    "reference",
    "references",
    "same",
    "train",
    "train_steps",
]

# Documented, and not needed for the rest.
_MODULES = ("export_proof", "metrics", "opening", "packages", "samples", "shared_tokens", "snippets", "waste")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> ModuleType:
        """Import a documented module when it is first asked for, as in `tokviz.catalog.samples.sample("story")`."""
        if name in _MODULES:
            return importlib.import_module(f"tokviz.{name}")
        raise AttributeError(f"tokviz has no {name}.", name=name)
