"""Sets of tokens that the list can be limited to: odd tokens of a kind, and those that another vocabulary has or lacks.

A set has a key, which is part of what the visitor chose, and of links. It is the kind of odd tokens, or "in:" or
"not-in:" and the key of the other tokenizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tokviz.base.once import Once
from tokviz.catalog.references import reference
from tokviz.comparison.shared_tokens import SharedTokens, shared_tokens
from tokviz.ui.frame.tokenizers import ShownTokenizer, at_hand
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.odd_kinds import odd_ids
from tokviz.vocabulary.odd import TITLES

IN, NOT_IN = "in:", "not-in:"

_of_references: Once[tuple[str, str], SharedTokens] = Once(lambda pair: shared_tokens(*map(reference, pair)))


class TokenSet(NamedTuple):
    """A set of tokens. title: what they are, after "is" or "are"."""

    title: str
    ids: Sequence[int]


def shared_of(me: Visitor, a: ShownTokenizer, b: ShownTokenizer) -> SharedTokens:
    """The tokens that two vocabularies share. All visitors have those of reference tokenizers in common."""
    if a.own is None and b.own is None:
        return _of_references((a.key, b.key))
    return me.cache.get(("shared", a.tokenizer, b.tokenizer), lambda: shared_tokens(a.tokenizer, b.tokenizer))


def token_set(me: Visitor, shown: ShownTokenizer, key: str) -> TokenSet | None:
    """The set of tokens with this key; None if there is none, as when the other tokenizer is gone."""
    kind = next((kind for kind in TITLES if kind == key), None)
    if kind:
        return TokenSet(TITLES[kind], odd_ids(kind, me, shown))
    where, colon, other_key = key.partition(":")
    other = next((one for one in at_hand(me) if one.key == other_key), None)
    if other is None or where + colon not in (IN, NOT_IN):
        return None
    two = shared_of(me, shown, other)
    if where + colon == IN:
        return TokenSet(f"also in {other.name}", two.in_a.tolist())
    return TokenSet(f"not in {other.name}", two.only_a.tolist())
