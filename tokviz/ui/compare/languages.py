"""The tab Languages: the tokens of the same sentences in each language, and what they cost with a chat model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from tokviz.base.blocks import Bar, Button, Line, Series, Table
from tokviz.base.errors import InputError
from tokviz.base.wording import factor, listed, percent, rate
from tokviz.catalog.references import Model, models, reference
from tokviz.catalog.samples import parallel
from tokviz.cost.figures import cost, definitions, gini
from tokviz.ui.compare.folds import side_by_side, with_csv
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.say import note, plain
from tokviz.ui.frame.tokenizers import ShownTokenizer, able, encoded
from tokviz.ui.frame.widgets import bind
from tokviz.ui.kit.blocks import Press
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor

UNKNOWN_SHARE = 0.01  # of a language's tokens; with more, their number says nothing about the language


@dataclass(frozen=True, slots=True)
class Tongue:
    """A language of the parallel texts. tokens: key of the tokenizer -> tokens of the text in this language."""

    code: str
    language: str
    script: str
    tokens: Mapping[str, int]


def languages_tab(me: Visitor, tokenizers: Sequence[ShownTokenizer]) -> None:
    """Draw the tab: how many tokens each language takes, the prices, and the sentences in the language picked."""

    def pressed(press: Press) -> None:
        visitor().state(CompareState).language = press.value

    tokenizers, faults = able(tokenizers, lambda one: tongues(me, [one]), "the languages")
    for fault in faults:
        note("warn", fault.what, fault.way_out)
    if not tokenizers:
        return
    rows, state = by_cost(tokenizers, tongues(me, tokenizers)), me.state(CompareState)
    language = next((row for row in rows if row.code == state.language), rows[0])
    model = models()[state.spoken_to]
    st.selectbox(
        "Chat model",
        [name for name, one in models().items() if one.chat and one.tokenizer and one.price],
        format_func=lambda name: models()[name].title,
        width=300,
        **bind("compare.spoken_to", "spoken_to", CompareState),
    )
    said = "Tokens of the same sentences, where English is 1. Press a language to see its sentences."
    with_csv(
        [
            Line([finding(tokenizers, rows)], "title"),
            Line([most_expensive(me, model)]),
            Line([f"{said} {equality(tokenizers, rows)}"], "quiet"),
        ],
        languages_table(me, tokenizers, rows, model, language),
        "languages",
        pressed,
    )
    text = next(row for row in parallel() if row.code == language.code)
    st.subheader(plain(f"The sentences in {text.language}"), anchor=False)
    side_by_side([(shown, encoded(me, shown.tokenizer, text.text)) for shown in tokenizers], "compare.language")


def by_cost(tokenizers: Sequence[ShownTokenizer], rows: Sequence[Tongue]) -> list[Tongue]:
    """The languages, those first that take the most tokens under any tokenizer, as times those of English."""
    english = _english(rows)
    return sorted(rows, key=lambda row: -max(row.tokens[one.key] / english[one.key] for one in tokenizers))


def languages_table(
    me: Visitor, tokenizers: Sequence[ShownTokenizer], rows: Sequence[Tongue], model: Model, picked: Tongue
) -> Table:
    """How many times the tokens of English each language takes, and its price with a model."""
    english, prices = _english(rows), prices_of_languages(me, model)
    most = max(row.tokens[one.key] / english[one.key] for row in rows for one in tokenizers)
    cells = []
    for row in rows:
        name = row.language if row.script == row.language else f"{row.language} · {row.script}"
        times = [row.tokens[one.key] / english[one.key] for one in tokenizers]
        bars = [Bar(each / most, factor(each)) for each in times]
        cells.append([Button("language", row.code, name), *bars, prices.get(row.language)])
    marks = [Series(one.series, one.name) for one in tokenizers]
    return Table(["Language", *marks, f"Price with {model.title}"], cells, "Languages", marked=[rows.index(picked)])


def finding(tokenizers: Sequence[ShownTokenizer], rows: Sequence[Tongue]) -> str:
    """The title: the language that takes the most tokens relative to English, and where that ratio is lowest."""
    english, worst = _english(rows), []
    for one in tokenizers:
        row = max(rows, key=lambda row: row.tokens[one.key])
        worst.append((row.tokens[one.key] / english[one.key], row.language, one.name))
    times, language, name = max(worst, key=lambda found: found[0])
    least, _, other = min(worst, key=lambda found: found[0])
    if times <= 1:
        return "No language takes more tokens than English"
    first = f"{language} takes {factor(times)} times the tokens of English under {name}"
    if factor(least) == factor(times):
        return first
    return f"{first}; under {other} no language takes more than {factor(least)} times"


def _english(rows: Sequence[Tongue]) -> Mapping[str, int]:
    return next(row for row in rows if row.code == "en").tokens


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
                    f"In {row.language}, {percent(share)} of its tokens say only that the text is unknown to it.",
                    "Choose another tokenizer.",
                )
    return [
        Tongue(row.code, row.language, row.script, {key: len(texts[row.code]) for key, texts in of_each.items()})
        for row in parallel()
    ]


def equality(tokenizers: Sequence[ShownTokenizer], rows: Sequence[Tongue]) -> str:
    """The Gini coefficient of each tokenizer over the languages, in a sentence, and where it is from."""
    spread = [f"{one.name} {rate(gini([row.tokens[one.key] for row in rows]))}" for one in tokenizers]
    return f"Gini over the languages, where 0 means all are equal: {listed(spread)} ({definitions()['gini'].source})"


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
