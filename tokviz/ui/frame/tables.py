"""Draw figures on a page: a table with its CSV."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

import pandas as pd
import streamlit as st

from tokviz.base.wording import NONE, percent, rate
from tokviz.cost.figures import definitions

LONG_NAME = 30  # characters
FORMULA = re.compile(r"(?:^|(?<=;))(?=[=+\-@\t\r\n＝＋－＠])")  # where one begins; some take the wide signs too


def csv(table: pd.DataFrame) -> str:
    """A table as CSV (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe before it, also after
    a semicolon, where some begin a cell.

    >>> csv(pd.DataFrame({"tokenizer": ["=1+1", "a;-1"], "tokens": [-1, 2]}))
    "tokenizer,tokens\\r\\n'=1+1,-1\\r\\na;'-1,2\\r\\n"
    """

    def inert(value: Any) -> Any:
        return FORMULA.sub("'", value) if isinstance(value, str) else value

    safe = table.map(inert).rename(columns=inert)
    return str(safe.to_csv(index=False, lineterminator="\r\n"))


def frame(
    table: pd.DataFrame,
    name: str,
    *,
    alt: str = "",
    page: str = "compare",
) -> None:
    """Draw a table, and a button for its CSV.

    name: for the widgets' keys and the file. alt: what a screen reader says. page: goes into the widgets' keys.
    """
    written = writers(table)
    config: dict[str, Any] = {}
    for column in table.columns:
        if column in written:
            config[column] = st.column_config.NumberColumn()  # it is sorted as a number, and written as text
        elif pd.api.types.is_integer_dtype(table[column]):
            config[column] = st.column_config.NumberColumn(format="localized")
        elif column.startswith("source"):
            config[column] = st.column_config.LinkColumn(display_text=r"https://(.+)")
        elif column.startswith(("price", "cost")):
            config[column] = st.column_config.TextColumn(alignment="right")
        else:
            config[column] = st.column_config.TextColumn(width=_width(table[column]))
    st.dataframe(
        table.style.format(dict[Any, Any](written), na_rep=NONE) if written else table,
        hide_index=True,
        column_config=config,
        placeholder=NONE,
        key=f"{page}.table.{name}",
        alt=alt or None,
    )
    csv_button("CSV", lambda: table, name, f"{page}.csv.{name}")


def csv_button(label: str, table: Callable[[], pd.DataFrame], name: str, key: str) -> None:
    """Draw a button for a table as CSV. table: makes it when it is pressed. name: for the file."""
    st.download_button(label, lambda: csv(table()), f"tokviz-{name}.csv", "text/csv", key=key, on_click="ignore")


def writers(table: pd.DataFrame) -> dict[str, Callable[[float], str]]:
    """How each column of figures with decimals is written: a column of shares in per cent, all others as rates.

    >>> found = writers(pd.DataFrame({"tokens": [3], "share of tokens": [0.25], "bytes per token": [2.0]}))
    >>> {column: write(0.25).replace("\u00a0", " ") for column, write in found.items()}
    {'share of tokens': '25.0 %', 'bytes per token': '0.25'}
    """
    shares = {one.title for one in definitions().values() if one.share}
    return {
        column: percent if column in shares or column.startswith("share of ") else rate
        for column in map(str, table)
        if pd.api.types.is_float_dtype(table[column])
    }


def _width(column: pd.Series[str]) -> Literal["medium"] | None:
    """Medium width for a column of long names, so that the figures have room on a phone; None for other columns."""
    return "medium" if column.name == "tokenizer" and column.str.len().max() > LONG_NAME else None
