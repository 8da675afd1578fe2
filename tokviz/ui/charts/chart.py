"""What a chart is, and what all charts share: the tokenizers' names, the scales of their colours and forms, type.

Some sizes are expressions that Vega reckons in the browser, since only there it is known how wide the page is.
"""

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
_LARGER = "(windowSize()[0] >= 1700 ? 1.2 : 1)"  # type on a projector
ROW = 18  # pixels of a row of names above a chart
ROOM = "(containerSize()[0] || 780)"  # pixels that a chart has on the page; on paper there is no container
NAME_LIMIT = alt.expr(f"{ROOM} < 500 ? 120 : 220")  # pixels of a name beside a row

Measured = Sequence[tuple[Shown, Tally]]
Drawing = alt.Chart | alt.LayerChart | alt.FacetChart


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A chart and all that goes with it.

    name: for keys and files. title: the finding. subtitle: quantity, unit and sample. alt: what is read out in its
    place. table: what is drawn, as a person would want it in a file. lead: what a cell of the table picks (row from 0,
    name of the column), as a click in the chart would: field -> value; None where it picks nothing.
    """

    name: str
    title: str
    subtitle: str
    alt: str
    drawing: Drawing
    table: pd.DataFrame
    lead: Callable[[int, str], dict[str, Any] | None] | None = None


# -- names --


def marked(shown: Shown) -> str:
    """A tokenizer's name after its marker, which stays when the name is cut short."""
    return f"{glyph(shown.series)} {shown.name}"


def names(measured: Sequence[tuple[Shown, Any]], *taken: str) -> dict[str, str]:
    """key -> name; with its marker where two have the same name, or a column of the table has it: `taken`."""
    called = [*taken, *(shown.name for shown, _ in measured)]
    return {shown.key: shown.name if called.count(shown.name) == 1 else marked(shown) for shown, _ in measured}


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def all_of(n: int) -> str:
    return "Both" if n == 2 else f"All {n}"


# -- scales --


def colour() -> alt.Color:
    return alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)


def shape() -> alt.Shape:
    return alt.Shape("series:N", scale=alt.Scale(domain=list(SERIES), range=_shapes("marker")), legend=None)


def dash() -> alt.StrokeDash:
    return alt.StrokeDash("series:N", scale=alt.Scale(domain=list(SERIES), range=_shapes("dash")), legend=None)


def weight() -> Any:
    """The visitor's own first tokenizer is drawn a little stronger."""
    return alt.condition(alt.datum["series"] == "yours", alt.value(3), alt.value(2))


def _shapes(what: str) -> list[Any]:
    return [palette()["series_shapes"][series][what] for series in SERIES]


# -- type --


def px(size: int) -> Any:
    """A size of type in pixels, a fifth larger on a projector."""
    return alt.expr(f"{size} * {_LARGER}")


def bare(**more: Any) -> dict[str, Any]:
    """An axis without lines and ticks; its labels stand where their values are."""
    of_all = {"domain": False, "ticks": False, "labelPadding": 8, "titlePadding": 10, "labelFlush": False}
    return {**of_all, "labelFontSize": px(13), "titleFontSize": px(13), **more}


# -- names above a chart --


def key(shown: Sequence[Shown], only_if: str = "true", back: str = "0") -> Any:
    """The tokenizers' names with their markers, as rows above a chart that wrap as its width asks.

    Two expressions: only_if, where it is false there are no names; back, how many pixels left of the plot they begin.
    """
    n, letters = len(shown), max(len(one.name) for one in shown)
    width = f"({min(8 * letters + 36, 260)} * {_LARGER})"
    columns = f"max(1, min({n}, floor(({ROOM} - 40) / {width})))"
    row = f"(ceil({n} / {columns}) - 1 - floor(datum.place / {columns}))"
    rows = pd.DataFrame(
        [(marked(one), one.series, place) for place, one in enumerate(shown)], columns=["tokenizer", "series", "place"]
    )
    return (
        alt.Chart(rows)
        .transform_filter(only_if)
        .mark_text(align="left", baseline="middle", fontSize=px(13), fontWeight=600, limit=alt.expr(f"{width} - 12"))
        .encode(
            x=alt.value(alt.expr(f"(datum.place % {columns}) * {width} - ({back})")),
            y=alt.value(alt.expr(f"-14 - {ROW} * {_LARGER} * {row}")),
            text="tokenizer:N",
            color=colour(),
        )
    )
