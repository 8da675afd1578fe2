"""Shows several texts below each other, or one text in several forms, with the tokens that each tokenizer needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.blocks import Block, Button, Cell, Chips, Choice, Field, Group, Quiet, Series, Table
from tokviz.base.wording import NONE, count_of, factor
from tokviz.catalog.samples import parallel
from tokviz.cost.figures import words
from tokviz.formats.bundled import offered
from tokviz.teach.lessons.rows import EncodingRow, rows_by_form, rows_by_text
from tokviz.teach.lessons.shown import Chosen, Fact, LessonError, Shown, view
from tokviz.teach.lessons.trained import chosen, with_own


@view("text", "sentence")
def texts(
    *,
    texts: Sequence[Mapping[str, str]] = (),
    text: str = "",
    forms: Sequence[str] = (),
    languages: Sequence[str] = (),
    sentence: int = 0,
    tokenizers: Sequence[str | Mapping[str, Any]] = offered(),
    own_too: bool = True,
    drawn: int = 0,
    typing: bool = False,
    lines: int = 1,
    special: bool = False,
    factors: bool = False,
    per_word: bool = False,
    own: Sequence[Chosen] = (),
) -> Shown:
    """Show `texts`, each {title, text}; or `text` in `forms`; or one sentence of the sample “parallel” in `languages`.

    sentence: its number, from 0.
    own_too: whether the learner's newest tokenizer is one of the columns, or a small one in its place.
    drawn: which tokenizer's tokens are drawn at first, from 0.
    lines: how many lines the field of the text has.
    special: whether special tokens are read as such.
    factors: whether each row says how many times the tokens of the first it needs.
    per_word: whether it says how many tokens there are for a word.

    Facts: for each tokenizer and row, as in `gpt2_1`, `o200k_2`, `own_3`: tokens; `words_1`, where words can be
    counted; `o200k_factor_2`: tokens of row 2 for each token of row 1; `o200k_rate_2`: its tokens for each word.

    >>> facts = texts(text="strawberry", forms=["typed", "reversed"], own_too=False).facts
    >>> facts["gpt2_1"], facts["o200k_2"]
    (3, 3)
    """
    kinds = sum(map(bool, (texts, forms, languages)))
    if kinds != 1:
        raise LessonError(f"The view texts has {kinds} of texts, forms and languages.", "Give it one of them.")
    columns = with_own(tokenizers, own) if own_too else [*map(chosen, tokenizers)]
    if not 0 <= drawn < len(columns):
        raise LessonError(f"There is no tokenizer {drawn}: the view has {len(columns)}, counted from 0.")
    said = parallel()[0].sentences
    if languages:
        sentence = sentence % len(said) if isinstance(sentence, int) else 0
        known = {each.code: each for each in parallel()}
        texts = [{"title": known[code].language, "text": known[code].sentences[sentence]} for code in languages]
    table = [rows_by_form(text, forms, by) if forms else rows_by_text(texts, by, special=special) for by in columns]
    facts = _facts(columns, table)
    tables: list[list[Block]] = []
    for column in table:
        rows: list[list[Cell]] = []
        for i, row in enumerate(column):
            chips = Quiet(row.fault) if row.encoding is None else Chips(row.encoding)
            note = _note(column, i, factors, per_word)
            counts = [None if row.encoding is None else _count(by[i]) for by in table]
            rows.append([row.title, chips, *counts, *([Quiet(note)] if factors or per_word else [])])
        tables.append([Table([], rows)])
    options = [(str(i), Series(by.series, by.title)) for i, by in enumerate(columns)]
    blocks: list[Block] = [Field("text", text, lines=lines)] if typing else []
    if languages:
        turns = ((-1, "◁", "The sentence before"), (1, "▷", "The next sentence"))
        blocks.append(Group([Button("sentence", sentence + by, sign, words) for by, sign, words in turns]))
    return Shown(facts, [*blocks, Choice("drawn", options, str(drawn), "Whose tokens are drawn", tables)], table)


def _count(row: EncodingRow) -> Cell:
    return Series(row.by.series, f"{row.tokens:,}", f"{row.by.title}: {count_of(row.tokens, 'token')}")


def _note(column: Sequence[EncodingRow], i: int, factors: bool, per_word: bool) -> str:
    row, first = column[i], column[0]
    if per_word:
        n = words(row.text)
        return NONE if not n else f"{factor(row.tokens / n)} a word"
    if factors and i and first.tokens and row.tokens:
        return f"{factor(row.tokens / first.tokens)} times"
    return ""


def _facts(columns: Sequence[Chosen], table: Sequence[Sequence[EncodingRow]]) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for by, column in zip(columns, table, strict=True):
        for i, row in enumerate(column, 1):
            facts[f"{by.key}_{i}"] = row.tokens
            n = words(row.text)
            if n:
                facts[f"{by.key}_rate_{i}"] = row.tokens / n
            if row.tokens and column[0].tokens:
                facts[f"{by.key}_factor_{i}"] = factor(row.tokens / column[0].tokens)
    for i, row in enumerate(table[0], 1):
        n = words(row.text)
        if n is not None:
            facts[f"words_{i}"] = n
    return facts
