"""How many bytes of memory a thing takes, as its kind says. Nothing is measured, and nothing large is walked through.

What a visitor keeps, such as a state of a page or a piece of work, says its own `n_bytes`. What the library makes is in
the table of `size`. The numbers are those of a thing that was looked at from all sides, so most take somewhat less.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tokviz.base.text import Text
from tokviz.comparison.comparison import Comparison
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.peers import Peer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.train import Training
from tokviz.vocabulary.family import Family
from tokviz.vocabulary.table import TokenTable

# Bytes, as measured.
A_TOKEN = 300  # of a tokenizer, beside the bytes that the token means
ENCODER = 1_000_000  # of a tokenizer that is in use, which remembers chunks
A_TOKEN_OF_PEER = 900  # the same, with what its package keeps, wherever that runs
A_BYTE = 20  # of a text that a tokenizer explained
A_BYTE_COMPARED = 10  # of a text under several tokenizers, beside their encodings
A_TOKEN_LISTED = 110  # in the table of a vocabulary
A_PAIR = 50  # in a family of tokens
AN_OCCURRENCE = 12  # of a chunk in a corpus
A_NAME = 400  # of a text that a tokenizer was made from, with its sum
OTHER = 1_000  # anything small


def size(*things: Any) -> int:
    """Return the bytes that these things take together.

    >>> import numpy as np
    >>> size(np.zeros(1_000_000, np.int32), None, []), 1_000_000 < size("x" * 1_000_000) < 1_000_100
    (4000000, True)
    """
    return sum(map(_size, things))


def _size(thing: Any) -> int:
    match thing:
        case None:
            return 0
        case str() | bytes():
            return sys.getsizeof(thing)
        case np.ndarray():
            return thing.nbytes
        case list() | tuple() | set() | frozenset():
            return size(*thing)
        case dict():
            return size(*thing.values())
        case Text():
            return sys.getsizeof(thing.text)
        case Tokenizer():
            return _own(thing)
        case Peer():
            return A_TOKEN_OF_PEER * len(thing.vocab) + len(getattr(thing.package, "data", b""))
        case Encoding():
            return A_BYTE * len(thing.data)
        case Comparison():
            return size(*thing.encodings) + A_BYTE_COMPARED * len(thing.encodings[0].data)
        case Training():
            counts, kept = thing.counts, thing.kept
            windows = len(kept.data) + AN_OCCURRENCE * len(kept.order) if kept else 0
            return size(counts.data, counts.ends, counts.counts, counts.firsts, thing.seams) + windows
        case TokenTable():
            return A_TOKEN_LISTED * len(thing)
        case Family():
            return A_PAIR * len(thing.pairs)
    said = getattr(thing, "n_bytes", OTHER)
    return said if isinstance(said, int) else OTHER


def _own(tok: Tokenizer) -> int:
    tokens = tok.vocab_size + len(tok.special_tokens) + len(tok.added_tokens)
    record = tok.history.table.nbytes if tok.history else 0
    return ENCODER + A_TOKEN * tokens + sum(map(len, tok.vocab.values())) + record + A_NAME * len(tok.origin.named)
