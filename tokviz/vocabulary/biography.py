"""Tells the biography of a token: how it was born, which merges made it, and which tokens absorbed it.

A merge joins two tokens, the parents, and the new token is born. A byte has no birth, because every vocabulary begins
with the 256 bytes. Special tokens and look-ups have none either, because no pair makes them. The merge tree of a token
shows its parents, their parents, and so on down to the bytes. The family of a token are the tokens that have it as a
parent, and those that have these as a parent.

What became of the token in a text is read off the seams: see vocabulary/occurrences.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tokviz.tokenizer.encoding import SPLIT, WHOLE, Encoding, is_closed
from tokviz.tokenizer.merge_table import tokens_of
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.vocabulary.family import Family
from tokviz.vocabulary.use import TokenUse

GRANDCHILDREN = 3  # listed under each token that absorbed a token


class Birth(NamedTuple):
    """Records how a token was born.

    rank: of its merge.
    left, right: the ids of its parents.
    count, replaced, tied: as in the record of the merge; None if the tokenizer has no record of its training.
    merges, different: how many merges make the token from its bytes, all or different; "aaaa" takes "a" + "a" twice.
    """

    rank: int
    left: int
    right: int
    count: int | None  # type: ignore[assignment]  # not the method of tuples
    replaced: int | None
    tied: int | None
    merges: int
    different: int


class Child(NamedTuple):
    """Describes a token that absorbed another one.

    id, rank: its own. other: the id of its other parent. leads: whether the absorbed token is its left parent.
    took: how many occurrences of the absorbed token it took in the text.
    children, n_children: the first tokens that absorbed it in turn, and how many there are.
    """

    id: int
    rank: int
    other: int
    leads: bool
    took: int
    children: tuple[Child, ...] = ()
    n_children: int = 0


def merge_tree(tokenizer: AnyTokenizer, id: int) -> Encoding:
    """Return the bytes of the token with this id as an encoding in which it is the only token.

    Its `tree(0)` is the merge tree. If no pair makes it, its bytes are WHOLE. UnknownIdError if no token has the id.

    >>> from tokviz import Tokenizer
    >>> merge_tree(Tokenizer("hug", merges=[(117, 103), (104, 256)]), 257).seams.tolist()[1:]
    [1, 0]
    """
    (data,) = tokens_of([id], tokenizer.vocab)
    rank = tokenizer.rank_of(data)
    if tokenizer.has_merges and rank is not None and tokenizer.merge_ids[rank] == id:
        if tokenizer.by_bytes or tokenizer.in_characters:
            return tokenizer.explain_ids([id])
        return Encoding(data, _seams_by_pairs(tokenizer, rank), tokenizer.alphabet, tokenizer.merge_ids)
    seams = np.full(len(data), WHOLE, np.int32)
    seams[:1] = SPLIT
    is_byte = tokenizer.has_merges and len(data) == 1 and tokenizer.alphabet[data[0]] == id
    whole: dict[int, int | None] = {} if is_byte else {0: id}
    kinds = tokenizer.special_ids, (), tokenizer.added_ids
    return Encoding(data, seams, tokenizer.alphabet, tokenizer.merge_ids, whole, 0, False, *kinds)


def _seams_by_pairs(tokenizer: Tokenizer, rank: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Find the seams of the token that a merge makes by the listed pairs: alone, its bytes may become other tokens."""
    seams = np.full(len(tokenizer.vocab[int(tokenizer.merge_ids[rank])]), SPLIT, np.int32)
    rank_of = {id: rank for rank, id in enumerate(tokenizer.merge_ids.tolist())}
    waiting = [(0, int(tokenizer.merge_ids[rank]))]
    while waiting:
        start, id = waiting.pop()
        token = tokenizer.vocab[id]
        if len(token) == 1:
            continue
        left, right = tokenizer.merges[rank_of[id]]
        middle = start + len(tokenizer.vocab[left])
        seams[middle] = rank_of[id]
        waiting += [(start, left), (middle, right)]
    return seams


def birth(tokenizer: AnyTokenizer, id: int) -> Birth | None:
    """Tell how the token was born; None for a byte or a character, and if no pair makes it.

    UnknownIdError if no token has this id.

    >>> import tokviz
    >>> birth(tokviz.train("aaabdaaabac", vocab_size=259).tokenizer, 257)
    Birth(rank=1, left=256, right=97, count=2, replaced=2, tied=2, merges=2, different=2)
    """
    tree = merge_tree(tokenizer, id)
    closed = tree.seams[is_closed(tree.seams) & (tree.seams >= tree.units)]  # a character is there before any merge
    if not tokenizer.has_merges or not len(closed):
        return None
    root = tree.tree(0)
    rank, (left, right) = int(closed.max()), (part.id for part in root.parts)
    record = tokenizer.history[rank] if tokenizer.history else None
    count, replaced, tied = (record.count, record.replaced, record.tied) if record else (None, None, None)
    return Birth(rank, int(left or 0), int(right or 0), count, replaced, tied, len(closed), len(np.unique(closed)))


def children(
    family: Family, id: int, use: TokenUse | None, first: int = 0, n: int = 12, merges: int | None = None
) -> tuple[list[Child], int]:
    """List n tokens that absorbed the token with this id, by rank, from number `first` on; and count all of them.

    family: of the tokenizer. use: of its tokens in the text; None if there is no text. merges: only the first so many
    count, as in a smaller vocabulary.

    >>> import tokviz
    >>> from tokviz.vocabulary.use import use_in_training
    >>> training = tokviz.train("aaabdaaabac", vocab_size=259)
    >>> tok = training.tokenizer
    >>> found, all = children(Family(tok), 256, use_in_training(training))
    >>> found[0].id, found[0].other, found[0].took, found[0].n_children, all
    (257, 97, 2, 1, 1)
    """
    ranks = family.wholes_of(id, merges)
    found = []
    for rank in ranks[first : first + n].tolist():
        child = _child(family, id, rank, use)
        theirs = family.wholes_of(child.id, merges)
        grandchildren = tuple(_child(family, child.id, one, use) for one in theirs[:GRANDCHILDREN].tolist())
        found.append(child._replace(children=grandchildren, n_children=len(theirs)))
    return found, len(ranks)


def _child(family: Family, id: int, rank: int, use: TokenUse | None) -> Child:
    left, right = family.pairs[rank].tolist()
    made = int(use.made[256 + rank]) if use else 0
    return Child(
        int(family.merge_ids[rank]),
        rank,
        other=right if left == id else left,
        leads=left == id,
        took=2 * made if left == right else made,
    )
