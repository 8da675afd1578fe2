"""Encodes one text at several vocabulary sizes: how many tokens it has at each, and which."""

from __future__ import annotations

from collections.abc import Sequence

from tokviz.base.blocks import Bar, Cell, Chips, Quiet, Table
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, LessonError, Shown, view
from tokviz.teach.lessons.trained import SAMPLE, lesson_corpus, lesson_training

TEXT_LIMIT = 500  # characters of a text whose tokens are drawn
DRAWN = 120  # bytes of a text that is drawn


@view()
def sizes(
    *,
    corpus: str,
    text: str,
    sizes: Sequence[int],
    hidden: Sequence[int] = (),
    pattern: str = "none",
) -> Shown:
    """Show the tokens of a text at each size.

    corpus: what the vocabularies are trained on. text: "sample:story" for a bundled one.
    hidden: the largest of the sizes, if the task asks for them.

    Facts: `bytes`, and for each size n `at_n`, the tokens, and `saved_n`, how many fewer than at the size before.

    >>> facts = sizes(corpus="aab aab ab", text="aab ab", sizes=[256, 257, 258]).facts
    >>> facts["at_256"], facts["at_257"], facts["saved_258"]
    (6, 4, 1)
    """
    training = lesson_training(corpus, max(sizes), pattern)
    if max(sizes) > training.tokenizer.vocab_size:
        raise LessonError(f"The training ends at {training.tokenizer.vocab_size:,} tokens.", "Name smaller sizes.")
    text = lesson_corpus(text) if text.startswith(SAMPLE) else checked_text(text, TEXT_LIMIT)
    encoding = training.tokenizer.explain(text)
    tokens = {size: int(encoding.tokens_at[size - 256]) for size in sizes}
    facts: dict[str, Fact] = {"bytes": len(encoding.data)}
    for i, size in enumerate(sizes):
        facts[f"at_{size}"] = tokens[size]
        if i:
            facts[f"saved_{size}"] = tokens[sizes[i - 1]] - tokens[size]
    most = max(1, *tokens.values())
    draws = len(encoding.data) <= DRAWN
    rows: list[list[Cell]] = []
    for size in sizes:
        known = size not in hidden
        bar = Bar(tokens[size] / most, tokens[size]) if known else Quiet("?")
        chips = Chips(encoding.at(size - 256)) if known else Quiet("")
        rows.append([f"{size:,}", *([chips] if draws else []), bar])
    titles = ["Vocabulary size", *(["The text in tokens"] if draws else []), "Tokens"]
    return Shown(facts, [Table(titles, rows)], training)
