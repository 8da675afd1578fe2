"""A split pattern piece by piece: each clause with a sentence, its share of the chunks, and its most frequent ones."""

from __future__ import annotations

from collections.abc import Sequence

from tokviz.base.wording import count_of, percent, times
from tokviz.split.clauses import ClauseMatch
from tokviz.ui.components import component
from tokviz.ui.components.token_rows import MOST_BYTES

LONGEST_CLAUSE = 1_000  # characters of a clause that are shown

_component = component("pattern_pieces", "token_view/tokens.css", "pattern_pieces/pattern_pieces.css")


def pattern_pieces(pieces: Sequence[ClauseMatch], *, label: str, key: str) -> None:
    """Draw the clauses in their order. label: what a screen reader calls the list."""
    total = sum(piece.chunks for piece in pieces)
    drawn = [
        {
            "clause": piece.clause[:LONGEST_CLAUSE] + ("…" if len(piece.clause) > LONGEST_CLAUSE else ""),
            "sentence": piece.sentence,
            "share": piece.chunks / total if total else 0.0,  # of all chunks
            "figures": _figures(piece, total),
            "chunks": [
                {"hex": chunk[:MOST_BYTES].hex(), "bytes": len(chunk), "words": times(n)} for chunk, n in piece.frequent
            ],
        }
        for piece in pieces
    ]
    _component(key=key, data={"label": label, "pieces": drawn})


def _figures(piece: ClauseMatch, total: int) -> list[str]:
    """The share in bold, and the rest of the words."""
    if not piece.chunks:
        return ["no chunk", ""]
    return [percent(piece.chunks / total), f"{count_of(piece.chunks, 'chunk')}, {piece.distinct:,} distinct"]
