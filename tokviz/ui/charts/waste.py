"""The chart of what groups of content cost: a bar for each group, its tokens above or below the text's average."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from tokviz.ui.charts.chart import NAME_LIMIT, PICK, Chart, bare, colour, px
from tokviz.ui.tokenizers import Shown
from tokviz.waste import GroupCost, WasteReport
from tokviz.wording import count_of, rate

OVER = "tokens above the average"
LEAST_ROOM = 0.16  # of the width, on the side of a bar where its figure stands


def group_costs(report: WasteReport, shown: Shown, of: str) -> Chart:
    """The chart of the groups of a report, the dearest first. shown: its tokenizer. of: the words for the text."""
    groups = report.groups
    rows = pd.DataFrame(
        {
            "group": [cost.group.title for cost in groups],
            "key": [cost.group.key for cost in groups],
            "series": shown.series,
            OVER: [cost.over_average for cost in groups],
            "said": [signed(cost.over_average) for cost in groups],
            "what": [cost.group.what for cost in groups],
            "tokens": [cost.tokens for cost in groups],
        }
    )
    low, high = min([0, *rows[OVER]]), max([1, *rows[OVER]])
    room = LEAST_ROOM * (high - low)
    picked = alt.selection_point(name=PICK, fields=["key"], on="click", empty=False)
    base = alt.Chart(rows).encode(
        y=alt.Y("group:N", sort=rows["group"].tolist(), title=None).axis(**bare(labelLimit=NAME_LIMIT)),
        x=alt.X(f"{OVER}:Q", title=OVER)
        .scale(domain=[low - room if low else 0, high + room], nice=False)
        .axis(**bare(tickCount=4, tickMinStep=1, format=",.0f", grid=True)),
    )
    bar = (
        base.mark_bar(size=18, cornerRadiusEnd=1.5)
        .encode(
            color=colour(),
            opacity=alt.condition(alt.datum[OVER] > 0, alt.value(1), alt.value(0.55)),
            tooltip=["group:N", "what:N", alt.Tooltip("tokens:Q", format=","), alt.Tooltip("said:N", title=OVER)],
        )
        .add_params(picked)
    )
    font: dict[str, Any] = {"fontSize": px(14), "fontWeight": 600}
    above = base.transform_filter(alt.datum[OVER] >= 0).mark_text(align="left", dx=6, **font)
    below = base.transform_filter(alt.datum[OVER] < 0).mark_text(align="right", dx=-6, **font)
    labels = (side.encode(text="said:N", color=colour()) for side in (above, below))
    title = dearest_group(groups)
    average = f"{rate(report.bytes_per_token)} bytes per token"
    said = f"How many tokens each group in {of} has beyond the average of {average}"
    figures = ", ".join(f"{cost.group.title} {signed(cost.over_average)}" for cost in groups)
    return Chart(
        "waste-groups",
        title,
        said,
        f"{title}. {said}: {figures}.",
        alt.layer(bar, *labels).properties(height=alt.Step(30)),
        groups_table(report),
        lambda row, _: {"key": groups[row].group.key},
    )


def signed(n: int) -> str:
    """A number with its sign.

    >>> signed(1_200), signed(-3), signed(0)
    ('+1,200', '−3', '0')
    """
    return f"{'+' if n > 0 else '−' if n else ''}{abs(n):,}"


def dearest_group(groups: tuple[GroupCost, ...]) -> str:
    """The title: the group with the most tokens above the average, and how many these are."""
    first = groups[0] if groups else None
    if first is None or first.over_average <= 0:
        return "No group of content costs more than the average of the text"
    verb = "cost" if first.group.title.endswith("s") else "costs"
    more = count_of(first.over_average, "token")
    return f"{first.group.title} {verb} most: {more} more than at the text's average"


def groups_table(report: WasteReport) -> pd.DataFrame:
    """The figures of the groups. Their tokens and bytes add up to those of the text."""
    return pd.DataFrame(
        [
            {
                "group": cost.group.title,
                "what belongs to it": cost.group.what,
                "bytes": cost.n_bytes,
                "tokens": cost.tokens,
                "share of tokens": cost.tokens / report.tokens if report.tokens else 0.0,
                "bytes per token": cost.bytes_per_token,
                OVER: cost.over_average,
                "tokens beyond one a chunk": cost.over_one,
            }
            for cost in report.groups
        ]
    )
