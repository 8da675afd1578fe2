"""Charts of a tokenizer's merges in Altair: the pair count of each merge, and the lengths of the new tokens.

Streamlit's theme colours them in the browser, so they follow a change of theme. A title states the finding, a sentence
computed from the data. If there is nothing to find, it names the quantity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from tokviz.base.wording import times

POINTS = 400  # of a line; more would look the same
LONGEST = 20  # bytes of the longest tokens with their own bar; longer tokens share the last bar
HEIGHT = 240  # px
Drawing = alt.Chart
_LARGER = "(windowSize()[0] >= 1700 ? 1.2 : 1)"  # the factor of font sizes: larger on a projector


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A chart, its texts and its table.

    name: for keys and files. title: the finding. subtitle: quantity, unit and sample. alt: text for screen readers.
    table: the figures of the drawing, for the page and its CSV.
    """

    name: str
    title: str
    subtitle: str
    alt: str
    drawing: Drawing
    table: pd.DataFrame


def pair_counts(counts: Sequence[int]) -> Chart:
    """The chart of the pair count of each merge, on log scales. counts: in rank order, at least one."""
    table = pd.DataFrame({"merge": range(1, len(counts) + 1), "pair count": counts})
    places = np.unique(np.geomspace(1, len(counts), POINTS).round().astype(int)) - 1
    drawing = (
        alt.Chart(table.iloc[places])
        .mark_line(strokeWidth=2.5, point=len(counts) <= 50)
        .encode(
            x=alt.X("merge:Q", title="merge, log scale")
            .scale(type="log", nice=False)
            .axis(**bare(**_powers(len(counts)))),
            y=alt.Y("pair count:Q", title="pair count, log scale")
            .scale(type="log", nice=False)
            .axis(**bare(**_powers(max(counts)))),
            tooltip=[alt.Tooltip("merge:Q", format=","), alt.Tooltip("pair count:Q", format=",")],
        )
        .properties(height=HEIGHT)
    )
    title = counts_found(counts)
    said = "Pair counts, each at the moment of its merge, over the whole corpus"
    return Chart("pair-counts", title, said, f"{title}. {said}, {len(counts):,} merges.", drawing, table)


def counts_found(counts: Sequence[int]) -> str:
    """The title of the chart of pair counts.

    >>> counts_found([9, 4, 4]), counts_found([4, 4])
    ('The first pair occurred 9 times when it merged, the last 4 times', 'Each pair occurred 4 times when it merged')
    """
    if len(counts) == 1:
        return "Pair count of each merge"
    if min(counts) == max(counts):
        return f"Each pair occurred {times(counts[0])} when it merged"
    return f"The first pair occurred {times(counts[0])} when it merged, the last {times(counts[-1])}"


def new_lengths(lengths: Sequence[int]) -> Chart:
    """The chart of how many new tokens have each length. lengths: in bytes, at least one."""
    often = Counter(lengths)
    table = pd.DataFrame(sorted(often.items()), columns=["bytes", "new tokens"])
    bars = Counter({str(n): often[n] for n in range(2, min(max(lengths), LONGEST) + 1)})
    longer = sum(number for length, number in often.items() if length > LONGEST)
    order = [*bars, *([f"> {LONGEST}"] if longer else [])]
    rows = pd.DataFrame({"bytes": order, "new tokens": [*bars.values(), *([longer] if longer else [])]})
    drawing = (
        alt.Chart(rows)
        .mark_bar(cornerRadiusEnd=1.5)
        .encode(
            x=alt.X("bytes:N", sort=order, title="bytes of the token").axis(
                **bare(labelAngle=0, labelOverlap="greedy")
            ),
            y=alt.Y("new tokens:Q", title="new tokens").axis(**bare(tickCount=4, tickMinStep=1, format=",.0f")),
            tooltip=["bytes:N", alt.Tooltip("new tokens:Q", format=",")],
        )
        .properties(height=HEIGHT)
    )
    title = lengths_found(often)
    said = "Token lengths, in bytes, of the tokens that the merges made"
    return Chart("new-lengths", title, said, f"{title}. {said}, {len(lengths):,} tokens.", drawing, table)


def lengths_found(often: Counter[int]) -> str:
    """The title of the chart of lengths. often: length in bytes -> number of new tokens.

    >>> lengths_found(Counter([2, 2, 3])), lengths_found(Counter([2]))
    ('New tokens are 2 to 3 bytes long, most often 2', 'Every new token is 2 bytes long')
    """
    shortest, longest = min(often), max(often)
    if shortest == longest:
        return f"Every new token is {shortest} bytes long"
    [(common, most), *_] = often.most_common(1)
    alone = sum(number == most for number in often.values()) == 1
    return f"New tokens are {shortest} to {longest:,} bytes long" + (f", most often {common}" if alone else "")


def _powers(most: int) -> dict[str, Any]:
    """The labels of a log axis that reaches `most`: powers of ten, and values between them if there are few."""
    digits = (1,) if most >= 1_000 else (1, 3) if most >= 30 else (1, 2, 5)
    values = [digit * 10**power for power in range(10) for digit in digits if digit * 10**power <= most]
    return {"values": values, "format": ",.0f", "grid": True}


def px(size: int) -> Any:
    """A font size in pixels, 1.2 times as large on a projector."""
    return alt.expr(f"{size} * {_LARGER}")


def bare(**more: Any) -> dict[str, Any]:
    """The settings of an axis without a line and ticks, whose labels are at their values. more: settings to add."""
    of_all = {"domain": False, "ticks": False, "labelPadding": 8, "titlePadding": 10, "labelFlush": False}
    return {**of_all, "labelFontSize": px(13), "titleFontSize": px(13), **more}
