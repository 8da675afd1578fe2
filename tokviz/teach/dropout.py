"""Encodes a text with merges left out at random, so that it is cut in many ways: BPE-dropout.

Each time the next merge is looked for, every place where a merge could act is left out with probability p. The merge of
the lowest rank among those that remain acts in its places; if none remains, the chunk is done. With p = 0 that is the
ordinary encoding, with p = 1 every byte stays a token. The tokens are always tokens of the vocabulary, and decoding
always gives the text. A model that is trained on such cuts sees more of how its tokens are spelled.

Source: Provilkov, Emelianenko, Voita, "BPE-Dropout: Simple and Effective Subword Regularization", ACL 2020.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np

from tokviz.base.arguments import shown, whole_number
from tokviz.base.errors import InputError, SettingError
from tokviz.tokenizer.encoding import OPEN, SPLIT, Encoding
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.vocabulary.steps import rounds

LIMIT = 20_000  # bytes of a text; the time grows with the square of the longest chunk


def encode_with_dropout(tok: Tokenizer, text: str, p: float, seed: int) -> Encoding:
    """Encode a text, each merge left out with probability p, from 0 to 1. The same seed gives the same tokens.

    Special tokens are read as text. Raises SettingError if p is not a probability or the tokenizer has tokens that no
    merge makes, InputError if the text has more than LIMIT bytes.

    >>> from tokviz import train
    >>> tok = train("aaabdaaabac", vocab_size=259).tokenizer
    >>> [len(encode_with_dropout(tok, "aaabaaab", p, seed=1)) for p in (0, 0.5, 1)]
    [2, 6, 8]
    """
    if not isinstance(p, int | float) or not 0 <= p <= 1:
        raise SettingError(f"The probability is {shown(p)}.", "Give a number from 0 to 1.")
    if tok.lookups:
        raise SettingError(f"{tok.name or 'This tokenizer'} has tokens that no merge makes.", "Choose another one.")
    ordinary = tok.explain(text)
    if len(ordinary.data) > LIMIT:
        raise InputError(f"The text has {len(ordinary.data):,} bytes.", f"Dropout takes texts up to {LIMIT:,} bytes.")
    chance = random.Random(whole_number(seed, "The seed"))  # noqa: S311  # the same draw each time

    def rank_of(left: bytes, right: bytes) -> int | None:
        rank = tok.rank_of_pair(left, right)
        return None if rank is None or chance.random() < p else rank

    seams = ordinary.seams.copy()
    starts = np.flatnonzero(seams == SPLIT).tolist()
    for start, end in pairwise([*starts, len(seams)]):
        seams[start + 1 : end] = OPEN
        for ends, ranks, joined in rounds(ordinary.data[start:end], rank_of):
            for i in joined:
                seams[start + ends[i]] = ranks[i]  # type: ignore[assignment]  # a pair that is joined has a rank
    return replace(ordinary, seams=seams)
