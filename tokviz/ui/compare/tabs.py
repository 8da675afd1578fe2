"""The tabs of the Compare page: figures, languages, vocabulary sizes, files. Only the open tab is computed.

A pick in a chart (with the mouse) or in the table under it (with the arrow keys) shows the tokens behind it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from tokviz.base.blocks import Line, Quiet, Table
from tokviz.base.sentences import Strong
from tokviz.base.text import Text
from tokviz.base.wording import count_of, listed
from tokviz.catalog.references import models, reference
from tokviz.cost.figures import definitions
from tokviz.ui.compare.expensive import expensive
from tokviz.ui.compare.figure_tables import (
    Counted,
    Measured,
    all_figures,
    fewest,
    figures_table,
    further_table,
    measured,
    prices_table,
)
from tokviz.ui.compare.files import files_tab
from tokviz.ui.compare.folds import fold, with_csv
from tokviz.ui.compare.languages import languages_tab
from tokviz.ui.compare.lengths import lengths
from tokviz.ui.compare.sizes import sizes_tab
from tokviz.ui.compare.state import TABS, CompareState
from tokviz.ui.frame.say import part, say
from tokviz.ui.frame.tables import csv_button
from tokviz.ui.frame.tokenizers import ShownTokenizer, encoded
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.choosing import Chosen, distinct
from tokviz.ui.tokenview.questions import text_of
from tokviz.ui.tokenview.shown import show


def tabs(me: Visitor, chosen: Sequence[Chosen]) -> None:
    """Draw the tabs. A tab that needs a text says so if there is none. An error in one tab leaves the others."""
    tokenizers = called(chosen)
    parts: tuple[Callable[[], None], ...] = (
        lambda: _of_text(me, tokenizers, partial(figures_tab, me, chosen)),
        lambda: languages_tab(me, tokenizers),
        lambda: _of_text(me, tokenizers, partial(sizes_tab, me)),
        lambda: files_tab(me, chosen, tokenizers),
    )
    for draw_tab, tab in zip(parts, st.tabs(TABS, **bind("compare.tab", "tab", CompareState)), strict=True):
        if tab.open:
            with tab, part():
                draw_tab()


def called(chosen: Sequence[Chosen]) -> list[ShownTokenizer]:
    """The tokenizers of what is chosen, each once, under the names of the models by which they were chosen."""
    titles: dict[str, list[str]] = {}
    for one in chosen:
        titles.setdefault(one.shown.key, []).append(one.title)
    return [replace(shown, name=listed(titles[shown.key])) for shown in distinct(chosen)]


def _of_text(me: Visitor, tokenizers: Sequence[ShownTokenizer], draw_it: Callable[[Measured], None]) -> None:
    rows, faults = measured(me, tokenizers, text_of(me), me.specials) if me.text else ([], [])
    for fault in faults:
        say(fault)
    if rows:
        draw_it(rows)
    elif not faults:
        st.info("There is no text. Type or paste some above to see its figures here.")


def figures_tab(me: Visitor, chosen: Sequence[Chosen], rows: Measured) -> None:
    """Draw the tab Figures: the finding, the first figures and the prices, and folds with all others."""
    tallies = {shown.key: tally for shown, tally in rows}
    counted = [Counted(one, tallies[one.shown.key]) for one in chosen if one.shown.key in tallies]
    text = text_of(me)  # not the first tokenizer's, whose normalizer may change it
    n_bytes = len(text.encode())
    facts = [
        count_of(n, what)
        for n, what in ((n_bytes, "byte"), (len(text), "character"), (rows[0][1].words, "word"))
        if n is not None
    ]
    show(
        Line([fewest([(shown.name, tally.tokens) for shown, tally in rows])], "title", 2),
        figures_table(counted, "Figures of the text"),
        Line([", ".join(["The whole text", *facts])], "quiet"),
        key="compare.figures",
    )
    fold("Lengths of tokens", "lengths", lambda: lengths(me, rows))
    fold("More figures", "more", lambda: _more(counted))
    fold("What each figure is", "definitions", _definitions)
    fold("Price with each model", "prices", lambda: _prices(me))
    whole = Text(text, "", bom=False, repaired=0, sha256=hashlib.sha256(text.encode()).hexdigest(), n_bytes=n_bytes)
    under = [shown for shown, _ in rows]
    fold("Expensive places", "expensive", lambda: expensive(me, whole, under, "expensive-places"))


def _more(counted: Sequence[Counted]) -> None:
    show(further_table(counted), key="compare.more")
    csv_button("CSV", lambda: all_figures(counted), "figures", "compare.figures.csv")


def _definitions() -> None:
    rows = [[Strong(one.title), [one.definition, Quiet(f"{one.source}.")]] for one in definitions().values()]
    show(Table([], rows, "What each figure is"), key="compare.definitions")


def _prices(me: Visitor) -> None:
    there = {model.tokenizer for model in models().values() if model.tokenizer}
    text = text_of(me)
    st.caption(
        "The text is sent once, neither cached nor in a batch; a chat adds some tokens around each message. "
        "Prices are in USD."
    )
    tokens = {name: len(encoded(me, reference(name), text, me.specials)) for name in there}
    with_csv([], prices_table(tokens), "prices")
