"""Encodes with the same vocabulary in other ways than BPE. Some give the same tokens, some do not.

    rank       the definition: of all merges that could act, the one of the lowest rank acts; again, until none can
    learned    one pass: each merge acts once, in the order in which they were learned
    reversed   one pass in the opposite order
    longest    no merges: from the left, always the longest token of the vocabulary
    left       from the left, any two neighbours that a merge joins; again, until none can
    bytes      no merges: each byte is a token
    lookup     a chunk that is a token of the vocabulary is taken whole; any other is encoded by rank

"learned" and "lookup" give the same tokens as "rank" whenever the merges were learned by training: a merge is always
learned after the two that make its parts, so none is needed again once a later one has acted. The others often differ.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tokviz.base.errors import InputError, UnknownNameError
from tokviz.base.text import clean
from tokviz.tokenizer.encoding import SPLIT, Encoding
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.vocabulary.steps import rounds

LIMIT = 5_000  # bytes of a text; these ways are written to be read, not to be quick

Tokens = list[bytes]


class OtherEncoder(NamedTuple):
    """Describes a way to encode. title: in a few words. cut: cuts a chunk into tokens."""

    title: str
    cut: Callable[[Tokenizer, bytes], Tokens]


def encode_with(name: str, tok: Tokenizer, text: str) -> Encoding:
    """Encode a text as the encoder with this name does. Special tokens are read as text.

    Raises UnknownNameError if there is no such encoder, InputError if the text has more than LIMIT bytes.

    >>> from tokviz import Tokenizer
    >>> tok = Tokenizer("abc", [(98, 99), (97, 98)], pattern="none")  # bc is learned first, then ab
    >>> [encode_with(name, tok, "abc").ids.tolist() for name in ("rank", "learned", "reversed", "longest")]
    [[97, 256], [97, 256], [257, 99], [257, 99]]
    """
    if name not in ENCODERS:
        raise UnknownNameError(f"There is no encoder “{name}”.", f"Choose one of: {', '.join(ENCODERS)}.")
    text = clean(text)
    data = text.encode()
    if len(data) > LIMIT:
        raise InputError(f"The text has {len(data):,} bytes.", f"Here a text can have {LIMIT:,} bytes.")
    cut = ENCODERS[name].cut
    starts = np.flatnonzero(tok.explain(text).seams == SPLIT).tolist()
    chunks = [data[start:end] for start, end in pairwise([*starts, len(data)])]
    return tok.explain_ids(_id(tok, token) for chunk in chunks for token in cut(tok, chunk))


def random_texts(tok: Tokenizer, n: int, seed: int, longest: int = 24) -> Iterator[str]:
    """Yield n texts of random bytes of ASCII that occur in the merged tokens, at most `longest` bytes long.

    >>> from tokviz import Tokenizer
    >>> all(set(text) <= set("abc") for text in random_texts(Tokenizer("abc", [(98, 99), (97, 98)]), 5, seed=1))
    True
    """
    known = sorted({byte for id in tok.merge_ids.tolist() for byte in tok.vocab[id] if byte < 128})
    chance = random.Random(seed)  # noqa: S311  # the same texts each time
    for _ in range(n):
        yield bytes(chance.choices(known, k=chance.randint(1, longest))).decode()


def _id(tok: Tokenizer, token: bytes) -> int:
    rank = tok.rank_of(token)
    return int(tok.alphabet[token[0]]) if rank is None else int(tok.merge_ids[rank])


def _bytes(chunk: bytes) -> Tokens:
    return [bytes([byte]) for byte in chunk]


def _join(tokens: Tokens, joins: Callable[[bytes, bytes], bool]) -> Tokens:
    """Join neighbours among the tokens, from left to right. No token is joined twice."""
    joined: Tokens = []
    i = 0
    while i < len(tokens):
        two = i + 1 < len(tokens) and joins(tokens[i], tokens[i + 1])
        joined.append(tokens[i] + tokens[i + 1] if two else tokens[i])
        i += 2 if two else 1
    return joined


def _by_rank(tok: Tokenizer, chunk: bytes) -> Tokens:
    ends: list[int] = []
    for ends, _, _ in rounds(chunk, tok.rank_of_pair):  # noqa: B007  # the last ones are wanted
        pass
    return [chunk[start:end] for start, end in pairwise([0, *ends])]


def _one_pass(tok: Tokenizer, chunk: bytes, merges: Iterable[tuple[int, int]]) -> Tokens:
    tokens = _bytes(chunk)
    for ids in merges:
        pair = (tok.vocab[ids[0]], tok.vocab[ids[1]])
        if pair[0] + pair[1] in chunk:
            tokens = _join(tokens, lambda left, right, pair=pair: (left, right) == pair)  # type: ignore[misc]
    return tokens


def _longest(tok: Tokenizer, chunk: bytes) -> Tokens:
    most = max((len(tok.vocab[id]) for id in tok.merge_ids.tolist()), default=1)
    tokens: Tokens = []
    while chunk:
        sizes = range(min(most, len(chunk)), 1, -1)
        size = next((size for size in sizes if tok.rank_of(chunk[:size]) is not None), 1)
        tokens.append(chunk[:size])
        chunk = chunk[size:]
    return tokens


def _from_left(tok: Tokenizer, chunk: bytes) -> Tokens:
    tokens, before = _bytes(chunk), -1
    while len(tokens) != before:
        before = len(tokens)
        tokens = _join(tokens, lambda left, right: tok.rank_of_pair(left, right) is not None)
    return tokens


def _by_lookup(tok: Tokenizer, chunk: bytes) -> Tokens:
    return _by_rank(tok, chunk) if tok.rank_of(chunk) is None else [chunk]


ENCODERS: Mapping[str, OtherEncoder] = {
    "rank": OtherEncoder("Earliest merge first", _by_rank),
    "learned": OtherEncoder("One pass, as learned", lambda tok, c: _one_pass(tok, c, tok.merges)),
    "reversed": OtherEncoder("One pass, last first", lambda tok, c: _one_pass(tok, c, reversed(tok.merges))),
    "longest": OtherEncoder("Longest from the left", _longest),
    "lookup": OtherEncoder("Whole chunks looked up", _by_lookup),
    "bytes": OtherEncoder("No merges at all", lambda _, c: _bytes(c)),
    "left": OtherEncoder("Any pair from the left", _from_left),
}
