"""The chart of a bootstrap: how many of the first merges a resample has among its own first merges, at every size."""

from __future__ import annotations

import altair as alt
import pandas as pd

from tokviz.sample_size import Bootstrap
from tokviz.ui.charts.chart import Chart, bare, colour
from tokviz.wording import count_of, percent

BEGINNING = 10  # the title compares this part of the merges, 1/10, with all of them
HEIGHT = 260  # px


def resamples(found: Bootstrap, series: str) -> Chart:
    """The chart of the overlap by size: the mean as a line, and 8 of 10 resamples as a band. series: its colour."""
    table = pd.DataFrame(
        found.overlaps, columns=["merges", "share of them in a resample", "share, 10th percentile", "90th percentile"]
    )
    shares = dict(zip(table.columns, ("merges", "mean", "low", "high"), strict=True))
    frame = table.rename(columns=shares).assign(series=series)
    for column in ("mean", "low", "high"):
        frame[f"{column} said"] = frame[column].map(percent)
    last = len(found.tokens)
    base = alt.Chart(frame).encode(
        x=alt.X("merges:Q", title="the first merges of the training")
        .scale(nice=False, domain=[min(1, last - 1), last])
        .axis(**bare(tickCount=6, tickMinStep=1, format=",.0f", grid=False, ticks=True, tickSize=5)),
        color=colour(),
    )
    upwards = alt.Y("mean:Q", title="share of them in a resample").scale(domain=[0, 1], nice=False)
    band = base.mark_area(opacity=0.25, line=False).encode(y="low:Q", y2="high:Q")
    line = base.mark_line(strokeWidth=2.5, point=len(frame) <= 50).encode(
        y=upwards.axis(**bare(tickCount=5, format=".0%")),
        tooltip=[
            alt.Tooltip("merges:Q", title="first merges", format=","),
            alt.Tooltip("mean said:N", title="in a resample, mean"),
            alt.Tooltip("low said:N", title="10th percentile"),
            alt.Tooltip("high said:N", title="90th percentile"),
        ],
    )
    title = overlap_found(found)
    drawn = f"{count_of(found.resamples, 'resample')} of {found.units:,} {found.unit}s, seed {found.seed}"
    cut = "; chunks longer than a block are cut" if found.cut else ""
    share = "Share of the first merges that are among as many first merges of a resample"
    said = f"{share}: mean (line) and 8 of 10 (band) of {drawn}{cut}"
    return Chart("resamples", title, said, f"{title}. {said}.", alt.layer(band, line).properties(height=HEIGHT), table)


def overlap_found(found: Bootstrap) -> str:
    """The title: the overlap of the beginning and of all merges.

    >>> from tokviz import bootstrap, train
    >>> overlap_found(bootstrap(train(["the cat"] * 40, 259), 5)).replace("\u00a0", " ")
    'On average, a resample has 100 % of these 3 merges'
    """
    *_, whole = found.overlaps
    first = next(one for one in found.overlaps if one.size * BEGINNING >= whole.size)
    every = f"{percent(whole.mean)} of {'all' if first.size > 1 else 'these'} {count_of(whole.size, 'merge')}"
    if first.size < 2 or first is whole:
        return f"On average, a resample has {every}"
    return f"On average, a resample has {percent(first.mean)} of the first {first.size:,} merges, and {every}"
