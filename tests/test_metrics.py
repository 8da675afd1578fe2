"""Figures of a text: words and what is counted per word, single bytes, ids in use, and exact costs."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz import metrics
from tokviz.catalog import model
from tokviz.errors import SettingError
from tokviz.samples import parallel

WORKED = Path(__file__).parent / "data" / "worked_examples.json"
TRUE: dict[str, Any] = json.loads(WORKED.read_text(encoding="utf-8"), parse_float=Decimal)

# Words


@given(st.text())
def test_words_are_runs_between_white_space(text: str) -> None:
    assert metrics.words(text) in (None, len(regex.findall(r"\S+", text)))


@given(st.text(alphabet=st.characters(max_codepoint=0x0DFF)))
def test_texts_of_scripts_with_spaces_always_have_words(text: str) -> None:
    assert metrics.words(text) == len(regex.findall(r"\S+", text))


def test_white_space_is_that_of_the_regex_package() -> None:
    assert metrics.words("a\x1cb\x1fc") == 1  # str.split() would part them
    assert metrics.words("a\u00a0b\u2003c\u3000d\x85e") == 5
    assert metrics.words("a\u200bb") == 1
    assert [metrics.words(text) for text in ("", " \n\t", "\ud800 x")] == [0, 0, 2]


@pytest.mark.parametrize(
    "text", ["你好世界", "猫が好きだ", "スーパー", "สวัสดีชาวโลก", "ខ្ញុំស្រឡាញ់ភាសា", "ສະບາຍດີ", "မင်္ဂလာပါ"]
)
def test_scripts_that_do_not_separate_words(text: str) -> None:
    assert metrics.words(text) is None
    assert metrics.words(f"  {text}。 {text}\n") is None


def test_a_few_such_characters_among_words_do_not_matter() -> None:
    assert metrics.words("The sign 猫 means cat, and is read as neko.") == 10
    assert metrics.words("猫 means cat") == 3  # 1 letter of 9
    assert metrics.words("猫犬 means 3 things!") is not None
    assert metrics.words("猫犬 abcdef") is None  # 2 of 8 is where it begins
    assert metrics.words("১২৩ 123 ๓") == 3  # digits are no letters


def test_the_languages_of_the_samples() -> None:
    spaceless = {row.script for row in parallel() if metrics.words("\n".join(row.sentences)) is None}
    spaced = {row.script for row in parallel()} - spaceless
    assert {"Latin", "Cyrillic", "Greek", "Arabic", "Devanagari"} <= spaced
    assert "Thai" in spaceless
    assert any("Han" in script for script in spaceless)
    assert not any("Hangul" in script for script in spaceless)


# Per word, per token, per vocabulary


def test_tokens_per_word_is_sum_over_sum() -> None:
    tok = tokviz.reference("gpt2")
    one, six = tok.explain("unforgettable"), tok.explain("The cat sat on the mat")
    assert (len(one), len(six)) == (3, 6)
    assert metrics.tokens_per_word(one) == 3
    assert metrics.tokens_per_word([one, six]) == 9 / 7
    assert metrics.tokens_per_word([one, tok.explain("")]) == 3


def test_no_tokens_per_word_without_words() -> None:
    tok = tokviz.reference("gpt2")
    assert metrics.tokens_per_word(tok.explain("")) is None
    assert metrics.tokens_per_word([]) is None
    assert metrics.tokens_per_word(tok.explain("你好")) is None
    assert metrics.tokens_per_word([tok.explain("a cat"), tok.explain("你好")]) is None


@given(st.text())
def test_single_bytes_and_distinct_ids(text: str) -> None:
    encoding = tokviz.reference("cl100k_base").explain(text)
    tokens = encoding.tokens()
    single = sum(len(token.data) == 1 for token in tokens)
    assert metrics.single_byte_share(encoding) == (pytest.approx(single / len(tokens)) if tokens else None)
    seen = metrics.distinct_ids(encoding)
    assert seen == len({token.id for token in tokens})
    assert metrics.vocabulary_in_use(encoding, 100_256) == seen / 100_256


def test_a_vocabulary_smaller_than_what_is_seen_is_refused() -> None:
    encoding = tokviz.reference("gpt2").explain("the cat")
    assert metrics.vocabulary_in_use(encoding, 2) == 1
    for size in (1, 0, -1):
        with pytest.raises(SettingError, match="2 different ids"):
            metrics.vocabulary_in_use(encoding, size)


# Costs


@pytest.mark.parametrize("name", ["gpt-4", "gpt-4o", "gpt-4o-mini"])
@pytest.mark.parametrize("example", ["cost_prompt_tokens", "exercise2_tokens"])
def test_costs_of_the_worked_examples(example: str, name: str) -> None:
    values, price = TRUE[example], model(name).price
    assert price is not None
    tokens = len(tokviz.reference(model(name).tokenizer).encode(values["text"]))
    assert tokens == values[name]
    shown = metrics.cost(tokens, price.value)
    assert Decimal(shown.removeprefix("$")) == values["usd"][name]


def test_fractions_of_a_cent_are_kept() -> None:
    assert metrics.cost(38, 30) == "$0.00114"
    assert metrics.cost(37, Decimal("2.5")) == "$0.0000925"
    assert metrics.cost(37, Decimal("0.15")) == "$0.00000555"
    assert metrics.cost(1, Decimal("0.02")) == "$0.00000002"


def test_cents_are_always_there() -> None:
    assert metrics.cost(0, 30) == "$0.00"
    assert metrics.cost(10_000, 30) == "$0.30"
    assert metrics.cost(40_000_000_000, 30) == "$1,200,000.00"


@given(st.integers(0, 10**15), st.decimals(0, 10**6, places=9))
def test_costs_are_exact(tokens: int, price: Decimal) -> None:
    shown = metrics.cost(tokens, price).removeprefix("$").replace(",", "")
    whole, cents = shown.split(".")
    assert len(cents) >= 2
    assert int(whole + cents) * 10**15 == tokens * int(price.scaleb(9)) * 10 ** len(cents)


def test_nothing_below_0_is_reckoned() -> None:
    for tokens, price in ((-1, 30), (1, -30)):
        with pytest.raises(SettingError, match="below 0"):
            metrics.cost(tokens, price)
