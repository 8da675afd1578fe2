"""The prices of models: those with a source, from `data/models.toml`, and those that the visitor typed instead."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

import pandas as pd
import streamlit as st

from tokviz.catalog import Fact, Model, models
from tokviz.errors import SettingError
from tokviz.metrics import cost
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.say import say
from tokviz.ui.frame.widgets import kept_in_session, widget_value
from tokviz.ui.tables import csv
from tokviz.ui.visitors.registry import visitor
from tokviz.ui.visitors.visitor import Visitor
from tokviz.wording import NONE

PRICE = "USD for a million tokens"
EDITOR = "compare.prices"
MOST = Decimal(1_000_000)  # USD for a million tokens
DECIMALS = 20  # of a typed price; "1e-999999999" is small too, but written out it takes a gigabyte
YOURS = "your price"  # in place of a source


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
    exponent = price.as_tuple().exponent  # a letter if the price is not finite
    if isinstance(exponent, str) or abs(exponent) > DECIMALS or not 0 <= price <= MOST or len(typed) > 30:
        raise SettingError(
            f"“{text[:30]}” is not a price, so the price before it is kept.",
            f"Type dollars for a million tokens, such as 2.5, up to {MOST:,}.",
        )
    return price


def price_source(model: Model, edited: Mapping[str, str]) -> Fact[Decimal] | str | None:
    """Where the price of a model comes from: a fact with its source, or YOURS; None if there is no price."""
    return YOURS if model.name in edited else model.price


def price_of_a_million(model: Model, edited: Mapping[str, str]) -> str:
    """The price in words, with "(your price)" if the visitor edited it.

    >>> price_of_a_million(models()["gpt-4o"], {}), price_of_a_million(models()["gpt-4o"], {"gpt-4o": "0.3"})
    ('$2.50', '$0.30 (your price)')
    """
    price = price_of(model, edited)
    if price is None:
        return NONE
    return cost(1_000_000, price) + (f" ({YOURS})" if model.name in edited else "")


def prices_table(edited: Mapping[str, str]) -> pd.DataFrame:
    """The price of each model, with its source."""
    rows = []
    for model in models().values():
        price, source = price_of(model, edited), price_source(model, edited)
        fact = None if isinstance(source, str) else source
        rows.append(
            {
                "model": model.title,
                PRICE: "" if price is None else f"{price:f}",
                "source": fact.source if fact else source or "no source, so no price",
                "date": fact.date.isoformat() if fact else "",
            }
        )
    return pd.DataFrame(rows)


def edit_prices(me: Visitor) -> None:
    """Draw the table of prices, which can be edited in place."""
    kept = kept_in_session(EDITOR)
    shown = prices_table(me.state(CompareState).prices)
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
