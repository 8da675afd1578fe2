"""Finds odd tokens: candidates for tokens that models hardly ever see.

A token of a vocabulary can be rare in all texts, or in none at all. A model that never saw a token in its training
knows nothing of it. Without the weights of the model nothing more is proven, so all that is found here is a candidate.

Three kinds depend on the vocabulary and on a text: tokens that are never used in it, and residues, which are made in it
and then absorbed. All others depend on the vocabulary alone. Special tokens are never odd: programs write them.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal

import numpy as np

from tokviz.base.arguments import whole_number
from tokviz.base.errors import SettingError
from tokviz.base.text import whole_text
from tokviz.tokenizer.ids import ordinary_ids
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.vocabulary.texts import IncompletePairs, Unreachable, incomplete, incomplete_pairs, unreachable
from tokviz.vocabulary.use import TokenUse

MOST_SHARE = 0.1  # of its occurrences that may remain of a residue
LEAST_MADE = 5  # times that a residue is made at least: a share of a few occurrences says little
LONGEST = 100  # tokens

OddKind = Literal["unused", "residues", "unreachable", "incomplete", "longest", "duplicates"]

TITLES: Mapping[OddKind, str] = MappingProxyType(
    {
        "unused": "never used",
        "residues": "mostly absorbed",
        "unreachable": "unreachable",
        "incomplete": "incomplete UTF-8",
        "longest": "among the longest",
        "duplicates": "like another token but for case and spaces",
    }
)


@dataclass(frozen=True, slots=True)
class Residue:
    """Describes a token that is mostly absorbed: how often it is made in a text, and how often it remains."""

    id: int
    made: int
    remain: int

    @property
    def share(self) -> float:
        """The share of its occurrences that remain."""
        return self.remain / self.made


class OddTokens:
    """Finds the kinds that depend on the vocabulary alone, each when it is first asked for.

    Those of the merges are empty for a peer, which has none. Two threads that ask at once may make a kind twice.
    """

    def __init__(self, tok: AnyTokenizer) -> None:
        self._tok = tok

    @cached_property
    def unreachable(self) -> list[Unreachable]:
        """The tokens that encoding their own text does not give, and why."""
        return unreachable(self._tok) if self._tok.has_merges else []

    @cached_property
    def incomplete(self) -> list[int]:
        """The ids of the tokens whose bytes alone are not valid UTF-8."""
        return incomplete(self._tok)

    @cached_property
    def pairs(self) -> IncompletePairs:
        """The pairs of incomplete tokens whose bytes together are valid UTF-8."""
        return incomplete_pairs(self._tok) if self._tok.has_merges else IncompletePairs(0, None, ())

    @cached_property
    def longest(self) -> list[int]:
        """The ids of the LONGEST tokens with the most bytes; of equal ones the earliest in rank order comes first.

        >>> import tokviz
        >>> OddTokens(tokviz.train("aaabdaaabac", vocab_size=259).tokenizer).longest[:2]
        [258, 257]
        """
        ids, vocab = ordinary_ids(self._tok), self._tok.vocab
        return heapq.nlargest(LONGEST, ids, key=lambda id: len(vocab[id]))

    @cached_property
    def duplicates(self) -> list[tuple[int, ...]]:
        """Groups of tokens that differ only in case or in the spaces around them, each in rank order.

        The largest groups come first. Tokens of white space alone, or not of valid UTF-8, are in no group.

        >>> OddTokens(Tokenizer("a", [(32, 97)], pattern="none")).duplicates[0]  # " a", "A", "a"
        (256, 65, 97)
        """
        groups: defaultdict[str, list[int]] = defaultdict(list)
        vocab = self._tok.vocab
        for id in ordinary_ids(self._tok):
            text = whole_text(vocab[id])
            if text and not text.isspace():
                groups[text.strip(" ").lower()].append(id)
        return sorted((tuple(group) for group in groups.values() if len(group) > 1), key=len, reverse=True)


def never_used(tok: AnyTokenizer, use: TokenUse) -> list[int]:
    """List the ids of the tokens that are never made in the text of `use`.

    Those of the merges come first, in rank order: the earlier a token was learned, the more often it was used then.

    >>> import tokviz
    >>> from tokviz.vocabulary.use import use_in_text
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> never_used(tok, use_in_text([tok.explain("aaa")], 3))[:3]
    [258, 0, 1]
    """
    used = set(use.whole)
    if tok.has_merges:
        places = np.concatenate([tok.alphabet, tok.merge_ids])
        used.update(places[use.made > 0].tolist())
    return [id for id in ordinary_ids(tok) if id not in used]


def residues(
    tok: Tokenizer, use: TokenUse, *, most_share: float = MOST_SHARE, least_made: int = LEAST_MADE
) -> list[Residue]:
    """List the tokens of merges that are made in the text of `use` and mostly absorbed there, the lowest shares first.

    most_share: of its occurrences that may remain, from 0 to 1. least_made: times that it must be made.
    Of equal shares, the token that is made most often comes first. SettingError if a number is out of range. The
    measure is that of arXiv 2602.04706.

    >>> import tokviz
    >>> from tokviz.vocabulary.use import use_in_training
    >>> training = tokviz.train("aaabdaaabac", vocab_size=259)
    >>> residues(training.tokenizer, use_in_training(training), least_made=2)
    [Residue(id=256, made=2, remain=0), Residue(id=257, made=2, remain=0)]
    """
    if not 0 <= most_share <= 1:
        raise SettingError(f"The share that remains is {most_share}.", "Give a number from 0 to 1.")
    least_made = whole_number(least_made, "How often a residue is made", 1)
    made, remain = use.made[256:], use.remain[256:]
    ranks = np.flatnonzero((made >= least_made) & (remain <= most_share * made))
    made, remain = made[ranks], remain[ranks]
    order = np.lexsort((ranks, -made, remain / made))
    rows = zip(tok.merge_ids[ranks[order]].tolist(), made[order].tolist(), remain[order].tolist(), strict=True)
    return [Residue(*row) for row in rows]
