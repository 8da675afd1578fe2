"""Shows a text as the tokens of one or several tokenizers, one below the other."""

from __future__ import annotations

from collections.abc import Sequence

from tokviz.base.blocks import Quiet, Series, Tokens
from tokviz.base.wording import count_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.rows import rows_by_tokenizer
from tokviz.teach.lessons.shown import Fact, Shown, typed, view
from tokviz.teach.lessons.trained import chosen


@view("text")
def tokens(*, text: str, tokenizers: Sequence[str] = ("o200k_base",), ids: bool = False, typing: bool = False) -> Shown:
    """Show the tokens of a text. ids: ids instead of text.

    Facts: `bytes`, `characters`, and for each tokenizer the tokens, as `gpt2`, `cl100k`, `o200k` or `small` (one that
    is trained). Of the first tokenizer `tokens`, `different` (how many different tokens)
    and `bare` (how many different ones there are without the spaces before them).

    >>> tokens(text="Hello, world!", tokenizers=["gpt2", "o200k_base"]).facts
    {'bytes': 13, 'characters': 13, 'gpt2': 4, 'o200k': 4, 'tokens': 4, 'different': 4, 'bare': 4}
    """
    text = checked_text(text)
    rows = rows_by_tokenizer(text, map(chosen, tokenizers))
    facts: dict[str, Fact] = {"bytes": len(text.encode()), "characters": len(text)}
    facts |= {row.by.key: row.tokens for row in rows}
    pieces = rows[0].pieces()
    facts |= {
        "tokens": len(pieces),
        "different": len(set(pieces)),
        "bare": len({piece.lstrip(b" ") or piece for piece in pieces}),
    }
    shown = []
    for row in rows:
        head = [Series(row.by.series, row.title), Quiet(count_of(row.tokens, "token"))]
        shown.append(Tokens(row.encoding, f"Tokens of {row.title}", head, ids=ids, beside=len(rows) > 1))
    return Shown(facts, [*typed(text, typing), *shown], rows)
