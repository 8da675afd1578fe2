"""Computes what a text costs as input: by model, or in several languages by one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from tokviz.base.blocks import Bar, Block, Cell, Fold, List, Series, Table
from tokviz.base.wording import rate
from tokviz.catalog.references import model, reference
from tokviz.catalog.samples import parallel
from tokviz.cost.figures import cost as cost_of
from tokviz.cost.figures import words
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, LessonError, Shown, in_names, typed, view

TEXT_LIMIT = 5_000  # characters
MILLION = 1_000_000
TITLES = {
    "words": "Words",
    "tokens": "Tokens",
    "price": "A million tokens",
    "cost": "This text",
    "rounded": "Rounded",
    "million": "A million times",
    "factor": "Times as many",
}
PRICES = {"price", "cost", "rounded", "million"}


@view("text")
def cost(
    *,
    models: Sequence[str],
    text: str = "",
    texts: Mapping[str, str] | None = None,
    languages: Sequence[str] = (),
    columns: Sequence[str] = ("tokens", "price", "cost"),
    decimals: int = 6,
    typing: bool = False,
) -> Shown:
    """Show what a text costs, for each model in a row; or for each text in a row what it costs by the first model.

    models: their names in models.toml.
    texts, languages: several texts by name, or the codes of languages, for the parallel sample in these.
    columns: what is shown, of TITLES. decimals: of the rounded cost.

    Facts: `characters`, `words`; for each model NAME (with _ for -) `tokens_NAME`, `cost_NAME`, `rounded_NAME`,
    `million_NAME` (of a million such texts), `of_rounded_NAME` (a million times the rounded cost), and `price_factor`,
    `cost_factor` (the first model by the last). For each text or language: `tokens_NAME`, `words_NAME`, and
    `factor_NAME`, its tokens by those of the first.

    >>> facts = cost(models=["gpt-4", "gpt-4o-mini"], text="So far, I had").facts
    >>> facts["tokens_gpt_4"], facts["cost_gpt_4"], facts["price_factor"]
    (5, '$0.00015', 200.0)
    """
    text = checked_text(text, TEXT_LIMIT)
    if languages or texts:
        known = {one.code: one for one in parallel()}
        translations = {known[code].language: known[code].text for code in languages}
        return _by_text(models[0], texts or translations, columns)
    rows, facts = [], dict[str, Fact](characters=len(text), words=words(text) or 0)
    for name in models:
        row = _row(name, text)
        rounded = f"${_number(row['cost']):.{decimals}f}"
        row |= {"rounded": rounded, "million": _times_a_million(row["cost"]), "of_rounded": _times_a_million(rounded)}
        facts |= {
            f"{each}_{in_names(name)}": row[each] for each in ("tokens", "cost", "rounded", "million", "of_rounded")
        }
        rows.append(row)
    first, last = rows[0], rows[-1]
    if last["tokens"]:
        facts |= {
            "price_factor": float(first["dollars"] / last["dollars"]),
            "cost_factor": float(first["tokens"] * first["dollars"] / (last["tokens"] * last["dollars"])),
        }
    return Shown(facts, [*typed(text, typing, lines=3), *_table("Model", rows, columns)])


def _by_text(name: str, texts: Mapping[str, str], columns: Sequence[str]) -> Shown:
    """Show the texts under one model."""
    rows: list[dict[str, Any]] = []
    facts: dict[str, Fact] = {}
    for title, text in texts.items():
        row = _row(name, text) | {"title": title}
        row["factor"] = row["tokens"] / rows[0]["tokens"] if rows else 1.0
        row["million"] = cost_of(row["tokens"] * MILLION, row["dollars"])
        key = title.lower().replace(" ", "_")
        facts |= {f"{each}_{key}": row[each] for each in ("tokens", "factor", "million")}
        facts[f"words_{key}"] = row["words"] or 0
        rows.append(row)
    return Shown(facts, _table(f"With {model(name).title}", rows, columns, model(name).title))


def _row(name: str, text: str) -> dict[str, Any]:
    """Count one text under one model, and its cost. LessonError if its tokenizer or its price is not known."""
    one = model(name)
    if not one.tokenizer or one.price is None:
        raise LessonError(f"tokviz does not have the tokenizer and the price of {one.title}.")
    tokens = len(reference(one.tokenizer).encode_ordinary(text))
    return {
        "title": one.title,
        "series": one.tokenizer,
        "words": words(text),
        "tokens": tokens,
        "dollars": one.price.value,
        "price": cost_of(MILLION, one.price.value),
        "cost": cost_of(tokens, one.price.value),
        "source": f"{one.price.source} (read on {one.price.date.isoformat()})",
    }


def _number(dollars: str) -> Decimal:
    return Decimal(dollars.removeprefix("$").replace(",", ""))


def _times_a_million(dollars: str) -> str:
    return cost_of(MILLION, _number(dollars) * MILLION)


def _table(first: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], name: str = "") -> list[Block]:
    """Make the table of these columns, and where its prices are from. name: of the one model, if rows are texts."""
    most = max(1, *(row["tokens"] for row in rows))

    def cell(row: Mapping[str, Any], column: str) -> Cell:
        value = row.get(column)
        if column == "tokens" and len(columns) < 4 and value is not None:
            return Bar(value / most, value)
        return rate(value) if column == "factor" and value else value

    names = [row["title"] if name else Series(row["series"], row["title"], row["source"]) for row in rows]
    table = [[first, *(cell(row, column) for column in columns)] for first, row in zip(names, rows, strict=True)]
    sources = dict.fromkeys(f"{name or row['title']}: {row['source']}" for row in rows)
    fold = [Fold("Sources of the prices", [List([*sources])])] if PRICES & {*columns} else []
    return [Table([first, *(TITLES[column] for column in columns)], table), *fold]
