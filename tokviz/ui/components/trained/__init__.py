"""The card of a tokenizer just trained: its figures, its first merges, its longest tokens."""

from __future__ import annotations

import heapq
from typing import Any

from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.record import training_record
from tokviz.training.train import Training
from tokviz.ui.components import component
from tokviz.ui.components.token_view import STYLES

FIRST = 5  # merges shown
FORETASTE = 12  # merges shown of the small training before the real one
LONGEST = 12  # tokens shown

_component = component("trained", *STYLES, "trained/trained.css")


def trained(
    tokenizer: Tokenizer, training: Training | None, *, name: str, corpus_name: str, called: str, key: str
) -> None:
    """Draw the card. training: None if it is not here. called: what links call the tokenizer."""
    _component(key=key, data={**card(tokenizer, training, name=name, corpus_name=corpus_name), "called": called})


def foretaste(training: Training, corpus_name: str, *, example: bool, key: str) -> None:
    """Draw the card of a small training on the beginning of a corpus, shown before the real one.

    example: whether it is a sample that nobody chose.
    """
    tok, counts = training.tokenizer, training.counts
    facts = [
        ["Bytes looked at", f"{training.n_bytes:,}"],
        ["Chunks", f"{int(counts.counts.sum()):,}"],
        ["Distinct chunks", f"{len(counts):,}"],
    ]
    data = {
        "title": "How a training begins" if example else "How it would begin",
        "corpus": f"on the sample “{corpus_name}”, for example"
        if example
        else f"on the first {training.n_bytes:,} bytes of the corpus “{corpus_name}”",
        "facts": facts,
        "merges": _pairs(tok, FORETASTE),
        "longest": longest(tok, LONGEST),
        "called": "",
    }
    _component(key=key, data=data)


def _pairs(tok: Tokenizer, n: int) -> list[dict[str, Any]]:
    return [
        {
            "left": tok.vocab[merge.left].hex(),
            "right": tok.vocab[merge.right].hex(),
            "ids": [merge.left, merge.right],
            "count": merge.count,
        }
        for merge in (tok.history or ())[:n]
    ]


def card(tokenizer: Tokenizer, training: Training | None, *, name: str, corpus_name: str) -> dict[str, Any]:
    """What the card shows, tokens as hex."""
    tok, record = tokenizer, training_record(tokenizer, training)
    facts = []
    if record is None:
        facts.append(["Merges made", f"{len(tok.merge_ids):,}"])
    else:
        facts.append(
            ["Merges made", f"{record.made:,}" + (f" of {record.asked:,}" if record.asked is not None else "")]
        )
        if record.stopped:
            facts.append(["Stopped by", record.stopped])
        if record.bytes_per_token:
            facts.append(["Bytes per token", record.bytes_per_token])
        if record.ties is not None:
            facts.append(["Merges that were ties", f"{record.ties:,} of {record.made:,}"])
    return {
        "title": f"“{name}” is ready",
        "corpus": f"from the corpus “{corpus_name}”" if corpus_name else "",
        "facts": facts,
        "merges": _pairs(tok, FIRST),
        "longest": longest(tok),
    }


def longest(tok: Tokenizer, n: int = LONGEST) -> list[dict[str, Any]]:
    """The longest tokens that merges made, of equal ones the earliest first: hex, id and bytes of each.

    >>> import tokviz
    >>> longest(tokviz.train("aaabdaaabac", vocab_size=259).tokenizer, 1)
    [{'token': '61616162', 'id': 258, 'bytes': 4}]
    """
    top = heapq.nlargest(n, tok.merge_ids.tolist(), key=lambda id: len(tok.vocab[id]))
    return [{"token": tok.vocab[id].hex(), "id": id, "bytes": len(tok.vocab[id])} for id in top]
