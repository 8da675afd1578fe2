"""Charts of a tokenizer's merges, below the player: they tell of all of them at once and do not move with the step."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from tokviz.tokenizer import Tokenizer
from tokviz.ui import tables
from tokviz.ui.charts import Chart, new_lengths, pair_counts


def draw(tokenizer: Tokenizer) -> None:
    """Both charts, side by side; nothing where there is no history to tell of."""
    if not tokenizer.history:
        return
    for column, chart in zip(st.columns(2, gap="medium"), _charts(tokenizer), strict=True):
        with column:
            tables.draw(chart, page="replay")


@lru_cache(maxsize=8)
def _charts(tokenizer: Tokenizer) -> tuple[Chart, Chart]:
    """Made once a tokenizer: the page runs again at each rest of the player."""
    records = tokenizer.history or ()
    counts = [record.count for record in records]
    lengths = [len(tokenizer.vocab[record.id]) for record in records]
    return pair_counts(counts), new_lengths(lengths)
