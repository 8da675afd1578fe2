"""What a chart is, and what all charts share: the tokenizers' names, and the scales of their colours and forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from tokviz.metrics import Tally
from tokviz.ui.components import glyph, palette
from tokviz.ui.tokenizers import Shown

SERIES = ("yours", "gpt2", "cl100k_base", "o200k_base", "other1", "other2", "other3", "other4")
PICK = "pick"  # the name of the selection in every chart that has one
INK = "#7C838D"  # the palette's `control`, seen on both pages; a chart cannot name the ink of a theme
NAME_LIMIT = alt.expr("containerSize()[0] < 500 ? 120 : 220")  # pixels of a name beside a row

Measured = Sequence[tuple[Shown, Tally]]
Drawing = alt.Chart | alt.LayerChart | alt.FacetChart


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A chart and all that goes with it.

    name: for keys and files. title: the finding. subtitle: quantity, unit and sample. alt: what is read out in its
    place. table: what is drawn, as a person would want it in a file. lead: what a cell of the table picks (row from 0,
    name of the column), as a click in the chart would: field -> value; None where it picks nothing. key: the tokenizers
    whose markers need naming beside the chart.
    """

    name: str
    title: str
    subtitle: str
    alt: str
    drawing: Drawing
    table: pd.DataFrame
    lead: Callable[[int, str], dict[str, Any] | None] | None = None
    key: tuple[Shown, ...] = ()


# -- names --


def marked(shown: Shown) -> str:
    """A tokenizer's name with its marker."""
    return f"{shown.name} {glyph(shown.series)}"


def names(measured: Sequence[tuple[Shown, Any]]) -> dict[str, str]:
    """key -> name; with its marker where two have the same name."""
    called = [shown.name for shown, _ in measured]
    return {shown.key: shown.name if called.count(shown.name) == 1 else marked(shown) for shown, _ in measured}


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# -- scales --


def colour() -> alt.Color:
    return alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)


def shape() -> alt.Shape:
    return alt.Shape("series:N", scale=alt.Scale(domain=list(SERIES), range=_shapes("marker")), legend=None)


def dash() -> alt.StrokeDash:
    return alt.StrokeDash("series:N", scale=alt.Scale(domain=list(SERIES), range=_shapes("dash")), legend=None)


def weight() -> alt.StrokeWidth:
    """The visitor's own first tokenizer is drawn a little stronger."""
    widths = [3 if series == "yours" else 2 for series in SERIES]
    return alt.StrokeWidth("series:N", scale=alt.Scale(domain=list(SERIES), range=widths), legend=None)


def _shapes(what: str) -> list[Any]:
    return [palette()["series_shapes"][series][what] for series in SERIES]
