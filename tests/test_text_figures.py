"""The figures of a text, and what it comes to for a model, as they are told on the Tokens page."""

from __future__ import annotations

from decimal import Decimal

import pytest

import tokviz
from tests.oracles import witness
from tokviz.base.wording import NONE, rounded
from tokviz.catalog.references import model, models, reference
from tokviz.cost.figures import cost
from tokviz.ui.frame.beside_text import TextFigures, text_figures

PROMPT = "So far, I had counted words."


def told(text: str = PROMPT, model: str = "", shown: tuple[str, ...] = ("cl100k_base",)) -> TextFigures:
    return text_figures(text, [(reference(name), reference(name).explain(text)) for name in shown], model)


def said(of: TextFigures) -> dict[str, str]:
    return {what: figure for figure, what in (*of.text, *of.of_model)}


def test_a_column_for_each_tokenizer() -> None:
    found = told(shown=("gpt2", "o200k_base"))
    counts = [len(witness(name).encode(PROMPT)) for name in ("gpt2", "o200k_base")]
    assert found.text == [("6", "words")]
    assert found.rows == [
        ("tokens", [str(n) for n in counts]),
        ("bytes per token", [f"{28 / n:.2f}" for n in counts]),
        ("tokens per word", [f"{n / 6:.2f}" for n in counts]),
    ]
    assert (found.model, found.of_model, found.missing, len(found.sources)) == ("", [], [], 1)


def test_a_text_of_nothing_divides_by_nothing() -> None:
    found = told("")
    assert found.text == [("0", "words")]
    assert dict(found.rows) == {"tokens": ["0"], "bytes per token": [NONE], "tokens per word": [NONE]}
    assert said(told("", "gpt-4o"))["as input"] == "$0.00"


def test_characters_per_token_stands_in_where_there_are_no_words() -> None:
    found = told("你好世界")
    n = len(witness("cl100k_base").encode("你好世界"))
    assert found.text == [(NONE, "words")]
    assert dict(found.rows)["tokens per word"] == [NONE]
    assert dict(found.rows)["characters per token"] == [f"{4 / n:.2f}"]
    assert "no spaces between words" in found.sources[0]


def test_a_tokenizer_that_cannot_cut_the_text_has_no_figures() -> None:
    words = tokviz.train("one two", 258, pattern=r"\w+| ").tokenizer
    gpt2 = reference("gpt2")
    found = text_figures("one-two", [(words, None), (gpt2, gpt2.explain("one-two"))], "gpt2")
    assert [values[0] for _, values in found.rows] == [NONE, NONE, NONE]
    assert dict(found.rows)["tokens"][1] == said(found)["tokens for GPT-2"] == "3"


@pytest.mark.parametrize("shown", [(), ("cl100k_base",), ("o200k_base",)])
def test_a_model_counts_with_its_own_tokenizer_shown_or_not(shown: tuple[str, ...]) -> None:
    found = told(PROMPT * 100, "gpt-4o", shown)
    n = len(witness("o200k_base").encode(PROMPT * 100))
    assert found.of_model == [
        (f"{n:,}", "tokens for GPT-4o"),
        (f"{100 * n / 128_000:.2f}\u00a0%", "of its context window"),
        (cost(n, Decimal("2.5")), "as input"),
    ]
    facts = model("gpt-4o")
    for fact in (facts.vocabulary, facts.context, facts.price):
        assert fact is not None
        assert any(f"Read on {fact.date.isoformat()} in: {fact.source}." in source for source in found.sources)


def test_figures_of_tokenizers_that_are_cut_are_those_of_smaller_tokenizers() -> None:
    o200k, gpt2 = reference("o200k_base"), reference("gpt2")
    sides = [(one, one.explain(PROMPT)) for one in (o200k, gpt2)]
    for size in (256, 1_000, 100_000):
        smaller = [one.truncated(min(size, one.vocab_size)) for one, _ in sides]
        found = text_figures(PROMPT, sides, "gpt-4o", size=size)
        assert found.rows == text_figures(PROMPT, [(one, one.explain(PROMPT)) for one in smaller], "").rows
        assert said(found)["tokens for GPT-4o at this vocabulary size"] == dict(found.rows)["tokens"][0]


def test_special_tokens_count_as_they_are_read() -> None:
    text, gpt2 = "one<|endoftext|>", reference("gpt2")
    for allowed in ((), ("<|endoftext|>",)):
        found = text_figures(text, [(gpt2, gpt2.explain(text, allowed))], "gpt-4o", allowed)
        theirs = witness("o200k_base").encode(text, allowed_special=set(allowed), disallowed_special=())
        assert said(found)["tokens for GPT-4o"] == str(len(theirs))


def test_a_text_too_long_for_a_model_is_said() -> None:
    found = told("a b" * 5_000, "gpt2", ())
    n = len(witness("gpt2").encode("a b" * 5_000))
    assert f"The text is {n - 1024:,} tokens too long for GPT-2." in found.missing
    assert said(found)["of its context window"] == f"{100 * n / 1024:,.1f}\u00a0%"


@pytest.mark.parametrize("name", models())
def test_each_figure_has_its_source_or_a_reason_why_it_is_not_there(name: str) -> None:
    found, facts = told(model=name), model(name)
    figures, reasons, sources = said(found), " ".join(found.missing), " ".join(found.sources)
    counted = bool(facts.tokenizer)
    assert ("cannot be counted" in reasons) == (not counted)
    assert ("of its context window" in figures) == (counted and facts.context is not None)
    assert ("as input" in figures) == (counted and facts.price is not None)
    assert ("Its context window has no source" in reasons) == (facts.context is None)
    assert ("Its price has no source" in reasons) == (facts.price is None)
    for fact in (facts.vocabulary, facts.context, facts.price):
        assert fact is None or fact.source in sources


def test_a_model_that_there_is_not_is_none() -> None:
    assert told(model="a model there was once") == told()


@pytest.mark.right
def test_a_rounded_zero_has_no_sign() -> None:
    assert [rounded(value, 2) for value in (-0.001, 0.001, -0.0, -0.006)] == ["0.00", "0.00", "0.00", "-0.01"]
