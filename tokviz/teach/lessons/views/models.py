"""Shows the vocabularies of real models: size, kind, year, and the table of vectors that a size asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokviz.base.blocks import Bar, Block, Cell, Field, Fold, Group, List, Table
from tokviz.base.errors import SettingError
from tokviz.base.wording import rate, rounded
from tokviz.catalog.references import Model, model, reference
from tokviz.catalog.references import SourcedFigure as Figure
from tokviz.cost.figures import embedding_bytes
from tokviz.teach.lessons.shown import Fact, Shown, in_names, view

TITLES = {
    "year": "Year",
    "vocabulary": "Ids",
    "ordinary": "Ordinary tokens",
    "kind": "Kind",
    "vectors": "Table of vectors",
}
WIDTH_LIMIT = 100_000  # numbers in a vector


@view("width", "size")
def models(
    *,
    models: Sequence[str],
    columns: Sequence[str] = ("year", "vocabulary"),
    width: str = "4096",
    size: str = "2",
    changing: bool = False,
) -> Shown:
    """Show a row for each model, named as in models.toml.

    columns: what is shown of each, of TITLES.
    width, size: how many numbers a vector has, and bytes a number, both as the learner writes them.
    changing: whether the learner can change these two.

    Facts: `width`, `size`; for each model NAME, with _ for what is no letter: `NAME` (ids), `kind_NAME`, `year_NAME`,
    `vectors_NAME` (MB), `gigabytes_NAME`; if its vocabulary is bundled `ordinary_NAME`, `special_NAME`, `unused_NAME`.

    >>> facts = models(models=["gpt-4o"]).facts
    >>> facts["gpt_4o"], facts["ordinary_gpt_4o"], facts["unused_gpt_4o"], facts["vectors_gpt_4o"]
    (200019, 199998, 19, 1639)
    """
    numbers, n_bytes = _whole(width, "A vector", WIDTH_LIMIT), _whole(size, "A number", 16)
    facts: dict[str, Fact] = {"width": numbers, "size": n_bytes}
    rows: list[dict[str, Any]] = []
    for name in models:
        one = model(name)
        told = _told(one, numbers, n_bytes)
        key = in_names(name)
        named = {"vocabulary": key}
        for column, value in told.items():
            if value is not None:
                facts[named.get(column, f"{column}_{key}")] = value
        rows.append({"title": one.title, "sources": _sources(one, columns), **told})
    most = max((row["vocabulary"] or 0 for row in rows), default=0)
    table = [[row["title"], *(_cell(column, row.get(column), most) for column in columns)] for row in rows]
    asked = {"width": (width, "Numbers in a vector"), "size": (size, "Bytes for a number")}
    fields = [Field(name, value, label, takes="number") for name, (value, label) in asked.items()]
    blocks: list[Block] = [Group(fields, across=3)] if changing else []
    # Many rows of few columns are in two halves, side by side.
    half = -(-len(rows) // 2) if len(rows) > 6 and len(columns) < 3 else max(1, len(rows))
    titles = ["Model", *(TITLES[column] for column in columns)]
    tables = [Table(titles, table[at : at + half]) for at in range(0, len(rows), half)]
    blocks += [Group(tables)] if len(tables) > 1 else tables
    sources = List([f"{row['title']}: {row['sources']}" for row in rows])
    return Shown(facts, [*blocks, Fold("Sources", [sources])])


def _cell(column: str, value: Any, most: int) -> Cell:
    """Draw a figure of a model. most: ids of the largest vocabulary that is shown."""
    if value is None:
        return None
    if column == "vocabulary":
        return Bar(value / most, value)
    if column == "vectors":
        return f"{rate(value / 1000)} GB" if value >= 1000 else f"{value:,} MB"
    return str(value) if column == "year" else value


def _whole(written: str, what: str, most: int) -> int:
    """Read a whole number from 1 to most. Raises SettingError."""
    written = written.strip()
    if not (written.isascii() and written.isdigit() and len(written) < 10 and 1 <= int(written) <= most):
        unit = "numbers" if what == "A vector" else "bytes"
        raise SettingError(f"{what} cannot have “{written[:20]}” {unit}.", f"Write a whole number from 1 to {most:,}.")
    return int(written)


def _told(one: Model, width: int, size: int) -> dict[str, int | str | None]:
    told: dict[str, int | str | None] = {
        "year": one.year.value if one.year else None,
        "vocabulary": one.vocabulary.value if one.vocabulary else None,
        "kind": one.kind,
    }
    if one.vocabulary:
        told["vectors"] = round(embedding_bytes(one.vocabulary.value, width, size) / 1_000_000)
        told["gigabytes"] = rounded(embedding_bytes(one.vocabulary.value, width, size) / 1e9, 2)
    if one.tokenizer:
        tok = reference(one.tokenizer)
        told |= {
            "ordinary": tok.vocab_size,
            "special": len(tok.special_tokens),
            "unused": tok.n_vocab - tok.vocab_size - len(tok.special_tokens),
        }
    return told


def _sources(one: Model, columns: Sequence[str]) -> str:
    """Say where the figures of a row can be looked up."""
    figures: list[Figure[int] | None] = [one.vocabulary, one.year if "year" in columns else None]
    said = [f"{figure.source} (read on {figure.date.isoformat()})" for figure in figures if figure]
    return "; ".join(dict.fromkeys(said)) or "The maker has published no tokenizer."
