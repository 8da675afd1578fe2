"""The chart of compression at every vocabulary size, and the places in it for the names of the lines."""

from __future__ import annotations

from typing import Literal

import altair as alt
import numpy as np
import pandas as pd

from tokviz.peers import Peer
from tokviz.ui.charts.chart import (
    PICK,
    ROOM,
    Chart,
    Measured,
    all_of,
    bare,
    colour,
    dash,
    key,
    names,
    px,
    shape,
    weight,
)
from tokviz.wording import listed, rate


def sizes(measured: Measured) -> Chart:
    """The chart of bytes per token at every vocabulary size: each tokenizer is cut to its first merges.

    The tally of a text has the token counts after every merge, so the text is not encoded again.
    """
    rows: list[tuple[str, str, int, float]] = []
    table: dict[int, dict[str, float]] = {}
    titles = names(measured, "vocabulary size")
    for shown, tally in measured:
        largest = 256 + len(tally.closed)
        for size in steps_to(largest):
            reached = tally.bytes / max(int(tally.tokens_at[size - 256]), 1)
            rows.append((titles[shown.key], shown.series, size, reached))
            table.setdefault(size, {})[titles[shown.key]] = reached
    frame = pd.DataFrame(rows, columns=["tokenizer", "series", "vocabulary size", "bytes per token"])
    frame["said"] = frame["bytes per token"].map(rate)
    wide = pd.DataFrame.from_dict(table, orient="index").sort_index().rename_axis("vocabulary size").reset_index()
    high = 1.06 * frame["bytes per token"].max()
    base = alt.Chart(frame).encode(
        x=alt.X("vocabulary size:Q", title="vocabulary size, log scale")
        .scale(type="log", base=2, nice=False, domain=[256, max(257, frame["vocabulary size"].max())])
        .axis(**bare(values=[256 * 4**i for i in range(6)], format=",", grid=False, ticks=True, tickSize=5)),
        y=alt.Y("bytes per token:Q", title="bytes per token")
        .scale(domain=[0, high], nice=False)
        .axis(**bare(tickCount=4, format=".2~f")),
        color=colour(),
    )
    picked = alt.selection_point(name=PICK, fields=["vocabulary size"], on="click", nearest=True, empty=False)
    line = base.mark_line().encode(strokeDash=dash(), strokeWidth=weight())
    dots = (
        base.mark_point(filled=True, size=70)
        .encode(
            shape=shape(),
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
        .encode(x="vocabulary size:Q", y="bytes per token:Q", color=colour(), shape=shape())
    )
    at_ends = _at_ends(frame, ends, high)
    above = key([shown for shown, _ in measured], only_if=_NARROW if at_ends else "true")
    title = leader(measured)
    last = ", ".join(
        f"{shown.name} {rate(tally.bytes_per_token)} at {256 + len(tally.closed):,}" for shown, tally in measured
    )
    drawing = alt.layer(line, end_dots, *at_ends, above, dots).properties(height=300 + 10 * len(measured))
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


def with_merges(measured: Measured) -> Measured:
    """The tokenizers that can be cut to a smaller vocabulary: all but those of others."""
    return [(shown, counted) for shown, counted in measured if not isinstance(shown.tokenizer, Peer)]


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


# -- names at the ends of lines --

_NARROW = f"{ROOM} < 640"  # a chart this narrow has the names above it
_RIGHT = 130  # pixels on the right of the chart, for the name of the longest line
_LETTER, _LINE = 7.5, 18  # pixels of a letter and of a line of text, at most; wide scripts need more
_SMALLEST = (460, 200)  # pixels of the plot in the smallest chart with names at the ends of lines
_SIDES: tuple[tuple[str, Literal["left", "right"], int], ...] = (
    ("right", "left", 9),
    ("below", "left", -4),
    ("above", "right", 4),
)


def _at_ends(frame: pd.DataFrame, ends: pd.DataFrame, high: float) -> list[alt.Chart]:
    """The name of each line at its end; [] if names would overlap or there are more than four."""
    placed = ends.merge(_beside(frame, ends), on="tokenizer")
    if len(ends) > 4 or not _apart(placed, high):
        return []
    return [
        alt.Chart(placed[placed["side"] == side])
        .transform_filter(f"!({_NARROW})")
        .mark_text(
            align=align,
            dx=dx,
            fontSize=px(13),
            fontWeight=600,
            limit=_RIGHT,
        )
        .encode(x="vocabulary size:Q", y="place:Q", text="tokenizer:N", color=colour())
        for side, align, dx in _SIDES
        if (placed["side"] == side).any()
    ]


def _beside(frame: pd.DataFrame, ends: pd.DataFrame) -> pd.DataFrame:
    """A place for the name of each line where it covers no line.

    The first line that ends at the largest size has its name on the right. Any other name is above the end and to its
    left if no line is higher there, because lines rise; if one is, the name is below all lines.
    """
    gap = frame["bytes per token"].max() / 12
    last = ends["vocabulary size"].max()
    rows: list[tuple[str, str, float]] = []
    for end in ends.to_dict("records"):
        size, reached = end["vocabulary size"], end["bytes per token"]
        lines = frame[frame["tokenizer"] != end["tokenizer"]].groupby("tokenizer")
        others = [
            float(np.interp(np.log2(size), np.log2(line["vocabulary size"]), line["bytes per token"]))
            for _, line in lines
            if line["vocabulary size"].max() > size
        ]
        if size == last and not [one for one in rows if one[1] == "right"]:
            rows.append((end["tokenizer"], "right", reached))
        elif others and reached >= max(others):
            rows.append((end["tokenizer"], "above", reached + gap))
        else:
            rows.append((end["tokenizer"], "below", min([reached, *others]) - gap))
    return pd.DataFrame(rows, columns=["tokenizer", "side", "place"])


def _apart(placed: pd.DataFrame, high: float) -> bool:
    """Whether the names fit into the chart at these places without overlap. high: the largest y, in bytes per token."""
    across, down = _SMALLEST
    octaves = np.log2(placed["vocabulary size"].max() / 256) or 1
    boxes: list[tuple[float, float, float]] = []
    for one in placed.to_dict("records"):
        wide = _LETTER * len(one["tokenizer"])
        at = np.log2(one["vocabulary size"] / 256) / octaves * across
        left, top = at - wide if one["side"] == "above" else at, down * (1 - one["place"] / high)
        clear = all(left > right or start > left + wide or abs(top - other) >= _LINE for start, right, other in boxes)
        if wide > _RIGHT or left < 0 or not 0 <= top <= down or not clear:
            return False
        boxes.append((left, left + wide, top))
    return True
