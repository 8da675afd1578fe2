"""Two histories of merges side by side, where they part, and the tokens that only one of them has."""

from __future__ import annotations

from collections.abc import Sequence

from tokviz.base.blocks import Block, Cell, Chip, Group, Line, List, Merge, Quiet, Table
from tokviz.base.sentences import Strong
from tokviz.base.wording import capital, count_of, merge_number
from tokviz.tokenizer.tokenizer import MergeRecord, Tokenizer
from tokviz.training.what_if import Parting

SAME = 2  # merges shown before the parting
OTHER = 6  # merges shown from the parting on
LISTED = 24  # tokens shown of those that only one history has


def one_merge(tokenizer: Tokenizer, rank: int) -> Line:
    """One merge of a history in a line: its pair, its token, and the pair's count."""
    record = (tokenizer.history or ())[rank]
    count = Quiet(f"pair count {record.count:,}")
    return Line([Strong(f"{capital(merge_number(rank))}:"), _merge(tokenizer, record), count])


def parted(before: Tokenizer, after: Tokenizer, parting: Parting, *, rule: str) -> list[Block]:
    """Where two histories part. `rule` says what the second did differently: "without the merge 4"."""
    histories = [(tok, tok.history or ()) for tok in (before, after)]
    made, made_after = (len(history) for _, history in histories)
    said = headline(parting, made, made_after)
    blocks: list[Block] = [Line([f"{capital(rule)}: {said[:1].lower()}{said[1:]}"], "title", level=2)]
    step = parting.step
    if step is None:
        return blocks
    ranks = range(max(step - SAME, 0), min(step + OTHER, max(made, made_after)))
    rows = [[rank + 1, *(cell for tok, history in histories for cell in _cells(tok, history, rank))] for rank in ranks]
    label = "The merges around the first that differs"
    blocks.append(Table(["Merge", "Original", "Count", capital(rule), "Count"], rows, label, [step - ranks[0]]))
    are = "token is" if parting.shared == 1 else "tokens are"
    blocks.append(Line([f"{parting.shared:,} {are} in both, some under another number."], "quiet"))
    lists = [
        _alone("Only in the original", before, parting.only_before),
        _alone(f"Only {rule}", after, parting.only_after),
    ]
    return [*blocks, Group(lists, across=3)]


def headline(parting: Parting, before: int, after: int) -> str:
    """Where the histories part, in a sentence. They have `before` and `after` merges.

    >>> headline(Parting(3, (), (), 29), 32, 32)
    'The first 3 merges stay the same; merge 4 is the first that differs'
    >>> headline(Parting(None, (), (), 32), 32, 32)
    'Nothing changes: both have the same 32 merges'
    >>> headline(Parting(1, (), (), 1), 1, 3)
    'The first merge stays the same; then more follow than in the original'
    """
    step = parting.step
    if step is None:
        return f"Nothing changes: both have the same {count_of(before, 'merge')}"
    stay = {0: "No merge stays the same", 1: "The first merge stays the same"}
    if step == after:
        then = "then there are no more"
    elif step == before:
        then = "then more follow than in the original"
    else:
        then = f"{merge_number(step)} is the first that differs"
    return f"{stay.get(step, f'The first {step:,} merges stay the same')}; {then}"


def _merge(tokenizer: Tokenizer, record: MergeRecord) -> Merge:
    return Merge(tokenizer.vocab[record.left], tokenizer.vocab[record.right])


def _cells(tokenizer: Tokenizer, history: Sequence[MergeRecord], rank: int) -> list[Cell]:
    """The merge of a history and its count."""
    if rank >= len(history):
        return [Quiet("no more merges"), None]
    record = history[rank]
    count = [record.count, Quiet(f"{record.tied:,} tied")] if record.tied > 1 else record.count
    return [_merge(tokenizer, record), count]


def _alone(title: str, tokenizer: Tokenizer, tokens: Sequence[bytes]) -> List:
    items = [Chip(token, merge_number(tokenizer.rank_of(token) or 0)) for token in tokens[:LISTED]]
    more = len(tokens) - len(items)
    foot = f"And {more:,} more." if more else ""
    return List(items, f"{title}: {count_of(len(tokens), 'token')}", none="None.", foot=foot, across=2)
