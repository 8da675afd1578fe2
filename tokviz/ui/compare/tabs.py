"""The tabs of the Compare page, with figures and charts. Only the open tab is computed.

A pick in a chart (with the mouse) or in the table under it (with the arrow keys) shows the tokens behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from tokviz.base.errors import TokvizError
from tokviz.base.wording import count_of, listed
from tokviz.catalog.references import SourcedFigure, models
from tokviz.catalog.samples import parallel
from tokviz.cost.figures import definitions
from tokviz.ui.compare.cost import cost_tab
from tokviz.ui.compare.figure_tables import (
    EXAMPLES,
    able_in_tests,
    beginner,
    cells,
    figures_table,
    further,
    gini_table,
    measured,
    model_table,
    of_length,
    text_compared,
    texts_to_try,
    tongues,
)
from tokviz.ui.compare.files import files_tab
from tokviz.ui.compare.ruler import sha256_of
from tokviz.ui.compare.state import CompareState
from tokviz.ui.compare.waste import waste_tab
from tokviz.ui.frame import charts
from tokviz.ui.frame.charts import Measured
from tokviz.ui.frame.say import note, part, plain, say
from tokviz.ui.frame.tables import draw, frame, views
from tokviz.ui.frame.tokenizers import ShownTokenizer, able, encoded
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor


def figures_tab(me: Visitor, rows: Measured) -> None:
    """Draw the tab Figures: compression, lengths of tokens, all figures, and what the text needs with a model."""
    left, right = st.columns([5, 7], gap="large")
    with left:
        draw(charts.compression(rows))
    with right:
        _lengths(me, rows)
    _tokens_of_a_length(me, rows)
    st.subheader("Figures", anchor=False)
    first = rows[0][1]
    words = "" if first.words is None else f", {count_of(first.words, 'word')}"
    st.caption(f"The same text, {count_of(first.bytes, 'byte')} and {count_of(first.characters, 'character')}{words}")
    frame(figures_table(rows, beginner()), "figures")
    with st.expander("More figures"):
        frame(figures_table(rows, further()), "more-figures")
    with st.expander("What each figure is"):
        for one in definitions().values():
            st.markdown(f"**{plain(one.title)}**: {plain(one.definition)} :gray[{plain(one.source)}.]")
    _with_a_model(me, rows)


def _with_a_model(me: Visitor, rows: Measured) -> None:
    st.subheader("Price and context window", anchor=False)
    st.caption("What the text would cost and need if this model used each of the tokenizers.")
    known = models()
    st.selectbox(
        "Model",
        [name for name, one in known.items() if one.price or one.context],
        format_func=lambda name: known[name].title,
        **bind("compare.model", "model", CompareState),
    )
    chosen = known[me.state(CompareState).model]
    frame(model_table(rows, chosen), "model")
    st.caption(f"{_source('Price', chosen.price)} {_source('Context window', chosen.context)}")


def _source(what: str, source: SourcedFigure[Any] | None) -> str:
    if not source:
        return f"{what}: no source."
    return f"{what}: [{plain(source.source)}]({source.url}), read on {source.date.isoformat()}."


def sizes_tab(me: Visitor, rows: Measured) -> None:
    """Draw the tab Vocabulary size: the compression at each size, and the text at the size that was picked."""

    def remember(pick: dict[str, Any]) -> None:
        visitor().state(CompareState).size = int(pick["vocabulary size"])

    uncut = [shown.name for shown, _ in rows if not shown.tokenizer.has_merges]
    rows = [row for row in rows if row[0].tokenizer.has_merges]
    if uncut:
        st.caption(plain(f"Left out, because no merges of {listed(uncut)} are known."))
    if not rows:
        return
    draw(charts.sizes(rows), remember)
    sizes = {shown.name: 256 + len(counted.closed) for shown, counted in rows}
    size = me.state(CompareState).size or min(sizes.values())
    st.subheader(f"Cut to {size:,} tokens", anchor=False)
    smaller = [name for name, own in sizes.items() if own < size]
    if smaller:
        st.caption(plain(f"Shown whole, because they have fewer: {', '.join(smaller)}."))
    cut = [
        (shown, encoded(me, shown.tokenizer, text_compared(me), me.specials).at(max(size - 256, 0)))
        for shown, _ in rows
    ]
    views(cut, "compare.at")


def _lengths(me: Visitor, rows: Measured) -> None:
    def remember(pick: dict[str, Any]) -> None:
        visitor().state(CompareState).length = (str(pick["key"]), int(pick["bytes"]))

    draw(charts.lengths(rows), remember)


def _tokens_of_a_length(me: Visitor, rows: Measured) -> None:
    key, n = me.state(CompareState).length or ("", 0)
    shown = next((shown for shown, _ in rows if shown.key == key), None)
    if shown is None:
        return
    table = of_length(encoded(me, shown.tokenizer, text_compared(me), me.specials), n)
    of = count_of(n, "byte") if n < charts.LONGEST else f"{n} bytes and more"
    st.subheader(plain(f"Tokens of {of} under {shown.name}"), anchor=False)
    most = f", the {EXAMPLES} most frequent" if len(table) == EXAMPLES else ""
    st.caption(f"{len(table):,} distinct{most}")
    frame(table, "tokens-of-a-length")


def languages_tab(me: Visitor, chosen: Sequence[ShownTokenizer]) -> None:
    """Draw the tab Languages: the tokens of the same sentences in each, and the sentences in the one picked."""

    def remember(pick: dict[str, Any]) -> None:
        visitor().state(CompareState).language = str(pick["code"])

    chosen, faults = able(chosen, lambda one: tongues(me, [one]), "the languages")
    _say_left_out(faults)
    if not chosen:
        return
    rows = tongues(me, chosen)
    left, right = st.columns([7, 5], gap="large")
    with left:
        draw(charts.languages(chosen, rows), remember)
    with right:
        st.subheader("How equal the languages are", anchor=False)
        gini = definitions()["gini"]
        st.caption(plain(f"{gini.definition} {gini.source}."))
        frame(gini_table(chosen, rows), "gini")
    (english,) = [row for row in rows if row.code == "en"]  # the title's language is in view, until another is picked
    dearest = max(rows, key=lambda row: max(row.tokens[one.key] / english.tokens[one.key] for one in chosen))
    picked = me.state(CompareState).language
    code = picked if picked in {row.code for row in rows} else dearest.code
    row = next(row for row in parallel() if row.code == code)
    st.subheader(plain(f"The sentences in {row.language}"), anchor=False)
    views([(shown, encoded(me, shown.tokenizer, row.text)) for shown in chosen], f"compare.language.{row.code}")


def _say_left_out(faults: Sequence[TokvizError]) -> None:
    for fault in faults:
        note("warn", fault.what, fault.way_out)


def matrix_tab(me: Visitor, chosen: Sequence[ShownTokenizer]) -> None:
    """Draw the tab Train and test: each tokenizer on each test text, and the tokens of the cell picked."""

    def remember(pick: dict[str, Any]) -> None:
        visitor().state(CompareState).cell = (str(pick["key"]), str(pick["text"]))

    chosen, faults = able_in_tests(me, chosen)
    _say_left_out(faults)
    if not chosen:
        return
    rows = cells(me, chosen)
    left, right = st.columns([7, 5], gap="large")
    with left:
        draw(charts.matrix(rows), remember)
        if not any(cell.own for cell in rows):
            st.caption("A tokenizer that you train on texts is shown here on its own corpus too.")
    picked = next((cell for cell in rows if (cell.tokenizer.key, cell.text) == me.state(CompareState).cell), rows[0])
    with right:
        st.subheader(plain(f"{picked.text} under {picked.tokenizer.name}"), anchor=False)
        whole = encoded(me, picked.tokenizer.tokenizer, texts_to_try(me, chosen)[picked.text], me.specials)
        views([(picked.tokenizer, whole)], f"compare.cell.{sha256_of(picked.text)[:12]}")


def tabs(me: Visitor, chosen: Sequence[ShownTokenizer]) -> None:
    """Draw the tabs. A tab that needs a text says so if there is none. An error in one tab leaves the others."""
    rows, faults = measured(me, chosen, text_compared(me), me.specials) if me.text else ([], [])
    for fault in faults:
        say(fault)

    def of_text(tab: Callable[[Visitor, Measured], None]) -> Callable[[], None]:
        def draw_it() -> None:
            if rows:
                tab(me, rows)
            elif not faults:
                st.info("There is no text. Type or paste some above to see its figures here.")

        return draw_it

    parts: dict[str, Callable[[], None]] = {
        "Figures": of_text(figures_tab),
        "Vocabulary size": of_text(sizes_tab),
        "Languages": lambda: languages_tab(me, chosen),
        "Train and test": lambda: matrix_tab(me, chosen),
        "Files": lambda: files_tab(me, chosen),
        "Waste": lambda: waste_tab(me, chosen),
        "Cost": lambda: cost_tab(me),
    }
    for draw_tab, tab in zip(
        parts.values(), st.tabs(list(parts), **bind("compare.tab", "tab", CompareState)), strict=True
    ):
        if tab.open:
            with tab, part():
                draw_tab()
