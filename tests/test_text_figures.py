"""The figures of a text, as they are told on the Tokens page."""

from __future__ import annotations

import pytest

import tokviz
from tests.oracles import witness
from tokviz.base.wording import NONE, rounded
from tokviz.catalog.references import reference
from tokviz.ui.frame.beside_text import TextFigures, text_figures

PROMPT = "So far, I had counted words."


def told(text: str = PROMPT, shown: tuple[str, ...] = ("cl100k_base",)) -> TextFigures:
    return text_figures(text, [(reference(name), reference(name).explain(text)) for name in shown])


def test_a_column_for_each_tokenizer() -> None:
    found = told(shown=("gpt2", "o200k_base"))
    counts = [len(witness(name).encode(PROMPT)) for name in ("gpt2", "o200k_base")]
    assert found.text == [("6", "words")]
    assert found.rows == [
        ("tokens", [str(n) for n in counts]),
        ("bytes per token", [f"{28 / n:.2f}" for n in counts]),
        ("tokens per word", [f"{n / 6:.2f}" for n in counts]),
    ]
    assert len(found.sources) == 1


def test_a_text_of_nothing_divides_by_nothing() -> None:
    found = told("")
    assert found.text == [("0", "words")]
    assert dict(found.rows) == {"tokens": ["0"], "bytes per token": [NONE], "tokens per word": [NONE]}


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
    found = text_figures("one-two", [(words, None), (gpt2, gpt2.explain("one-two"))])
    assert [values[0] for _, values in found.rows] == [NONE, NONE, NONE]
    assert dict(found.rows)["tokens"][1] == "3"


def test_figures_of_tokenizers_that_are_cut_are_those_of_smaller_tokenizers() -> None:
    o200k, gpt2 = reference("o200k_base"), reference("gpt2")
    sides = [(one, one.explain(PROMPT)) for one in (o200k, gpt2)]
    for size in (256, 1_000, 100_000):
        smaller = [one.truncated(min(size, one.vocab_size)) for one, _ in sides]
        found = text_figures(PROMPT, sides, size)
        assert found.rows == text_figures(PROMPT, [(one, one.explain(PROMPT)) for one in smaller]).rows


@pytest.mark.right
def test_a_rounded_zero_has_no_sign() -> None:
    assert [rounded(value, 2) for value in (-0.001, 0.001, -0.0, -0.006)] == ["0.00", "0.00", "0.00", "-0.01"]
