"""Costs and vocabularies on the Compare page: worked examples come out right, to the last fraction of a cent."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app
from tests.test_measures import opened, table
from tokviz.base.wording import factor
from tokviz.catalog.references import models
from tokviz.catalog.samples import parallel
from tokviz.cost.figures import tally
from tokviz.ui.compare import cost
from tokviz.ui.compare.language_costs import dearest_in_money, language_costs
from tokviz.ui.compare.state import CompareState
from tokviz.ui.server.visitor import Visitor

__all__ = ["app"]

WORKED = Path(__file__).parent / "data" / "worked_examples.json"
TRUE: dict[str, Any] = json.loads(WORKED.read_text(encoding="utf-8"), parse_float=Decimal)


def of(app: AppTest, column: str) -> pd.DataFrame:
    return table(app, column).set_index("model")


# -- true values of figures that are often printed wrong --


def test_the_costs_of_a_worked_example_stand_on_the_page(app: AppTest) -> None:
    values = TRUE["cost_prompt_tokens"]
    opened(app, "Cost", values["text"])
    rows = of(app, "maker")
    for name, usd in values["usd"].items():
        row = rows.loc[models()[name].title]
        assert row["tokens"] == values[name]
        assert Decimal(row["cost"].removeprefix("$")) == usd
    # the ratio of prices, which is 200, is not the ratio of costs
    amounts = {name: Decimal(value.removeprefix("$")) for name, value in rows["cost"].items() if value != "–"}
    assert round(amounts["GPT-4"] / amounts["GPT-4o mini"]) == 205


def test_the_costs_of_the_other_worked_example() -> None:
    values = TRUE["exercise2_tokens"]
    rows = cost.costs_table(cost.tokens_by_tokenizer(Visitor(text=values["text"]), cost.THIS_TEXT)).set_index("model")
    for name, usd in values["usd"].items():
        assert rows.loc[models()[name].title, "tokens"] == values[name]
        assert Decimal(rows.loc[models()[name].title, "cost"].removeprefix("$")) == usd


SENTENCES = [
    ("Tokenization affects your API bill.", {"cl100k_base": 7, "o200k_base": 7}, 35),
    ("Tokenization is the first step in any LLM pipeline.", {"cl100k_base": 12, "o200k_base": 12}, 51),
    ("I’m a Nepali boy", {"gpt2": 8, "cl100k_base": 6, "o200k_base": 6}, 16),
    ("你", {"gpt2": 2, "cl100k_base": 1, "o200k_base": 1}, 1),
    ("So far, I had", {"gpt2": 5}, 13),
    ("Hello, world!", {"cl100k_base": 4}, 13),
    ("Build a BPE tokenizer from scratch in Python.", {"cl100k_base": 10}, 45),
    ("cat", {"gpt2": 1, "cl100k_base": 1, "o200k_base": 1}, 3),
]


@pytest.mark.parametrize(("text", "tokens", "characters"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_counts_that_are_often_told_otherwise(text: str, tokens: dict[str, int], characters: int) -> None:
    assert len(text) == characters
    assert cost.tokens_by_tokenizer(Visitor(text=text), cost.THIS_TEXT).items() >= tokens.items()


def test_the_true_sizes_of_vocabularies() -> None:
    known = {one.title: one for one in models().values()}
    sizes = {
        "GPT-2": 50_257,
        "GPT-4": 100_277,
        "GPT-4o": 200_019,
        "Llama 2": 32_000,
        "Llama 3": 128_256,
        "Claude 2.1": 65_000,
        "Gemini 2.5 Flash": 262_144,
        "BERT base, uncased": 30_522,
    }
    assert {title: known[title].vocabulary.value for title in sizes} == sizes
    assert known["GPT-2"].tokenizer == "gpt2" and not known["Llama 3"].tokenizer
    assert "SentencePiece" in known["Llama 2"].kind
    assert "SentencePiece" in known["Gemini 2.5 Pro"].kind
    for title, one in known.items():
        if title.startswith("Claude") and title != "Claude 2.1":
            assert (one.vocabulary, one.kind) == (None, "not published")
        else:
            assert one.vocabulary.source and one.vocabulary.date


def test_the_sources_of_prices_and_context_windows_are_links() -> None:
    for one in models().values():
        for fact in filter(None, (one.price, one.context)):
            assert fact.url.startswith("https://"), one.name


# -- prices --


def test_a_model_without_a_tokenizer_here_has_no_cost() -> None:
    counted = {"gpt2": 5, "cl100k_base": 4, "o200k_base": 3, "o200k_harmony": 3}
    rows = cost.costs_table(counted).set_index("model")
    for model in models().values():
        row = rows.loc[model.title]
        assert pd.isna(row["tokens"]) == (not model.tokenizer)
        assert (row["cost"] != "–") == bool(model.tokenizer and model.price)
    assert rows["tokens"].isna().tolist() == sorted(rows["tokens"].isna())  # those that can be told come first


def test_what_is_counted_of_a_file_holds_for_every_tokenizer_of_that_vocabulary() -> None:
    tallies = {key: tally(tokviz.reference("o200k_base").explain("one two")) for key in ("o200k_base", "mine1")}
    me = Visitor()
    me.state(CompareState).files = [SimpleNamespace(name="a.txt", tallies=tallies)]  # type: ignore[list-item]
    assert cost.tokens_by_tokenizer(me, "a.txt") == {"o200k_base": 2, "o200k_harmony": 2}
    assert cost.tokens_by_tokenizer(Visitor(text="one two"), cost.THIS_TEXT)["o200k_harmony"] == 2


def test_every_price_has_its_source_and_date() -> None:
    rows = cost.costs_table({}).set_index("model")
    for model in models().values():
        row, price = rows.loc[model.title], model.price
        assert (row["price for a million"] == "–") == (price is None)
        assert row["source of the price"] == price.url if price else pd.isna(row["source of the price"])
        assert row["read on"] == (price.date.isoformat() if price else "–")


def test_the_dearest_and_the_cheapest() -> None:
    rows = cost.costs_table({"cl100k_base": 4, "o200k_base": 4})
    assert cost.cheapest(rows, "") == "With GPT-4 this text costs $0.00012, 300 times as much as with GPT-4.1 nano"
    free = rows.replace({"cost": {rows.set_index("model").loc["GPT-5", "cost"]: "$0.00"}})
    assert cost.cheapest(free, "a.txt") == "With GPT-4 a.txt costs $0.00012, with GPT-5 $0.00"
    assert cost.cheapest(cost.costs_table({}), "a.txt") == "What a.txt costs as input"
    assert cost.cheapest(rows.assign(cost="$0.00"), "") == "What this text costs as input"
    assert cost.cheapest(rows.assign(cost="$5.00"), "") == "With every chat model this text costs the same, $5.00"


def test_the_same_sentences_cost_as_many_times_as_much_as_they_have_tokens() -> None:
    me = Visitor()
    model = models()["gpt-4"]
    rows = language_costs(me, model).set_index("language")
    tokens = {row.language: len(tokviz.reference("cl100k_base").encode(row.text)) for row in parallel()}
    assert rows["tokens"].to_dict() == tokens
    most = max(tokens, key=lambda language: tokens[language])
    assert Decimal(rows.loc[most, "cost"].removeprefix("$")) == 30 * Decimal(tokens[most]) / 1_000_000
    often = factor(tokens[most] / tokens["English"])
    said = f"With GPT-4, the same sentences in {most} cost {often} times as much as in English"
    assert dearest_in_money(model.title, language_costs(me, model)) == said
