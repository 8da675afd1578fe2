"""Trains on the same corpus under each rule for ties, and shows the first merges of each side by side."""

from __future__ import annotations

from tokviz.base.blocks import Group, List, Merge, Quiet, Veiled
from tokviz.base.wording import capital, times
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, typed, view
from tokviz.training.rules import TIES
from tokviz.training.train import train

CORPUS_LIMIT = 500  # characters


@view("text")
def ties(*, text: str, merges: int = 3, typing: bool = False, hidden: bool = False) -> Shown:
    """Show the first merges under each rule. text: the corpus, which is one chunk. merges: how many.
    hidden: whether the merges of all rules but the first are kept from the browser, because the task asks for them.

    Facts: `bytes`, `merges` (how many the rule “first” makes), `lists` (how many different lists of merges the rules
    make), `tied` (how many pairs occurred as often as the first merge), and for each rule, as in `first_2`: the token
    of its second merge, and in `first_tokens` how many tokens the corpus has in the end.

    >>> facts = ties(text="aaabdaaabac").facts
    >>> facts["first_2"], facts["lowest_2"], facts["hf_2"], facts["lists"]
    (b'aaa', b'ab', b'ab', 2)
    """
    text = checked_text(text, CORPUS_LIMIT)
    facts: dict[str, Fact] = {"bytes": len(text.encode())}
    lists: list[List] = []
    made: dict[str, list[tuple[bytes, bytes]]] = {}
    tied = 0
    for tie, rule in TIES.items():
        training = train(text, 256 + merges, pattern="none", tie=tie)
        vocab = training.tokenizer.vocab
        made[tie] = [(vocab[merge.left], vocab[merge.right]) for merge in training.merges]
        rows = [[Merge(vocab[merge.left], vocab[merge.right]), Quiet(times(merge.count))] for merge in training.merges]
        facts |= {f"{tie}_{i}": vocab[merge.id] for i, merge in enumerate(training.merges, 1)}
        facts[f"{tie}_tokens"] = training.tokens_at(len(training.merges))
        if tie == "first":
            tied = training.merges[0].tied if training.merges else 0
        veiled = hidden and tie != "first"
        pairs = enumerate(zip(made["first"], made[tie], strict=False))
        differs = [i for i, (first, here) in pairs if first != here and not veiled][:1]
        foot = f"Merge {differs[0] + 1} differs from the first rule" if differs else ""
        none = Veiled("Hidden until you answer") if veiled else "No pair yet"
        shown = [] if veiled else rows
        lists.append(List(shown, capital(rule.label), True, differs, none, foot, framed=True))
    facts |= {"merges": len(made["first"]), "lists": len({*map(tuple, made.values())}), "tied": tied}
    return Shown(facts, [*typed(text, typing, "Corpus", 1), Group(lists, across=3)])
