"""The chart of the lengths of a text's tokens. Compression by vocabulary size is in `by_size.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tokviz.base.wording import listed, percent, plural
from tokviz.cost.figures import Tally
from tokviz.ui.frame.charts.chart import (
    INK,
    PICK,
    Chart,
    Drawing,
    Measured,
    all_of,
    bare,
    colour,
    marked,
    names,
    px,
)

LONGEST = 16  # bytes; the chart of lengths counts longer tokens with these
ROW_OF_BARS = 84  # pixels of a tokenizer's row in the chart of lengths
AXIS = 60  # pixels below the rows
BARS = 0.68  # of the height of such a row, for its highest bar
NAME = 0.6  # of that height, where the name of the tokenizer stands
APART = 0.05  # shares of single bytes that differ by this much are the finding of the chart of lengths


def fewest(measured: Measured) -> str:
    """The title: which tokenizers need the fewest tokens, and which the most.

    >>> import tokviz
    >>> from tokviz.cost.figures import tally
    >>> from tokviz.ui.frame.tokenizers import ShownTokenizer
    >>> names = ("gpt2", "cl100k_base")
    >>> rows = [(ShownTokenizer(k, k, k, None), tally(tokviz.reference(k).explain("2001"))) for k in names]
    >>> fewest(rows), fewest(rows[:1])
    ('gpt2 needs the fewest tokens, 1; cl100k_base the most, 2', 'Bytes per token')
    """
    if len(measured) < 2:
        return "Bytes per token"
    counts = [tally.tokens for _, tally in measured]
    low, high = min(counts), max(counts)
    if low == high:
        return f"{all_of(len(measured))} need the same number of tokens, {low:,}"
    fewest = listed([shown.name for shown, tally in measured if tally.tokens == low])
    most = listed([shown.name for shown, tally in measured if tally.tokens == high])
    needs = "needs" if counts.count(low) == 1 else "need"
    return f"{fewest} {needs} the fewest tokens, {low:,}; {most} the most, {high:,}"


def lengths(measured: Measured) -> Chart:
    """The chart of the share of tokens of each length in bytes: a row of bars for each tokenizer, one scale for all."""
    table: dict[str, list[Any]] = {"bytes": [*map(str, range(1, LONGEST)), f"{LONGEST}+"]}
    titles = names(measured, "bytes")
    shares = {shown.key: _shares(tally) for shown, tally in measured}
    table |= {titles[shown.key]: shares[shown.key].tolist() for shown, _ in measured}
    title = usual_length(measured)
    ones = ", ".join(f"{shown.name} {percent(tally.single_byte_share or 0)}" for shown, tally in measured)
    keys = {titles[shown.key]: shown.key for shown, _ in measured}
    return Chart(
        "lengths",
        title,
        f"Share of this text's tokens by their length; {LONGEST} stands for {LONGEST} bytes and more",
        f"{title}. Tokens of one byte: {ones}.",
        _rows_of_bars(measured, shares),
        pd.DataFrame(table),
        lambda row, column: {"key": keys[column], "bytes": row + 1} if column in keys else None,
        write=percent,
    )


def _shares(tally: Tally) -> NDArray[np.float64]:
    """The share of the tokens of 1, 2, ... bytes. The last one is of LONGEST bytes and more."""
    counts = np.bincount(np.minimum(tally.lengths.values, LONGEST), tally.lengths.times, LONGEST + 1)
    of_each: NDArray[np.float64] = counts[1:] / max(tally.tokens, 1)
    return of_each


def _rows_of_bars(measured: Measured, shares: Mapping[str, NDArray[np.float64]]) -> Drawing:
    """The bars of all tokenizers in one view, because a click can pick something only in a single view.

    Row i is from `base` to `base + 1`; its bars take up to BARS of that, and the rest is for the labels.
    """
    most = max((float(of_each.max()) for of_each in shares.values()), default=0.0) or 1.0
    rows, heads = [], []
    for place, (shown, _) in enumerate(measured):
        base, of_each = len(measured) - 1 - place, shares[shown.key]
        mode = int(of_each.argmax()) + 1
        of_row = {"tokenizer": marked(shown), "series": shown.series, "key": shown.key, "base": base}
        rows += [
            of_row
            | {
                "bytes": n,
                "share": share,
                "said": percent(share),
                "left": n - 0.42,
                "right": n + 0.42,
                "top": base + BARS * share / most,
                "ceiling": base + 1,
            }
            for n, share in enumerate(of_each.tolist(), 1)
        ]
        top = base + BARS * of_each.max() / most
        heads.append(of_row | {"mode": mode, "top": top, "said": percent(of_each.max()), "name": base + NAME})
    frame = pd.DataFrame(rows)
    bytes_axis = bare(values=[1, 2, 4, 8, 12, LONGEST], grid=False, ticks=True, tickSize=5)
    bytes_axis["labelExpr"] = f"datum.value == {LONGEST} ? '{LONGEST}+' : datum.value"
    x = alt.X("left:Q", title="bytes of a token").scale(domain=[0.4, LONGEST + 0.6], nice=False).axis(**bytes_axis)
    y = alt.Y("base:Q", title=None, axis=None).scale(domain=[0, len(measured)], nice=False)
    picked = alt.selection_point(name=PICK, fields=["key", "bytes"], on="click", empty=False)
    columns = alt.Chart(frame).encode(x=x, x2="right:Q", y=y)
    bars = columns.mark_bar(cornerRadiusEnd=1.5, stroke=INK).encode(
        y2="top:Q", color=colour(), strokeWidth=alt.condition(picked, alt.value(4), alt.value(0))
    )
    whole_columns = (  # the bars themselves can be too low to be hit
        columns.mark_rect(opacity=0)
        .transform_filter(alt.datum["share"] > 0)  # a length without tokens cannot be picked
        .encode(y2="ceiling:Q", tooltip=["tokenizer:N", "bytes:Q", alt.Tooltip("said:N", title="share of tokens")])
        .add_params(picked)
    )
    of_rows = alt.Chart(pd.DataFrame(heads)).encode(y=y, color=colour())
    lines = of_rows.mark_rule(strokeWidth=1.5)
    label: dict[str, Any] = {"fontSize": px(13), "fontWeight": 600}
    highest = of_rows.mark_text(dy=-9, **label).encode(x="mode:Q", y=alt.Y("top:Q", axis=None), text="said:N")
    # The name of a row is in its upper corner, on the side away from the highest bar.
    named = of_rows.encode(y=alt.Y("name:Q", axis=None), text="tokenizer:N")
    right = named.transform_filter(f"datum.mode <= {LONGEST // 2}").mark_text(align="right", **label)
    left = named.transform_filter(f"datum.mode > {LONGEST // 2}").mark_text(align="left", **label)
    at_sides = [right.encode(x=alt.value("width")), left.encode(x=alt.value(0))]
    drawn = alt.layer(bars, lines, highest, *at_sides, whole_columns)
    return drawn.properties(height=ROW_OF_BARS * max(len(measured), 1) + AXIS)


def usual_length(measured: Measured) -> str:
    """The title: how the shares of single bytes differ, or else which length is the most frequent."""
    counted = [(shown.name, tally, _shares(tally)) for shown, tally in measured if tally.tokens]
    if not counted:
        return "Tokens by length"
    ones = [(float(of_each[0]), name) for name, _, of_each in counted]
    (low, least), (high, most) = min(ones), max(ones)
    if high - low >= APART:
        return f"Single bytes are {percent(high)} of the tokens under {most}, {percent(low)} under {least}"
    if any(np.count_nonzero(of_each == of_each.max()) > 1 for *_, of_each in counted):
        return "Tokens by length"
    modes: dict[int, list[str]] = {}
    for name, _, of_each in counted:
        modes.setdefault(int(of_each.argmax()) + 1, []).append(name)
    of = {n: f"{n} {plural(n, 'byte')}" + (" and more" if n == LONGEST else "") for n in modes}
    if len(modes) > 1:
        under = ", ".join(f"of {of[n]} under {listed(modes[n])}" for n in sorted(modes))
        return f"The most frequent tokens are {under}"
    [mode] = modes
    highest = sorted(float(of_each.max()) for *_, of_each in counted)
    ends = list(dict.fromkeys([percent(highest[0]), percent(highest[-1])]))
    who = "" if len(counted) == 1 else f" under {all_of(len(counted)).lower()}"
    return f"Tokens of {of[mode]} are the most frequent{who}, {' to '.join(ends)} of the tokens"
