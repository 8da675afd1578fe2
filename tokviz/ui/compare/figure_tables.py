"""The figures of texts under tokenizers, as the tables of the Compare page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from tokviz.base.blocks import Series, Table
from tokviz.base.errors import InputError, TokvizError
from tokviz.base.sentences import Goto
from tokviz.base.wording import count_of, listed, percent, rate
from tokviz.catalog.references import models
from tokviz.cost.figures import FigureDefinition, Tally, cost, definitions, short_cost, tally
from tokviz.split.specials import Reading
from tokviz.ui.frame.tokenizers import ShownTokenizer, encoded
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.choosing import Chosen

Measured = Sequence[tuple[ShownTokenizer, Tally]]
FIRST = ("tokens", "bytes_per_token", "single_byte_share")  # the figures of the first table


def measured(
    me: Visitor, tokenizers: Sequence[ShownTokenizer], text: str, reading: Reading = "text"
) -> tuple[list[tuple[ShownTokenizer, Tally]], list[TokvizError]]:
    """The tally of the text under each tokenizer that can read it, and the errors of the others.

    reading: how special tokens are read.
    """
    rows: list[tuple[ShownTokenizer, Tally]] = []
    faults: list[TokvizError] = []
    for shown in tokenizers:
        try:
            read = encoded(me, shown.tokenizer, text, reading)
            rows.append((shown, me.cache.get(("tally", shown.tokenizer, text, reading), partial(tally, read))))
        except TokvizError as fault:
            faults.append(InputError(f"{shown.name} is left out. {fault.what}", fault.way_out))
    return rows, faults


class Counted(NamedTuple):
    """A text under a tokenizer, or under a model that has this tokenizer. file: the name of the text, if it is one."""

    chosen: Chosen
    tally: Tally
    file: str = ""

    def figure(self, key: str) -> Any:
        """A figure by the key of its definition; None if there is nothing to divide by."""
        tokenizer = self.chosen.shown.tokenizer
        if key == "vocabulary_in_use" and not tokenizer.has_merges:  # a tally knows the size by the merges
            return self.tally.distinct / tokenizer.vocab_size
        return getattr(self.tally, key)

    @property
    def prices(self) -> tuple[str | None, str | None]:
        """What the tokens cost the model to read, and to write; None if its price is not known."""
        model = self.chosen.model
        known = (model.price, model.output_price) if model else (None, None)
        into, out_of = (short_cost(self.tally.tokens, price.value) if price else None for price in known)
        return into, out_of


def fewest(tokens: Sequence[tuple[str, int]]) -> str:
    """The finding: which tokenizers need the fewest tokens, and which the most. tokens: of each, with its name.

    >>> fewest([("GPT-2", 1), ("GPT-4", 2), ("GPT-4o", 2)])
    'GPT-2 needs the fewest tokens, 1; GPT-4 and GPT-4o the most, 2'
    >>> fewest([("GPT-2", 2), ("GPT-4", 2)]), fewest([("GPT-2", 1)])
    ('GPT-2 and GPT-4 need 2 tokens', 'GPT-2 needs 1 token')
    """
    low, high = min(n for _, n in tokens), max(n for _, n in tokens)
    first, last = ([name for name, n in tokens if n == end] for end in (low, high))
    needs = f"{listed(first)} {'needs' if len(first) == 1 else 'need'}"
    if low == high:
        return f"{needs} {count_of(low, 'token')}"
    return f"{needs} the fewest tokens, {low:,}; {listed(last)} the most, {high:,}"


def figures_table(rows: Sequence[Counted], label: str) -> Table:
    """The first figures and the prices. Where the texts are files, each row begins with its file."""
    of_files = any(row.file for row in rows)
    titles = ["Tokenizer", "Tokens", "Bytes a token", "Single bytes", "Price in", "Price out"]
    known = definitions()
    cells = [
        [
            *([row.file] if of_files else []),
            Series(row.chosen.shown.series, row.chosen.title),
            *(_said(known[key], row.figure(key)) for key in FIRST),
            *row.prices,
        ]
        for row in rows
    ]
    return Table(["File", *titles] if of_files else titles, cells, label)


def further_table(rows: Sequence[Counted]) -> Table:
    """All other figures of a text: a row for each of them, a column for each tokenizer."""
    marks = [Series(row.chosen.shown.series, row.chosen.title) for row in rows]
    cells = [
        [one.title, *(_said(one, row.figure(one.key)) for row in rows)] for one in of_a_text() if one.key not in FIRST
    ]
    return Table(["Figure", *marks], cells, "More figures")


def all_figures(rows: Sequence[Counted]) -> Table:
    """All figures and prices of the texts, for their CSV."""
    of_files, figures = any(row.file for row in rows), of_a_text()
    titles = ["tokenizer", *(one.title for one in figures), "price in", "price out"]
    cells = [
        [
            *([row.file] if of_files else []),
            row.chosen.title,
            *(row.figure(one.key) for one in figures),
            *row.prices,
        ]
        for row in rows
    ]
    return Table(["file", *titles] if of_files else titles, cells)


def of_a_text() -> list[FigureDefinition]:
    """The definitions of the figures of one text. Those about languages are on the tab Languages."""
    return [one for key, one in definitions().items() if hasattr(Tally, key)]


def _said(definition: FigureDefinition, value: Any) -> int | str | None:
    if value is None or isinstance(value, int):
        return value
    return percent(value) if definition.share else rate(value)


def prices_table(tokens: Mapping[str, int]) -> Table:
    """What a text costs under each model. tokens: how many it has under each tokenizer, by name.

    The price needs the model's own tokenizer, so a model whose tokenizer tokviz does not have has none.
    """
    rows = []
    for model in sorted(models().values(), key=lambda model: model.tokenizer not in tokens):
        counted, price, context = tokens.get(model.tokenizer), model.price, model.context
        prices = (price, model.output_price)
        rows.append(
            [
                model.title,
                counted,
                *(cost(counted, one.value) if counted is not None and one else None for one in prices),
                percent(counted / context.value) if counted is not None and context else None,
                model.tokenizer or f"not here ({model.encoding or model.kind})",
                cost(1_000_000, price.value) if price else None,
                price.date.isoformat() if price else None,
                Goto(price.url.removeprefix("https://"), price.url) if price else None,
            ]
        )
    titles = "Model, Tokens, Price in, Price out, Share of context, Tokenizer, A million tokens in, Price date, Source"
    return Table(titles.split(", "), rows, "Price with each model")
