"""What a training made: a sentence, its first merges, and its longest tokens that have letters."""

from __future__ import annotations

import heapq
from typing import Any

import regex

from tokviz.base.blocks import Block, Chip, Chips, Line, Merge, Quiet, Series
from tokviz.base.wording import count_of, rate, times
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.record import training_record
from tokviz.training.train import Training
from tokviz.ui.server.visitor import Mine
from tokviz.ui.tokenview.shown import show

FIRST = 6  # merges shown
FORETASTE = 9  # merges shown of the small training before the real one
LONGEST = 10  # tokens shown
LETTER = regex.compile(r"\p{L}")


def say_trained(mine: Mine) -> None:
    """Say in a sentence what a tokenizer of the visitor's is."""
    words = f" {'is trained' if mine.training else 'is here'}: {what_it_does(mine.tokenizer, mine.training)}"
    show(Line([Series(mine.series, mine.name), words], "text"), key=f"train.said.{mine.key}", label=mine.name)


def show_tokens(mine: Mine) -> None:
    """Draw the first merges of a tokenizer, and its longest tokens."""
    tok, called = mine.tokenizer, mine.here
    blocks: list[Block] = []
    if merges := _merges(tok, FIRST, called):
        blocks += [Line(["First merges"], "title", 2), Chips(merges)]
    if longest := [Chip(tok.vocab[id], "", id, called) for id in longest_of(tok)]:
        blocks += [Line(["Longest tokens"], "title", 2), Chips(longest)]
    if blocks:
        show(*blocks, key=f"train.tokens.{mine.key}", label=f"Tokens of {mine.name}")


def foretaste(training: Training, *, example: str) -> None:
    """Draw the first merges of a small training on the beginning of a corpus, shown before the real one.

    example: the title of a sample that nobody chose, "" if it is the corpus.
    """
    title = "How a training begins" if example else "How it would begin"
    what = f"The first merges of the sample “{example}”." if example else "The first merges of this text."
    merges = _merges(training.tokenizer, FORETASTE, counted=True)
    head = [Line([title], "title", 2), Line([f"{what} Train to see the rest."], "quiet")]
    show(*head, Chips(merges), key="train.foretaste", label=title)


def what_it_does(tokenizer: Tokenizer, training: Training | None) -> str:
    """How many merges there are, and how many tokens they make of the corpus, if that is known.

    >>> import tokviz
    >>> what_it_does(tokviz.train("aaabdaaabac", 259).tokenizer, None)
    '3 merges make 11 bytes of text 5 tokens, 2.20 bytes each.'
    """
    merges = count_of(len(tokenizer.merge_ids), "merge")
    record = training_record(tokenizer, training)
    if not record or not record.n_bytes or not record.after:
        return f"{merges}."
    sizes = f"{count_of(record.n_bytes, 'byte')} of text {count_of(record.after, 'token')}"
    verb = "makes" if len(tokenizer.merge_ids) == 1 else "make"
    return f"{merges} {verb} {sizes}, {rate(record.n_bytes / record.after)} bytes each."


def longest_of(tok: Tokenizer, n: int = LONGEST) -> list[int]:
    """The ids of the longest tokens with letters that merges made, of equal ones the earliest first.

    >>> import tokviz
    >>> longest_of(tokviz.train("aaabdaaabac--------", vocab_size=262).tokenizer, 1)
    [261]
    """
    with_letters = [id for id in tok.merge_ids.tolist() if LETTER.search(tok.vocab[id].decode(errors="ignore"))]
    return heapq.nlargest(n, with_letters, key=lambda id: len(tok.vocab[id]))


def _merges(tok: Tokenizer, first: int, called: str = "", counted: bool = False) -> list[Any]:
    """The first merges in their order, with how often each pair occurred if that is asked for."""
    return [
        [
            Quiet(f"{number}"),
            Merge(tok.vocab[one.left], tok.vocab[one.right], True, (one.left, one.right), called),
            *([Quiet(times(one.count))] if counted else []),
        ]
        for number, one in enumerate((tok.history or ())[:first], 1)
    ]
