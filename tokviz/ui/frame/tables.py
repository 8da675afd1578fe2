"""Give tables as files: what is drawn as a table of blocks can be saved as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.base.blocks import Cell, Chips, Table
from tokviz.base.wording import visible

FORMULA = re.compile(r"(?:^|(?<=;))(?=[=+\-@\t\r\n＝＋－＠])")  # where one begins; some take the wide signs too


def as_csv(table: Table) -> str:
    """Write a table as CSV (RFC 4180): what its cells say. What a spreadsheet would take for a formula gets an
    apostrophe before it, also after a semicolon, where some begin a cell.

    >>> from tokviz.base.blocks import Series
    >>> as_csv(Table(["tokenizer", "tokens"], [[Series("gpt2", "=1+1"), -1], ["a;-1", None]]))
    "tokenizer,tokens\\r\\n'=1+1,-1\\r\\na;'-1,\\r\\n"
    """
    written = io.StringIO()
    csv.writer(written).writerows([_inert(cell) for cell in row] for row in (table.titles, *table.rows))
    return written.getvalue()


def _inert(cell: Cell) -> Any:
    if isinstance(cell, Chips):
        cell = " | ".join(visible(token) for token in cell.items)
    said = getattr(cell, "text", cell)
    return FORMULA.sub("'", said) if isinstance(said, str) else said


def csv_button(label: str, table: Callable[[], Table], name: str, key: str) -> None:
    """Draw a button for a table as CSV. table: makes it when it is pressed. name: for the file."""
    st.download_button(label, lambda: as_csv(table()), f"tokviz-{name}.csv", "text/csv", key=key, on_click="ignore")
