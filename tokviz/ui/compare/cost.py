"""The tab Cost: what a text or a file costs under each model.

The cost under a model needs the model's own tokenizer, so a model whose tokenizer tokviz does not have has no cost.
Prices come from `data/models.toml`, each with its source and date.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pandas as pd
import streamlit as st

from tokviz.base.wording import NONE, factor
from tokviz.catalog.references import models, reference, references
from tokviz.cost.figures import cost
from tokviz.ui.compare.figure_tables import text_compared
from tokviz.ui.compare.language_costs import costs_of_languages
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.tables import frame
from tokviz.ui.frame.tokenizers import encoded
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import Visitor

THIS_TEXT = ""


def costs_table(tokens: Mapping[str, int]) -> pd.DataFrame:
    """What a text costs under each model. tokens: how many it has under each tokenizer, by name."""
    rows: list[dict[str, Any]] = []
    for model in models().values():
        counted, price = tokens.get(model.tokenizer), model.price
        rows.append(
            {
                "model": model.title,
                "maker": model.maker,
                "tokens": counted,
                "cost": cost(counted, price.value) if counted is not None and price else NONE,
                "price for a million": cost(1_000_000, price.value) if price else NONE,
                "share of context window": counted / model.context.value
                if counted is not None and model.context
                else None,
                "tokenizer": model.tokenizer or f"not here ({model.encoding or model.kind})",
                "read on": price.date.isoformat() if price else NONE,
                "source of the price": price.url if price else None,
            }
        )
    table = pd.DataFrame(rows).astype({"tokens": "Int64", "share of context window": "Float64"})
    return table.sort_values("tokens", kind="stable", na_position="last", key=lambda column: column.isna())


def cost_tab(me: Visitor) -> None:
    """Draw the Cost tab: the costs of the text or of a file, and those of the same sentences in all languages."""
    state = me.state(CompareState)
    sources = [THIS_TEXT, *(file.name for file in state.files)]
    if state.priced not in sources:
        state.priced = THIS_TEXT
    if len(sources) > 1:
        said = {THIS_TEXT: "This text"}
        st.selectbox(
            "What is priced",
            sources,
            format_func=lambda name: said.get(name, name),
            **bind("compare.priced", "priced", CompareState),
        )
    name = state.priced
    tokens = tokens_by_tokenizer(me, name)
    table = costs_table(tokens)
    st.subheader(plain(cheapest(table, name)), anchor=False)
    st.caption(
        "The most expensive and the cheapest chat model. The text is sent once as input, neither cached nor in a "
        "batch. A chat adds some tokens around each message. Prices are in USD for a million input tokens."
    )
    frame(table, "costs")
    costs_of_languages(me)


def tokens_by_tokenizer(me: Visitor, name: str) -> dict[str, int]:
    """How many tokens the text or a file has, by the name of the tokenizer. For a file, only what is counted so far."""
    there = {model.tokenizer for model in models().values() if model.tokenizer}
    if name == THIS_TEXT:
        text = text_compared(me)
        return {name: len(encoded(me, reference(name), text, me.specials)) for name in references() if name in there}
    (file,) = [file for file in me.state(CompareState).files if file.name == name]
    # A file is read without special tokens, so tokenizers with the same vocabulary count the same.
    counted = {references()[key].sha256: tally.tokens for key, tally in file.tallies.items() if key in references()}
    alike = {tokenizer: references()[tokenizer].sha256 for tokenizer in there}
    return {tokenizer: counted[sha256] for tokenizer, sha256 in alike.items() if sha256 in counted}


def cheapest(table: pd.DataFrame, name: str) -> str:
    """The finding: how the highest cost compares with the lowest. Only chat models count, because an embedding is
    another service.
    """
    chat = [model.title for model in models().values() if model.chat]
    priced = table[(table["cost"] != NONE) & table["model"].isin(chat)]
    what = name or "this text"
    amounts = [Decimal(value.removeprefix("$").replace(",", "")) for value in priced["cost"]]
    if not amounts or max(amounts) == 0:
        return f"What {what} costs as input"
    titles = priced["model"].tolist()
    low, high = amounts.index(min(amounts)), amounts.index(max(amounts))
    if min(amounts) == max(amounts):
        return f"With every chat model {what} costs the same, {priced['cost'].iloc[low]}"
    first = f"With {titles[high]} {what} costs {priced['cost'].iloc[high]}"
    if not min(amounts):
        return f"{first}, with {titles[low]} {priced['cost'].iloc[low]}"
    return f"{first}, {factor(float(max(amounts) / min(amounts)))} times as much as with {titles[low]}"
