"""Trains on the same corpus under each rule for ties, and shows the first merges of each side by side."""

from __future__ import annotations

from typing import Any

from tokviz.base.wording import capital
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Input, Shown
from tokviz.training.rules import TIES
from tokviz.training.train import train

CORPUS_LIMIT = 500  # characters


def show(*, text: Input[str], merges: int = 3, typing: bool = False, hidden: bool = False) -> Shown:
    """Show the first merges under each rule. text: the corpus, which is one chunk. merges: how many.
    hidden: whether the merges of all rules but the first are kept from the browser, because the task asks for them.

    Facts: `bytes`, `merges` (how many the rule “first” makes), `lists` (how many different lists of merges the rules
    make), `tied` (how many pairs occurred as often as the first merge), and for each rule, as in `first_2`: the token
    of its second merge, and in `first_tokens` how many tokens the corpus has in the end.

    >>> facts = show(text="aaabdaaabac").facts
    >>> facts["first_2"], facts["lowest_2"], facts["hf_2"], facts["lists"]
    (b'aaa', b'ab', b'ab', 2)
    """
    text = checked_text(text, CORPUS_LIMIT)
    facts: dict[str, Fact] = {"bytes": len(text.encode())}
    rules: list[dict[str, Any]] = []
    lists = set()
    for tie, rule in TIES.items():
        training = train(text, 256 + merges, pattern="none", tie=tie)
        vocab = training.tokenizer.vocab
        rows = [
            {"left": vocab[merge.left], "right": vocab[merge.right], "count": merge.count, "tied": merge.tied}
            for merge in training.merges
        ]
        lists.add(tuple((row["left"], row["right"]) for row in rows))
        facts |= {f"{tie}_{i}": vocab[merge.id] for i, merge in enumerate(training.merges, 1)}
        facts[f"{tie}_tokens"] = training.tokens_at(len(training.merges))
        rules.append({"label": capital(rule.label), "rows": rows})
    facts |= {"merges": len(rules[0]["rows"]), "lists": len(lists)}
    facts["tied"] = rules[0]["rows"][0]["tied"] if rules[0]["rows"] else 0
    for rule_data in rules[1:]:
        rule_data["differs"] = next(
            (i for i, rows in enumerate(zip(rules[0]["rows"], rule_data["rows"], strict=False)) if rows[0] != rows[1]),
            None,
        )
    if hidden:
        rules[1:] = [{"label": rule["label"], "rows": None} for rule in rules[1:]]
    return Shown("ties", {"text": text, "typing": typing, "rules": rules}, facts)
