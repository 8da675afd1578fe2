"""Merges as data: are they in the order they were learned, what bytes do they make, and which pairs made a token.

Seams rest on learned order: `seams >= k` is true of the first k merges only if no merge needs a part that a later one
makes. So it is checked wherever merges come in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tokviz.encoding import Ints
from tokviz.errors import FormatError

VOCABULARY_BYTES = 256_000_000  # all tokens together; thirty merges that each double the last would be a gigabyte


def build(alphabet: Ints, merge_ids: Ints, pairs: Sequence[tuple[int, int]]) -> list[bytes]:
    """The bytes of each merge's token; FormatError where the merges are not in learned order, name an id that no token
    has, or make the same bytes twice."""
    if len(merge_ids) != len(pairs):
        raise FormatError(f"There are {len(pairs):,} merges but {len(merge_ids):,} ids for them.")
    places = places_of(alphabet, merge_ids, pairs)
    if (places < np.arange(256, 256 + len(pairs))[:, None]).all() and (places >= 0).all():
        (lefts, rights), sizes = places.T.tolist(), [1] * 256
        for left, right in zip(lefts, rights, strict=True):
            sizes.append(sizes[left] + sizes[right])
        if sum(sizes) <= VOCABULARY_BYTES:
            tokens = [bytes([byte]) for byte in range(256)]
            for left, right in zip(lefts, rights, strict=True):
                tokens.append(tokens[left] + tokens[right])
            if len(set(tokens)) == len(tokens):
                return tokens[256:]
    return _build_and_say(alphabet, merge_ids, pairs)


def places_of(alphabet: Ints, merge_ids: Ints, pairs: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """int64, a row a merge: its ids as places, 0 to 255 for the bytes, then 256 + rank; -1 where no token has it."""
    ids = np.concatenate([alphabet, merge_ids]).astype(np.int64)
    order = np.argsort(ids)
    wanted = np.fromiter(chain.from_iterable(pairs), np.int64, 2 * len(pairs))
    found = order[np.minimum(np.searchsorted(ids[order], wanted), len(ids) - 1)]
    return np.where(ids[found] == wanted, found, -1).reshape(-1, 2)


def _build_and_say(alphabet: Ints, merge_ids: Ints, pairs: Sequence[tuple[int, int]]) -> list[bytes]:
    """As `build`, merge by merge, so that the first fault is the one that is named."""
    made = {int(id): bytes([b]) for b, id in enumerate(alphabet)}
    all_ids = set(merge_ids.tolist())
    seen: dict[bytes, int] = {}
    tokens: list[bytes] = []
    total = 0
    for rank, ((left, right), id) in enumerate(zip(pairs, merge_ids.tolist(), strict=True)):
        for part in (left, right):
            if part not in made:
                why = "which only a later merge makes" if part in all_ids else "which no token has"
                raise FormatError(f"Merge {rank + 1:,} joins the ids {left} and {right}, but {part} is an id {why}.")
        token = made[left] + made[right]
        if token in seen:
            raise FormatError(f"Merges {seen[token] + 1:,} and {rank + 1:,} make the same token, {token[:40]!r}.")
        total += len(token)
        if total > VOCABULARY_BYTES:
            raise FormatError(
                f"The tokens grow past {VOCABULARY_BYTES:,} bytes at merge {rank + 1:,}; that is the limit."
            )
        seen[token] = rank
        made[id] = token
        tokens.append(token)
    return tokens


def recover(
    alphabet: Ints, merge_ids: Ints, token_bytes: Sequence[bytes], ranks: Mapping[bytes, int]
) -> list[tuple[int, int]]:
    """The pair each token of a rank file was merged from: what its bytes come to under the merges before it.

    (-1, -1) for a token that no pair of earlier tokens makes; Llama 3 has such. Source of the idea: minbpe.
    """
    id_of = {bytes([byte]): int(id) for byte, id in enumerate(alphabet)}
    id_of.update(zip(token_bytes, merge_ids.tolist(), strict=True))
    pairs = []
    for rank, token in enumerate(token_bytes):
        middle = _last_boundary(token, ranks, rank)
        pairs.append((id_of[token[:middle]], id_of[token[middle:]]) if middle else (-1, -1))
    return pairs


def _last_boundary(token: bytes, ranks: Mapping[bytes, int], below: int) -> int:
    """Where the one boundary lies that is left in a token's bytes after all merges below its own rank; 0 if there is
    not exactly one."""
    starts = list(range(len(token) + 1))
    while len(starts) > 3:
        options = [
            (rank, i)
            for i in range(len(starts) - 2)
            if (rank := ranks.get(token[starts[i] : starts[i + 2]], below)) < below
        ]
        if not options:
            return 0
        del starts[min(options)[1] + 1]
    return starts[1] if len(starts) == 3 else 0
