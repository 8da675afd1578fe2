"""The tab Report: the comparison as one file that opens without a network, with figures, findings, charts and sources.

HTML contains the charts, as SVG; Markdown and LaTeX contain the tables. Text that people typed, and names that they
gave, are escaped in each format.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from tokviz.metrics import definitions
from tokviz.ui import charts
from tokviz.ui.address import encode, left_out
from tokviz.ui.charts import Chart, Measured
from tokviz.ui.compare.cost import THIS_TEXT, costs_table, tokens_of
from tokviz.ui.compare.figure_tables import (
    able_in_languages,
    able_in_tests,
    beginner,
    cells,
    figures_table,
    further,
    text_compared,
    tongues,
)
from tokviz.ui.compare.files import files_table
from tokviz.ui.compare.ruler import link_to_comparison
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.widgets import bind
from tokviz.ui.tables import writers
from tokviz.ui.tokenizers import Shown
from tokviz.ui.visitors.visitor import Visitor
from tokviz.wording import NONE

AGAIN = "The link that opens this comparison on a tokviz server"
FIGURES_AS_TEXT = ("cost", "price")  # how the names of columns begin whose figures are strings
SHOWN_TEXT = 5_000  # characters of the text that a report contains; of a longer text, it says that there are more

# Characters that LaTeX would read as commands, and how to write them.
_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "&%$#_{}"
}
_STYLE = """
:root{color-scheme:light}
body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 "Source Sans 3",system-ui,sans-serif;color:#16181d;
background:#fff;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1{font-size:1.75rem;margin:0}h2{font-size:1.125rem;margin:2rem 0 .5rem}
p.quiet,figcaption,dd{color:#555b66}
div.table{overflow-x:auto;overflow-wrap:normal}
table{border-collapse:collapse;margin:.5rem 0}
th,td{padding:.3rem .75rem;border-bottom:1px solid #d5d8dd;text-align:right}
.words{text-align:left;min-width:5.5rem}th{font-weight:600;background:#f5f6f7}
figure{margin:1.5rem 0;overflow-x:auto}img{max-width:100%;height:auto}
@media (max-width:640px){img{max-width:none;width:40rem}}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f5f6f7;padding:1rem;border-radius:6px}
dt{font-weight:600}dd{margin:0 0 .5rem}
"""


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """The content of a report. tables: title -> table. link: opens the page as it was. missing: what the link does not
    contain, "" if it contains everything. text: None if the visitor wants the report without it.
    """

    when: date
    about: str
    link: str
    missing: str
    charts: Sequence[Chart]
    tables: dict[str, pd.DataFrame]
    text: str | None


def report(me: Visitor, chosen: Sequence[Shown], rows: Measured, when: date, address: str = "/compare") -> Report:
    """The report on the text in view and the files, under the chosen tokenizers.

    address: the page's own, for the link in the report.
    """
    text = text_compared(me)
    drawn: list[Chart] = []
    tables: dict[str, pd.DataFrame] = {}
    if rows:
        drawn += [charts.compression(rows), charts.lengths(rows)]
        if with_merges := charts.with_merges(rows):
            drawn.append(charts.sizes(with_merges))
        tables["Figures"] = figures_table(rows, beginner())
        tables["More figures"] = figures_table(rows, further())
        tables["Costs of the text as input"] = costs_table(tokens_of(me, THIS_TEXT))
    in_languages, mute = able_in_languages(me, chosen)
    if in_languages:
        drawn.append(charts.languages(in_languages, tongues(me, in_languages)))
    in_tests, untested = able_in_tests(me, chosen)
    if in_tests:
        drawn.append(charts.matrix(cells(me, in_tests)))
    of_files = files_table(me.state(CompareState).files, chosen)
    if not of_files.empty:
        tables["Files"] = of_files
    data = text.encode()
    about = f"A text of {len(data):,} bytes and {len(text):,} characters, sha256 {hashlib.sha256(data).hexdigest()}"
    if me.specials == "special":
        about += ", with special tokens read as special tokens"
    about += "".join(f". {fault.what.removesuffix('.')}" for fault in [*mute, *untested])
    with_text = me.state(CompareState).with_text
    link = link_to_comparison(me, chosen, with_text=with_text)
    missing = left_out(link) or ("The link does not contain the text either." if link.text is None else "")
    query = f"{address}?{encode(link)}"
    return Report(when, about, query, missing, drawn, tables, text if with_text else None)


def as_html(made: Report) -> str:
    """The report as one HTML file. It loads nothing from elsewhere and has no script."""
    parts = [f"<p class=quiet>{_escaped(made.about)}.</p>", *map(_html_chart, made.charts)]
    for title, table in made.tables.items():
        parts.append(f"<h2>{_escaped(title)}</h2><div class=table tabindex=0>{_html_table(table)}</div>")
    parts.append("<h2>What each figure is</h2><dl>")
    for one in definitions().values():
        parts.append(f"<dt>{_escaped(one.title)}</dt><dd>{_escaped(one.definition)} {_escaped(one.source)}.</dd>")
    parts.append("</dl>")
    if made.text is not None:
        parts.append(f"<h2>{_title_of(made.text)}</h2><pre>{_escaped(made.text[:SHOWN_TEXT])}</pre>")
    parts.append(f"<h2>{AGAIN}</h2><pre>{_escaped(made.link)}</pre><p class=quiet>{_escaped(made.missing)}</p>")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
            "style-src 'unsafe-inline'\">",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Tokenizers compared</title><style>{_STYLE}</style></head><body><main>",
            f"<h1>Tokenizers compared</h1><p class=quiet>Made with tokviz on {made.when.isoformat()}</p>",
            *parts,
            "</main></body></html>",
        ]
    )


def as_markdown(made: Report) -> str:
    """The findings and the tables in Markdown."""
    parts = ["# Tokenizers compared", f"Made with tokviz on {made.when.isoformat()}. {_markdown(made.about)}."]
    if made.charts:
        parts.append("\n".join(f"- {_markdown(chart.title)}. {_markdown(chart.subtitle)}." for chart in made.charts))
    parts += [f"## {_markdown(title)}\n\n{markdown_table(table)}" for title, table in made.tables.items()]
    if made.text is not None:
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", made.text))])
        parts.append(f"## {_title_of(made.text)}\n\n{fence}\n{made.text[:SHOWN_TEXT]}\n{fence}")
    parts.append(f"## {AGAIN}\n\n```\n{made.link}\n```\n\n{_markdown(made.missing)}".rstrip())
    return "\n\n".join(parts) + "\n"


def _title_of(text: str) -> str:
    return "The text" + (f", the first {SHOWN_TEXT:,} characters" if len(text) > SHOWN_TEXT else "")


def markdown_table(table: pd.DataFrame) -> str:
    """A table in Markdown, with figures aligned to the right.

    >>> print(markdown_table(pd.DataFrame({"tokenizer": ["a|b"], "tokens": [1234]})))
    | tokenizer | tokens |
    |:---|---:|
    | a\\|b | 1,234 |
    """
    heads = [_markdown(str(column)) for column in table]
    sides = [":---" if text else "---:" for text in _texts(table)]
    rows = [[_markdown(cell) for cell in row] for row in _said(table)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, *rows]).replace("\n", f"\n|{'|'.join(sides)}|\n", 1)


def latex_table(table: pd.DataFrame) -> str:
    r"""A table in LaTeX, for the package booktabs.

    >>> print(latex_table(pd.DataFrame({"tokenizer": ["cl100k_base"], "tokens": [7]})))
    \begin{tabular}{lr}
    \toprule
    tokenizer & tokens \\
    \midrule
    cl100k\_base & 7 \\
    \bottomrule
    \end{tabular}
    """
    columns = "".join("l" if text else "r" for text in _texts(table))
    rows = [f"{' & '.join(map(_latex, row))} \\\\" for row in [list(map(str, table)), *_said(table)]]
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule"]
    return "\n".join([*lines, r"\end{tabular}"])


def _html_table(table: pd.DataFrame) -> str:
    sides = [" class=words" if text else "" for text in _texts(table)]
    heads = "".join(
        f"<th scope=col{side}>{_escaped(str(column))}</th>" for column, side in zip(table, sides, strict=True)
    )
    rows = (
        "".join(f"<td{side}>{_escaped(cell)}</td>" for cell, side in zip(row, sides, strict=True))
        for row in _said(table)
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"


def _html_chart(chart: Chart) -> str:
    # as an image: several SVGs inside one page would share the names of their clips and gradients
    data = base64.b64encode(charts.svg(chart).encode()).decode()
    return f'<figure tabindex=0><img alt="{_escaped(chart.alt)}" src="data:image/svg+xml;base64,{data}"></figure>'


def _texts(table: pd.DataFrame) -> list[bool]:
    """Whether each column contains text. Costs are strings, but count as figures."""
    return [
        not pd.api.types.is_numeric_dtype(table[column]) and not str(column).startswith(FIGURES_AS_TEXT)
        for column in table.columns
    ]


def _said(table: pd.DataFrame) -> list[list[str]]:
    """The cells as text, written as in the tables of the page; missing values as "–"."""
    written = writers(table)
    return [
        [_figure(value, written.get(str(column))) for column, value in zip(table.columns, row, strict=True)]
        for row in table.itertuples(index=False)
    ]


def _figure(value: Any, write: Callable[[float], str] | None) -> str:
    if isinstance(value, str):
        return value
    if value is None or pd.isna(value):
        return NONE
    return write(value) if write else f"{value:,}"


def _escaped(text: str) -> str:
    return html.escape(text)


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|~$#])", r"\\\1", " ".join(text.split()))


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)


def _written(write: Callable[[Report], str], made: Callable[[], Report]) -> str:
    return write(made())


def report_tab(me: Visitor, chosen: Sequence[Shown], rows: Measured) -> None:
    """Draw the tab: the files to download, and tables to copy."""

    address = st.context.url or "/compare"  # known only while the page runs, not when a button is pressed

    def made() -> Report:
        return report(me, chosen, rows, date.today(), address)

    st.subheader("Download a report", anchor=False)
    st.caption("One file with figures, findings and charts. It opens in any browser, also without a network.")
    st.checkbox("With the text itself", **bind("compare.with_text", "with_text", CompareState))
    with st.container(horizontal=True):
        for label, write, ending, kind in (
            ("**HTML, with charts**", as_html, "html", "text/html"),
            ("Markdown", as_markdown, "md", "text/markdown"),
        ):
            st.download_button(
                label,
                data=partial(_written, write, made),
                file_name=f"tokviz-comparison.{ending}",
                mime=kind,
                on_click="ignore",
                key=f"compare.report.{ending}",
            )
    if rows:
        table = figures_table(rows, beginner())
        left, right = st.columns(2, gap="large")
        with left:
            st.subheader("The figures in Markdown", anchor=False)
            st.code(markdown_table(table), language=None, wrap_lines=True)
        with right:
            st.subheader("The figures in LaTeX", anchor=False)
            st.caption("For the package booktabs")
            st.code(latex_table(table), language=None, wrap_lines=True)
