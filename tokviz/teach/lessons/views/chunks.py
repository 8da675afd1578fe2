"""Cuts a text into chunks by one or several split patterns, and tells which clause of a pattern made each chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tokviz.base.blocks import Block, Cell, Chip, Chips, Quiet, Table, Tokens, Visible
from tokviz.base.sentences import Strong
from tokviz.base.wording import count_of, visible
from tokviz.split.clauses import ClauseMatch, pieces_of
from tokviz.split.cutting import PATTERNS, check_pattern, cut
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, typed, view
from tokviz.teach.lessons.trained import lesson_training
from tokviz.tokenizer.encoding import SPLIT, WHOLE, Encoding

TEXT_LIMIT = 500  # characters


def in_chunks(text: str, pattern: str) -> Encoding:
    """Cut a text into chunks, each drawn as one token; they have no id, so it is 0. Raises PatternError as `cut` does.

    >>> [token.data for token in in_chunks("so far", "gpt2").tokens()]
    [b'so', b' far']
    """
    data = text.encode()
    seams = np.full(len(data), WHOLE, np.int32)
    starts = [0, *cut(text, pattern)[:-1].tolist()] if data else []
    seams[starts] = SPLIT
    return Encoding(data, seams, whole=dict.fromkeys(starts, 0))


@view("text")
def chunks(
    *,
    text: str,
    patterns: Sequence[Mapping[str, str]],
    clauses: str = "",
    corpus: str = "",
    vocab_size: int = 256,
    hidden: Sequence[str] = (),
    others: Mapping[str, str] | None = None,
    typing: bool = False,
) -> Shown:
    """Show the chunks of a text by each pattern.

    patterns: each has the `name` by which facts call it, the `pattern`, and the `title`.
    clauses: the name of the pattern whose clauses are listed.
    corpus, vocab_size: then the tokens of a training with each pattern are shown instead of its chunks.
    hidden: names of patterns that are not shown, because the task asks for them.
    others: more texts by name, for facts alone.

    Facts: for each name `NAME_chunks`, the chunks in words as `NAME`, and of a training `NAME_tokens`; of another text
    `OTHER_NAME`, its chunks; of the clauses `clause_1` and so on, how many chunks each matched.

    >>> chunks(text="so far", patterns=[{"name": "gpt2", "pattern": "gpt2", "title": "GPT-2"}]).facts
    {'gpt2_chunks': 2, 'gpt2': 'so | ·far'}
    """
    text = checked_text(text, TEXT_LIMIT)
    facts: dict[str, Fact] = {}
    rows: list[Block] = []
    for row in patterns:
        name, pattern = row["name"], check_pattern(row["pattern"])
        drawn = in_chunks(text, pattern)
        facts |= {f"{name}_chunks": len(drawn), name: _listed(drawn)}
        facts |= {f"{key}_{name}": _listed(in_chunks(other, pattern)) for key, other in (others or {}).items()}
        if corpus:
            drawn = lesson_training(corpus, vocab_size, pattern).tokenizer.explain(text)
            facts[f"{name}_tokens"] = len(drawn)
        if name not in hidden:
            regex = PATTERNS[pattern].regex if pattern in PATTERNS else pattern
            title, unit = row["title"], "token" if corpus else "chunk"
            head = [Strong(title), Quiet(count_of(len(drawn), unit))]
            rows.append(Tokens(drawn, f"{title}: {unit}s", head, beside=True, under=[] if corpus else [Visible(regex)]))
    pieces: Sequence[ClauseMatch] = ()
    if clauses:
        chosen = next(row["pattern"] for row in patterns if row["name"] == clauses)
        pieces = pieces_of(text, chosen)
        facts |= {f"clause_{i}": piece.chunks for i, piece in enumerate(pieces, 1)}
    if pieces:
        clauses_of = "The clauses of the pattern, in their order"
        rows.append(Table([], [[Visible(piece.clause), piece.sentence, _found(piece)] for piece in pieces], clauses_of))
    return Shown(facts, [*typed(text, typing, lines=1), *rows], text)


def _found(piece: ClauseMatch) -> Cell:
    """Draw the chunks that a clause matched."""
    if not piece.frequent:
        return Quiet("no chunk")
    return Chips([Chip(chunk) for chunk, _ in piece.frequent], more=piece.distinct - len(piece.frequent))


def _listed(chunks: Encoding) -> str:
    return " | ".join(visible(token.data) for token in chunks.tokens())
