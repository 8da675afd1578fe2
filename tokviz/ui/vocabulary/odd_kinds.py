"""The odd tokens of a tokenizer by their kind, for the cards, the tables, and the list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokviz.base.blocks import Table
from tokviz.base.once import Once
from tokviz.base.wording import capital, visible
from tokviz.catalog.references import reference, reference_name
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import counted_use
from tokviz.vocabulary.odd import KINDS, OddKind, OddTokens, Residue, never_used, residues
from tokviz.vocabulary.texts import Unreachable

WITHOUT_MERGES: tuple[OddKind, ...] = ("unused", "longest", "duplicates")  # those that a peer can have
WHY = {
    "split": "the split pattern cuts it",
    "merges": "the merges make others",
    "added": "an added token hides it",
    "normalizer": "a normalizer changes it",
}

reference_odd_tokens: Once[str, OddTokens] = Once(lambda name: OddTokens(reference(name)))


def kinds_of(tokenizer: AnyTokenizer) -> tuple[OddKind, ...]:
    """The kinds that make sense for a tokenizer, in order of interest."""
    return tuple(KINDS) if tokenizer.has_merges else WITHOUT_MERGES


def odd_of(me: Visitor, shown: ShownTokenizer) -> OddTokens:
    """The kinds that depend on the vocabulary alone. All visitors share those of the reference tokenizers."""
    tokenizer = shown.tokenizer
    name = reference_name(tokenizer)
    return reference_odd_tokens(name) if name else me.cache.get(("odd", tokenizer), lambda: OddTokens(tokenizer))


def unused_of(me: Visitor, shown: ShownTokenizer) -> list[int]:
    """The ids of the tokens that are never used in what the visitor chose."""
    return never_used(shown.tokenizer, counted_use(me, shown).use)


def residues_of(me: Visitor, shown: ShownTokenizer) -> list[Residue]:
    """The residues in what the visitor chose, by the visitor's limits."""
    tokenizer, state = shown.tokenizer, me.state(VocabularyState)
    if not tokenizer.has_merges:
        return []
    use = counted_use(me, shown).use
    return residues(tokenizer, use, most_share=state.residue_share, least_made=state.residue_made)


def unreachable_of(me: Visitor, shown: ShownTokenizer) -> list[Unreachable]:
    """The tokens with a text of their own that encoding it does not give."""
    return [one for one in odd_of(me, shown).unreachable if one.why != "incomplete"]


def odd_ids(kind: OddKind, me: Visitor, shown: ShownTokenizer) -> Sequence[int]:
    """The ids of the odd tokens of a kind."""
    odd = odd_of(me, shown)
    if kind == "unused":
        return unused_of(me, shown)
    if kind == "residues":
        return [one.id for one in residues_of(me, shown)]
    if kind == "unreachable":
        return [one.id for one in unreachable_of(me, shown)]
    if kind == "duplicates":
        return [id for group in odd.duplicates for id in group]
    if kind == "pairs":
        return [*dict.fromkeys(id for pair in odd.pairs.leading for id in pair)]
    return odd.incomplete if kind == "incomplete" else odd.longest


def odd_table(me: Visitor, shown: ShownTokenizer, kind: OddKind) -> Table:
    """All odd tokens of a kind, one a row; the leading ones of the pairs."""
    tokenizer = shown.tokenizer
    vocab = tokenizer.vocab
    if kind == "pairs":
        rows = [
            ((vocab[a] + vocab[b]).decode(), a, b, vocab[a].hex(" ").upper(), vocab[b].hex(" ").upper())
            for a, b in odd_of(me, shown).pairs.leading
        ]
        return Table(["text", "left id", "right id", "left bytes", "right bytes"], rows)
    ids = odd_ids(kind, me, shown)
    merges = {id: rank + 1 for rank, id in enumerate(tokenizer.merge_ids.tolist())}
    columns: dict[str, Sequence[Any]] = {
        "token": [visible(vocab[id]) for id in ids],
        "id": ids,
        "merge": [merges.get(id) for id in ids],
        "size in bytes": [len(vocab[id]) for id in ids],
        "bytes": [vocab[id].hex(" ").upper() for id in ids],
    }
    if kind == "residues":
        found = residues_of(me, shown)
        columns["made"] = [one.made for one in found]
        columns["remain"] = [one.remain for one in found]
        columns["share of occurrences that remains"] = [one.share for one in found]
    elif kind == "unreachable":
        reasons = unreachable_of(me, shown)
        columns["why"] = [capital(WHY[one.why]) for one in reasons]
        columns["becomes"] = [" | ".join(visible(vocab[id]) for id in one.becomes) for one in reasons]
    elif kind == "duplicates":
        groups = odd_of(me, shown).duplicates
        columns["group"] = [number for number, group in enumerate(groups, 1) for _ in group]
    return Table([*columns], [*zip(*columns.values(), strict=True)])
