"""Compare: one text under several tokenizers, side by side."""

import pandas as pd
import streamlit as st

from tokviz.metrics import Figures, figures
from tokviz.ui import shell
from tokviz.ui.charts import bars
from tokviz.ui.components import glyph
from tokviz.ui.components.token_view import Totals, token_view
from tokviz.ui.shell import plain
from tokviz.ui.state import bind, visitor
from tokviz.ui.tokenizers import Shown, badge, choose, encoded

IN_VIEW = 4_000  # bytes drawn in each panel; all are counted
A_ROW = 4

shell.enter()
title, pills = st.columns([2, 3], vertical_alignment="bottom")
with title:
    shell.head("Compare", "One text, several tokenizers: where they cut, and what it costs.")
me = visitor()
with pills, st.container(horizontal=True, horizontal_alignment="right"):
    chosen = choose(me, "compare.chosen", "compared")

with st.expander("Edit text", expanded=not me.text):
    st.text_area("Text", height=160, label_visibility="collapsed", **bind("compare.text", "text"))


def finding(measured: list[tuple[Shown, Figures]]) -> str:
    """What the figures come to, in a sentence."""
    (most, high), (least, low) = measured[-1], measured[0]
    if high.tokens == low.tokens:
        return f"All {len(measured)} need the same {low.tokens:,} tokens" if len(measured) > 1 else "Bytes per token"
    return f"{least.name} needs the fewest tokens, {low.tokens:,}; {most.name} the most, {high.tokens:,}"


def panels() -> None:
    for row in range(0, len(chosen), A_ROW):
        for shown, column in zip(chosen[row : row + A_ROW], st.columns(min(len(chosen), A_ROW)), strict=False):
            whole = encoded(shown.tokenizer, me.text)
            all_of_it = figures(whole)
            part = whole if all_of_it.bytes <= IN_VIEW else whole.part(0, IN_VIEW)
            with column:
                token_view(
                    part,
                    name=shown.name,
                    series=shown.series,
                    key=f"compare.view.{shown.key}",
                    badge=badge(shown.tokenizer, me.text) if me.text else None,
                    totals=None if part is whole else Totals(all_of_it.tokens, all_of_it.bytes, all_of_it.characters),
                    line_numbers=False,
                    compact=True,
                )


def chart() -> None:
    measured = [(shown, figures(encoded(shown.tokenizer, me.text))) for shown in chosen]
    measured.sort(key=lambda row: row[1].tokens)
    rows = pd.DataFrame(
        {
            "tokenizer": [f"{shown.name} {glyph(shown.series)}" for shown, _ in measured],
            "series": [shown.series for shown, _ in measured],
            "bytes per token": [f.bytes_per_token for _, f in measured],
        }
    )
    table = pd.DataFrame(
        {
            "tokenizer": [shown.name for shown, _ in measured],
            "tokens": [f.tokens for _, f in measured],
            "bytes per token": [f.bytes_per_token for _, f in measured],
            "characters per token": [f.characters_per_token for _, f in measured],
            "vocabulary size": [shown.tokenizer.vocab_size for shown, _ in measured],
        }
    )
    said = finding(measured)
    left, right = st.columns([5, 6], gap="large")
    with left:
        st.subheader(plain(said), anchor=False)
        st.caption("Bytes per token on this text; more is better")
        values = ", ".join(f"{shown.name} {f.bytes_per_token:.2f}" for shown, f in measured)
        st.altair_chart(bars(rows, "bytes per token", "bytes per token"), alt=f"{said}. Bytes per token: {values}.")
    with right:
        st.subheader("Figures", anchor=False)
        st.caption(f"The same text, {measured[0][1].bytes:,} bytes and {measured[0][1].characters:,} characters")
        st.dataframe(
            table,
            hide_index=True,
            column_config={
                name: st.column_config.NumberColumn(format="%.2f")
                for name in ("bytes per token", "characters per token")
            }
            | {name: st.column_config.NumberColumn(format="localized") for name in ("tokens", "vocabulary size")},
        )
        st.download_button(
            "CSV", data=lambda: table.to_csv(index=False), file_name="tokviz-figures.csv", on_click="ignore"
        )


if not chosen:
    st.info("Choose tokenizers above, and they stand here side by side.")
else:
    panels()
    if me.text:
        chart()
