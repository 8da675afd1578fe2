"""The chart of compression at every vocabulary size."""

from __future__ import annotations

import altair as alt
import pandas as pd

from tokviz.base.wording import listed, rate
from tokviz.ui.frame.charts.chart import PICK, Chart, Measured, all_of, bare, colour, dash, legend, names, shape, weight


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
    title = leader(measured)
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
        lambda row, _: {"vocabulary size": drawn[row]},
    )


def steps_to(largest: int) -> list[int]:
    """The vocabulary sizes that are drawn: from 256 by factors of the square root of 2, and the largest.

    >>> steps_to(1000)
    [256, 362, 512, 724, 1000]
    """
    return sorted({*(round(256 * 2 ** (i / 2)) for i in range(40) if round(256 * 2 ** (i / 2)) < largest), largest})


def leader(measured: Measured) -> str:
    """The title: which tokenizer compresses best if all are cut to the size of the smallest."""
    size = min((256 + len(tally.closed) for _, tally in measured), default=256)
    if len(measured) < 2 or size == 256:
        return "Bytes per token by vocabulary size"
    tokens = [int(tally.tokens_at[size - 256]) for _, tally in measured]
    first = [shown for (shown, _), n in zip(measured, tokens, strict=True) if n == min(tokens)]
    if len(first) == len(measured):
        return f"Cut to {size:,} tokens, {all_of(len(first)).lower()} need the same number of tokens on this text"
    if len(first) > 1:
        return f"Cut to {size:,} tokens, {listed([shown.name for shown in first])} need the fewest tokens on this text"
    others = {2: "the other", 3: "both others"}.get(len(measured), f"all {len(measured) - 1} others")
    return f"Cut to {size:,} tokens, {first[0].name} needs fewer tokens than {others} on this text"
