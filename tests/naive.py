"""Byte-pair encoding as the textbooks have it: recount everything, merge the winner, repeat. The truth of the tests.

Slow on purpose. Nothing of tokviz is used here but its splitting, which has tests of its own.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

HF_ALPHABET = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
HF_ALPHABET += [byte for byte in range(256) if byte not in HF_ALPHABET]


def pair_counts(chunks):
    """Every adjacent window of every chunk, in order of first occurrence (a dict keeps it)."""
    return Counter(pair for ids in chunks for pair in pairwise(ids))


def merge(ids, pair, new):
    """Replace left to right, without overlap."""
    out, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def ranked(stats, vocab, tie="first", min_count=1, ban=(), prefer="frequent"):
    """The pairs that may merge, the winner first. stats: pair -> count, in order of first occurrence."""
    order = {pair: place for place, pair in enumerate(stats)}
    place = lambda id: HF_ALPHABET.index(id) if id < 256 else id  # noqa: E731
    tie_key = {
        "first": order.get,
        "lowest": lambda pair: pair,
        "hf": lambda pair: (place(pair[0]), place(pair[1])),
    }[tie]
    sign = 1 if prefer == "rarest" else -1
    pairs = [p for p, n in stats.items() if n >= min_count and vocab[p[0]] + vocab[p[1]] not in ban]
    return sorted(pairs, key=lambda pair: (sign * stats[pair], tie_key(pair)))


def train(chunks, merges, tie="first", min_count=1, ban=(), prefer="frequent", specials=0):
    """[(left, right, count, replaced, tied, tokens after)], why it stopped, and the chunks at each step."""
    chunks = [list(chunk) for chunk in chunks]
    vocab = {byte: bytes([byte]) for byte in range(256)}
    records, states = [], [chunks]
    while len(records) < merges:
        stats = {p: n for p, n in pair_counts(chunks).items() if vocab[p[0]] + vocab[p[1]] not in ban}
        if not stats:
            return records, "no_pairs", states
        pairs = ranked(stats, vocab, tie, min_count, ban, prefer)
        if not pairs:
            return records, "min_count", states
        pair, best = pairs[0], stats[pairs[0]]
        new = 256 + len(records)
        vocab[new] = vocab[pair[0]] + vocab[pair[1]]
        before = sum(map(len, chunks))
        chunks = [merge(ids, pair, new) for ids in chunks]
        after = sum(map(len, chunks))
        tied = sum(n == best for n in stats.values())
        records.append((*pair, best, before - after, tied, after + specials))
        states.append(chunks)
    return records, "size", states


def encode(chunks, merges):
    """Each merge in turn, over all chunks: ids of the whole text."""
    chunks = [list(chunk) for chunk in chunks]
    for rank, pair in enumerate(merges):
        chunks = [merge(ids, tuple(pair), 256 + rank) for ids in chunks]
    return [id for ids in chunks for id in ids]
