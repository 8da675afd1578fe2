"""Charts of a tokenizer's merges, below the player. They show all merges and do not change with the step."""

from __future__ import annotations

import streamlit as st

from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.frame import tables
from tokviz.ui.frame.charts import Chart, new_lengths, pair_counts
from tokviz.ui.server.visitor import Visitor


def draw(me: Visitor, tokenizer: Tokenizer) -> None:
    """Draw the charts of pair counts and of token lengths side by side, or nothing if the tokenizer has no history."""
    if not tokenizer.history:
        return
    charts = me.cache.get(("merge charts", tokenizer), lambda: _charts(tokenizer))
    for column, chart in zip(st.columns(2, gap="medium"), charts, strict=True):
        with column:
            tables.draw(chart, page="replay")


def _charts(tokenizer: Tokenizer) -> tuple[Chart, Chart]:
    records = tokenizer.history or ()
    counts = [record.count for record in records]
    lengths = [len(tokenizer.vocab[record.id]) for record in records]
    return pair_counts(counts), new_lengths(lengths)
