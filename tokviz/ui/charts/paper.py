"""Draw a chart for paper: as SVG on white, with its title, in the colours of the light theme."""

from __future__ import annotations

import copy
import textwrap

from tokviz.hues import palette
from tokviz.ui.charts.chart import SERIES, Chart
from tokviz.ui.charts.train_and_test import ramp

SVG_WIDTH = 720


def svg(chart: Chart, width: int = SVG_WIDTH) -> str:
    """The chart as SVG on white, with its title. The SVG loads nothing, and drawing it needs no network.

    width: pixels of the plot without its axes.
    """
    import vl_convert  # takes 30 MB of memory, so only for a report

    spec = copy.deepcopy(chart.drawing.to_dict())
    light = palette()["light"]
    surface, colours = light["surface"], light["tokenizers"]
    text = {"labelColor": surface["quiet"], "titleColor": surface["quiet"], "labelFontSize": 13, "titleFontSize": 13}
    spec["width"] = width
    spec["background"] = surface["page"]
    spec["title"] = {
        "text": textwrap.wrap(chart.title, 60),
        "subtitle": textwrap.wrap(chart.subtitle, 80),
        "anchor": "start",
        "fontSize": 16,
        "fontWeight": 600,
        "color": surface["ink"],
        "subtitleColor": surface["quiet"],
        "subtitleFontSize": 14,
        "offset": 16,
    }
    spec["config"] = {
        "font": "Source Sans, Helvetica, Arial, sans-serif",
        "view": {"stroke": None},
        "axis": {**text, "titleFontWeight": 400, "gridColor": surface["line"], "tickColor": surface["control"]},
        "text": {"color": surface["ink"]},
        "range": {"category": [colours[series] for series in SERIES], "ramp": ramp("light"), "heatmap": ramp("light")},
    }
    drawn: str = vl_convert.vegalite_to_svg(spec)
    return drawn
