"""The tabs Cost and Models: what a text or a file costs under each model, and the vocabularies of well-known models.

The cost under a model needs the model's own tokenizer, so a model whose tokenizer tokviz does not have has no cost.
Prices come from `data/models.toml`, each with its source and date. The visitor can edit them, and an edit is marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import pandas as pd
import streamlit as st

from tokviz.catalog import Model, models, reference, references
from tokviz.errors import SettingError
from tokviz.metrics import cost
from tokviz.ui.compare.figure_tables import text_compared
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.say import plain, say
from tokviz.ui.frame.widgets import bind, kept_in_session, widget_value
from tokviz.ui.tables import csv, frame
from tokviz.ui.tokenizers import encoded
from tokviz.ui.visitors.registry import visitor
from tokviz.ui.visitors.visitor import Visitor
from tokviz.wording import NONE

PRICE = "USD for a million tokens"
EDITOR = "compare.prices"
THIS_TEXT = ""
MOST = Decimal(1_000_000)  # USD for a million tokens
YES, NO = "yes", "no"


def price_of(model: Model, edited: Mapping[str, str]) -> Decimal | None:
    """The price of a million input tokens in USD: the visitor's own, else the catalog's, else None.

    >>> price_of(models()["gpt-4o"], {}), price_of(models()["gpt-4o"], {"gpt-4o": "0.3"})
    (Decimal('2.5'), Decimal('0.3'))
    """
    if model.name in edited:
        return parse_price(edited[model.name])
    return model.price.value if model.price else None


def parse_price(text: str) -> Decimal | None:
    """The exact price that was typed; None if nothing was. SettingError if it is not a price.

    >>> parse_price(" $0.075 "), parse_price("")
    (Decimal('0.075'), None)
    """
    typed = text.strip().removeprefix("$").strip()
    if typed in ("", NONE):
        return None
    try:
        price = Decimal(typed)
    except InvalidOperation:
        price = Decimal("NaN")
    if not price.is_finite() or not 0 <= price <= MOST or len(typed) > 30:
        raise SettingError(
            f"“{text[:30]}” is not a price, so the price before it is kept.",
            f"Type dollars for a million tokens, such as 2.5, up to {MOST:,}.",
        )
    return price


def costs_table(tokens: Mapping[str, int], edited: Mapping[str, str]) -> pd.DataFrame:
    """What a text costs under each model. tokens: how many it has under each tokenizer, by name."""
    rows: list[dict[str, Any]] = []
    for model in models().values():
        counted, price = tokens.get(model.tokenizer), price_of(model, edited)
        rows.append(
            {
                "model": model.title,
                "maker": model.maker,
                "tokens": counted,
                "cost": cost(counted, price) if counted is not None and price is not None else NONE,
                "share of context window": counted / model.context.value
                if counted is not None and model.context
                else None,
                "tokenizer": model.tokenizer or f"not here ({model.encoding or model.kind})",
            }
        )
    table = pd.DataFrame(rows).astype({"tokens": "Int64", "share of context window": "Float64"})
    return table.sort_values("tokens", kind="stable", na_position="last", key=lambda column: column.isna())


def prices_table(edited: Mapping[str, str]) -> pd.DataFrame:
    """The price of each model, with its source."""
    rows = []
    for model in models().values():
        price, fact = price_of(model, edited), model.price
        own = model.name in edited
        rows.append(
            {
                "model": model.title,
                PRICE: "" if price is None else f"{price:f}",
                "source": "edited here" if own else fact.source if fact else "no source, so no price",
                "date": fact.date.isoformat() if fact and not own else "",
            }
        )
    return pd.DataFrame(rows)


def vocabularies_table() -> pd.DataFrame:
    """The vocabularies of well-known models: size, kind, source, and whether tokviz can load it."""
    rows = [
        {
            "model": model.title,
            "maker": model.maker,
            "vocabulary": model.vocabulary.value if model.vocabulary else None,
            "kind": model.kind,
            "can be loaded here": YES if model.tokenizer else NO,
            "tokenizer": model.encoding or NONE,
            "source": model.vocabulary.source if model.vocabulary else "the maker has published no figure",
            "date": model.vocabulary.date.isoformat() if model.vocabulary else "",
        }
        for model in models().values()
    ]
    return pd.DataFrame(rows).astype({"vocabulary": "Int64"})


def cost_tab(me: Visitor) -> None:
    """Draw the Cost tab: the costs, and below them the prices."""
    sources = [THIS_TEXT, *(file.name for file in me.state(CompareState).files)]
    if me.state(CompareState).priced not in sources:
        me.state(CompareState).priced = THIS_TEXT
    if len(sources) > 1:
        said = {THIS_TEXT: "This text"}
        st.selectbox(
            "What is priced",
            sources,
            format_func=lambda name: said.get(name, name),
            **bind("compare.priced", "priced", CompareState),
        )
    name = me.state(CompareState).priced
    tokens = tokens_of(me, name)
    table = costs_table(tokens, me.state(CompareState).prices)
    st.subheader(plain(cheapest(table, name)), anchor=False)
    st.caption(
        "The text is sent once as input, neither cached nor in a batch. A chat adds some tokens around each message."
    )
    frame(table, "costs")
    st.subheader("Prices", anchor=False)
    st.caption(plain(f"Input prices in {PRICE}. Click a price, or press Enter on it, to change it."))
    _edit_prices(me)


def tokens_of(me: Visitor, name: str) -> dict[str, int]:
    """How many tokens the text or a file has, by the name of the tokenizer. For a file, only what is counted so far."""
    there = {model.tokenizer for model in models().values() if model.tokenizer}
    if name == THIS_TEXT:
        text = text_compared(me)
        return {name: len(encoded(me, reference(name), text, me.specials)) for name in references() if name in there}
    (file,) = [file for file in me.state(CompareState).files if file.name == name]
    counted = {
        references()[key].sha256: tally.tokens for key, tally in file.tallies.items() if key in references()
    }  # a file is read without special tokens, so tokenizers with the same vocabulary count the same
    alike = {tokenizer: references()[tokenizer].sha256 for tokenizer in there}
    return {tokenizer: counted[sha256] for tokenizer, sha256 in alike.items() if sha256 in counted}


def cheapest(table: pd.DataFrame, name: str) -> str:
    """The finding: how the highest cost compares with the lowest."""
    priced = table[table["cost"] != NONE]
    amounts = [Decimal(value.removeprefix("$").replace(",", "")) for value in priced["cost"]]
    if not amounts or max(amounts) == 0:
        return f"What {name or 'this text'} costs as input"
    titles = priced["model"].tolist()
    low, high = amounts.index(min(amounts)), amounts.index(max(amounts))
    if min(amounts) == max(amounts):
        return f"It costs the same {priced['cost'].iloc[low]} everywhere"
    first = f"{priced['cost'].iloc[high]} under {titles[high]}, {priced['cost'].iloc[low]} under {titles[low]}"
    return first if not min(amounts) else f"{first}: {max(amounts) / min(amounts):,.0f} times"


def _edit_prices(me: Visitor) -> None:
    kept = kept_in_session(EDITOR)
    if "shown" not in kept:  # the table is set once: the editor itself keeps the edits of this tab
        kept["shown"] = prices_table(me.state(CompareState).prices)
    shown: pd.DataFrame = kept["shown"]
    for fault in kept.pop("faults", []):
        say(fault)
    st.data_editor(
        shown,
        hide_index=True,
        disabled=[column for column in shown.columns if column != PRICE],
        column_config={PRICE: st.column_config.TextColumn(alignment="right")},
        key=f"{EDITOR}.{kept.get('turn', 0)}",
        on_change=_take_prices,
    )
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            data=lambda: csv(prices_table(me.state(CompareState).prices)),
            file_name="tokviz-prices.csv",
            mime="text/csv",
            on_click="ignore",
            key="compare.csv.prices",
        )
        if me.state(CompareState).prices:
            st.button("Back to the prices with a source", on_click=_forget_prices)


def _take_prices() -> None:
    kept = kept_in_session(EDITOR)
    edits = widget_value(f"{EDITOR}.{kept.get('turn', 0)}")["edited_rows"]
    kept["faults"] = take_prices(visitor(), {int(row): edit[PRICE] for row, edit in edits.items() if PRICE in edit})


def take_prices(me: Visitor, edits: Mapping[int, str | None]) -> list[SettingError]:
    """Remember edited prices, by row. Returns an error for each that is not a price."""
    faults = []
    names = list(models())
    for row, typed in edits.items():
        try:
            parse_price(typed or "")
        except SettingError as fault:
            faults.append(SettingError(f"{models()[names[row]].title}: {fault.what}", fault.way_out))
        else:
            me.state(CompareState).prices = {**me.state(CompareState).prices, names[row]: typed or ""}
    return faults


def _forget_prices() -> None:
    kept = kept_in_session(EDITOR)
    visitor().state(CompareState).prices = {}
    turn = kept.get("turn", 0) + 1
    kept.clear()
    kept["turn"] = turn


def models_tab() -> None:
    """Draw the Models tab: a table of vocabularies."""
    table = vocabularies_table()
    here = int((table["can be loaded here"] == YES).sum())
    unpublished = int(table["vocabulary"].isna().sum())
    st.subheader(f"Of {len(table)} models, {here} have a vocabulary that is loaded here", anchor=False)
    st.caption(
        f"The size counts ids, special tokens included. The makers of {unpublished} models have published no size."
    )
    frame(table, "vocabularies")
