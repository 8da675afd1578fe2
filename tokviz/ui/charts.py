"""Charts, in Altair. Streamlit's theme gives them the page's colours, so they follow a change of theme by themselves.

The colours of the tokenizers stand in `.streamlit/config.toml` (chartCategoricalColors) in the order of SERIES.
"""

from __future__ import annotations

import altair as alt
import pandas as pd

SERIES = ("yours", "gpt2", "cl100k_base", "o200k_base", "other1", "other2", "other3", "other4")


def bars(rows: pd.DataFrame, value: str, axis: str) -> alt.LayerChart | alt.FacetChart:
    """Horizontal bars, one a tokenizer, the longest first, each with its value at its end.

    rows: columns "tokenizer" (its name, with the marker), "series", and `value` (float).
    """
    longest_first = rows.sort_values(value, ascending=False)["tokenizer"].tolist()
    base = alt.Chart(rows).encode(
        y=alt.Y("tokenizer:N", sort=longest_first, title=None).axis(
            labelLimit=220, labelFontSize=13, ticks=False, domain=False, labelPadding=8
        ),
        x=alt.X(f"{value}:Q", title=axis).axis(tickCount=4, format=".2~f", domain=False, ticks=False, grid=True),
    )
    colour = alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)
    bar = base.mark_bar(size=28, cornerRadiusEnd=1.5).encode(
        color=colour,
        tooltip=[alt.Tooltip("tokenizer:N"), alt.Tooltip(f"{value}:Q", format=".2f", title=axis)],
    )
    # the colours of the tokenizers are legible as text in both themes; a plain label would be black in both
    label = base.mark_text(align="left", dx=6, fontSize=14, fontWeight=600).encode(
        text=alt.Text(f"{value}:Q", format=".2f"), color=colour
    )
    return alt.layer(bar, label).properties(height=alt.Step(56))
