"""Makes tiktoken's own encoder with the tokens of a tokenizer: a *witness*, which shares no code with tokviz.

It has its own merging and its own regex engine. tiktoken merges by ids, so a tokenizer can have a witness only if its
ids rise with the ranks. It also needs a named pattern: tiktoken's engine reads others differently than `regex` does.
"""

from __future__ import annotations

import numpy as np
import tiktoken

from tokviz.base import bounds
from tokviz.split.cutting import PATTERNS
from tokviz.tokenizer.peers import with_merges
from tokviz.tokenizer.tokenizer import Tokenizer

EVERYTHING = r"(?s:.+)"  # the pattern "none" for tiktoken: the whole text is one chunk


def witness(tokenizer: Tokenizer) -> tiktoken.Encoding | None:
    """Make tiktoken's encoder with a tokenizer's vocabulary, special tokens and named pattern; None if there is none.

    Each call builds one, which takes a third of a second for the largest vocabularies. Keep it for as long as you keep
    the tokenizer.

    >>> from tokviz import reference
    >>> witness(reference("gpt2")).encode("live proof")
    [12583, 6617]
    """
    if with_merges(tokenizer).pattern not in PATTERNS or np.any(np.diff(tokenizer.merge_ids) < 0):
        return None
    if tokenizer.normalizer or tokenizer.lacked:
        return None
    vocab = tokenizer.vocab
    ranks = {vocab[id]: id for ids in (tokenizer.alphabet, tokenizer.merge_ids) for id in ids.tolist()}
    if tokenizer.lookups and ranks != tokenizer.rank_file:  # it was cut shorter, but its look-ups stayed
        return None
    if sum(map(len, ranks)) > bounds.now().exported_mb * bounds.MB:  # it keeps the bytes of all tokens three times
        return None
    try:
        made = tiktoken.Encoding(
            tokenizer.name,
            pat_str=PATTERNS[tokenizer.pattern].regex or EVERYTHING,
            mergeable_ranks=ranks,
            special_tokens=dict(tokenizer.cut_tokens),
        )
    except ValueError:  # its regex engine limits the size of a pattern, and all special tokens make one pattern
        return None
    ranks.clear()  # it has copied them, and keeps them for nothing that a witness is asked: 25 MB for o200k_base
    return made
