"""Two histories of merges side by side, where they part, and the tokens that only one of them has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokviz.base.wording import capital, count_of
from tokviz.tokenizer.tokenizer import MergeRecord, Tokenizer
from tokviz.training.what_if import Parting
from tokviz.ui.components import component
from tokviz.ui.components.token_view import STYLES

SAME = 2  # merges shown before the parting
OTHER = 6  # merges shown from the parting on
LISTED = 24  # tokens shown of those that only one history has

_component = component("what_if", *STYLES, "what_if/what_if.css")


def one_merge(tokenizer: Tokenizer, rank: int, *, key: str) -> None:
    """Draw one merge of a history in a line: its pair, its token, and the pair's count."""
    record = (tokenizer.history or ())[rank]
    _component(key=key, data={"merge": _row(tokenizer, record)})


def parted(before: Tokenizer, after: Tokenizer, parting: Parting, *, rule: str, key: str) -> None:
    """Draw where two histories part. `rule` says what the second did differently: "without the merge 4"."""
    _component(key=key, data=parted_data(before, after, parting, rule=rule))


def parted_data(before: Tokenizer, after: Tokenizer, parting: Parting, *, rule: str) -> dict[str, Any]:
    """What `parted` sends to the browser: headline, merges around the parting, and the tokens only one history has."""
    histories = [tok.history or () for tok in (before, after)]
    step = parting.step
    made = len(histories[0])
    rows = []
    if step is not None:
        for rank in range(max(step - SAME, 0), min(step + OTHER, max(map(len, histories)))):
            one, other = (
                _row(tok, history[rank]) if rank < len(history) else None
                for tok, history in zip((before, after), histories, strict=True)
            )
            same = rank < step
            rows.append({"merge": rank + 1, "same": same, "parts": rank == step, "before": one, "after": other})
    said = headline(parting, made, len(histories[1]))
    return {
        "headline": f"{capital(rule)}: {said[:1].lower()}{said[1:]}",
        "histories": ["Original", capital(rule)],
        "rows": rows,
        "lists": [
            _list("Only in the original", before, parting.only_before),
            _list(f"Only {rule}", after, parting.only_after),
        ],
        "shared": parting.shared,
    }


def headline(parting: Parting, before: int, after: int) -> str:
    """Where the histories part, in a sentence. They have `before` and `after` merges.

    >>> headline(Parting(3, (), (), 29), 32, 32)
    'The first 3 merges stay the same; merge 4 is the first that differs'
    >>> headline(Parting(None, (), (), 32), 32, 32)
    'Nothing changes: all 32 merges are the same'
    >>> headline(Parting(1, (), (), 1), 1, 3), headline(Parting(0, (), (), 0), 0, 3)
    ('The first merge stays the same; then more follow than in the original', '3 merges where the original has none')
    """
    step = parting.step
    if step is None:
        same = f"all {before:,} merges are" if before > 1 else "the only merge is"
        return f"Nothing changes: {same} the same" if before else "Nothing changes: there is no merge"
    if not before:
        return f"{count_of(after, 'merge')} where the original has none"
    if not after:
        return "There is no merge any more"
    if step == 0:
        return "The first merge already differs"
    stay = "The first merge stays the same" if step == 1 else f"The first {step:,} merges stay the same"
    if step == after:
        return f"{stay}; then there are no more"
    if step == before:
        return f"{stay}; then more follow than in the original"
    return f"{stay}; merge {step + 1:,} is the first that differs"


def _row(tokenizer: Tokenizer, record: MergeRecord) -> dict[str, Any]:
    vocab = tokenizer.vocab
    return {
        "left": vocab[record.left].hex(),
        "right": vocab[record.right].hex(),
        "merge": record.rank + 1,
        "count": record.count,
        "tied": record.tied,
    }


def _list(title: str, tokenizer: Tokenizer, tokens: Sequence[bytes]) -> dict[str, Any]:
    shown = [{"token": token.hex(), "merge": (tokenizer.rank_of(token) or 0) + 1} for token in tokens[:LISTED]]
    return {"title": title, "n": len(tokens), "tokens": shown}
