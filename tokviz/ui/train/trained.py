"""The card of a tokenizer just trained: its figures, its first merges, its longest tokens."""

from __future__ import annotations

import heapq

import streamlit as st

from tokviz.base.blocks import Block, Chip, Chips, Line, List, Merge, Quiet
from tokviz.base.sentences import Strong
from tokviz.base.wording import count_of, times
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.record import training_record
from tokviz.training.train import Training
from tokviz.ui.tokenview.shown import show

FIRST = 5  # merges shown
FORETASTE = 12  # merges shown of the small training before the real one
LONGEST = 12  # tokens shown


def trained(
    tokenizer: Tokenizer, training: Training | None, *, name: str, corpus_name: str, called: str, key: str
) -> None:
    """Draw the card. training: None if it is not here. called: what links call the tokenizer."""
    corpus = f"from the corpus “{corpus_name}”" if corpus_name else ""
    _card(f"“{name}” is ready", corpus, figures(tokenizer, training), _tokens(tokenizer, FIRST, called), key)


def foretaste(training: Training, corpus_name: str, *, example: bool, key: str) -> None:
    """Draw the card of a small training on the beginning of a corpus, shown before the real one.

    example: whether it is a sample that nobody chose.
    """
    counts = training.counts
    known = {
        "Bytes looked at": f"{training.n_bytes:,}",
        "Chunks": f"{int(counts.counts.sum()):,}",
        "Distinct chunks": f"{len(counts):,}",
    }
    where = f"on the first {training.n_bytes:,} bytes of the corpus “{corpus_name}”"
    if example:
        where = f"on the sample “{corpus_name}”, for example"
    title = "How a training begins" if example else "How it would begin"
    _card(title, where, known, _tokens(training.tokenizer, FORETASTE), key)


def _card(title: str, corpus: str, known: dict[str, str], tokens: list[Block], key: str) -> None:
    head = [Line([title], "title", level=2), *([Line([corpus], "quiet")] if corpus else [])]
    with st.container(border=True):
        show(
            *head,
            List([[Quiet(name), Strong(told)] for name, told in known.items()], across=3),
            *tokens,
            key=key,
            label=title,
        )


def _tokens(tok: Tokenizer, first: int, called: str = "") -> list[Block]:
    """The first merges and the longest tokens, where there are any."""
    vocab, blocks = tok.vocab, list[Block]()
    merges = [
        [Merge(vocab[one.left], vocab[one.right], False, (one.left, one.right), called), Quiet(times(one.count))]
        for one in (tok.history or ())[:first]
    ]
    if merges:
        blocks += [Line(["First merges"], "title"), Chips(merges)]
    longest = [Chip(vocab[id], f"id {id:,}, {count_of(len(vocab[id]), 'byte')}", id, called) for id in longest_of(tok)]
    return [*blocks, Line(["Longest tokens"], "title"), Chips(longest)] if longest else blocks


def figures(tokenizer: Tokenizer, training: Training | None) -> dict[str, str]:
    """What is known of a training, by its name."""
    record = training_record(tokenizer, training)
    if record is None:
        return {"Merges made": f"{len(tokenizer.merge_ids):,}"}
    known = {"Merges made": f"{record.made:,}" + (f" of {record.asked:,}" if record.asked is not None else "")}
    if record.stopped:
        known["Stopped by"] = record.stopped
    if record.bytes_per_token:
        known["Bytes per token"] = record.bytes_per_token
    if record.ties is not None:
        known["Merges that were ties"] = f"{record.ties:,} of {record.made:,}"
    return known


def longest_of(tok: Tokenizer, n: int = LONGEST) -> list[int]:
    """The ids of the longest tokens that merges made, of equal ones the earliest first.

    >>> import tokviz
    >>> longest_of(tokviz.train("aaabdaaabac", vocab_size=259).tokenizer, 1)
    [258]
    """
    return heapq.nlargest(n, tok.merge_ids.tolist(), key=lambda id: len(tok.vocab[id]))
