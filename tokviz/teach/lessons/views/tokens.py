"""A text as the tokens of one or several tokenizers, one below the other."""

from __future__ import annotations

from collections.abc import Sequence

from tokviz.formats.bundled import offered
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Input, Own, Shown
from tokviz.teach.lessons.trained import own_first, series_of, title_of, tokenizer_of
from tokviz.tokenizer.encoding import Encoding


def show(
    *,
    text: Input[str],
    tokenizers: Sequence[str] = ("o200k_base",),
    with_own: bool = False,
    ids: bool = False,
    typing: bool = False,
    own: Sequence[Own] = (),
) -> Shown:
    """with_own: whether the learner's newest tokenizer is shown too. ids: whether ids are shown instead of text.
    typing: whether the learner can change the text.

    Facts: `bytes`, `characters`, and for each tokenizer the tokens, as `gpt2`, `cl100k`, `o200k` or `tokens` (of any
    other), and `own` for the learner's. Of the first tokenizer `tokens`, `different` (how many different tokens) and
    `bare` (how many different ones there are without the spaces before them).

    >>> show(text="Hello, world!", tokenizers=["gpt2", "o200k_base"]).facts
    {'bytes': 13, 'characters': 13, 'gpt2': 4, 'o200k': 4, 'tokens': 4, 'different': 4, 'bare': 4}
    """
    text = checked_text(text)
    rows = [(name, title_of(name), series_of(name), tokenizer_of(name)) for name in tokenizers]
    mine = own_first(own) if with_own else None
    if mine:
        rows.append(("own", mine.name, mine.series, mine.tokenizer))
    facts: dict[str, Fact] = {"bytes": len(text.encode()), "characters": len(text)}
    encodings: list[Encoding] = []
    for name, _, _, tokenizer in rows:
        encodings.append(tokenizer.explain(text))
        fact = name.removesuffix("_base") if name in offered() else "own" if name == "own" else "tokens"
        facts[fact] = len(encodings[-1].ids)
    pieces = [token.data for token in encodings[0].tokens()]
    facts |= {
        "tokens": len(pieces),
        "different": len(set(pieces)),
        "bare": len({piece.lstrip(b" ") or piece for piece in pieces}),
    }
    shown = [
        {"name": title, "series": series, "tokens": len(encoding.ids), "encoding": encoding}
        for (_, title, series, _), encoding in zip(rows, encodings, strict=True)
    ]
    return Shown("tokens", {"text": text, "rows": shown, "ids": ids, "typing": typing}, facts, encodings)
