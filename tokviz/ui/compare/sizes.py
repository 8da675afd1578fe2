"""The tab Vocabulary size: the compression at each size, and the text at the size that is picked."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from tokviz.base.wording import listed, rate, vocabulary_size
from tokviz.ui.compare.figure_tables import fewest, text_compared
from tokviz.ui.compare.folds import side_by_side
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.charts.chart import PICK, Chart, Measured, bare, colour, dash, legend, names, shape, weight
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.tables import draw
from tokviz.ui.frame.tokenizers import encoded
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor


def sizes_tab(me: Visitor, rows: Measured) -> None:
    """Draw the tab Vocabulary size: the compression at each size, and the text at the size that was picked."""

    def remember(pick: dict[str, Any]) -> None:
        visitor().state(CompareState).size = int(pick["vocabulary size"])

    uncut = [shown.name for shown, _ in rows if not shown.tokenizer.has_merges]
    rows = [row for row in rows if row[0].tokenizer.has_merges]
    if uncut:
        st.caption(plain(f"Left out, because no merges of {listed(uncut)} are known."))
    if not rows:
        return
    draw(sizes(rows), remember)
    own_sizes = {shown.name: 256 + len(counted.closed) for shown, counted in rows}
    size = me.state(CompareState).size or min(own_sizes.values())
    st.subheader(f"Cut to {vocabulary_size(size)}", anchor=False)
    smaller = [name for name, own in own_sizes.items() if own < size]
    if smaller:
        st.caption(plain(f"Shown whole, because they have fewer: {', '.join(smaller)}."))
    text = text_compared(me)
    cut = [(shown, encoded(me, shown.tokenizer, text, me.specials).at(max(size - 256, 0))) for shown, _ in rows]
    side_by_side(cut, "compare.at")


def sizes(measured: Measured) -> Chart:
    """The chart of bytes per token at every vocabulary size: each tokenizer is cut to its first merges.

    The tally of a text has the token counts after every merge, so the text is not encoded again.
    """
    rows: list[tuple[str, str, int, float]] = []
    table: dict[int, dict[str, float]] = {}
    titles = names(measured, "vocabulary size")
    smallest = min((256 + len(tally.closed) for _, tally in measured), default=256)  # of which the title speaks
    for shown, tally in measured:
        largest = 256 + len(tally.closed)
        for size in sorted({*steps_to(largest), smallest}):
            reached = tally.bytes / max(int(tally.tokens_at[size - 256]), 1)
            rows.append((titles[shown.key], shown.series, size, reached))
            table.setdefault(size, {})[titles[shown.key]] = reached
    frame = pd.DataFrame(rows, columns=["tokenizer", "series", "vocabulary size", "bytes per token"])
    frame["said"] = frame["bytes per token"].map(rate)
    wide = pd.DataFrame.from_dict(table, orient="index").sort_index().rename_axis("vocabulary size").reset_index()
    high = 1.06 * frame["bytes per token"].max()
    named = legend([shown for shown, _ in measured])
    base = alt.Chart(frame).encode(
        x=alt.X("vocabulary size:Q", title="vocabulary size, log scale")
        .scale(type="log", base=2, nice=False, domain=[256, max(257, frame["vocabulary size"].max())])
        .axis(**bare(values=[256 * 4**i for i in range(6)], format=",", grid=False, ticks=True, tickSize=5)),
        y=alt.Y("bytes per token:Q", title="bytes per token")
        .scale(domain=[0, high], nice=False)
        .axis(**bare(tickCount=4, format=".2~f")),
        color=colour(named),
    )
    picked = alt.selection_point(name=PICK, fields=["vocabulary size"], on="click", nearest=True, empty=False)
    line = base.mark_line().encode(strokeDash=dash(), strokeWidth=weight())
    dots = (
        base.mark_point(filled=True, size=70)
        .encode(
            shape=shape(named),
            opacity=alt.condition(picked, alt.value(1), alt.value(0)),
            tooltip=[
                "tokenizer:N",
                alt.Tooltip("vocabulary size:Q", format=","),
                alt.Tooltip("said:N", title="bytes per token"),
            ],
        )
        .add_params(picked)
    )
    ends = frame.loc[frame.groupby("tokenizer", sort=False)["vocabulary size"].idxmax()].reset_index(drop=True)
    end_dots = (
        alt.Chart(ends)
        .mark_point(filled=True, size=70, opacity=1)
        .encode(x="vocabulary size:Q", y="bytes per token:Q", color=colour(named), shape=shape(named))
    )
    title = finding(measured)
    last = ", ".join(
        f"{shown.name} {rate(tally.bytes_per_token)} at {256 + len(tally.closed):,}" for shown, tally in measured
    )
    drawing = alt.layer(line, end_dots, dots).properties(height=300 + 10 * len(measured))
    said = "Bytes per token on this text, each tokenizer cut to its first merges; log scale"
    drawn = wide["vocabulary size"].tolist()
    return Chart(
        "sizes",
        title,
        said,
        f"{title}. At their own sizes: {last}.",
        drawing,
        wide,
        lambda row: {"vocabulary size": drawn[row]},
    )


def steps_to(largest: int) -> list[int]:
    """The vocabulary sizes that are drawn: from 256 by factors of the square root of 2, and the largest.

    >>> steps_to(1000)
    [256, 362, 512, 724, 1000]
    """
    return sorted({*(round(256 * 2 ** (i / 2)) for i in range(40) if round(256 * 2 ** (i / 2)) < largest), largest})


def finding(rows: Measured) -> str:
    """The title: who needs the fewest tokens if all are cut to the size of the smallest."""
    size = min(256 + len(tally.closed) for _, tally in rows)
    tokens = [(shown.name, int(tally.tokens_at[size - 256])) for shown, tally in rows]
    return f"Cut to {vocabulary_size(size)}, {fewest(tokens)}"
