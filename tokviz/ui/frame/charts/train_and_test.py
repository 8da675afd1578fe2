"""The heatmap of tokenizers against test texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from tokviz.base.wording import rate, rounded
from tokviz.ui.frame.charts.chart import INK, NAME_LIMIT, PICK, Chart, bare, marked, names, px, row_height
from tokviz.ui.frame.tokenizers import ShownTokenizer

STEPS = 10  # colours of the heatmap
LIGHT = 6  # text on the first 6 colours has the last colour, text on the others the first


@dataclass(frozen=True, slots=True)
class Cell:
    """A tokenizer on a test text. value: bytes per token. own: whether the tokenizer was trained on this text."""

    tokenizer: ShownTokenizer
    text: str
    value: float
    own: bool


def matrix(cells: Sequence[Cell]) -> Chart:
    """The heatmap of bytes per token: a row for each tokenizer, a column for each test text."""
    rows = list(dict.fromkeys(marked(cell.tokenizer) for cell in cells))
    columns = list(dict.fromkeys(cell.text for cell in cells))
    values = [cell.value for cell in cells]
    low, high = min(values), max(values)
    step = [round((value - low) / (high - low) * (STEPS - 1)) if high > low else 0 for value in values]
    frame = pd.DataFrame(
        {
            "tokenizer": [marked(cell.tokenizer) for cell in cells],
            "key": [cell.tokenizer.key for cell in cells],
            "text": [cell.text for cell in cells],
            "bytes per token": values,
            "said": [rate(value) for value in values],
            "shorter": [rounded(value, 1) for value in values],
            "step": step,
            "ink": [1 if n < LIGHT else 0 for n in step],
            "own": [cell.own for cell in cells],
        }
    )
    picked = alt.selection_point(name=PICK, fields=["key", "text"], on="click", empty=False)
    widest = min(round(6.6 * max(map(len, columns))), 120)  # pixels of a name above a column
    slanted = f"width / {len(columns)} < {widest + 4}"
    base = alt.Chart(frame).encode(
        x=alt.X("text:N", sort=columns, title=None)
        .scale(paddingInner=0.03)
        .axis(
            **bare(
                orient="top",
                labelOverlap=False,
                labelAngle=alt.expr(f"{slanted} ? -45 : 0"),
                labelAlign=alt.expr(f"{slanted} ? 'left' : 'center'"),
                labelLimit=120,
            )
        ),
        y=alt.Y("tokenizer:N", sort=rows, title=None).scale(paddingInner=0.06).axis(**bare(labelLimit=NAME_LIMIT)),
    )
    cell_mark = (
        base.mark_rect(cornerRadius=2)
        .encode(
            color=alt.Color("step:Q", scale=alt.Scale(domain=[0, STEPS - 1], range="ramp"), legend=None),
            tooltip=["tokenizer:N", "text:N", alt.Tooltip("said:N", title="bytes per token")],
        )
        .add_params(picked)
    )
    # The figures take their colour from the other end of the ramp, so that they are legible in both themes.
    ink = alt.Color("ink:Q", scale=alt.Scale(domain=[0, 1], range="ramp"), legend=None)
    # With many texts on a phone, a cell has no room for a second decimal.
    short = f"width / {len(columns)} < 36 ? datum.shorter : datum.said"
    value = base.mark_text(fontSize=px(15), text=alt.expr(short)).encode(color=ink)
    own = base.transform_filter("datum.own").mark_rect(cornerRadius=2, filled=False, strokeWidth=3, fillOpacity=0)
    own = own.encode(stroke=alt.value(INK))
    title = home_ground(cells)
    best, worst = max(cells, key=lambda cell: cell.value), min(cells, key=lambda cell: cell.value)
    shown = {cell.tokenizer.key: cell.tokenizer for cell in cells}
    keys, titles = list(shown), names([(one, None) for one in shown.values()])
    texts = {text if text != "tokenizer" else "tokenizer (text)": text for text in columns}
    value_of = {(cell.tokenizer.key, cell.text): cell.value for cell in cells}
    table = pd.DataFrame(
        {"tokenizer": [titles[key] for key in keys]}
        | {head: [value_of[key, text] for key in keys] for head, text in texts.items()}
    )
    drawing = alt.layer(cell_mark, value, own).resolve_scale(color="independent").properties(**row_height(46))
    alt_text = (
        f"{title}. Highest: {best.tokenizer.name} on {best.text}, {rate(best.value)} bytes per token; "
        f"lowest: {worst.tokenizer.name} on {worst.text}, {rate(worst.value)}."
    )
    outlined = "; outlined: what it was trained on" if any(cell.own for cell in cells) else ""
    said = f"Bytes per token; 1.00 is one token for every byte{outlined}"
    return Chart(
        "train-and-test",
        title,
        said,
        alt_text,
        drawing,
        table,
        lambda row, column: {"key": keys[row], "text": texts[column]} if column in texts else None,
    )


def home_ground(cells: Sequence[Cell]) -> str:
    """The title: whether each tokenizer of the visitor compresses best what it was trained on, and none does better."""
    trained = [cell for cell in cells if cell.own]
    best = max(cells, key=lambda cell: cell.value)
    highest = f"{best.tokenizer.name} compresses {best.text} best, {rate(best.value)} bytes per token"
    if not trained:
        return highest
    at_home = [
        cell
        for cell in trained
        if all(cell.value >= other.value for other in cells if other.tokenizer.key == cell.tokenizer.key)
    ]
    elsewhere = [cell for cell in trained if cell not in at_home]
    if len({cell.text for cell in cells}) < 2:
        return highest
    if elsewhere:
        cell = elsewhere[0]
        other = max((c for c in cells if c.tokenizer.key == cell.tokenizer.key), key=lambda c: c.value)
        return f"{cell.tokenizer.name} compresses {other.text} better than {cell.text}, which it was trained on"
    for cell in at_home:
        rival = max((other for other in cells if other.text == cell.text), key=lambda other: other.value)
        if rival.value > cell.value:
            return (
                f"{cell.tokenizer.name} compresses {cell.text}, which it was trained on, better than the other texts; "
                f"{rival.tokenizer.name} compresses it better still, {rate(rival.value)} to {rate(cell.value)}"
            )
    who = at_home[0].tokenizer.name if len(at_home) == 1 else f"Each of your {len(at_home)} tokenizers"
    return f"{who} compresses best what it was trained on"
