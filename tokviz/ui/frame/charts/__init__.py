"""Charts in Altair, each with a title, a table, and a text for screen readers.

Streamlit's theme colours them in the browser, so they follow a change of theme. The colours of the tokenizers are
chartCategoricalColors in `.streamlit/config.toml`, in the order of SERIES.

A title states the finding, a sentence computed from the data. If there is nothing to find, it names the quantity.
"""

from tokviz.ui.frame.charts.chart import PICK, Chart, Measured, marked, names
from tokviz.ui.frame.charts.merges import counts_found, lengths_found, new_lengths, pair_counts

__all__ = [
    "PICK",
    "Chart",
    "Measured",
    "counts_found",
    "lengths_found",
    "marked",
    "names",
    "new_lengths",
    "pair_counts",
]
