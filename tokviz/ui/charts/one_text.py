"""Charts of one text: compression, compression at every vocabulary size, and how long the tokens are."""

from __future__ import annotations

from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from tokviz.ui.charts.chart import (
    NAME_LIMIT,
    PICK,
    ROOM,
    Chart,
    Drawing,
    Measured,
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

LONGEST = 16  # bytes; longer tokens stand with these in the chart of lengths


def compression(measured: Measured, of: str = "this text") -> Chart:
    """Bytes per token on one text, a bar for each tokenizer. of: what the text is called."""
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
    """Horizontal bars, one a tokenizer, the longest first, each with its value at its end."""
    value = "bytes per token"
    base = alt.Chart(rows).encode(
        y=alt.Y("tokenizer:N", sort=rows["tokenizer"].tolist(), title=None).axis(**bare(labelLimit=NAME_LIMIT)),
        x=alt.X(f"{value}:Q", title=value).axis(**bare(tickCount=4, format=".2~f", grid=True)),
    )
    bar = base.mark_bar(size=28, cornerRadiusEnd=1.5).encode(
        color=colour(), tooltip=["tokenizer:N", alt.Tooltip(f"{value}:Q", format=".2f")]
    )
    # the colours of the tokenizers are legible as text in both themes; a plain label would be black in both
    label = base.mark_text(align="left", dx=6, fontSize=px(14), fontWeight=600).encode(
        text=alt.Text(f"{value}:Q", format=".2f"), color=colour()
    )
    return alt.layer(bar, label).properties(height=alt.Step(56))


def fewest(measured: Measured) -> str:
    """Who needs the fewest tokens, and who the most.

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
        return f"{_all_of(len(measured))} need the same number of tokens, {low:,}"
    fewest = listed([shown.name for shown, tally in measured if tally.tokens == low])
    most = listed([shown.name for shown, tally in measured if tally.tokens == high])
    needs = "needs" if counts.count(low) == 1 else "need"
    return f"{fewest} {needs} the fewest tokens, {low:,}; {most} the most, {high:,}"


def _all_of(n: int) -> str:
    return "Both" if n == 2 else f"All {n}"


def sizes(measured: Measured) -> Chart:
    """Bytes per token at every vocabulary size, each tokenizer cut to its first merges. All is read off one tally."""
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
                alt.Tooltip("bytes per token:Q", format=".2f"),
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
        f"{shown.name} {tally.bytes_per_token or 0:.2f} at {256 + len(tally.closed):,}" for shown, tally in measured
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


def steps_to(largest: int) -> list[int]:
    """The vocabulary sizes that are drawn: from 256 by half octaves, and the largest.

    >>> steps_to(1000)
    [256, 362, 512, 724, 1000]
    """
    return sorted({*(round(256 * 2 ** (i / 2)) for i in range(40) if round(256 * 2 ** (i / 2)) < largest), largest})


def leader(measured: Measured) -> str:
    """Who compresses best when all are cut to the size of the smallest."""
    size = min((256 + len(tally.closed) for _, tally in measured), default=256)
    if len(measured) < 2 or size == 256:
        return "Bytes per token by vocabulary size"
    tokens = [int(tally.tokens_at[size - 256]) for _, tally in measured]
    first = [shown for (shown, _), n in zip(measured, tokens, strict=True) if n == min(tokens)]
    if len(first) == len(measured):
        return f"Cut to {size:,} tokens, {_all_of(len(first)).lower()} need the same number of tokens on this text"
    if len(first) > 1:
        return f"Cut to {size:,} tokens, {listed([shown.name for shown in first])} share the lead on this text"
    others = f"all {len(measured) - 1} others" if len(measured) > 2 else "the other"
    return f"Cut to {size:,} tokens, {first[0].name} beats {others} on this text"


def lengths(measured: Measured) -> Chart:
    """How long the tokens are: the share of tokens of each length in bytes."""
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
        .transform_filter(alt.datum["share"] > 0)  # where there are no tokens there is nothing to pick
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
    """Whose tokens are single bytes most often, and whose least."""
    shares = [(tally.single_byte_share, shown.name) for shown, tally in measured if tally.single_byte_share is not None]
    if not shares:
        return "Tokens by length"
    (low, least), (high, most) = min(shares), max(shares)
    if f"{low:.0%}" == f"{high:.0%}":
        return f"{low:.0%} of the tokens are single bytes" + (f" under all {len(shares)}" if len(shares) > 1 else "")
    return f"Single bytes are {high:.0%} of the tokens under {most}, {low:.0%} under {least}"


# -- names at the ends of lines --

_NARROW = f"{ROOM} < 640"  # there the names stand above the chart
_RIGHT = 130  # pixels beside the chart, for the name of the line that goes furthest
_LETTER, _LINE = 7.5, 18  # pixels that a letter and a line of names take at most, but for wide scripts
_SMALLEST = (460, 200)  # pixels that the lines have where names stand at their ends
_SIDES: tuple[tuple[str, Literal["left", "right"], int], ...] = (
    ("right", "left", 9),
    ("below", "left", -4),
    ("above", "right", 4),
)


def _at_ends(frame: pd.DataFrame, ends: pd.DataFrame, high: float) -> list[alt.Chart]:
    """Each line's name at its end; nothing where they would lie on each other, or there are more than four."""
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
    """Where the name of each line stands, so that it lies on none: right of the last one's end, above an end that is
    the highest there (and to the left, as lines rise), else below all lines at that place."""
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
    """Whether names at these places stay clear of each other and in sight."""
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
