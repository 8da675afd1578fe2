"""Shows BPE-dropout: the same text drawn several times, with merges left out at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokviz.base.arguments import whole_number
from tokviz.base.blocks import Button, Field, Group, Table
from tokviz.base.wording import percent
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.rows import rows_by_draw, rows_by_text
from tokviz.teach.lessons.shown import Shown, view
from tokviz.teach.lessons.trained import chosen

DRAWS = 3


@view("text", "p", "seed")
def dropout(*, text: str, tokenizer: str | Mapping[str, Any], p: float = 0.2, seed: int = 1) -> Shown:
    """Draw a text several times, each merge left out with probability p. seed: of the first draw; then the next ones.

    Facts: `bytes`, `ordinary` (tokens without dropout), `most` (tokens of a draw), `different` (draws that are cut
    differently from each other).

    >>> dropout(text="the bead", tokenizer="story 300", p=1).facts
    {'bytes': 8, 'ordinary': 3, 'most': 8, 'different': 1}
    """
    by, seed = chosen(tokenizer), whole_number(seed, "The seed", 0)
    rows = rows_by_draw(checked_text(text), by, p, range(seed, seed + DRAWS))
    ordinary = rows_by_text([{"title": "None left out", "text": text}], by)[0]
    counts = [row.tokens for row in rows]
    facts = {
        "bytes": len(checked_text(text).encode()),
        "ordinary": ordinary.tokens,
        "most": max(counts),
        "different": len({tuple(row.pieces()) for row in rows}),
    }
    chance = Field("p", p, "Left out", takes="slider", ends=(0, 0.9, 0.1), words=percent(p))
    inputs = Group([Field("text", text), chance, Button("seed", seed + DRAWS, "Draw again")], across=3)
    return Shown(facts, [inputs, Table([], [row.cells(marked=False) for row in (ordinary, *rows)])], rows)
