"""The odd tokens of a tokenizer by their kind, for the cards and the list."""

from __future__ import annotations

from collections.abc import Sequence

from tokviz.base.once import Once
from tokviz.catalog.references import reference, reference_name
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.use import counted_use
from tokviz.vocabulary.odd import OddKind, OddTokens, Residue, never_used, residues
from tokviz.vocabulary.texts import Unreachable

reference_odd_tokens: Once[str, OddTokens] = Once(lambda name: OddTokens(reference(name)))


def odd_of(me: Visitor, shown: ShownTokenizer) -> OddTokens:
    """The kinds that depend on the vocabulary alone. All visitors share those of the reference tokenizers."""
    tokenizer = shown.tokenizer
    name = reference_name(tokenizer)
    return reference_odd_tokens(name) if name else me.cache.get(("odd", tokenizer), lambda: OddTokens(tokenizer))


def residues_of(me: Visitor, shown: ShownTokenizer) -> list[Residue]:
    """The residues in what the visitor chose."""
    tokenizer = shown.tokenizer
    return residues(tokenizer, counted_use(me, shown).use) if tokenizer.has_merges else []


def unreachable_of(me: Visitor, shown: ShownTokenizer) -> list[Unreachable]:
    """The tokens with a text of their own that encoding it does not give."""
    return [one for one in odd_of(me, shown).unreachable if one.why != "incomplete"]


def odd_ids(kind: OddKind, me: Visitor, shown: ShownTokenizer) -> Sequence[int]:
    """The ids of the odd tokens of a kind."""
    match kind:
        case "unused":
            return never_used(shown.tokenizer, counted_use(me, shown).use)
        case "residues":
            return [one.id for one in residues_of(me, shown)]
        case "unreachable":
            return [one.id for one in unreachable_of(me, shown)]
        case "duplicates":
            return [id for group in odd_of(me, shown).duplicates for id in group]
        case "incomplete":
            return odd_of(me, shown).incomplete
        case "longest":
            return odd_of(me, shown).longest
