"""What a chart is, and what all charts share: the names of tokenizers, scales of colours and shapes, and font sizes.

Some sizes are expressions that Vega evaluates in the browser, because the width of the page is known only there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from tokviz.base.wording import rate
from tokviz.cost.figures import Tally
from tokviz.tokenizer.hues import palette
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.kit.data import glyph

SERIES = tuple(palette()["series_shapes"])
PICK = "pick"  # the name of the selection in every chart that has one
_LARGER = "(windowSize()[0] >= 1700 ? 1.2 : 1)"  # the factor of font sizes: larger on a projector
BAR = "M-1,-0.3H1V0.3H-1Z"  # in place of the marker "stroke", which has no area: filled, it cannot be seen

Measured = Sequence[tuple[ShownTokenizer, Tally]]
Drawing = alt.Chart | alt.LayerChart | alt.FacetChart


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A chart, its texts and its table.

    name: for keys and files. title: the finding. subtitle: quantity, unit and sample. alt: text for screen readers.
    table: the figures of the drawing, for the page and its CSV. lead: (row from 0) -> what this row of the table picks,
    as a click in the chart does: field -> value; None if nothing can be picked. write: how the figures with decimals
    are written.
    """

    name: str
    title: str
    subtitle: str
    alt: str
    drawing: Drawing
    table: pd.DataFrame
    lead: Callable[[int], dict[str, Any]] | None = None
    write: Callable[[float], str] = rate


# -- names --


def marked(shown: ShownTokenizer) -> str:
    """The marker and the name of a tokenizer. The marker comes first, so it stays if the name is cut."""
    return f"{glyph(shown.series)} {shown.name}"


def names(measured: Sequence[tuple[ShownTokenizer, Any]], *taken: str) -> dict[str, str]:
    """key -> name. A name has its marker if two tokenizers share it, or if it is in `taken`, names of table columns."""
    called = [*taken, *(shown.name for shown, _ in measured)]
    return {shown.key: shown.name if called.count(shown.name) == 1 else marked(shown) for shown, _ in measured}


# -- scales --


def colour(legend: alt.Legend | None = None) -> alt.Color:
    """The colour of each tokenizer, by the field `series`. The theme maps SERIES to its colours."""
    return alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=legend)


def shape(legend: alt.Legend | None = None) -> alt.Shape:
    """The marker of each tokenizer, by the field `series`."""
    markers = [BAR if marker == "stroke" else marker for marker in _shapes("marker")]
    return alt.Shape("series:N", scale=alt.Scale(domain=list(SERIES), range=markers), legend=legend)


def legend(shown: Sequence[ShownTokenizer]) -> alt.Legend:
    """The names of the tokenizers with their markers, above the plot, in as many columns as its width has room for."""
    letters = max((len(one.name) for one in shown), default=0)
    column = f"({min(8 * letters + 36, 260)} * {_LARGER})"  # pixels
    return alt.Legend(
        orient="top",
        title=None,
        padding=0,
        offset=12,
        values=[one.series for one in shown],
        labelExpr=f"{json.dumps({one.series: one.name for one in shown})}[datum.value]",
        labelFontSize=px(13),
        labelFontWeight=600,
        labelLimit=220,
        symbolSize=80,
        symbolOpacity=1,
        symbolStrokeWidth=0,
        columns=alt.expr(f"clamp(floor(width / {column}), 1, {max(len(shown), 1)})"),
    )


def dash() -> alt.StrokeDash:
    """The dashes of each tokenizer's line, by the field `series`."""
    return alt.StrokeDash("series:N", scale=alt.Scale(domain=list(SERIES), range=_shapes("dash")), legend=None)


def weight() -> Any:
    """The width of a line in pixels: the series "yours", the visitor's first tokenizer, is wider."""
    return alt.condition(alt.datum["series"] == "yours", alt.value(3), alt.value(2))


def _shapes(what: str) -> list[Any]:
    return [palette()["series_shapes"][series][what] for series in SERIES]


# -- type --


def px(size: int) -> Any:
    """A font size in pixels, 1.2 times as large on a projector."""
    return alt.expr(f"{size} * {_LARGER}")


def bare(**more: Any) -> dict[str, Any]:
    """The settings of an axis without a line and ticks, whose labels are at their values. more: settings to add."""
    of_all = {"domain": False, "ticks": False, "labelPadding": 8, "titlePadding": 10, "labelFlush": False}
    return {**of_all, "labelFontSize": px(13), "titleFontSize": px(13), **more}
