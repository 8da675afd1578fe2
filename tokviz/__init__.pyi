"""The names of the public API and their modules. `__init__.py` reads this file, and so do type checkers."""

from . import catalog, comparison, corpus, cost, formats, split, teach, tokenizer, training, vocabulary
from .base.errors import TokvizError
from .base.text import Text, read_text
from .catalog.model_files import load
from .catalog.references import reference, references
from .comparison.comparison import Comparison, Reason, compare
from .comparison.same import Counterexample, Sameness, same
from .corpus.chunk_counts import ChunkCounts
from .corpus.counting import count_chunks
from .corpus.counts_file import load_counts
from .corpus.on_dask import count_with_dask
from .tokenizer.encoding import OPEN, SPLIT, WHOLE, Encoding, Node, Token
from .tokenizer.tokenizer import MergeRecord, Tokenizer
from .training.train import Candidate, Progress, Training, train, train_steps

__version__: str

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
    "catalog",
    "compare",
    "comparison",
    "corpus",
    "cost",
    "count_chunks",
    "count_with_dask",
    "formats",
    "load",
    "load_counts",
    "read_text",
    "reference",
    "references",
    "same",
    "split",
    "teach",
    "tokenizer",
    "train",
    "train_steps",
    "training",
    "vocabulary",
]
