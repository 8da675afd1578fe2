"""Prices on Compare: worked examples come out right, to the last fraction of a cent, and each has its source."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import tokviz
from tokviz.catalog.references import models
from tokviz.ui.compare.figure_tables import prices_table

WORKED = Path(__file__).parent / "data" / "worked_examples.json"
TRUE: dict[str, Any] = json.loads(WORKED.read_text(encoding="utf-8"), parse_float=Decimal)
REFERENCES = sorted({model.tokenizer for model in models().values() if model.tokenizer})


def counted(text: str) -> dict[str, int]:
    return {name: len(tokviz.reference(name).encode(text)) for name in REFERENCES}


@pytest.mark.parametrize("example", ["cost_prompt_tokens", "exercise2_tokens"])
def test_the_prices_of_worked_examples(example: str) -> None:
    values = TRUE[example]
    rows = {title: row for title, *row in prices_table(counted(values["text"])).rows}
    for name, usd in values["usd"].items():
        tokens, into, *_ = rows[models()[name].title]
        assert tokens == values[name]
        assert Decimal(into.removeprefix("$")) == usd


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
    assert counted(text).items() >= tokens.items()


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
        for fact in filter(None, (one.price, one.context)):
            assert fact.url.startswith("https://"), one.name


def test_every_model_has_a_row_and_every_price_its_source() -> None:
    rows = prices_table({"gpt2": 5, "cl100k_base": 4, "o200k_base": 3, "o200k_harmony": 3}).rows
    by_model = {title: row for title, *row in rows}
    for model in models().values():
        tokens, into, out_of, _, _, _, read_on, source = by_model[model.title]
        price = model.price
        assert (tokens is not None) == bool(model.tokenizer)
        assert (into is not None) == bool(model.tokenizer and price)
        assert (out_of is not None) == bool(model.tokenizer and model.output_price)
        assert (source and source.to, read_on) == ((price.url, price.date.isoformat()) if price else (None, None))
    unknown = [tokens is None for _, tokens, *_ in rows]
    assert unknown == sorted(unknown)  # those that can be told come first
