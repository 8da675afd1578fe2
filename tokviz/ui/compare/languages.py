"""The tab Languages: the tokens of the same sentences in each language, and what they cost with a chat model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from tokviz.base.errors import InputError
from tokviz.base.wording import factor, listed, percent, rate
from tokviz.catalog.references import Model, models, reference
from tokviz.catalog.samples import parallel
from tokviz.cost.figures import cost, definitions, gini
from tokviz.ui.compare.folds import side_by_side
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame import charts
from tokviz.ui.frame.charts import Tongue
from tokviz.ui.frame.say import note, plain
from tokviz.ui.frame.tables import draw
from tokviz.ui.frame.tokenizers import ShownTokenizer, able, encoded
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor

UNKNOWN_SHARE = 0.01  # of a language's tokens; with more, their number says nothing about the language


def languages_tab(me: Visitor, tokenizers: Sequence[ShownTokenizer]) -> None:
    """Draw the tab: the chart, the prices with a model, and the sentences in the language that is picked."""

    def remember(pick: dict[str, Any]) -> None:
        visitor().state(CompareState).language = str(pick["code"])

    tokenizers, faults = able(tokenizers, lambda one: tongues(me, [one]), "the languages")
    for fault in faults:
        note("warn", fault.what, fault.way_out)
    if not tokenizers:
        return
    rows, state = tongues(me, tokenizers), me.state(CompareState)
    prices = prices_of_languages(me, models()[state.spoken_to])
    chart = charts.languages(tokenizers, rows)
    chart.table["price"] = chart.table["language"].map(prices)
    draw(replace(chart, subtitle=f"{chart.subtitle}. {equality(tokenizers, rows)}"), remember)
    st.selectbox(
        "Chat model",
        [name for name, one in models().items() if one.chat and one.tokenizer and one.price],
        format_func=lambda name: models()[name].title,
        width=300,
        **bind("compare.spoken_to", "spoken_to", CompareState),
    )
    st.caption(plain(most_expensive(me, models()[state.spoken_to])))
    (english,) = [row for row in rows if row.code == "en"]  # the title's language is in view, until another is picked
    most = max(rows, key=lambda row: max(row.tokens[one.key] / english.tokens[one.key] for one in tokenizers))
    code = state.language if state.language in {row.code for row in rows} else most.code
    text = next(row for row in parallel() if row.code == code)
    st.subheader(plain(f"The sentences in {text.language}"), anchor=False)
    side_by_side([(shown, encoded(me, shown.tokenizer, text.text)) for shown in tokenizers], "compare.language")


def tongues(me: Visitor, tokenizers: Sequence[ShownTokenizer]) -> list[Tongue]:
    """The parallel texts with their tokens under each tokenizer. All of them must be able to read these: InputError if
    one gives a text no tokens, or does not know much of it, as there is nothing to compare then."""
    of_each = {one.key: {row.code: encoded(me, one.tokenizer, row.text) for row in parallel()} for one in tokenizers}
    for one in tokenizers:
        for row in parallel():
            ids = of_each[one.key][row.code].ids
            if not len(of_each[one.key][row.code]):
                raise InputError(f"It gives the text in {row.language} no tokens.", "Choose another tokenizer.")
            unknown = one.tokenizer.unknown
            share = 0.0 if unknown is None else float(np.mean(ids == unknown))
            if share > UNKNOWN_SHARE:
                raise InputError(
                    f"In {row.language}, {percent(share)} of its tokens stand for something that it does not know.",
                    "Choose another tokenizer.",
                )
    return [
        Tongue(row.code, row.language, row.script, {key: len(texts[row.code]) for key, texts in of_each.items()})
        for row in parallel()
    ]


def equality(tokenizers: Sequence[ShownTokenizer], rows: Sequence[Tongue]) -> str:
    """The Gini coefficient of each tokenizer over the languages, in a sentence, and where it is from."""
    spread = [f"{one.name} {rate(gini([row.tokens[one.key] for row in rows]))}" for one in tokenizers]
    return f"Gini over the languages, 0 is equal: {listed(spread)} ({definitions()['gini'].source})"


def prices_of_languages(me: Visitor, model: Model) -> dict[str, str]:
    """What the parallel texts cost this model as input, by language."""
    if not model.price:
        return {}
    tokenizer = reference(model.tokenizer)
    return {row.language: cost(len(encoded(me, tokenizer, row.text)), model.price.value) for row in parallel()}


def most_expensive(me: Visitor, model: Model) -> str:
    """In which language the same sentences cost the most, and how many times as much as in English.

    A price is for a token, and not for a sentence.
    """
    tokens = {row.language: len(encoded(me, reference(model.tokenizer), row.text)) for row in parallel()}
    language = max(tokens, key=lambda language: tokens[language])
    if tokens[language] <= tokens["English"]:
        return f"With {model.title}, the same sentences cost the most in English."
    prices = prices_of_languages(me, model)
    often = factor(tokens[language] / tokens["English"])
    said = f"cost {prices[language]} as input, {often} times as much as in English, {prices['English']}"
    return f"With {model.title}, the most expensive language is {language}: the same sentences {said}."
