"""Charts of one text: compression, and lengths of the tokens. Compression by vocabulary size is in `by_size.py`."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from tokviz.ui.charts.chart import (
    NAME_LIMIT,
    PICK,
    Chart,
    Drawing,
    Measured,
    all_of,
    bare,
    colour,
    dash,
    key,
    listed,
    marked,
    names,
    px,
    shape,
    weight,
)

LONGEST = 16  # bytes; the chart of lengths counts longer tokens with these


def compression(measured: Measured, of: str = "this text") -> Chart:
    """The chart of bytes per token on one text, a bar for each tokenizer. of: the words for the text."""
    ranked = sorted(measured, key=lambda row: row[1].tokens)
    rows = pd.DataFrame(
        {
            "tokenizer": [marked(shown) for shown, _ in ranked],
            "series": [shown.series for shown, _ in ranked],
            "bytes per token": [tally.bytes_per_token for _, tally in ranked],
        }
    )
    title = fewest(measured)
    values = ", ".join(f"{shown.name} {tally.bytes_per_token:.2f}" for shown, tally in ranked if tally.bytes_per_token)
    table = pd.DataFrame(
        {
            "tokenizer": [names(ranked)[shown.key] for shown, _ in ranked],
            "tokens": [tally.tokens for _, tally in ranked],
            "bytes": [tally.bytes for _, tally in ranked],
            "bytes per token": [tally.bytes_per_token for _, tally in ranked],
        }
    )
    said = f"Compression of {of}: bytes over tokens; more is better"
    return Chart("compression", title, said, f"{title}. Bytes per token: {values}.", _bars(rows), table)


def _bars(rows: pd.DataFrame) -> Drawing:
    """Horizontal bars in the order of the rows, one for each tokenizer, each with its value at its end."""
    value = "bytes per token"
    base = alt.Chart(rows).encode(
        y=alt.Y("tokenizer:N", sort=rows["tokenizer"].tolist(), title=None).axis(**bare(labelLimit=NAME_LIMIT)),
        x=alt.X(f"{value}:Q", title=value).axis(**bare(tickCount=4, format=".2~f", grid=True)),
    )
    bar = base.mark_bar(size=28, cornerRadiusEnd=1.5).encode(
        color=colour(), tooltip=["tokenizer:N", alt.Tooltip(f"{value}:Q", format=".2f")]
    )
    # A label without a colour is black in both themes. The tokenizers' colours are legible in both.
    label = base.mark_text(align="left", dx=6, fontSize=px(14), fontWeight=600).encode(
        text=alt.Text(f"{value}:Q", format=".2f"), color=colour()
    )
    return alt.layer(bar, label).properties(height=alt.Step(56))


def fewest(measured: Measured) -> str:
    """The title: which tokenizers need the fewest tokens, and which the most.

    >>> import tokviz
    >>> from tokviz.metrics import tally
    >>> from tokviz.ui.tokenizers import Shown
    >>> rows = [(Shown(k, k, k, None), tally(tokviz.reference(k).explain("2001"))) for k in ("gpt2", "cl100k_base")]
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
    """The chart of the share of tokens of each length in bytes, a line for each tokenizer."""
    rows: list[tuple[str, str, str, int, float]] = []
    table: dict[str, list[Any]] = {"bytes": [*map(str, range(1, LONGEST)), f"{LONGEST}+"]}
    titles = names(measured, "bytes")
    for shown, tally in measured:
        counts = np.zeros(LONGEST + 1)
        by_length = tally.by_length[: LONGEST + 1]
        counts[: len(by_length)] = by_length
        counts[LONGEST] = tally.by_length[LONGEST:].sum()
        shares = counts[1:] / max(tally.tokens, 1)
        table[titles[shown.key]] = shares.tolist()
        rows += [(marked(shown), shown.series, shown.key, n, share) for n, share in enumerate(shares, start=1)]
    frame = pd.DataFrame(rows, columns=["tokenizer", "series", "key", "bytes", "share"])
    base = alt.Chart(frame).encode(
        x=alt.X("bytes:Q", title=f"bytes of a token; the last stands for {LONGEST} and more")
        .scale(domain=[1, LONGEST], nice=False)
        .axis(**bare(values=[1, 4, 8, 12, 16], grid=False, ticks=True, tickSize=5)),
        y=alt.Y("share:Q", title="share of tokens")
        .scale(domain=[0, 1.06 * frame["share"].max() or 1], nice=False)
        .axis(**bare(tickCount=4, format=".0%")),
        color=colour(),
    )
    picked = alt.selection_point(name=PICK, fields=["key", "bytes"], on="click", nearest=True, empty=False)
    dots = (
        base.mark_point(filled=True, opacity=1)
        .transform_filter(alt.datum["share"] > 0)  # a length without tokens cannot be picked
        .encode(
            shape=shape(),
            size=alt.condition(picked, alt.value(150), alt.value(45)),
            tooltip=["tokenizer:N", "bytes:Q", alt.Tooltip("share:Q", format=".1%", title="share of tokens")],
        )
        .add_params(picked)
    )
    line = base.mark_line().encode(strokeDash=dash(), strokeWidth=weight())
    title = single_bytes(measured)
    ones = ", ".join(f"{shown.name} {tally.single_byte_share or 0:.0%}" for shown, tally in measured)
    above = key([shown for shown, _ in measured])
    drawing = alt.layer(line, above, dots).properties(height=290 + 10 * len(measured))
    keys = {titles[shown.key]: shown.key for shown, _ in measured}
    return Chart(
        "lengths",
        title,
        "Share of this text's tokens by their length in bytes",
        f"{title}. Tokens of one byte: {ones}.",
        drawing,
        pd.DataFrame(table),
        lambda row, column: {"key": keys[column], "bytes": row + 1} if column in keys else None,
    )


def single_bytes(measured: Measured) -> str:
    """The title: which tokenizer has the largest share of tokens of one byte, and which the smallest."""
    shares = [(tally.single_byte_share, shown.name) for shown, tally in measured if tally.single_byte_share is not None]
    if not shares:
        return "Tokens by length"
    (low, least), (high, most) = min(shares), max(shares)
    if f"{low:.0%}" == f"{high:.0%}":
        return f"{low:.0%} of the tokens are single bytes" + (f" under all {len(shares)}" if len(shares) > 1 else "")
    return f"Single bytes are {high:.0%} of the tokens under {most}, {low:.0%} under {least}"
