"""The chart of how much two vocabularies overlap at every size."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from tokviz.overlap import Overlap
from tokviz.ui.charts.chart import INK, Chart, Drawing, bare, px
from tokviz.wording import percent

HEIGHT = 260  # in px, of the drawing with its axes
NEAR_AXIS = 0.1  # an overlap whose line is so low that no name fits below it
PLAIN, WEIGHTED = "by merges", "by use in the text"


def overlaps(rows: Sequence[Overlap], weighted: Sequence[float | None], names: tuple[str, str], text: str) -> Chart:
    """The chart of the plain and the weighted overlap at each vocabulary size.

    weighted: one for each of the rows, or empty if the text has no tokens. names: of the two tokenizers. text: the name
    of the text in which use was counted.
    """
    table = pd.DataFrame(
        {
            "vocabulary size": [row.size for row in rows],
            "merges in both": [row.shared for row in rows],
            "merges in either": [row.either for row in rows],
            "share of merges in both": [row.plain for row in rows],
        }
    )
    if weighted:
        table["share of use in common"] = list(weighted)
    points = [(row.size, row.plain, PLAIN) for row in rows if row.plain is not None]
    points += [(row.size, share, WEIGHTED) for row, share in zip(rows, weighted, strict=False) if share is not None]
    frame = pd.DataFrame(points, columns=["vocabulary size", "overlap", "line"])
    frame["said"] = frame["overlap"].map(percent)
    title = shares_found(rows)
    said = f"What both have as a share of what either has; {names[0]} and {names[1]} are cut to their first merges"
    return Chart(
        "overlap",
        title,
        f"{said}; use is counted in: {text}" if weighted else said,
        f"{title}. {said}.",
        _drawing(frame, rows[-1].size),
        table,
        write=percent,
    )


def shares_found(rows: Sequence[Overlap]) -> str:
    """The title: how much the two share of their first merges, and of all of them.

    >>> shares_found([Overlap(362, 53, 159), Overlap(1_000, 500, 1_000)]).replace("\u00a0", " ")
    'Of their merges, 33.3 % are in both at 362 tokens, and 50.0 % at 1,000 tokens'
    """
    some = [row for row in rows if row.plain is not None]
    if not some:
        return "Overlap by vocabulary size"
    first, last = some[0], some[-1]
    if not last.shared:
        return "No merge is in both"
    start = f"Of their merges, {percent(first.plain or 0)} are in both at {first.size:,} tokens"
    return start if first.size == last.size else f"{start}, and {percent(last.plain or 0)} at {last.size:,} tokens"


def _drawing(frame: pd.DataFrame, largest: int) -> Drawing:
    base = alt.Chart(frame).encode(
        x=alt.X("vocabulary size:Q", title="vocabulary size, log scale")
        .scale(type="log", base=2, nice=False, domain=[256, max(257, largest)])
        .axis(**bare(values=[256 * 4**i for i in range(6)], format=",", grid=False, ticks=True, tickSize=5)),
        y=alt.Y("overlap:Q", title="overlap")
        .scale(domain=[0, 1], nice=False)
        .axis(**bare(values=[0, 0.25, 0.5, 0.75, 1], format=".0%")),
    )
    tooltip = [
        alt.Tooltip("vocabulary size:Q", format=","),
        alt.Tooltip("said:N", title="overlap"),
        alt.Tooltip("line:N", title="counted"),
    ]
    plain = base.transform_filter(alt.datum["line"] == PLAIN)
    weighted = base.transform_filter(alt.datum["line"] == WEIGHTED)
    lines = [
        plain.mark_line(color=INK, strokeDash=[6, 3], point={"color": INK, "filled": True, "size": 30}),
        weighted.mark_line(strokeWidth=2.5, point={"filled": True, "size": 40}),
    ]
    return alt.layer(*(line.encode(tooltip=tooltip) for line in lines), *_names(frame)).properties(height=HEIGHT)


def _names(frame: pd.DataFrame) -> list[alt.Chart]:
    """The name of each line at its end: that of the upper line above it, that of the lower line below it.

    If there is no room between the lower line and the axis, its name is above it, or above both lines if they are near.
    """
    ends = frame.loc[frame.groupby("line")["vocabulary size"].idxmax()].sort_values("overlap").to_dict("records")
    above = [16, -14] if len(ends) == 2 else [-14] * len(ends)
    if len(ends) == 2 and ends[0]["overlap"] < NEAR_AXIS:
        gap = ends[1]["overlap"] - ends[0]["overlap"]
        above = [-14 - round(gap * HEIGHT), -32] if gap < NEAR_AXIS else [-14, -14]
    return [
        alt.Chart(pd.DataFrame([end]))
        .mark_text(align="right", dy=dy, fontSize=px(13), fontWeight=600)
        .encode(x="vocabulary size:Q", y="overlap:Q", text="line:N", color=alt.value(INK))
        for end, dy in zip(ends, above, strict=True)
    ]
